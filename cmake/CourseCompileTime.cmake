# How long a first build takes, in four parts.
#
# course_optimise(<option> <target>...): what a release compiles these with, in place of CMake's -O3.
function(course_optimise option)
  foreach(target IN LISTS ARGN)
    if(TARGET ${target})
      target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${option}>)
    endif()
  endforeach()
endfunction()

# course_optimise_tests(<folder>): the same with -Og for the tests of a folder and of those below it, read six at a time. A test runs for
# milliseconds; with -O3 its GoogleTest macros took two thirds longer to compile, and reading GoogleTest takes two seconds.
function(course_optimise_tests folder)
  get_directory_property(targets DIRECTORY "${folder}" BUILDSYSTEM_TARGETS)
  list(FILTER targets INCLUDE REGEX "_tests?$")
  course_optimise(-Og ${targets})
  course_read_as_one(6 ${targets})
  get_directory_property(below DIRECTORY "${folder}" SUBDIRECTORIES)
  foreach(one IN LISTS below)
    course_optimise_tests("${one}")
  endforeach()
endfunction()

# Headers that many files include, read once. Reading <string>, <algorithm> and nlohmann/json took from a quarter to nine tenths of the
# compile time of the files that were looked at.
#
# Off where it would do harm: ccache does not cache files that use such headers (unless its owner makes it sloppy), clang's are
# bound to one set of flags, and CI builds without them (preset ci), so that a file that forgets an #include fails there.
option(COURSE_PRECOMPILE "Precompile headers that many files share" ON)

# course_precompile(<name> HEADERS <header>... TARGETS <target>... [OPTIONS <option>...] [LIBRARIES <library>...])
#
#   LIBRARIES  whose headers are among them, beside fmt and JSON
#   OPTIONS  compile options on which GCC insists that header and user agree, e.g. -march=x86-64-v3. Levels of optimisation and
#            warnings may differ.
function(course_precompile name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;TARGETS;OPTIONS;LIBRARIES")
  if(NOT COURSE_PRECOMPILE OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR COURSE_SANITIZE OR CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
    return()
  endif()
  list(TRANSFORM arg_HEADERS REPLACE "(.+)" "<\\1>")
  file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp" "// Carries the headers that ${name} precompiles.\n")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  target_link_libraries(${name} PRIVATE fmt::fmt-header-only nlohmann_json::nlohmann_json ${arg_LIBRARIES})
  target_compile_options(${name} PRIVATE ${arg_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
  foreach(target IN LISTS arg_TARGETS)
    course_use_precompiled(${target} ${name})
  endforeach()
endfunction()

# course_use_precompiled(<target> <name>): the same for a target that comes later, where there are such headers.
function(course_use_precompiled target name)
  if(NOT TARGET ${target} OR NOT TARGET ${name})
    return()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${name})
  # GCC forgets which part of a precompiled header is the system's and warns of it by the page. Warnings are looked at where nothing is
  # precompiled: presets dev and ci, and with ccache.
  target_compile_options(${target} PRIVATE -w)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    target_compile_options(${target} PRIVATE -fPIC) # as libraries are; CMake's -fPIE would keep the headers from being used
  endif()
endfunction()

# Files of one room read by the compiler several at a time: what a header's templates cost (JSON above all) is paid once for all of them.
# Off in preset dev, for two reasons: whoever works on the frame wants one file compiled when one file changed, and a file that
# leans on its neighbour's includes must fail somewhere.
option(COURSE_UNITY "Compile several files of a room at once" ON)

# course_read_as_one(<most> <target>...), up to <most> files at a time. With 24 instead of 12 the two rooms that hold most JSON, course and
# judge, took a tenth less; the others gained nothing.
function(course_read_as_one most)
  if(NOT COURSE_UNITY OR COURSE_SANITIZE OR CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
    return()
  endif()
  foreach(target IN LISTS ARGN)
    if(TARGET ${target})
      set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${most})
      # GCC takes files that are read together for headers, in which unnamed namespaces would be a mistake.
      target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
    endif()
  endforeach()
endfunction()
