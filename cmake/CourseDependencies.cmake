# Libraries that are not ours: the distribution's package where there is one, else a pinned, hashed download. With the
# packages installed (the launcher script sees to that) nothing is ever downloaded.
include(FetchContent)

set(INSTALL_GTEST OFF)
set(BUILD_GMOCK OFF)
set(JSON_BuildTests OFF)
set(CLI11_PRECOMPILED OFF)
set(CLI11_BUILD_TESTS OFF)
set(CLI11_BUILD_EXAMPLES OFF)
set(CLI11_BUILD_DOCS OFF)

# Debian 12 has GoogleTest 1.12, json 3.11.2, CLI11 2.1, fmt 9.1; Ubuntu 24.04 has 1.14, 3.11.3, 2.4.1, 9.1. Write for the older.
fetchcontent_declare(
  googletest
  SYSTEM URL https://github.com/google/googletest/archive/refs/tags/v1.14.0.tar.gz
  URL_HASH SHA256=8ad598c73ad796e0d8280b082cebd82a630d73e73cd3c70057938a6501bba5d7
  FIND_PACKAGE_ARGS 1.12 NAMES GTest)
fetchcontent_declare(
  nlohmann_json
  SYSTEM URL https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz
  URL_HASH SHA256=d6c65aca6b1ed68e7a182f4757257b107ae403032760ed6ef121c9d55e81757d
  FIND_PACKAGE_ARGS 3.11)
fetchcontent_declare(
  cli11
  SYSTEM URL https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.4.1.tar.gz
  URL_HASH SHA256=73b7ec52261ce8fe980a29df6b4ceb66243bb0b779451dbd3d014cfec9fdbb58
  FIND_PACKAGE_ARGS 2.1 NAMES CLI11)
fetchcontent_declare(
  fmt
  SYSTEM URL https://github.com/fmtlib/fmt/archive/refs/tags/10.2.1.tar.gz
  URL_HASH SHA256=1250e4cc58bf06ee631567523f48848dc4596133e163f02615c97f78bab6c811
  FIND_PACKAGE_ARGS 9 NAMES fmt)
fetchcontent_makeavailable(googletest nlohmann_json cli11 fmt)
include(CourseFmt)

# libffi and libseccomp have no CMake project to fetch: they are required packages. Linked statically where possible, so that
# the workers run on machines without them.
find_path(COURSE_FFI_INCLUDE_DIR ffi.h PATH_SUFFIXES ffi)
find_library(COURSE_FFI_LIBRARY NAMES libffi.a ffi)
find_path(COURSE_SECCOMP_INCLUDE_DIR seccomp.h)
find_library(COURSE_SECCOMP_LIBRARY NAMES libseccomp.a seccomp)
foreach(library IN ITEMS FFI SECCOMP)
  string(TOLOWER lib${library} package)
  mark_as_advanced(COURSE_${library}_INCLUDE_DIR COURSE_${library}_LIBRARY)
  if(NOT COURSE_${library}_INCLUDE_DIR OR NOT COURSE_${library}_LIBRARY)
    message(FATAL_ERROR "${package} is missing: install the package ${package}-dev (apt-get install ${package}-dev), or run ./course, which does "
                        "that.")
  endif()
endforeach()
