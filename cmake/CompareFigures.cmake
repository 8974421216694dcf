# Draws a chapter's figures in another folder and compares them with those of the repository. A script of its own, run by the
# tests of CourseFigures.cmake: cmake -DCHAPTERS=... -DCHAPTER=... -DDRAWN=... -DPYTHON=... -P CompareFigures.cmake
cmake_minimum_required(VERSION 3.25)

set(kept "${CHAPTERS}/${CHAPTER}/figures")
set(drawn "${DRAWN}/${CHAPTER}/figures")
file(REMOVE_RECURSE "${drawn}")
file(COPY "${kept}/draw.py" DESTINATION "${drawn}")
if(EXISTS "${CHAPTERS}/${CHAPTER}/measured.json")  # what they may show
  file(COPY "${CHAPTERS}/${CHAPTER}/measured.json" DESTINATION "${DRAWN}/${CHAPTER}")
endif()
if(EXISTS "${CHAPTERS}/figures")  # what the programs of several chapters share
  file(COPY "${CHAPTERS}/figures" DESTINATION "${DRAWN}" PATTERN "__pycache__" EXCLUDE)
endif()
execute_process(COMMAND "${PYTHON}" draw.py WORKING_DIRECTORY "${drawn}" RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${kept}/draw.py ended with ${status}.")
endif()

file(GLOB of_repository RELATIVE "${kept}" "${kept}/*.svg")
file(GLOB as_drawn RELATIVE "${drawn}" "${drawn}/*.svg")
set(names ${of_repository} ${as_drawn})
list(REMOVE_DUPLICATES names)
set(stale "")
foreach(name IN LISTS names)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E compare_files "${kept}/${name}" "${drawn}/${name}" RESULT_VARIABLE differs OUTPUT_QUIET
                                                                                                                        ERROR_QUIET)
  if(differs)
    list(APPEND stale "${name}")
  endif()
endforeach()
if(NOT names)
  message(FATAL_ERROR "${kept}/draw.py draws nothing.")
elseif(stale)
  list(JOIN stale ", " stale)
  message(FATAL_ERROR "Not what draw.py draws: ${stale}. Run python3 draw.py in ${kept}.")
endif()
