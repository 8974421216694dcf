# Tests of the course, registered so that a build folder can be moved: add_test() writes absolute paths into
# CTestTestfile.cmake, this file writes paths relative to the build folder (ctest reads the file from there).

# course_add_test(<name> COMMAND <program> [<argument>...] [LABELS <label>...] [TIMEOUT <seconds>]
#                 [FIXTURES_SETUP <fixture>] [FIXTURES_REQUIRED <fixture>...] [SKIP_REGULAR_EXPRESSION <regex>]
#                 [FAIL_REGULAR_EXPRESSION <regex>] [GRADES])
#
# Registers one test with ctest. A program or argument that lies in the build folder is made relative to it. Always
# give a TIMEOUT that fits: student kernels loop for ever.
#
#   GRADES  one of the students' tests: what `course grade` runs. They also stand in grading/, a test folder of their own, for to read the
#           thousands of tests of the course itself takes ctest half a second.
function(course_add_test name)
  set(properties TIMEOUT LABELS FIXTURES_SETUP FIXTURES_REQUIRED SKIP_REGULAR_EXPRESSION FAIL_REGULAR_EXPRESSION)
  cmake_parse_arguments(
    PARSE_ARGV 1 arg "GRADES" "TIMEOUT;FIXTURES_SETUP;SKIP_REGULAR_EXPRESSION;FAIL_REGULAR_EXPRESSION"
    "COMMAND;LABELS;FIXTURES_REQUIRED")
  if(NOT arg_COMMAND OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "course_add_test(${name}): write course_add_test(name COMMAND program argument... LABELS ... TIMEOUT seconds)")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  set(text "")
  set(command "")
  set(command_of_grading "")
  foreach(word IN LISTS arg_COMMAND)
    cmake_path(IS_PREFIX CMAKE_BINARY_DIR "${word}" in_build_folder)
    set(word_of_grading "${word}")
    if(in_build_folder)
      file(RELATIVE_PATH word "${CMAKE_BINARY_DIR}" "${word}")
      set(word_of_grading "../${word}")
      set(word "./${word}")
    endif()
    string(APPEND command " [==[${word}]==]")
    string(APPEND command_of_grading " [==[${word_of_grading}]==]")
  endforeach()
  string(APPEND text ")\nset_tests_properties([==[${name}]==] PROPERTIES")
  foreach(property IN LISTS properties)
    if(arg_${property})
      string(APPEND text " ${property} [==[${arg_${property}}]==]")
    endif()
  endforeach()
  set(begin "add_test([==[${name}]==]")
  set_property(GLOBAL APPEND_STRING PROPERTY COURSE_TESTS "${begin}${command}${text})\n")
  if(arg_GRADES)
    set_property(GLOBAL APPEND_STRING PROPERTY COURSE_GRADING_TESTS "${begin}${command_of_grading}${text})\n")
  endif()
endfunction()

# course_write_tests()
#
# Writes what course_add_test collected, the students' tests once more in a folder of their own, and what ctest runs after the tests: the
# verdicts of this very run.
function(course_write_tests)
  get_property(tests GLOBAL PROPERTY COURSE_TESTS)
  file(WRITE "${CMAKE_BINARY_DIR}/course_tests.cmake" "# Written by cmake/CourseTests.cmake; paths are relative to this folder.\n${tests}")
  get_property(tests GLOBAL PROPERTY COURSE_GRADING_TESTS)
  file(WRITE "${CMAKE_BINARY_DIR}/grading/CTestTestfile.cmake" "# Written by cmake/CourseTests.cmake; paths are relative to this folder.\n${tests}")
  set_property(DIRECTORY "${CMAKE_SOURCE_DIR}" APPEND PROPERTY TEST_INCLUDE_FILES "./course_tests.cmake")
  file(WRITE "${CMAKE_BINARY_DIR}/CTestCustom.cmake" "set(CTEST_CUSTOM_POST_TEST \"./bin/course summary\")\n")
endfunction()
