# Writes course.json into the build folder: all that the course command, the plugin builder and the judges know of this
# build. They find it from their own executable (../course.json), so a build folder can be moved.
#
# Reads the global properties that course_add_exercise fills.

function(_course_json_strings out)
  set(items "")
  foreach(item IN LISTS ARGN)
    string(REPLACE "\\" "\\\\" item "${item}")
    string(REPLACE "\"" "\\\"" item "${item}")
    list(APPEND items "\"${item}\"")
  endforeach()
  list(JOIN items ", " text)
  set(${out} "[${text}]" PARENT_SCOPE)
endfunction()

# One fixed command for every plugin. Per-architecture -gencode options are added by the builder, since an exercise may
# name a minimum. --no-compress keeps the PTX readable for the simulated GPU; the relocations are made read-only
# before any of the plugin's code is called through them. CUB and Thrust mark what they do for profilers, whose library
# they would look for at run time: not here, where nobody profiles and nothing may be looked for.
set(COURSE_NVCC_FLAGS
    -shared
    -Xcompiler=-fPIC
    -cudart=none
    -O3
    -std=c++17
    -lineinfo
    --no-compress
    -Xptxas=-v
    -DNVTX_DISABLE
    -Xlinker=-z,relro,-z,now)
if(DEFINED ENV{CUDAHOSTCXX})
  list(APPEND COURSE_NVCC_FLAGS "-ccbin=$ENV{CUDAHOSTCXX}")
endif()

foreach(_course_kind IN ITEMS EXERCISE FIXTURE)
  get_property(_course_rows GLOBAL PROPERTY COURSE_${_course_kind}_ROWS)
  list(JOIN _course_rows ",\n    " _course_${_course_kind}_rows)
endforeach()
file(RELATIVE_PATH _course_source_relative "${CMAKE_BINARY_DIR}" "${CMAKE_SOURCE_DIR}")
_course_json_strings(_course_flags ${COURSE_NVCC_FLAGS})
_course_json_strings(_course_architectures_json ${COURSE_CUDA_ARCHITECTURES})

file(
  GENERATE
  OUTPUT "${CMAKE_BINARY_DIR}/course.json"
  CONTENT
    "{
  \"schema\": \"course.config/1\",
  \"version\": \"${PROJECT_VERSION}\",
  \"source_dir\": \"${_course_source_relative}\",
  \"source_dir_absolute\": \"${CMAKE_SOURCE_DIR}\",
  \"nvcc\": \"${COURSE_NVCC}\",
  \"nvcc_version\": \"${COURSE_NVCC_VERSION}\",
  \"cuda_version\": \"${COURSE_CUDA_VERSION}\",
  \"cudart\": \"${COURSE_CUDART_SONAME}\",
  \"ctest\": \"${CMAKE_CTEST_COMMAND}\",
  \"flags\": ${_course_flags},
  \"architectures\": ${_course_architectures_json},
  \"exercises\": [
    ${_course_EXERCISE_rows}
  ],
  \"fixtures\": [
    ${_course_FIXTURE_rows}
  ]
}
")
