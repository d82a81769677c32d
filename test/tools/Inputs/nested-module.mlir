// A module within the program, which nothing lowers.
func.func @main(%x: f32) -> f32 {
  return %x : f32
}
module @inner {
}
