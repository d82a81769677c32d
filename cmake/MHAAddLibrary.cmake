# mha_add_library, mha_add_runtime, mha_add_executable, mha_add_plugin and mha_tablegen_outputs: what all targets
# of the project have in common.

include(GNUInstallDirs)

# One shared libMLIR where the installation has it, else the component libraries that the target names.
function(_mha_link_mlir target visibility)
  if(TARGET MLIR)
    target_link_libraries(${target} ${visibility} MLIR LLVM)
  else()
    target_link_libraries(${target} ${visibility} ${ARGN})
  endif()
endfunction()

function(_mha_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_17)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF)
  target_link_libraries(${target} PUBLIC MHA::MLIRHeaders)
  # Must agree with the MLIR it links to, or type information of its classes is missing.
  if(NOT LLVM_ENABLE_RTTI)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
  endif()
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-unused-parameter)
  if(MHA_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(MHA_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=address,undefined)
  endif()
  if(MHA_COVERAGE)
    target_compile_options(${target} PRIVATE --coverage)
    target_link_options(${target} PUBLIC --coverage)
  endif()
endfunction()

function(_mha_include_directories target)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endfunction()

# _mha_install(<target> [EXPORT <export set>]): wherever it lands, it finds its libraries, ours beside it and MLIR's in the
# place where they were at build time.
function(_mha_install target)
  if(NOT MHA_INSTALL)
    return()
  endif()
  set_target_properties(${target} PROPERTIES
    INSTALL_RPATH "$ORIGIN;$ORIGIN/../${CMAKE_INSTALL_LIBDIR}"
    INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS ${target} ${ARGN}
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endfunction()

# mha_add_library(<name> <sources>... DEPENDS <tablegen targets>... LINK <libraries>... MLIR <MLIR component libraries>...)
function(mha_add_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK;MLIR" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  add_library(MHA::${name} ALIAS ${name})
  _mha_compile_options(${name})
  _mha_include_directories(${name})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  _mha_link_mlir(${name} PUBLIC ${ARG_MLIR})
  _mha_install(${name} EXPORT MHATargets)
endfunction()

# mha_add_runtime(<name> STATIC|SHARED <sources>...)
# What compiled code and its callers share. Plain C: no dependency on LLVM, so that generated code can be linked without it.
function(mha_add_runtime name kind)
  add_library(${name} ${kind} ${ARGN})
  add_library(MHA::${name} ALIAS ${name})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON C_STANDARD 11 C_EXTENSIONS OFF)
  _mha_include_directories(${name})
  target_compile_options(${name} PRIVATE -Wall -Wextra)
  if(MHA_WARNINGS_AS_ERRORS)
    target_compile_options(${name} PRIVATE -Werror)
  endif()
  _mha_install(${name} EXPORT MHARuntimeTargets)
endfunction()

# mha_add_executable(<name> [INSTALL] <sources>... LINK <libraries>... MLIR <MLIR component libraries>...)
function(mha_add_executable name)
  cmake_parse_arguments(ARG "INSTALL" "" "LINK;MLIR" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  _mha_compile_options(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  _mha_link_mlir(${name} PRIVATE ${ARG_MLIR})
  if(ARG_INSTALL)
    _mha_install(${name})
  endif()
endfunction()

# mha_add_plugin(<name> [INSTALL] <sources>... LINK <libraries>...)
# Without a shared libMLIR its symbols come from the program that loads it.
function(mha_add_plugin name)
  cmake_parse_arguments(ARG "INSTALL" "" "LINK" ${ARGN})
  add_library(${name} MODULE ${ARG_UNPARSED_ARGUMENTS})
  _mha_compile_options(${name})
  set_target_properties(${name} PROPERTIES PREFIX "")
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  _mha_link_mlir(${name} PRIVATE)
  if(ARG_INSTALL)
    _mha_install(${name})
  endif()
endfunction()

# mha_tablegen_outputs(<target> <file>.td (OUTPUT <file> <mlir-tblgen arguments>...)...)
macro(mha_tablegen_outputs target td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  # A list where MLIR is a build tree.
  list(TRANSFORM MLIR_INCLUDE_DIRS PREPEND "-I" OUTPUT_VARIABLE _mha_includes)
  set(_mha_spec "")
  foreach(_word ${ARGN} OUTPUT)
    if(_word STREQUAL "OUTPUT")
      if(_mha_spec)
        list(POP_FRONT _mha_spec _mha_file)
        tablegen(MLIR ${_mha_file} ${_mha_spec} "-I${PROJECT_SOURCE_DIR}/include" ${_mha_includes})
      endif()
      set(_mha_spec "")
    else()
      list(APPEND _mha_spec ${_word})
    endif()
  endforeach()
  add_custom_target(${target} DEPENDS ${TABLEGEN_OUTPUT})
  if(MHA_INSTALL)
    set(_mha_headers ${TABLEGEN_OUTPUT})
    list(FILTER _mha_headers INCLUDE REGEX "\\.h\\.inc$")
    file(RELATIVE_PATH _mha_folder "${PROJECT_BINARY_DIR}/include" "${CMAKE_CURRENT_BINARY_DIR}")
    install(FILES ${_mha_headers} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/${_mha_folder}")
  endif()
  unset(TABLEGEN_OUTPUT)
endmacro()
