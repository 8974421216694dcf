# Finds the CUDA Toolkit without enabling CUDA as a language: the host programs only need its headers and libcudart, and
# kernels are compiled by the plugin builder (grader/build) at grading time.
#
# Sets
#   COURSE_NVCC, COURSE_NVCC_VERSION (13.0.88), COURSE_CUDA_VERSION (13.0), COURSE_CUDA_ROOT
#   COURSE_CUDART                    the toolkit's shared runtime, also copied into bin/ so that a build folder travels
#   COURSE_CUDA_ARCHITECTURES        cache variable: machine code made beside the PTX, e.g. 90 or 86;90
# and makes the targets of find_package(CUDAToolkit), e.g. CUDA::cudart.

set(_course_nvcc_hints "")
if(DEFINED ENV{CUDACXX})
  get_filename_component(_course_nvcc_hint "$ENV{CUDACXX}" DIRECTORY)
  list(APPEND _course_nvcc_hints "${_course_nvcc_hint}")
endif()
foreach(_course_variable CUDA_PATH CUDA_HOME)
  if(DEFINED ENV{${_course_variable}})
    list(APPEND _course_nvcc_hints "$ENV{${_course_variable}}/bin")
  endif()
endforeach()

# The order is the one of the launcher script: what the user names, the usual place, PATH.
find_program(COURSE_NVCC nvcc HINTS ${_course_nvcc_hints} PATHS /usr/local/cuda/bin NO_DEFAULT_PATH)
find_program(COURSE_NVCC nvcc)
if(NOT COURSE_NVCC)
  message(
    FATAL_ERROR
      "No CUDA Toolkit: nvcc is neither in $CUDACXX, $CUDA_PATH/bin, /usr/local/cuda/bin nor on the PATH. Install the CUDA Toolkit "
      "13.0 (https://developer.nvidia.com/cuda-downloads; a GPU is not needed), or set CUDA_PATH to the folder that holds bin/nvcc.")
endif()

execute_process(
  COMMAND "${COURSE_NVCC}" --version
  OUTPUT_VARIABLE _course_nvcc_text
  ERROR_VARIABLE _course_nvcc_text
  RESULT_VARIABLE _course_nvcc_status)
if(NOT _course_nvcc_status EQUAL 0 OR NOT _course_nvcc_text MATCHES "release ([0-9]+\\.[0-9]+), V([0-9.]+)")
  message(FATAL_ERROR "${COURSE_NVCC} --version does not answer like nvcc. Set CUDA_PATH to the folder of a CUDA Toolkit that works.")
endif()
set(COURSE_CUDA_VERSION "${CMAKE_MATCH_1}")
set(COURSE_NVCC_VERSION "${CMAKE_MATCH_2}")
if(COURSE_CUDA_VERSION VERSION_LESS 12.4)
  message(FATAL_ERROR "CUDA ${COURSE_CUDA_VERSION} at ${COURSE_NVCC} is too old: the course needs 12.4 or newer, 13.0 is the tried one. "
                      "Install it, or set CUDA_PATH to a newer one.")
endif()

# /usr/local/cuda/bin/nvcc may be a link, and a distribution's /usr/bin/nvcc may be a script: nvcc itself knows its root.
get_filename_component(_course_nvcc_real "${COURSE_NVCC}" REALPATH)
get_filename_component(_course_nvcc_bin "${_course_nvcc_real}" DIRECTORY)
get_filename_component(COURSE_CUDA_ROOT "${_course_nvcc_bin}" DIRECTORY)
if(NOT CUDAToolkit_ROOT)
  set(CUDAToolkit_ROOT "${COURSE_CUDA_ROOT}")
endif()
find_package(CUDAToolkit QUIET)
if(NOT TARGET CUDA::cudart)
  message(FATAL_ERROR "${COURSE_NVCC} is there, but its libcudart.so and headers are not. Install the whole CUDA Toolkit, not only the compiler.")
endif()
get_target_property(_course_cudart_location CUDA::cudart IMPORTED_LOCATION)
get_filename_component(COURSE_CUDART "${_course_cudart_location}" REALPATH)
string(REGEX MATCH "^[0-9]+" _course_cuda_major "${COURSE_CUDA_VERSION}")
set(COURSE_CUDART_SONAME "libcudart.so.${_course_cuda_major}")
file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
configure_file("${COURSE_CUDART}" "${CMAKE_BINARY_DIR}/bin/${COURSE_CUDART_SONAME}" COPYONLY)

# Machine code is made for compute capability 9.0 (the course's own card) and for the GPUs of this machine; newer GPUs
# translate the PTX when a kernel is first launched.
if(NOT DEFINED COURSE_CUDA_ARCHITECTURES)
  set(_course_architectures 90)
  find_program(COURSE_NVIDIA_SMI nvidia-smi)
  mark_as_advanced(COURSE_NVIDIA_SMI)
  if(COURSE_NVIDIA_SMI)
    execute_process(
      COMMAND "${COURSE_NVIDIA_SMI}" --query-gpu=compute_cap --format=csv,noheader
      OUTPUT_VARIABLE _course_capabilities
      ERROR_QUIET
      TIMEOUT 20)
    string(REGEX MATCHALL "[0-9]+\\.[0-9]+" _course_capabilities "${_course_capabilities}")
    list(TRANSFORM _course_capabilities REPLACE "\\." "")
    list(APPEND _course_architectures ${_course_capabilities})
    list(REMOVE_DUPLICATES _course_architectures)
  endif()
  set(COURSE_CUDA_ARCHITECTURES "${_course_architectures}" CACHE STRING "Compute capabilities to make machine code for, e.g. 86;90")
endif()
message(STATUS "CUDA ${COURSE_CUDA_VERSION} (${COURSE_NVCC}), machine code for: ${COURSE_CUDA_ARCHITECTURES}")
