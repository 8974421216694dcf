/// @file
/// A library by the name of NVIDIA's driver, with none of its functions. What asks for the driver brings NVIDIA's runtime along, or is more
/// than the CUDA runtime's API: it cannot run here, and would otherwise only say that there is no device. The launcher sees that before it starts
/// a program; this one sees it in programs that others start: tests, scripts, interpreters.
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace {

[[gnu::constructor]] void say() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  path[length > 0 ? length : 0] = '\0';
  if (std::strstr(path, "/__nvcc") != nullptr)
    return;  // nvcc -arch=native asks for a GPU, and can do without
  std::fprintf(stderr,
               "simgpu: %s asks for NVIDIA's driver, for which the simulated GPU does not stand: if NVIDIA's "
               "runtime is linked inside "
               "(-cudart static), build it again under simgpu; cuBLAS, cuFFT, cuDNN and the driver API "
               "cannot run here.\n",
               length > 0 ? path : "The program");
}

}  // namespace
