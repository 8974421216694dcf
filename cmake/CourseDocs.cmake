# The target `docs` and the test docs.doxygen (label docs): Doxygen over the pages, the lessons, the contracts and the public headers.
find_package(Doxygen QUIET COMPONENTS doxygen OPTIONAL_COMPONENTS dot)

if(NOT Doxygen_FOUND)
  add_custom_target(
    docs
    COMMAND ${CMAKE_COMMAND} -E echo "Doxygen is missing: install it (apt-get install doxygen graphviz), configure again, then build the target docs."
    COMMAND ${CMAKE_COMMAND} -E false)
  return()
endif()

set(COURSE_DOCS_DOT NO)
if(TARGET Doxygen::dot)
  set(COURSE_DOCS_DOT YES)
endif()

# Contracts and lessons are found by name, as exercises are.
file(
  GLOB _course_docs_input
  CONFIGURE_DEPENDS
  "${CMAKE_SOURCE_DIR}/docs/groups.hpp"
  "${CMAKE_SOURCE_DIR}/docs/pages"
  "${CMAKE_SOURCE_DIR}/CONTRIBUTING.md"
  "${CMAKE_SOURCE_DIR}/chapters/*/lesson.md"
  "${CMAKE_SOURCE_DIR}/exercises/*/*/README.md"
  "${CMAKE_SOURCE_DIR}/exercises/*/*/*.cuh"
  "${CMAKE_SOURCE_DIR}/solutions/*/*/EXPLANATION.md"
  "${CMAKE_SOURCE_DIR}/grader/judge/element.hpp"
  "${CMAKE_SOURCE_DIR}/grader/judge/exercise.hpp"
  "${CMAKE_SOURCE_DIR}/grader/judge/facts.hpp"
  "${CMAKE_SOURCE_DIR}/grader/judge/gates.hpp"
  "${CMAKE_SOURCE_DIR}/grader/judge/metrics.hpp"
  "${CMAKE_SOURCE_DIR}/grader/judge/oracle.hpp"
  "${CMAKE_SOURCE_DIR}/grader/judge/problem.hpp"
  "${CMAKE_SOURCE_DIR}/grader/judge/tolerance.hpp"
  "${CMAKE_SOURCE_DIR}/grader/judge/values.hpp"
  "${CMAKE_SOURCE_DIR}/grader/records/verdict.hpp"
  "${CMAKE_SOURCE_DIR}/grader/simgpu/include"
  "${CMAKE_SOURCE_DIR}/grader/simgpu/report/schema.md")
file(GLOB _course_docs_images CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/chapters/*/figures" "${CMAKE_SOURCE_DIR}/solutions/*/*/figures"
     "${CMAKE_SOURCE_DIR}/docs/figures")
list(JOIN _course_docs_input "\" \"" COURSE_DOCS_INPUT)
set(COURSE_DOCS_INPUT "\"${COURSE_DOCS_INPUT}\"")
list(JOIN _course_docs_images "\" \"" COURSE_DOCS_IMAGES)
set(COURSE_DOCS_IMAGES "\"${COURSE_DOCS_IMAGES}\"")

configure_file("${CMAKE_SOURCE_DIR}/docs/Doxyfile.in" "${CMAKE_BINARY_DIR}/docs/Doxyfile" @ONLY)
add_custom_target(
  docs
  COMMAND Doxygen::doxygen "${CMAKE_BINARY_DIR}/docs/Doxyfile"
  COMMENT "Documentation: ${CMAKE_BINARY_DIR}/docs/html/index.html"
  VERBATIM)
course_add_test(docs.doxygen COMMAND "${DOXYGEN_EXECUTABLE}" "${CMAKE_BINARY_DIR}/docs/Doxyfile" LABELS docs TIMEOUT 120)
