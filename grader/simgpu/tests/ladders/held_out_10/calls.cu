/// @file
/// What the host asks for: a graph that clears counters, counts and sums them up, a rectangle copied within
/// the card, pinned memory up in one stream and its sums down in another.
#include "held_out_10.hpp"

namespace held_out_10 {
namespace {

constexpr unsigned kTones = 256;
__global__ void __launch_bounds__(kTones) count_tones(const uchar4* pixels, unsigned* counts, std::size_t m) {
  __shared__ unsigned of_block[kTones];
  of_block[threadIdx.x] = 0;
  __syncthreads();
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const uchar4 p = pixels[i];
    atomicAdd(of_block + (p.x + 2u * p.y + p.z) / 4, 1u);
  }
  __syncthreads();
  if (of_block[threadIdx.x] != 0) atomicAdd(counts + threadIdx.x, of_block[threadIdx.x]);
}
/// How many tones are as dark or darker.
__global__ void __launch_bounds__(kTones) sum_counts(const unsigned* counts, unsigned* sums) {
  __shared__ unsigned upto[kTones];
  const unsigned t = threadIdx.x;
  upto[t] = counts[t];
  __syncthreads();
  for (unsigned d = 1; d < kTones; d *= 2) {
    const unsigned before = t >= d ? upto[t - d] : 0;
    __syncthreads();
    upto[t] += before;
    __syncthreads();
  }
  sums[t] = upto[t];
}
__global__ void replace_tones(const uchar4* pixels, const unsigned* sums, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const uchar4 p = pixels[i];
  out[i] = static_cast<float>(sums[(p.x + 2u * p.y + p.z) / 4]) / static_cast<float>(m);
}
unsigned tone_of(std::size_t i) {
  return (byte_of(4 * i) + 2 * byte_of(4 * i + 1) + byte_of(4 * i + 2)) / 4;
}

constexpr std::size_t kPitchFrom = 4096, kPitchTo = 3072, kBytesOfRow = 3000;

constexpr unsigned kSummedRow = 1024;
__global__ void __launch_bounds__(256) sums_of_pinned_rows(const float4* in, float* out) {
  __shared__ float of_warp[8];
  const unsigned t = threadIdx.x;
  const float4 v = in[blockIdx.x * std::size_t{256} + t];
  float sum = (v.x + v.y) + (v.z + v.w);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (t % 32 == 0) of_warp[t / 32] = sum;
  __syncthreads();
  if (t != 0) return;
  for (unsigned w = 1; w < 8; ++w) sum += of_warp[w];
  out[blockIdx.x] = sum;
}

}  // namespace

void calls(Set& s) {
  const std::size_t n = s.n;
  const std::size_t pixels = n / 16;
  const auto* picture = reinterpret_cast<const uchar4*>(s.words);
  auto *counts = room<unsigned>(kTones), *sums = room<unsigned>(kTones);
  cudaStream_t captured = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  ladder::check(cudaStreamCreateWithFlags(&captured, cudaStreamNonBlocking), "stream");
  ladder::check(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal), "capture");
  cudaMemsetAsync(counts, 0, kTones * sizeof(unsigned), captured);
  count_tones<<<s.sms * 4, kTones, 0, captured>>>(picture, counts, pixels);
  sum_counts<<<1, kTones, 0, captured>>>(counts, sums);
  replace_tones<<<Set::blocks(pixels), 256, 0, captured>>>(picture, sums, s.out, pixels);
  ladder::check(cudaStreamEndCapture(captured, &graph), "capture");
  ladder::check(cudaGraphInstantiate(&ready, graph, 0), "graph");
  s.run(
      "graph that clears, counts tones, sums and replaces them", 12.0 * real(pixels),
      [&] { cudaGraphLaunch(ready, nullptr); },
      [&] {
        std::vector<unsigned> want(kTones);
        for (std::size_t i = 0; i < pixels; ++i) ++want[tone_of(i)];
        for (std::size_t k = 1; k < kTones; ++k) want[k] += want[k - 1];
        if (taken(sums, kTones) != want) return false;
        return floats(s, pixels, [&](std::size_t i) { return real(want[tone_of(i)]) / real(pixels); });
      });
  cudaGraphExecDestroy(ready), cudaGraphDestroy(graph), cudaStreamDestroy(captured);
  cudaFree(counts), cudaFree(sums);

  const std::size_t rows = n / kPitchFrom;
  s.run(
      "rectangle of rows of 3000 bytes copied within the card", 2.0 * real(kBytesOfRow * rows),
      [&] {
        cudaMemcpy2DAsync(s.out, kPitchTo, s.words, kPitchFrom, kBytesOfRow, rows, cudaMemcpyDeviceToDevice);
      },
      [&] {
        return Set::each(kBytesOfRow * rows, [&](std::size_t i) {
          const std::size_t row = i / kBytesOfRow, at = i % kBytesOfRow;
          return s.byte(row * kPitchTo + at) == byte_of(row * kPitchFrom + at) &&
                 s.byte(row * kPitchTo + kBytesOfRow) == 0;
        });
      });

  constexpr std::size_t kParts = 4;
  const std::size_t rows_of_part = n / 64 / kParts / kSummedRow, part = rows_of_part * kSummedRow;
  float *up = nullptr, *down = nullptr;
  ladder::check(cudaMallocHost(&up, part * kParts * sizeof(float)), "pinned");
  ladder::check(cudaMallocHost(&down, rows_of_part * kParts * sizeof(float)), "pinned");
  for (std::size_t i = 0; i < part * kParts; ++i) up[i] = float_of(i);
  std::fill_n(down, rows_of_part * kParts, -1.0f);
  cudaStream_t upwards = nullptr, downwards = nullptr;
  cudaEvent_t there[kParts];
  ladder::check(cudaStreamCreate(&upwards), "stream");
  ladder::check(cudaStreamCreate(&downwards), "stream");
  for (cudaEvent_t& each : there)
    ladder::check(cudaEventCreateWithFlags(&each, cudaEventDisableTiming), "event");
  float* shorter = s.out + n / 2;
  s.run(
      "pinned parts up in a stream, their sums down in another", 4.0 * real(part * kParts),
      [&] {
        for (std::size_t k = 0; k < kParts; ++k) {
          cudaMemcpyAsync(s.out + k * part, up + k * part, part * sizeof(float), cudaMemcpyHostToDevice,
                          upwards);
          cudaEventRecord(there[k], upwards);
          cudaStreamWaitEvent(downwards, there[k], 0);
          sums_of_pinned_rows<<<as_number(rows_of_part), 256, 0, downwards>>>(
              reinterpret_cast<const float4*>(s.out + k * part), shorter + k * rows_of_part);
          cudaMemcpyAsync(down + k * rows_of_part, shorter + k * rows_of_part, rows_of_part * sizeof(float),
                          cudaMemcpyDeviceToHost, downwards);
        }
      },
      [&] {
        for (std::size_t row = 0; row < rows_of_part * kParts; ++row) {
          double want = 0;
          for (std::size_t k = 0; k < kSummedRow; ++k) want += float_of(row * kSummedRow + k);
          if (!Set::near(down[row], want, 1e-5)) return false;
        }
        return true;
      });
  for (const cudaEvent_t each : there) cudaEventDestroy(each);
  cudaStreamDestroy(upwards), cudaStreamDestroy(downwards);
  cudaFreeHost(up), cudaFreeHost(down);
}

}  // namespace held_out_10
