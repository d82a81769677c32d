// RUN: mha-opt %s --mha-wrap-entry-points --split-input-file --verify-diagnostics

// Each name that belongs to an entry point has to be free, of functions and of whatever else has a symbol.

// expected-note @below {{entry point is here}}
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
// expected-error @below {{expected the name 'f_body' to be free for entry point 'f'}}
func.func private @f_body()

// -----

// expected-note @below {{entry point is here}}
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
// expected-error @below {{expected the name 'f_status' to be free for entry point 'f'}}
func.func private @f_status()

// -----

// expected-note @below {{entry point is here}}
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
// expected-error @below {{expected the name 'f_sizes' to be free for entry point 'f'}}
memref.global "private" @f_sizes : memref<3xf32>

// -----

// expected-note @below {{entry point is here}}
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
// expected-error @below {{expected the name 'f_shape' to be free for entry point 'f'}}
func.func private @f_shape()

// -----

// expected-note @below {{entry point is here}}
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
// expected-error @below {{expected the name 'f_workspace' to be free for entry point 'f'}}
func.func private @f_workspace()

// -----

// Near misses: other names, and the names of a function that is no entry point.
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
func.func private @f_bodies()
func.func private @g() {
  return
}
func.func private @g_body()
