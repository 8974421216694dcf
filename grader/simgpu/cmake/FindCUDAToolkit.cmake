# CMake's own FindCUDAToolkit, minus one mistake of CMake 3.25.1 (Debian 12): where the project asks for CMake 3.25 it marks
# the target CUDA::nvToolsExt as deprecated without looking whether it exists, and CUDA 13 no longer ships that library, so
# that configuring fails. The mark is not made for projects that ask for less.
set(_simgpu_minimum "${CMAKE_MINIMUM_REQUIRED_VERSION}")
if(CMAKE_VERSION VERSION_LESS 3.26)
  set(CMAKE_MINIMUM_REQUIRED_VERSION 3.24)
endif()
include("${CMAKE_ROOT}/Modules/FindCUDAToolkit.cmake")
set(CMAKE_MINIMUM_REQUIRED_VERSION "${_simgpu_minimum}")
unset(_simgpu_minimum)
