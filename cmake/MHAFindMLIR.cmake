# Finds MLIR and checks its version. Pass -DMLIR_DIR=<prefix>/lib/cmake/mlir to choose one.

set(MHA_TESTED_MLIR_MAJOR 22)

find_package(MLIR CONFIG QUIET
  HINTS "/usr/lib/llvm-${MHA_TESTED_MLIR_MAJOR}/lib/cmake/mlir")
if(NOT MLIR_FOUND)
  message(FATAL_ERROR
    "MLIR ${MHA_TESTED_MLIR_MAJOR} was not found. On Debian 12 run './dev setup'; elsewhere pass "
    "-DMLIR_DIR=<prefix>/lib/cmake/mlir.")
endif()
include(MHAUseMLIR)
mha_check_mlir(_mha_mismatch ${MHA_TESTED_MLIR_MAJOR})
if(_mha_mismatch AND NOT MHA_ALLOW_UNTESTED_MLIR)
  message(FATAL_ERROR "${_mha_mismatch}. Pass -DMHA_ALLOW_UNTESTED_MLIR=ON to try it all the same.")
endif()
message(STATUS "MHA uses MLIR ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR}")

list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
