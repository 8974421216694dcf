# Installs the simulated GPU, moves the installed folder, and uses it as a stranger would: a CMake project that finds the
# package, and an ordinary program started by the launcher. Then breaks the folder, to see that the checks see it.
#
# Variables: build_dir, source_dir, scratch, nvcc, generator, build_type, libdir
cmake_minimum_required(VERSION 3.25)

set(here ${CMAKE_CURRENT_LIST_DIR})
set(prefix "${scratch}/moved folder")  # with a space, as people have them

# run(<expected exit code> <regex that the output must match> <command> <argument>...)
function(run code regex)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text TIMEOUT 120)
  if(NOT result STREQUAL code OR NOT text MATCHES "${regex}")
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nexit code ${result}, wanted ${code}; its output should match \"${regex}\" and is:\n${text}")
  endif()
endfunction()

# All that is wrong with an installed folder, as a list of sentences.
function(problems_of folder out)
  set(problems "")
  set(wanted bin/simgpu include/simgpu/simgpu.h ${libdir}/libsimcudart.so ${libdir}/simgpu/libcudart.so.13
      ${libdir}/cmake/simgpu/simgpuConfig.cmake ${libdir}/cmake/simgpu/simgpuConfigVersion.cmake ${libdir}/cmake/simgpu/simgpuTargets.cmake
      share/doc/simgpu/schema.md share/doc/simgpu/third_party.md)
  foreach(file IN LISTS wanted)
    if(NOT EXISTS "${folder}/${file}")
      list(APPEND problems "${file} is missing")
    endif()
  endforeach()
  file(GLOB_RECURSE files RELATIVE "${folder}" "${folder}/*")
  foreach(file IN LISTS files)
    # The folder it was installed into, built in and made from. Bytes, since libraries are searched as well.
    foreach(path IN ITEMS "${scratch}" "${build_dir}" "${source_dir}")
      execute_process(COMMAND grep -cF -- "${path}" "${folder}/${file}" OUTPUT_VARIABLE count OUTPUT_STRIP_TRAILING_WHITESPACE)
      if(NOT count STREQUAL "0")
        list(APPEND problems "${file} holds the path ${path}")
      endif()
    endforeach()
    if(file MATCHES "\\.so")
      execute_process(COMMAND readelf -d "${folder}/${file}" OUTPUT_VARIABLE dynamic)
      if(dynamic MATCHES "R(UN)?PATH")
        list(APPEND problems "${file} has a run path")
      endif()
    endif()
  endforeach()
  set(${out} "${problems}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${scratch}")
file(MAKE_DIRECTORY "${scratch}")
set(strip "")
if(NOT build_type STREQUAL "Release")
  set(strip --strip)  # debugging information names source files by their full paths
endif()
run(0 "simgpuConfig.cmake" ${CMAKE_COMMAND} --install ${build_dir} --component simgpu --prefix ${scratch}/installed ${strip})
file(RENAME "${scratch}/installed" "${prefix}")
problems_of("${prefix}" problems)
if(problems)
  list(JOIN problems "\n  " problems)
  message(FATAL_ERROR "The installed folder is not as it should be:\n  ${problems}")
endif()

# The package.
set(ENV{CUDACXX} ${nvcc})
set(consumer ${scratch}/consumer)
set(configure ${CMAKE_COMMAND} -S ${here}/consumer -B ${consumer} -G ${generator} "-DCMAKE_PREFIX_PATH=${prefix}")
run(0 "Build files have been written" ${configure})
run(0 "" ${CMAKE_COMMAND} --build ${consumer})
run(0 "ok\n$" ${consumer}/consumer)
run(1 "headers of a CUDA Toolkit and none was found" ${configure} -B ${scratch}/no_toolkit -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON
    -DWITHOUT_CUDA=ON)
run(1 "considered but not\n? *accepted|version" ${configure} -B ${scratch}/too_old -DWITHOUT_CUDA=ON -DWANTED_VERSION=99)

# The launcher, with a program that knows nothing of us.
set(simgpu "${prefix}/bin/simgpu")
set(compile ${nvcc} -std=c++17 -O3 -lineinfo -gencode arch=compute_90,code=compute_90 ${here}/consumer/program.cu)
run(0 "" ${compile} -cudart shared -o ${scratch}/program)
run(0 "" ${compile} -cudart static -o ${scratch}/program_static)
run(0 "1 device, 11 multiprocessors\nok\n$" ${simgpu} ${scratch}/program)
run(0 "2 devices, 132 multiprocessors\nok\n$" ${simgpu} --devices 2 --slice=1 ${scratch}/program)
run(7 "ok\n" ${simgpu} ${scratch}/program 7)
run(0 "saxpy.*program.cu:[0-9]+" ${simgpu} --report text ${scratch}/program)
run(0 "ok\n$" ${simgpu} --report text:${scratch}/report.txt,json:${scratch}/report.json ${scratch}/program)
file(READ ${scratch}/report.json report)
string(JSON kernel GET "${report}" launches 0 kernel)
if(NOT kernel MATCHES "^saxpy\\(")
  message(FATAL_ERROR "The first kernel of the JSON report should be saxpy and is ${kernel}.")
endif()
run(0 "^simgpu [0-9.]+ " ${simgpu} --version)
run(0 "--report" ${simgpu} --help)
run(125 "link it with -cudart shared" ${simgpu} ${scratch}/program_static)
run(125 "divisor of 132" ${simgpu} --slice 5 ${scratch}/program)
run(125 "wants text, json or trace" ${simgpu} --report xml ${scratch}/program)
run(125 "no option --colour" ${simgpu} --colour ${scratch}/program)
run(127 "no program" ${simgpu} ${scratch}/nothing)
# Through a link elsewhere, as people put it on their PATH; and with an RPATH in the program, which the loader looks at first.
file(CREATE_LINK ${simgpu} ${scratch}/link SYMBOLIC)
run(0 "ok\n$" ${scratch}/link ${scratch}/program)
cmake_path(GET nvcc PARENT_PATH toolkit)
run(0 "" ${compile} -cudart shared -Xlinker --disable-new-dtags,-rpath,${toolkit}/../lib64 -o ${scratch}/program_rpath)
run(0 "11 multiprocessors\nok\n$" ${simgpu} ${scratch}/program_rpath)

# Wrong things that the checks above must see.
set(broken ${scratch}/broken)
file(COPY "${prefix}/" DESTINATION ${broken})
file(REMOVE ${broken}/${libdir}/simgpu/libcudart.so.13)
file(APPEND ${broken}/${libdir}/cmake/simgpu/simgpuTargets.cmake "# ${build_dir}\n")
problems_of(${broken} problems)
foreach(expected IN ITEMS "libcudart.so.13 is missing" "simgpuTargets.cmake holds the path")
  if(NOT problems MATCHES "${expected}")
    message(FATAL_ERROR "The check of the installed folder did not see: ${expected}. It saw: ${problems}")
  endif()
endforeach()
run(125 "libcudart.so.13 is missing" ${broken}/bin/simgpu ${scratch}/program)
