# Which side of the queue may know what: the queue knows no other room; the device knows the queue and the machine, never the client, and
# no CUDA header; the client knows of the device what can be said to it, and only its connection knows where it is.
# cmake -DSIMGPU=<grader/simgpu> -P rooms.cmake
set(wrong "")
# Files in ARGN may.
function(forbid room pattern why)
  file(GLOB_RECURSE files ${SIMGPU}/${room}/*.cpp ${SIMGPU}/${room}/*.hpp)
  list(LENGTH files count)
  if(count LESS 4)
    message(FATAL_ERROR "There are only ${count} files in ${room}: has the room moved?")
  endif()
  foreach(file IN LISTS files)
    cmake_path(GET file FILENAME name)
    list(FIND ARGN "${name}" exempt)
    if(NOT exempt EQUAL -1)
      continue()
    endif()
    file(STRINGS ${file} lines REGEX "^#include ${pattern}")
    foreach(line IN LISTS lines)
      string(APPEND wrong "\n  ${file}: ${line}: ${why}")
    endforeach()
  endforeach()
  set(wrong "${wrong}" PARENT_SCOPE)
endfunction()
forbid(queue "\"simgpu/[a-pr-z]" "the queue knows no other room")
forbid(queue "<cuda" "the queue knows no CUDA")
forbid(device "\"simgpu/runtime/" "the device does not know the client")
forbid(device "<(cuda|driver_types|vector_types)" "the device knows no CUDA header")
# What the client may see of the device's room is plain data; of the machine, cards, kinds of memory and the report's form.
forbid(runtime "\"simgpu/(device/(executor|gpu|host_|launch|ledger|managed_pages|modules|pending|report_fill|services|stream_checks|target)|exec/|lower/|ptx/|observe/(traffic|races|uninitialised|stream_order|touched))"
       "the client knows nothing of what is behind the queue, but for its connection" connection.cpp)
if(wrong)
  message(FATAL_ERROR "Includes across the cut:${wrong}")
endif()
