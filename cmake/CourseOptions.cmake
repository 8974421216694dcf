# Build type, language standard and the options of the whole project.

# The simulated GPU is an interpreter: an unoptimised one is 20 times slower, so plain `cmake -S . -B build/default` must not
# end with an empty build type.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# A copy for students (course release) comes without them.
set(_course_has_tests OFF)
if(EXISTS "${CMAKE_SOURCE_DIR}/grader/tests/CMakeLists.txt")
  set(_course_has_tests ON)
endif()
option(COURSE_BUILD_TESTS "Build the maintainers' tests (label harness)" ${_course_has_tests})
option(COURSE_WARNINGS "Compile with -Wall -Wextra" ON)
set(COURSE_SANITIZE "" CACHE STRING "Sanitizers for host code, e.g. address,undefined")

if(COURSE_WARNINGS)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wall> $<$<COMPILE_LANGUAGE:CXX>:-Wextra>)
  # GCC 12 warns of an overlap in std::string's own operator+ (its bug 105651).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
  endif()
endif()

# What the course puts into the build folder's bin/ (judges, workers, the course command) must run on a machine other than the one that built
# it, e.g. built on Debian 12 and carried to a GPU server with Ubuntu 24.04: they bring their C++ library along. Targets ask
# for it by linking this.
add_library(course_travels INTERFACE)
if(NOT COURSE_SANITIZE)
  target_link_options(course_travels INTERFACE -static-libstdc++ -static-libgcc)
endif()
