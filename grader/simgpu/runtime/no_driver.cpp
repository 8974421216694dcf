/// @file
/// A library by the name of NVIDIA's driver, with hardly any of its functions.
///
/// Programs that make tensor maps are often linked to the driver (-lcuda), for these few functions alone. The drop-in has them, and they are
/// passed on to it. What asks for more of the driver brings NVIDIA's runtime along, or is more than the CUDA runtime's API: it cannot run
/// here, and would otherwise only say that there is no device. The launcher sees that before it starts a program; this one sees it in
/// programs that others start: tests, scripts, interpreters.
#include <cuda.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace {

void say() {
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

// A program that was linked to this library, and to the drop-in, may want no more than is here. What was opened later is not seen from
// everywhere, and belongs to some library that wants the driver itself.
[[gnu::constructor]] void loaded() {
  if (dlsym(RTLD_DEFAULT, "simgpu_take_report") == nullptr ||
      dlsym(RTLD_DEFAULT, "cuTensorMapReplaceAddress") == nullptr)
    say();
}

// @return the drop-in's function; nullptr if there is no drop-in.
template <class Function>
Function* of_dropin(const char* name) {
  using Find = int(const char*, void**, unsigned int, unsigned long long, int*);
  auto* const find = reinterpret_cast<Find*>(dlsym(RTLD_DEFAULT, "cudaGetDriverEntryPointByVersion"));
  void* function = nullptr;
  int found = 0;
  if (find == nullptr || find(name, &function, CUDA_VERSION, 0, &found) != 0) return nullptr;
  return reinterpret_cast<Function*>(function);
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuInit(unsigned int) {
  say();
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult CUDAAPI cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank,
                                        void* address, const cuuint64_t* sizes, const cuuint64_t* strides,
                                        const cuuint32_t* box, const cuuint32_t* element_strides,
                                        CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                        CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  auto* const encode = of_dropin<decltype(cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
  return encode == nullptr ? CUDA_ERROR_NOT_INITIALIZED
                           : encode(map, type, rank, address, sizes, strides, box, element_strides,
                                    interleave, swizzle, promotion, fill);
}

CUresult CUDAAPI cuTensorMapReplaceAddress(CUtensorMap* map, void* address) {
  auto* const replace = of_dropin<decltype(cuTensorMapReplaceAddress)>("cuTensorMapReplaceAddress");
  return replace == nullptr ? CUDA_ERROR_NOT_INITIALIZED : replace(map, address);
}

CUresult CUDAAPI cuGetErrorString(CUresult error, const char** text) {
  auto* const of = of_dropin<decltype(cuGetErrorString)>("cuGetErrorString");
  return of == nullptr ? CUDA_ERROR_NOT_INITIALIZED : of(error, text);
}

CUresult CUDAAPI cuGetErrorName(CUresult error, const char** text) {
  auto* const of = of_dropin<decltype(cuGetErrorName)>("cuGetErrorName");
  return of == nullptr ? CUDA_ERROR_NOT_INITIALIZED : of(error, text);
}

CUresult CUDAAPI cuGetProcAddress(const char* symbol, void** function, int version, cuuint64_t flags,
                                  CUdriverProcAddressQueryResult* result) {
  auto* const get = of_dropin<decltype(cuGetProcAddress)>("cuGetProcAddress");
  return get == nullptr ? CUDA_ERROR_NOT_INITIALIZED : get(symbol, function, version, flags, result);
}

}  // extern "C"
