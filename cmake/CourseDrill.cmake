# Registration of drills: exercises whose hand-in is a file of answers (grader/drills). Nothing is compiled for one.

# course_add_drill(<word>)
#
# <word> is what `course drill` calls it: sectors. From exercises/chapter0_measuring/predict_sectors it derives the chapter, the label
# (chapter0) and the name, by which grader/drills knows the drill. It creates
#   the students' test  chapter0.predict_sectors.answers (skipped while the tree has no answers.txt)
#   harness tests       harness.chapter0.predict-sectors.{files,pages,untouched,solution,wrong.<name>}
function(course_add_drill word)
  if(NOT word MATCHES "^[a-z][a-z0-9_]*$" OR ARGC GREATER 1)
    message(FATAL_ERROR "${CMAKE_CURRENT_LIST_FILE}: write course_add_drill(sectors), with the word of `course drill`.")
  endif()
  _course_name_exercise()
  if(NOT EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/README.md")
    message(FATAL_ERROR "${chapter}/${name}: the file README.md is missing.")
  endif()
  set_property(
    GLOBAL APPEND PROPERTY COURSE_EXERCISE_ROWS
                           "{\"chapter\": \"${chapter}\", \"label\": \"${label}\", \"name\": \"${name}\", \"drill\": \"${word}\"}")
  _course_grading_targets(${label} ${name} course)

  set(course "${CMAKE_BINARY_DIR}/bin/course")
  set(of --chapter ${chapter} --exercise ${name})
  course_add_test(
    ${label}.${name}.answers
    COMMAND "${course}" mark-drill ${of}
    GRADES
    LABELS ${label}
    TIMEOUT 30
    SKIP_REGULAR_EXPRESSION "answers: missing")
  if(NOT COURSE_BUILD_TESTS)
    return()
  endif()

  # Written with hyphens, so that a student's `ctest -R predict_sectors` finds that drill and none of these.
  string(REPLACE "_" "-" hyphened "${name}")
  set(prefix "harness.${label}.${hyphened}")
  set(solution "solutions/${chapter}/${name}")
  course_add_test(${prefix}.files COMMAND "${course}" check-drill ${of} LABELS harness TIMEOUT 30)
  course_add_test(${prefix}.pages COMMAND "${course}" pages ${chapter}/${name} LABELS harness TIMEOUT 30)
  course_add_test(
    ${prefix}.untouched
    COMMAND "${course}" check-answers ${of} --name ${label}.${name}.untouched --expect missing
    LABELS harness
    TIMEOUT 30)
  course_add_test(
    ${prefix}.solution
    COMMAND "${course}" check-answers ${of} --name ${label}.${name}.solution --source "${solution}/answers.txt" --expect pass
    LABELS harness
    TIMEOUT 30)
  file(
    GLOB variants
    CONFIGURE_DEPENDS
    RELATIVE "${CMAKE_SOURCE_DIR}"
    "${CMAKE_SOURCE_DIR}/${solution}/wrong/*.txt")
  foreach(variant IN LISTS variants)
    cmake_path(GET variant STEM stem)
    course_add_test(
      ${prefix}.wrong.${stem}
      COMMAND "${course}" check-answers ${of} --name ${label}.${name}.wrong.${stem} --source "${variant}" --expect-from-file
      LABELS harness
      TIMEOUT 30)
  endforeach()
endfunction()
