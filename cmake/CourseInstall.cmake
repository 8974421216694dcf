# The course as a library (component course of `cmake --install`):
#
#   <prefix>/lib/libcourse.a            builder, records and reports in one archive
#   <prefix>/include/course/course.hpp  the one header that a program includes
#   <prefix>/lib/cmake/course           find_package(course), target course::course
#
# Judges, workers and the simulated GPU stay in the build folder, which the program names at run time. docs/examples/grade_one uses it.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# One archive, which needs no other: fmt's compiled part (cmake/CourseFmt.cmake) goes in as well.
set(_course_parts course_records course_sandbox course_build course_reports course_grading)
if(TARGET course_fmt)
  list(APPEND _course_parts course_fmt)
endif()
list(TRANSFORM _course_parts REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE _course_objects)
add_library(course_library STATIC ${_course_objects})
add_library(course::course ALIAS course_library)
set_target_properties(course_library PROPERTIES OUTPUT_NAME course EXPORT_NAME course LINKER_LANGUAGE CXX)
target_include_directories(course_library INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/grader/grading/include>
                                                    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(course_library INTERFACE cxx_std_20)

set(_course_package "${CMAKE_INSTALL_LIBDIR}/cmake/course")
install(TARGETS course_library EXPORT courseTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT course)
install(DIRECTORY "${CMAKE_SOURCE_DIR}/grader/grading/include/course" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT course)
install(EXPORT courseTargets NAMESPACE course:: DESTINATION ${_course_package} COMPONENT course)
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/package/courseConfig.cmake"
     "# find_package(course): the target course::course.\ninclude(\"\${CMAKE_CURRENT_LIST_DIR}/courseTargets.cmake\")\n")
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/package/courseConfigVersion.cmake" VERSION ${PROJECT_VERSION}
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/package/courseConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/package/courseConfigVersion.cmake"
        DESTINATION ${_course_package} COMPONENT course)
