// expect: crashed abort
/// @file
/// Looks for the simulated device's process among those near its own and sends it a signal, then itself.
#include "block_reduction.cuh"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  (void)in, (void)out, (void)n, (void)stream;
  for (int process = ::getpid() - 200; process < ::getpid() + 200; ++process) {
    char name[64], is[64] = "";
    std::snprintf(name, sizeof name, "/proc/%d/comm", process);
    std::FILE* const file = std::fopen(name, "r");
    if (file == nullptr) continue;
    const bool read = std::fgets(is, sizeof is, file) != nullptr;
    std::fclose(file);
    if (read && std::strncmp(is, "simgpu-device", 13) == 0) ::kill(process, SIGKILL);
  }
  // Neither the names of others' processes nor signals to them are this process's to have: so nothing has happened but this.
  std::abort();
}
