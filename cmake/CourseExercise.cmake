# Registration of exercises. An exercise's CMakeLists.txt holds one call of course_add_exercise and nothing else; all
# names follow from its folder, so that adding an exercise edits no shared file.

include(CourseTestParts)

# course_add_exercise(STARTER <verdict>... [MINIMUM_ARCH <capability>] [DEVICES <number>] [REQUIRES <attribute>...] [PLAIN_BASELINE]
#                     [BROKEN])
#
#   STARTER       the verdict that the untouched starter is meant to get; several words mean any of them (too_slow wasteful)
#   MINIMUM_ARCH  smallest compute capability that the exercise's instructions need, e.g. 90; default none
#   DEVICES       how many devices its kernels use; default 1
#   REQUIRES      device attributes without which it cannot be run, by their names without cudaDevAttr, e.g. ConcurrentManagedAccess
#   PLAIN_BASELINE  a benchmark compares with plain.cu and not with the reference
#   BROKEN        the starter is a plausible program with a mistake, to be repaired and not sped up: no pass gate
#
# From exercises/chapter2_shared_memory/block_reduction it derives the chapter (chapter2_shared_memory), the label
# (chapter2) and the name, finds the solution, plain.cu, wrong/*.cu and the maintainers' hand-ins by name, and creates
#   the executable   bin/judges/chapter2_shared_memory.block_reduction
#   targets          grading.block_reduction, grading.chapter2: what grading that exercise or chapter needs
#   students' tests  chapter2.block_reduction.{build,correctness,bandwidth}
#   harness tests    harness.chapter2.block-reduction.{files,skeleton,pages,starter,solution,plain,wrong.<name>,hand_in.<name>}
function(course_add_exercise)
  cmake_parse_arguments(PARSE_ARGV 0 arg "BROKEN;PLAIN_BASELINE" "MINIMUM_ARCH;DEVICES" "STARTER;REQUIRES")
  if(NOT arg_STARTER OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${CMAKE_CURRENT_LIST_FILE}: write course_add_exercise(STARTER not_attempted), with the verdict of the untouched "
                        "starter; MINIMUM_ARCH 90, DEVICES 2, REQUIRES attribute... and BROKEN may follow.")
  endif()
  if(NOT arg_MINIMUM_ARCH)
    set(arg_MINIMUM_ARCH 0)
  endif()
  if(NOT arg_DEVICES)
    set(arg_DEVICES 1)
  endif()
  if(NOT arg_MINIMUM_ARCH MATCHES "^[0-9]+$" OR NOT arg_DEVICES MATCHES "^[1-9]$")
    message(FATAL_ERROR "${CMAKE_CURRENT_LIST_FILE}: MINIMUM_ARCH and DEVICES are numbers, e.g. MINIMUM_ARCH 90 DEVICES 2.")
  endif()
  set(broken false)
  if(arg_BROKEN)
    set(broken true)
    foreach(verdict IN LISTS arg_STARTER)
      if(NOT verdict MATCHES "^(race|out_of_bounds|wrong_result|timeout|crashed)$")
        message(FATAL_ERROR "${CMAKE_CURRENT_LIST_FILE}: a BROKEN starter is wrong, so its verdict cannot be ${verdict}.")
      endif()
    endforeach()
  endif()
  _course_name_exercise()
  foreach(file IN ITEMS ${name}.cuh ${name}_test.cpp)
    if(NOT EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
      message(FATAL_ERROR "${chapter}/${name}: the file ${file} is missing.")
    endif()
  endforeach()
  # The student's own file is theirs to lose: no other exercise waits for it.
  if(NOT EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${name}.cu")
    message(NOTICE "${chapter}/${name}: ${name}.cu is gone: ./course reset ${name} brings the starter back.")
  endif()

  _course_register(EXERCISE "\"broken\": ${broken}")

  set(judge "${chapter}.${name}")
  add_executable(${judge} ${name}_test.cpp)
  target_include_directories(${judge} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}" "${chapter_folder}")
  target_link_libraries(${judge} PRIVATE course_judge GTest::gtest_main course_travels)
  set_target_properties(${judge} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin/judges")
  course_optimise(-O2 ${judge})
  course_use_precompiled(${judge} course_precompiled_judges)
  _course_add_baselines(${chapter} ${name} ${judge})
  _course_grading_targets(${label} ${name} ${judge})
  _course_grading_targets(${label} ${name} baselines.${judge})
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
    GRADES
    LABELS ${label}
    TIMEOUT 450
    FIXTURES_SETUP ${test}.plugin)
  course_add_test(
    ${test}.correctness
    COMMAND "${judge_file}" "--gtest_filter=*.correctness"
    GRADES
    LABELS ${label} correctness
    TIMEOUT 600
    FIXTURES_REQUIRED ${test}.plugin
    FIXTURES_SETUP ${test}.correct
    SKIP_REGULAR_EXPRESSION "${skip}"
    FAIL_REGULAR_EXPRESSION "${nothing}")
  course_add_test(
    ${test}.bandwidth
    COMMAND "${judge_file}" "--gtest_filter=*.bandwidth"
    GRADES
    LABELS ${label} bandwidth
    TIMEOUT 600
    FIXTURES_REQUIRED ${test}.plugin ${test}.correct
    SKIP_REGULAR_EXPRESSION "${skip}"
    FAIL_REGULAR_EXPRESSION "${nothing}")

  if(COURSE_BUILD_TESTS)
    _course_add_harness_tests(${chapter} ${label} ${name} "${arg_STARTER}")
  endif()
endfunction()

# Adds a row to course.json. Reads chapter, label, name and what course_add_exercise was told of the device.
macro(_course_register kind more)
  set(requires "")
  foreach(attribute IN LISTS arg_REQUIRES)
    list(APPEND requires "\"${attribute}\"")
  endforeach()
  list(JOIN requires ", " requires)
  set(plain_baseline false)
  if(arg_PLAIN_BASELINE)
    set(plain_baseline true)
  endif()
  set_property(
    GLOBAL APPEND
    PROPERTY
      COURSE_${kind}_ROWS
      "{\"chapter\": \"${chapter}\", \"label\": \"${label}\", \"name\": \"${name}\", \"minimum_arch\": ${arg_MINIMUM_ARCH}, \"devices\": ${arg_DEVICES}, \"requires\": [${requires}], \"plain_baseline\": ${plain_baseline}, ${more}}"
  )
endmacro()

# Sets chapter, label and name of the exercise whose CMakeLists.txt is being read.
macro(_course_name_exercise)
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME name)
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR PARENT_PATH chapter_folder)
  cmake_path(GET chapter_folder FILENAME chapter)
  if(NOT chapter MATCHES "^(chapter[0-9])_[a-z0-9_]+$")
    message(FATAL_ERROR "The folder ${chapter} is no chapter: name it chapter0_... to chapter9_..., in lower case (ctest -L chapter1 would also "
                        "select a chapter10).")
  endif()
  set(label "${CMAKE_MATCH_1}")
  if(NOT name MATCHES "^[a-z][a-z0-9_]*$" OR name MATCHES "^(all|chapter[0-9].*)$")
    message(FATAL_ERROR "${chapter}/${name}: an exercise's name becomes a C function's name and a word of `course grade`; use lower case, "
                        "digits and underscores, and not the name of a chapter.")
  endif()
