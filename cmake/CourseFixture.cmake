# Fixtures: small exercises that test the frame and teach nothing. Each shows one thing that the frame can carry; none is in any list.

# course_add_fixture([MINIMUM_ARCH <capability>] [DEVICES <number>] [REQUIRES <attribute>...] [PLAIN_BASELINE])
#
# From grader/tests/fixture_exercises/peer_copy it takes the contract peer_copy.cuh, the description peer_copy_test.cpp, the reference
# solution/peer_copy.cu and, where they are, solution/plain.cu and solution/wrong/*.cu, and creates
#   the executable  bin/judges/fixture_exercises.peer_copy
#   harness tests   harness.fixtures.peer-copy.{solution,plain,wrong.<name>}
function(course_add_fixture)
  cmake_parse_arguments(PARSE_ARGV 0 arg "PLAIN_BASELINE" "MINIMUM_ARCH;DEVICES" "REQUIRES")
  if(NOT arg_MINIMUM_ARCH)
    set(arg_MINIMUM_ARCH 0)
  endif()
  if(NOT arg_DEVICES)
    set(arg_DEVICES 1)
  endif()
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME name)
  file(RELATIVE_PATH folder "${CMAKE_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  set(chapter fixture_exercises) # the folder above, which the judge reads from the path of its test
  set(label fixtures)
  _course_register(FIXTURE "\"folder\": \"${folder}\"")
  configure_file(solution/${name}.cu "${CMAKE_BINARY_DIR}/fixtures/${chapter}/${name}/${name}.cu" COPYONLY)

  set(judge "${chapter}.${name}")
  add_executable(${judge} ${name}_test.cpp)
  target_include_directories(${judge} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
  target_link_libraries(${judge} PRIVATE course_judge GTest::gtest_main course_travels)
  set_target_properties(${judge} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin/judges")

  string(REPLACE "_" "-" hyphened "${name}")
  file(
    GLOB variants
    CONFIGURE_DEPENDS
    RELATIVE "${CMAKE_SOURCE_DIR}"
    solution/*.cu
    solution/wrong/*.cu)
  foreach(variant IN LISTS variants)
    cmake_path(GET variant STEM stem)
    if(variant MATCHES "/wrong/")
      set(test wrong.${stem})
      set(expect --expect-from-file)
    else()
      set(test solution)
      if(stem STREQUAL "plain")
        set(test plain)
      endif()
      set(expect --expect pass)
    endif()
    course_add_test(
      harness.fixtures.${hyphened}.${test}
      COMMAND "${CMAKE_BINARY_DIR}/bin/course" check-variant --chapter ${chapter} --exercise ${name} --name fixtures.${name}.${test} --source
              "${variant}" ${expect}
      LABELS harness
      TIMEOUT 900)
  endforeach()
endfunction()
