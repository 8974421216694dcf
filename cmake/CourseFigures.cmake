# course_add_all_figures()
#
# A lesson's figures are drawn by the program beside them, chapters/<chapter>/figures/draw.py. Each gets a test
# harness.<chapter label>.drawings that draws them again elsewhere and compares: a figure that was edited by hand, or not drawn
# again, fails it. Python is a tool of maintainers; where it is missing there are no such tests.
function(course_add_all_figures)
  if(NOT COURSE_BUILD_TESTS)
    return()
  endif()
  find_package(Python3 QUIET COMPONENTS Interpreter)
  if(NOT Python3_FOUND)
    return()
  endif()
  file(
    GLOB programs
    CONFIGURE_DEPENDS
    RELATIVE "${CMAKE_SOURCE_DIR}/chapters"
    "${CMAKE_SOURCE_DIR}/chapters/*/figures/draw.py")
  foreach(program IN LISTS programs)
    string(REGEX MATCH "^[^/]+" chapter "${program}")
    string(REGEX MATCH "chapter[0-9]" label "${program}")
    course_add_test(
      harness.${label}.drawings
      COMMAND "${CMAKE_COMMAND}" "-DCHAPTERS=${CMAKE_SOURCE_DIR}/chapters" "-DCHAPTER=${chapter}"
              "-DDRAWN=${CMAKE_BINARY_DIR}/figures" "-DPYTHON=${Python3_EXECUTABLE}" -P
              "${CMAKE_SOURCE_DIR}/cmake/CompareFigures.cmake"
      LABELS harness
      TIMEOUT 60)
  endforeach()
endfunction()