endmacro()

# baselines.<judge>: the plugins that every hand-in is compared with, compiled while the judge is, on another core. A grading makes what
# this has not made; so that target `course` is no reason to make them again, and nothing that goes wrong here stops a build.
function(_course_add_baselines chapter name judge)
  set(stamp "${CMAKE_CURRENT_BINARY_DIR}/baselines.stamp")
  set(solution "${CMAKE_SOURCE_DIR}/solutions/${chapter}/${name}")
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cuh" "${chapter_folder}/*.cuh" "${solution}/${name}.cu" "${solution}/plain.cu")
  add_custom_command(
    OUTPUT "${stamp}"
    COMMAND "${CMAKE_BINARY_DIR}/bin/course" build-plugin --chapter ${chapter} --exercise ${name} --baselines "${stamp}"
    DEPENDS ${sources}
    COMMENT "Compiling what ${name} is compared with"
    VERBATIM)
  add_custom_target(baselines.${judge} DEPENDS "${stamp}")
  if(TARGET course)
    add_dependencies(baselines.${judge} course)
  endif()
endfunction()

# grading.<exercise>, grading.<chapter>: what the launcher builds before it grades that. Nobody should wait for forty judges to see one verdict.
function(_course_grading_targets label name judge)
  foreach(word IN ITEMS ${label} ${name})
    if(NOT TARGET grading.${word})
      add_custom_target(grading.${word})
      add_dependencies(grading.${word} grading.frame)
      set_property(GLOBAL APPEND PROPERTY COURSE_GRADING_TARGETS grading.${word})
    endif()
    add_dependencies(grading.${word} ${judge})
  endforeach()
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
  course_add_test(${prefix}.pages COMMAND "${course}" pages ${chapter}/${name} LABELS harness TIMEOUT 30)
  course_add_test(
    ${prefix}.starter
    COMMAND "${course}" check-variant ${of} --name ${label}.${name}.starter --source "exercises/${chapter}/${name}/${name}.cu" --expect "${starter}"
            --page "exercises/${chapter}/${name}/README.md"
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
      "${CMAKE_SOURCE_DIR}/${folder}/*.cu"
      "${CMAKE_SOURCE_DIR}/${folder}/*.patch")
    foreach(variant IN LISTS variants)
      cmake_path(GET variant STEM stem)
      course_hand_in_label(labels ${name} ${prefix}.${kind}.${stem})
      course_add_test(
        ${prefix}.${kind}.${stem}
        COMMAND "${course}" check-variant ${of} --name ${label}.${name}.${kind}.${stem} --source "${variant}" --expect-from-file
        LABELS ${labels}
        TIMEOUT 900)
    endforeach()
  endforeach()
endfunction()

# A target that is never built: it gives compile_commands.json, from which editors learn how a file is compiled, its entries for .cu files.
# They are written in the words of clang, whose parser editors use, and go without CMake's language CUDA, whose compiler tests
# would make every configuring slower.
function(_course_ide_target name solution)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cu" "${solution}/*.cu" "${solution}/wrong/*.cu")
  list(FILTER sources EXCLUDE REGEX "\\.kept\\.cu$")
  if(NOT sources)
    return()
  endif()
  add_library(ide.${name} OBJECT EXCLUDE_FROM_ALL ${sources})
  target_include_directories(ide.${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}" "${chapter_folder}")
  set_target_properties(ide.${name} PROPERTIES CXX_STANDARD 17)
  set_source_files_properties(
    ${sources} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-xcuda;--cuda-path=${COURSE_CUDA_ROOT};--cuda-gpu-arch=sm_80;-Wno-unknown-cuda-version")
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
  add_custom_target(grading.frame)
  foreach(target IN ITEMS course worker-gpu worker-sim simcudart simgpu_device_process)
    if(TARGET ${target})
      add_dependencies(grading.frame ${target})
    endif()
  endforeach()
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
    string(REGEX MATCH "chapter[0-9]" label "${listing}")
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
# The target `grading`: what students need for all exercises. The maintainers' tests take longer to build than all of that.
function(course_add_grading_target)
  get_property(targets GLOBAL PROPERTY COURSE_GRADING_TARGETS)
  add_custom_target(grading)
  add_dependencies(grading ${targets})
endfunction()
