# The CMake package MHA, for the build tree (MHA_DIR=<build>/lib/cmake/MHA) and for the install tree. Neither its files
# nor the exported targets name a path of the other.

include(CMakePackageConfigHelpers)

set(_mha_build_package "${PROJECT_BINARY_DIR}/lib/cmake/MHA")
set(_mha_install_package "${CMAKE_INSTALL_LIBDIR}/cmake/MHA")

set(MHA_LINKS_SHARED_MLIR OFF)
if(TARGET MLIR)
  set(MHA_LINKS_SHARED_MLIR ON)
endif()
configure_file(cmake/MHAConfig.cmake.in "${_mha_build_package}/MHAConfig.cmake" @ONLY)
write_basic_package_version_file("${_mha_build_package}/MHAConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
foreach(_mha_file MHAUseMLIR.cmake MHAFindLibzip.cmake)
  configure_file("cmake/${_mha_file}" "${_mha_build_package}/${_mha_file}" COPYONLY)
endforeach()
install(FILES
  "${_mha_build_package}/MHAConfig.cmake"
  "${_mha_build_package}/MHAConfigVersion.cmake"
  "${_mha_build_package}/MHAUseMLIR.cmake"
  "${_mha_build_package}/MHAFindLibzip.cmake"
  DESTINATION "${_mha_install_package}")

foreach(_mha_export MHARuntimeTargets MHATargets)
  export(EXPORT ${_mha_export} NAMESPACE MHA:: FILE "${_mha_build_package}/${_mha_export}.cmake")
  install(EXPORT ${_mha_export} NAMESPACE MHA:: DESTINATION "${_mha_install_package}")
endforeach()

# Headers that TableGen writes are installed where they are made, see mha_tablegen_outputs.
set(_mha_left_out "")
if(NOT TARGET MHAExecution)
  set(_mha_left_out PATTERN "Execution" EXCLUDE)
endif()
install(DIRECTORY include/mha DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td" ${_mha_left_out})
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DATADIR}/licenses/mha")
