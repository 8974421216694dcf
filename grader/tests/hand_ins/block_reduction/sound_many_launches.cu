// expect: pass
// on gpu: too_slow
/// @file
/// Many launches on two streams of its own, joined by events, with page-locked memory beside them: small inputs in 64 parts, large ones in
/// four.
#include "block_reduction.cuh"

__global__ void add_up(const float* in, float* out, std::size_t n) {
  alignas(16) __shared__ float tile[256];
  float sum = 0.0f;
  for (std::size_t i = std::size_t{blockIdx.x} * 256 + threadIdx.x; i < n; i += std::size_t{gridDim.x} * 256)
    sum += in[i];
  tile[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, tile[0]);
}

struct tools {
  cudaStream_t streams[2] = {};
  cudaEvent_t begun = nullptr, done[2] = {};
  float* zero = nullptr;  // page-locked
  tools() {
    for (auto& stream : streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    for (auto* event : {&begun, &done[0], &done[1]}) cudaEventCreateWithFlags(event, cudaEventDisableTiming);
    cudaHostAlloc(reinterpret_cast<void**>(&zero), sizeof(float), cudaHostAllocDefault);
    *zero = 0.0f;
  }
};

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  static const tools with;
  cudaMemcpyAsync(out, with.zero, sizeof(float), cudaMemcpyHostToDevice, stream);
  cudaEventRecord(with.begun, stream);
  for (const auto own : with.streams) cudaStreamWaitEvent(own, with.begun, 0);
  const std::size_t parts = n < 1'000'000 ? 64 : 4, length = (n + parts - 1) / parts;
  for (std::size_t part = 0; part < parts && part * length < n; ++part) {
    const std::size_t first = part * length, count = n - first < length ? n - first : length;
    const auto blocks = static_cast<unsigned int>(count / 4096 + 1 < 264 ? count / 4096 + 1 : 264);
    add_up<<<blocks, 256, 0, with.streams[part % 2]>>>(in + first, out, count);
  }
  for (int k = 0; k < 2; ++k) {
    cudaEventRecord(with.done[k], with.streams[k]);
    cudaStreamWaitEvent(stream, with.done[k], 0);
  }
}
