# vcpkg: an overlay port, which takes the headers from the checkout that it stands in, and no network
get_filename_component(source "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(share "${CURRENT_PACKAGES_DIR}/share/${PORT}")

string(REPLACE "." ";" numbers "${VERSION}")
list(GET numbers 0 MAJOR)
list(GET numbers 1 MINOR)
set(INCLUDE include)
set(UP ../..)
configure_file("${source}/cmake/cmkConfig.cmake.in" "${share}/cmkConfig.cmake" @ONLY)
configure_file("${source}/cmake/cmkConfigVersion.cmake.in" "${share}/cmkConfigVersion.cmake" @ONLY)
file(INSTALL "${source}/include/cmk" DESTINATION "${CURRENT_PACKAGES_DIR}/include")
vcpkg_install_copyright(FILE_LIST "${source}/LICENSE")
