/// @file
/// A CUDA runtime whose device is the host's memory and whose streams do nothing: just enough for a worker to
/// load a plugin made by the host compiler. With it the judge's answers to misbehaving programs are tested in
/// milliseconds, and without the simulated GPU. Built twice; with FAKE_SIMULATOR it also says what the
/// simulated GPU would.
#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

double now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct fake_event {
  double at = 0;
};

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return *count = 1, cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  return *version = 13000, cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  return *version = 13000, cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  return *value = 0, cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  std::memset(properties, 0, sizeof *properties);
  std::strcpy(properties->name, "Fake device in host memory");
  properties->multiProcessorCount = 1;
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total) {
  return *free_bytes = *total = size_t{8} << 20, cudaSuccess;
}
const char* cudaGetErrorString(cudaError_t) {
  return "an error of the fake runtime";
}
const char* cudaGetErrorName(cudaError_t) {
  return "cudaErrorFake";
}
cudaError_t cudaGetLastError() {
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                         size_t height, cudaMemcpyKind) {
  for (size_t row = 0; row < height; ++row)
    std::memcpy(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch,
                width);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) {
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t) {
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return *pointer = std::aligned_alloc(256, (bytes + 255) / 256 * 256), cudaSuccess;
}
cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned) {
  return cudaMalloc(pointer, bytes);
}
cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned) {
  return cudaMalloc(pointer, bytes);
}
#if CUDART_VERSION >= 13000
cudaError_t cudaMemPrefetchAsync(const void*, size_t, cudaMemLocation, unsigned, cudaStream_t) {
#else
cudaError_t cudaMemPrefetchAsync(const void*, size_t, int, cudaStream_t) {
#endif
  return cudaSuccess;
}
cudaError_t cudaFree(void* pointer) {
  return std::free(pointer), cudaSuccess;
}
cudaError_t cudaFreeHost(void* pointer) {
  return std::free(pointer), cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  return std::memcpy(to, from, bytes), cudaSuccess;
}
cudaError_t cudaMemset(void* at, int value, size_t bytes) {
  return std::memset(at, value, bytes), cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) {
  return cudaSuccess;
}
cudaError_t cudaCtxResetPersistingL2Cache() {
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return *stream = nullptr, cudaSuccess;
}
cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID, const cudaStreamAttrValue*) {
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t, void*) {
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return *event = reinterpret_cast<cudaEvent_t>(new fake_event), cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  reinterpret_cast<fake_event*>(event)->at = now();
  return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  *milliseconds = static_cast<float>(
      1e3 * (reinterpret_cast<fake_event*>(stop)->at - reinterpret_cast<fake_event*>(start)->at));
  return cudaSuccess;
}

#ifdef FAKE_SIMULATOR
int simgpu_configure(const char*) {
  return 0;
}
// As if kernels had moved a great deal: what plugins really do here happens on the host.
const char* simgpu_take_report() {
  return R"({"schema": "simgpu.report/2", "device": {"name": "fake", "slice": 1}, "launches": [{"kernel": "fake", "grid": [1, 1, 1],
    "block": [256, 1, 1], "counters": {"simgpu__global_bytes_requested_op_ld.sum": 1e15, "simgpu__global_bytes_requested_op_st.sum": 1e15,
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": 1}}], "findings": []})";
}
#endif

}  // extern "C"
