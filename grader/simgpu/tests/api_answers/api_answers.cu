/// @file
/// Calls the CUDA runtime, rightly and wrongly, and prints its answers. The argument names the part.
#include "capture.cuh"
#include "faults.cuh"
#include "graphs.cuh"
#include "launches.cuh"
#include "managed.cuh"
#include "memory.cuh"
#include "misc.cuh"
#include "pools.cuh"
#include "streams.cuh"

int main(int argc, char** argv) {
  const std::string part = argc > 1 ? argv[1] : "";
  if (part == "capture")
    capture();
  else if (part == "graphs")
    graphs();
  else if (part == "launches")
    launches();
  else if (part == "managed")
    managed();
  else if (part == "memory")
    memory();
  else if (part == "misc")
    misc();
  else if (part == "pools")
    pools();
  else if (part == "streams")
    streams();
  else
    faults(part.c_str());
}
