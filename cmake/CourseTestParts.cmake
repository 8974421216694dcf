# Which hand-ins and which of the clock's sets of kernels a build tests.
#
# There are 770 wrong and right hand-ins, and each is compiled and graded: twenty minutes of two cores. There are 19 sets of kernels: another ten.
# Preset ci takes a quarter of both, another one after each commit, and all hand-ins of the exercises that the last twenty commits touched; presets
# default and dev take all.

set(COURSE_TEST_PARTS 1 CACHE STRING "Hand-ins and the clock's sets are tested in so many parts, of which the commit chooses one; 1: all")

# Sets COURSE_TEST_PART, from 0, the same for the sets (SIMGPU_SET_PARTS, SIMGPU_SET_PART), and COURSE_TOUCHED_EXERCISES.
function(course_choose_tests)
  set(part 0)
  set(touched)
  if(COURSE_TEST_PARTS GREATER 1)
    find_package(Git QUIET)
    if(GIT_FOUND)
      execute_process(
        COMMAND "${GIT_EXECUTABLE}" rev-parse --short=6 HEAD
        WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}" OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
      execute_process(
        COMMAND "${GIT_EXECUTABLE}" log -n 20 --name-only --format= -- exercises solutions grader/tests/hand_ins
        WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}" OUTPUT_VARIABLE files ERROR_QUIET)
      if(commit MATCHES "^([0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f])")
        math(EXPR part "0x${CMAKE_MATCH_1} % ${COURSE_TEST_PARTS}")
      endif()
      string(REGEX MATCHALL "(exercises|solutions|hand_ins)/[^\n]+" files "${files}")
      foreach(file IN LISTS files)
        if(file MATCHES "^(exercises|solutions)/[^/]+/([^/]+)/" OR file MATCHES "^(hand_ins)/([^/]+)/")
          list(APPEND touched ${CMAKE_MATCH_2})
        endif()
      endforeach()
      list(REMOVE_DUPLICATES touched)
    endif()
    math(EXPR number "${part} + 1")
    list(LENGTH touched count)
    message(STATUS "Tests: part ${number} of ${COURSE_TEST_PARTS} of the hand-ins and the clock's sets, and all hand-ins of ${count} exercises that the last commits touched")
  endif()
  set(COURSE_TEST_PART ${part} PARENT_SCOPE)
  set(SIMGPU_SET_PARTS ${COURSE_TEST_PARTS} PARENT_SCOPE)
  set(SIMGPU_SET_PART ${part} PARENT_SCOPE)
  set(COURSE_TOUCHED_EXERCISES "${touched}" PARENT_SCOPE)
endfunction()

# Sets OUT to the label of the test TEST of EXERCISE: harness, or, if it is not to be run this time, left_out.
function(course_hand_in_label out exercise test)
  set(label harness)
  if(COURSE_TEST_PARTS GREATER 1 AND NOT exercise IN_LIST COURSE_TOUCHED_EXERCISES)
    string(MD5 hash "${test}")
    string(SUBSTRING "${hash}" 0 6 hash)
    math(EXPR part "0x${hash} % ${COURSE_TEST_PARTS}")
    if(NOT part EQUAL COURSE_TEST_PART)
      set(label left_out)
    endif()
  endif()
  set(${out} ${label} PARENT_SCOPE)
endfunction()

course_choose_tests()
