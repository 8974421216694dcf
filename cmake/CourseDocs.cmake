# The target `docs`: the site. course-site (grader/site) makes its pages from the course's Markdown; Doxygen adds the interfaces, with the same
# look. Tests of label docs: pages without dead links, interfaces without Doxygen's warnings, and all of it in a browser.
find_package(Doxygen QUIET COMPONENTS doxygen)

if(NOT Doxygen_FOUND OR NOT TARGET course-site)
  add_custom_target(
    docs
    COMMAND ${CMAKE_COMMAND} -E echo "Doxygen or cmark-gfm is missing: run ./course docs, or install them (apt-get install doxygen \
libcmark-gfm-dev libcmark-gfm-extensions-dev) and configure again."
    COMMAND ${CMAKE_COMMAND} -E false)
  return()
endif()

# Contracts are found by name, as exercises are.
file(
  GLOB _course_docs_input
  CONFIGURE_DEPENDS
  "${CMAKE_SOURCE_DIR}/docs/api/front_page.hpp"
  "${CMAKE_SOURCE_DIR}/exercises/*/*.cuh"
  "${CMAKE_SOURCE_DIR}/exercises/*/*/*.cuh"
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
  "${CMAKE_SOURCE_DIR}/grader/simgpu/include")
list(JOIN _course_docs_input "\" \"" COURSE_DOCS_INPUT)
set(COURSE_DOCS_INPUT "\"${COURSE_DOCS_INPUT}\"")

configure_file("${CMAKE_SOURCE_DIR}/docs/Doxyfile.in" "${CMAKE_BINARY_DIR}/docs/Doxyfile" @ONLY)
set(_course_docs_pages "$<TARGET_FILE:course-site>" "${CMAKE_SOURCE_DIR}" "${CMAKE_SOURCE_DIR}/docs/site" "${CMAKE_BINARY_DIR}/docs/html")
add_custom_target(
  docs
  COMMAND ${CMAKE_COMMAND} -E rm -rf "${CMAKE_BINARY_DIR}/docs/html"
  COMMAND ${_course_docs_pages}
  COMMAND Doxygen::doxygen "${CMAKE_BINARY_DIR}/docs/Doxyfile"
  COMMENT "Documentation: ${CMAKE_BINARY_DIR}/docs/html/index.html"
  VERBATIM)
add_dependencies(docs course-site)
course_add_test(docs.pages COMMAND "${CMAKE_BINARY_DIR}/bin/course-site" "${CMAKE_SOURCE_DIR}" "${CMAKE_SOURCE_DIR}/docs/site"
                "${CMAKE_BINARY_DIR}/docs/html" LABELS docs TIMEOUT 120 FIXTURES_SETUP site_pages)
course_add_test(docs.doxygen COMMAND "${DOXYGEN_EXECUTABLE}" "${CMAKE_BINARY_DIR}/docs/Doxyfile" LABELS docs TIMEOUT 120
                FIXTURES_REQUIRED site_pages FIXTURES_SETUP site_interfaces)
