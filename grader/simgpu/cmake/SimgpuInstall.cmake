# Installs the simulated GPU as a package, from its own build and from the course's (component simgpu):
#
#   <prefix>/bin/simgpu                    launcher: simgpu ./program
#   <prefix>/lib/libsimcudart.so           to link instead of libcudart (a link to libsimcudart.so.<version>)
#   <prefix>/lib/simgpu/libcudart.so.13    to load instead of libcudart
#   <prefix>/lib/simgpu/simgpu-device      the device, where it has a process of its own
#   <prefix>/lib/simgpu/libcuda.so.1       says what cannot run, where a program looks for a driver
#   <prefix>/lib/cmake/simgpu              find_package(simgpu), target simgpu::cudart
#   <prefix>/include/simgpu/simgpu.h       what a program may ask beyond the CUDA runtime's API
#   <prefix>/share/doc/simgpu              manual, report schema, licences
#
# Everything finds its neighbours from its own place, so an installed folder can be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(dropin_dir ${CMAKE_INSTALL_LIBDIR}/simgpu)
set(doc_dir ${CMAKE_INSTALL_DATAROOTDIR}/doc/simgpu)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/simgpu)
set(made ${CMAKE_CURRENT_BINARY_DIR}/package)

add_library(simgpu::cudart ALIAS simcudart)
add_custom_target(simgpu)
add_dependencies(simgpu simcudart simcudart_dropin simgpu_no_driver simgpu_device_process)

install(TARGETS simcudart EXPORT simgpuTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT simgpu)
# The bare name libcudart.so is for linking, and nothing is to be linked to the drop-in.
install(TARGETS simcudart_dropin simgpu_no_driver LIBRARY DESTINATION ${dropin_dir} COMPONENT simgpu NAMELINK_SKIP)
install(TARGETS simgpu_device_process RUNTIME DESTINATION ${dropin_dir} COMPONENT simgpu)
file(MAKE_DIRECTORY ${made})
install(CODE "file(CREATE_LINK libcudart.so.${SIMGPU_CUDA_MAJOR}
  \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${dropin_dir}/simgpu-preload.so\" SYMBOLIC)" COMPONENT simgpu)
install(DIRECTORY include/simgpu DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT simgpu)

install(EXPORT simgpuTargets NAMESPACE simgpu:: DESTINATION ${package_dir} COMPONENT simgpu)
configure_package_config_file(cmake/simgpuConfig.cmake.in ${made}/simgpuConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS dropin_dir CMAKE_INSTALL_BINDIR NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${made}/simgpuConfigVersion.cmake VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${made}/simgpuConfig.cmake ${made}/simgpuConfigVersion.cmake cmake/FindCUDAToolkit.cmake DESTINATION ${package_dir} COMPONENT simgpu)

# The launcher is a script, so what it needs of this configuration is written into it.
file(RELATIVE_PATH SIMGPU_DROPIN_FROM_BIN ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/simgpu)
file(STRINGS device/checks.def checks REGEX "^CHECK")
string(REGEX REPLACE "CHECK\\(([a-z]+)\\)" "\\1" checks "${checks}")
list(JOIN checks "," SIMGPU_CHECKS)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS device/checks.def)
configure_file(cmake/simgpu.sh.in ${made}/simgpu @ONLY)
install(PROGRAMS ${made}/simgpu DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT simgpu)

install(FILES report/schema.md cmake/third_party.md DESTINATION ${doc_dir} COMPONENT simgpu)
# The manual and the licence are the course's, where the simulator lies in the course.
install(FILES ../../docs/pages/simulated_gpu.md DESTINATION ${doc_dir} COMPONENT simgpu RENAME README.md OPTIONAL)
install(FILES ../../docs/pages/ci_without_gpu.md DESTINATION ${doc_dir} COMPONENT simgpu OPTIONAL)
install(FILES ../../LICENSE DESTINATION ${doc_dir} COMPONENT simgpu OPTIONAL)
