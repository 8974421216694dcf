# fmt compiled once. Header-only, it compiles its formatting of numbers into every file that prints a word: two seconds each, in some
# fifty files. The packages of Debian and Ubuntu hold the compiled part as a shared library only, which would not travel with
# a build folder, so fmt_compiled.cpp makes it here.
#
# Rooms go on linking fmt::fmt-header-only, as the simulated GPU must when it is built alone; in the course that target then
# stands for the header and the library course_fmt. A fmt that is not the packages' 9.x stays header-only.
if(NOT fmt_VERSION VERSION_GREATER_EQUAL 9 OR NOT fmt_VERSION VERSION_LESS 10)
  return()
endif()

get_target_property(_course_fmt_include fmt::fmt-header-only INTERFACE_INCLUDE_DIRECTORIES)
add_library(course_fmt STATIC "${CMAKE_CURRENT_LIST_DIR}/fmt_compiled.cpp")
target_include_directories(course_fmt SYSTEM PRIVATE ${_course_fmt_include})
set_target_properties(fmt::fmt-header-only PROPERTIES INTERFACE_COMPILE_DEFINITIONS "" INTERFACE_LINK_LIBRARIES course_fmt)
