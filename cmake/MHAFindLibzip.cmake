# Archives of arrays (.npz): the target MHA::libzip, where the library is there. By name: the CMake package of Debian's
# libzip wants programs that libzip-dev does not bring.

find_path(MHA_ZIP_INCLUDE_DIR zip.h)
find_library(MHA_ZIP_LIBRARY zip)
mark_as_advanced(MHA_ZIP_INCLUDE_DIR MHA_ZIP_LIBRARY)
if(MHA_ZIP_INCLUDE_DIR AND MHA_ZIP_LIBRARY AND NOT TARGET MHA::libzip)
  add_library(MHA::libzip UNKNOWN IMPORTED GLOBAL)
  set_target_properties(MHA::libzip PROPERTIES
    IMPORTED_LOCATION "${MHA_ZIP_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${MHA_ZIP_INCLUDE_DIR}")
endif()
