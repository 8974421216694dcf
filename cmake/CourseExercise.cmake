# Registration of exercises. An exercise's CMakeLists.txt holds one call of course_add_exercise and nothing else; all
# names follow from its folder, so that adding an exercise edits no shared file.

# course_add_exercise(STARTER <verdict>... [MINIMUM_ARCH <capability>])
#
#   STARTER       the verdict that the untouched starter is meant to get; several words mean any of them (too_slow wasteful)
#   MINIMUM_ARCH  smallest compute capability that the exercise's instructions need, e.g. 90; default none
#
# From exercises/chapter2_shared_memory/block_reduction it derives the chapter (chapter2_shared_memory), the label
# (chapter2) and the name, finds the solution, plain.cu, wrong/*.cu and the maintainers' hand-ins by name, and creates
#   the executable   bin/judges/chapter2_shared_memory.block_reduction
#   students' tests  chapter2.block_reduction.{build,correctness,bandwidth}
#   harness tests    harness.chapter2.block-reduction.{files,skeleton,starter,solution,plain,wrong.<name>,hand_in.<name>}
function(course_add_exercise)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "MINIMUM_ARCH" "STARTER")
  if(NOT arg_STARTER OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${CMAKE_CURRENT_LIST_FILE}: write course_add_exercise(STARTER not_attempted), with the verdict of the untouched "
                        "starter; MINIMUM_ARCH 90 may follow.")
  endif()
  if(NOT arg_MINIMUM_ARCH)
    set(arg_MINIMUM_ARCH 0)
  endif()
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME name)
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR PARENT_PATH chapter_folder)
  cmake_path(GET chapter_folder FILENAME chapter)
  if(NOT chapter MATCHES "^(chapter[1-9])_[a-z0-9_]+$")
    message(FATAL_ERROR "The folder ${chapter} is no chapter: name it chapter1_... to chapter9_..., in lower case (ctest -L chapter1 would also "
                        "select a chapter10).")
  endif()
  set(label "${CMAKE_MATCH_1}")
  if(NOT name MATCHES "^[a-z][a-z0-9_]*$")
    message(FATAL_ERROR "${chapter}/${name}: an exercise's name becomes a C function's name; use lower case, digits and underscores.")
  endif()
  foreach(file IN ITEMS ${name}.cuh ${name}.cu ${name}_test.cpp)
    if(NOT EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
      message(FATAL_ERROR "${chapter}/${name}: the file ${file} is missing.")
    endif()
  endforeach()

  set_property(
    GLOBAL APPEND PROPERTY COURSE_EXERCISE_ROWS
                           "{\"chapter\": \"${chapter}\", \"label\": \"${label}\", \"name\": \"${name}\", \"minimum_arch\": ${arg_MINIMUM_ARCH}}")

  set(judge "${chapter}.${name}")
  add_executable(${judge} ${name}_test.cpp)
  target_include_directories(${judge} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
  target_link_libraries(${judge} PRIVATE course_judge GTest::gtest_main course_travels)
  set_property(GLOBAL APPEND PROPERTY COURSE_JUDGES ${judge})
  set_target_properties(${judge} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin/judges")
  _course_ide_target(${judge} "${CMAKE_SOURCE_DIR}/solutions/${chapter}/${name}")

  set(course "${CMAKE_BINARY_DIR}/bin/course")
  set(judge_file "${CMAKE_BINARY_DIR}/bin/judges/${judge}")
  set(test "${label}.${name}")

  # A skipped test (no such card, no file in the tree) must not count as passed, and a filter that selects nothing would
  # exit 0. Dependents of a skipped set-up run all the same, so the judge skips those on its own.
  set(skip [=[\[  SKIPPED \]]=])
  set(nothing [[0 tests from 0 test suites]])
  course_add_test(
    ${test}.build
    COMMAND "${course}" build-plugin --chapter ${chapter} --exercise ${name}
    LABELS ${label}
    TIMEOUT 180
    FIXTURES_SETUP ${test}.plugin)
  course_add_test(
    ${test}.correctness
    COMMAND "${judge_file}" "--gtest_filter=*.correctness"
    LABELS ${label} correctness
    TIMEOUT 600
    FIXTURES_REQUIRED ${test}.plugin
    FIXTURES_SETUP ${test}.correct
    SKIP_REGULAR_EXPRESSION "${skip}"
    FAIL_REGULAR_EXPRESSION "${nothing}")
  course_add_test(
    ${test}.bandwidth
    COMMAND "${judge_file}" "--gtest_filter=*.bandwidth"
    LABELS ${label} bandwidth
    TIMEOUT 600
    FIXTURES_REQUIRED ${test}.plugin ${test}.correct
    SKIP_REGULAR_EXPRESSION "${skip}"
    FAIL_REGULAR_EXPRESSION "${nothing}")

  if(COURSE_BUILD_TESTS)
    _course_add_harness_tests(${chapter} ${label} ${name} "${arg_STARTER}")
  endif()
endfunction()

# The course's test of itself, for one exercise. Paths are written relative to the source folder: the course command knows
# where that is, also after both folders were moved.
function(_course_add_harness_tests chapter label name starter)
  set(course "${CMAKE_BINARY_DIR}/bin/course")
  # Written with hyphens, so that a student's `ctest -R block_reduction` finds that exercise and none of these.
  string(REPLACE "_" "-" hyphened "${name}")
  set(prefix "harness.${label}.${hyphened}")
  set(of --chapter ${chapter} --exercise ${name})
  list(JOIN starter "|" starter)
  set(solution "solutions/${chapter}/${name}")

  course_add_test(${prefix}.files COMMAND "${course}" check-files ${of} LABELS harness TIMEOUT 30)
  course_add_test(${prefix}.skeleton COMMAND "${course}" check-skeleton ${of} LABELS harness TIMEOUT 30)
  course_add_test(
    ${prefix}.starter
    COMMAND "${course}" check-variant ${of} --name ${label}.${name}.starter --source "exercises/${chapter}/${name}/${name}.cu" --expect "${starter}"
    LABELS harness
    TIMEOUT 900)
  course_add_test(
    ${prefix}.solution
    COMMAND "${course}" check-variant ${of} --name ${label}.${name}.solution --source "${solution}/${name}.cu" --expect pass
    LABELS harness
    TIMEOUT 900)
  course_add_test(
    ${prefix}.plain
    COMMAND "${course}" check-variant ${of} --name ${label}.${name}.plain --source "${solution}/plain.cu" --expect pass
    LABELS harness
    TIMEOUT 900)

  foreach(kind IN ITEMS wrong hand_in)
    if(kind STREQUAL "wrong")
      set(folder "${solution}/wrong")
    else()
      set(folder "grader/tests/hand_ins/${name}")
    endif()
    file(
      GLOB variants
      CONFIGURE_DEPENDS
      RELATIVE "${CMAKE_SOURCE_DIR}"
      "${CMAKE_SOURCE_DIR}/${folder}/*.cu")
    foreach(variant IN LISTS variants)
      cmake_path(GET variant STEM stem)
      course_add_test(
        ${prefix}.${kind}.${stem}
        COMMAND "${course}" check-variant ${of} --name ${label}.${name}.${kind}.${stem} --source "${variant}" --expect-from-file
        LABELS harness
        TIMEOUT 900)
    endforeach()
  endforeach()
endfunction()

# With COURSE_IDE_CUDA: a target that is never built, so that compile_commands.json tells an editor how a .cu file is compiled.
function(_course_ide_target name solution)
  if(COURSE_IDE_CUDA AND CMAKE_CUDA_COMPILER)
    file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cu" "${solution}/*.cu" "${solution}/wrong/*.cu")
    add_library(ide.${name} OBJECT EXCLUDE_FROM_ALL ${sources})
    target_include_directories(ide.${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
    set_target_properties(ide.${name} PROPERTIES CUDA_STANDARD 17)
  endif()
endfunction()

# course_add_all_exercises()
#
# Finds every exercises/<chapter>/<exercise>/CMakeLists.txt. None at all is an error here, and the harness test
# harness.course.exercises fails as well where an exercise lies in the folder but not in this list.
function(course_add_all_exercises)
  file(GLOB files CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/exercises/*/*/CMakeLists.txt")
  if(NOT files)
    message(FATAL_ERROR "No exercise found: exercises/<chapter>/<exercise>/CMakeLists.txt does not exist. Is this a complete clone?")
  endif()
  foreach(file IN LISTS files)
    cmake_path(GET file PARENT_PATH folder)
    file(RELATIVE_PATH relative "${CMAKE_SOURCE_DIR}" "${folder}")
    add_subdirectory("${folder}" "${CMAKE_BINARY_DIR}/${relative}")
  endforeach()
  course_add_test(
    harness.course.exercises
    COMMAND "${CMAKE_BINARY_DIR}/bin/course" check-course
    LABELS harness
    TIMEOUT 60)
endfunction()

# course_add_all_listings()
#
# The lessons' own programs (chapters/*/listings/*.cu) are compiled and run on the simulated GPU as tests
# harness.<chapter label>.listing.<name>; a listing checks its own result and returns 0.
function(course_add_all_listings)
  if(NOT COURSE_BUILD_TESTS)
    return()
  endif()
  file(
    GLOB listings
    CONFIGURE_DEPENDS
    RELATIVE "${CMAKE_SOURCE_DIR}"
    "${CMAKE_SOURCE_DIR}/chapters/*/listings/*.cu")
  foreach(listing IN LISTS listings)
    string(REGEX MATCH "chapter[1-9]" label "${listing}")
    cmake_path(GET listing STEM stem)
    course_add_test(
      harness.${label}.listing.${stem}
      COMMAND "${CMAKE_BINARY_DIR}/bin/course" check-listing --source "${listing}"
      LABELS harness
      TIMEOUT 180)
  endforeach()
endfunction()

# course_add_grading_target()
#
# The target `grading`: what students need. The maintainers' tests take longer to build than all of that.
function(course_add_grading_target)
  get_property(judges GLOBAL PROPERTY COURSE_JUDGES)
  add_custom_target(grading)
  foreach(target IN ITEMS course worker-gpu worker-sim simcudart ${judges})
    if(TARGET ${target})
      add_dependencies(grading ${target})
    endif()
  endforeach()
endfunction()
