# What the build of MHA and the users of its package both do with the MLIR that was found.

# mha_check_mlir(<result> <version>): an empty result, or what is wrong with the MLIR that was found. Only the given
# parts of the version are compared.
function(mha_check_mlir result version)
  string(FIND "${LLVM_PACKAGE_VERSION}." "${version}." position)
  set(${result} "" PARENT_SCOPE)
  if(NOT position EQUAL 0)
    set(${result} "expected MLIR ${version}, found ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR}" PARENT_SCOPE)
  endif()
endfunction()

# A target for its headers: MLIR's own targets do not carry them, and a path in a library would be part of MHA's package.
if(NOT TARGET MHA::MLIRHeaders)
  add_library(MHA::MLIRHeaders INTERFACE IMPORTED GLOBAL)
  set_target_properties(MHA::MLIRHeaders PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${MLIR_INCLUDE_DIRS};${LLVM_INCLUDE_DIRS}")
endif()
