/// @file
/// What the host asks for: launches with 2 kB of arguments, a graph of three chains, copies both ways, a loop
/// whose end the host reads off each time, managed memory that the host has touched, mapped memory by strides.
#include "held_out_13.hpp"

namespace held_out_13 {
namespace {

constexpr unsigned kGiven = 512, kGivenLaunches = 16;
struct Given {
  float values[kGiven];
};
__global__ void put_what_is_given(const Given given, const float* in, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = given.values[i] * in[i];
}
float given_value(std::size_t i) {
  return half_of(i) + 0.5f;
}

constexpr unsigned kChains = 3, kOfChain = 5, kChainLine = 8192;
__global__ void step_of_chain(const float* before, const float* in, float* out) {
  const std::size_t i = global_index();
  out[i] = 0.5f * before[i] + in[i];
}
__global__ void join_chains(const float* a, const float* b, const float* c, float* out) {
  const std::size_t i = global_index();
  out[i] = a[i] + b[i] + c[i];
}

constexpr std::size_t kRowUp = 768, kPitchUp = 1024, kRowDown = 1280;

constexpr unsigned kHalved = 16384, kMostRounds = 64;
constexpr float kSmall = 0.01f;
__global__ void __launch_bounds__(256) halve_all(float* line, unsigned* more) {
  const std::size_t i = global_index();
  const float v = 0.5f * line[i];
  line[i] = v;
  if (__any_sync(~0u, v > kSmall) && threadIdx.x % 32 == 0) atomicOr(more, 1u);
}

constexpr unsigned kTouchApart = 16384, kOfTouchedBlock = 512;
__global__ void __launch_bounds__(kOfTouchedBlock / 4) add_up_touched(const uint4* in, unsigned* out) {
  __shared__ unsigned of_warp[kOfTouchedBlock / 4 / 32];
  const uint4 v = in[global_index()];
  const unsigned sum = __reduce_add_sync(~0u, v.x + v.y + v.z + v.w);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  unsigned all = 0;
  for (const unsigned each : of_warp) all += each;
  out[blockIdx.x] = all;
}

constexpr unsigned kMappedApart = 32;
__global__ void read_apart(const unsigned* mapped, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = mapped[i * kMappedApart];
}

}  // namespace

void calls(Set& s) {
  const std::size_t n = s.n;
  Given given{};
  for (std::size_t i = 0; i < kGiven; ++i) given.values[i] = given_value(i);
  s.run_whole(
      "sixteen launches with two kilobytes of arguments each", 12.0 * kGiven * kGivenLaunches,
      [&] {
        for (unsigned k = 0; k < kGivenLaunches; ++k)
          put_what_is_given<<<kGiven / 256, 256>>>(given, s.in + k * kGiven, s.out + k * kGiven);
      },
      [&] {
        return floats(s, std::size_t{kGiven} * kGivenLaunches,
                      [](std::size_t i) { return double{given_value(i % kGiven)} * float_of(i); });
      });

  auto* lines = room<float>(2 * kChains * kChainLine);
  cudaStream_t streams_of[kChains];
  cudaEvent_t begun = nullptr, ended[kChains];
  ladder::check(cudaEventCreateWithFlags(&begun, cudaEventDisableTiming), "event");
  for (unsigned c = 0; c < kChains; ++c) {
    ladder::check(cudaStreamCreateWithFlags(&streams_of[c], cudaStreamNonBlocking), "stream");
    ladder::check(cudaEventCreateWithFlags(&ended[c], cudaEventDisableTiming), "event");
  }
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  ladder::check(cudaStreamBeginCapture(streams_of[0], cudaStreamCaptureModeGlobal), "capture");
  cudaEventRecord(begun, streams_of[0]);
  const auto line_of = [&](unsigned chain, unsigned step) {
    return lines + (2 * chain + step % 2) * kChainLine;
  };
  for (unsigned c = 0; c < kChains; ++c) {
    if (c > 0) cudaStreamWaitEvent(streams_of[c], begun, 0);
    for (unsigned k = 0; k < kOfChain; ++k) {
      const float* from = s.in + (c * kOfChain + k) * kChainLine;
      step_of_chain<<<kChainLine / 256, 256, 0, streams_of[c]>>>(k == 0 ? from : line_of(c, k - 1), from,
                                                                 line_of(c, k));
    }
    if (c > 0) {
      cudaEventRecord(ended[c], streams_of[c]);
      cudaStreamWaitEvent(streams_of[0], ended[c], 0);
    }
  }
  join_chains<<<kChainLine / 256, 256, 0, streams_of[0]>>>(line_of(0, kOfChain - 1), line_of(1, kOfChain - 1),
                                                           line_of(2, kOfChain - 1), s.out);
  ladder::check(cudaStreamEndCapture(streams_of[0], &graph), "capture");
  ladder::check(cudaGraphInstantiate(&ready, graph, 0), "graph");
  s.run_whole(
      "graph of three chains of five kernels that are joined",
      (12.0 * kChains * kOfChain + 16.0) * kChainLine, [&] { cudaGraphLaunch(ready, nullptr); },
      [&] {
        return floats(s, kChainLine, [](std::size_t i) {
          double sum = 0;
          for (std::size_t c = 0; c < kChains; ++c) {
            double v = float_of(c * kOfChain * kChainLine + i);
            for (std::size_t k = 0; k < kOfChain; ++k)
              v = 0.5 * v + float_of((c * kOfChain + k) * kChainLine + i);
            sum += v;
          }
          return sum;
        });
      });
  cudaGraphExecDestroy(ready), cudaGraphDestroy(graph), cudaFree(lines);
  for (unsigned c = 0; c < kChains; ++c) cudaStreamDestroy(streams_of[c]), cudaEventDestroy(ended[c]);
  cudaEventDestroy(begun);

  const std::size_t rows = n / 64 / (kPitchUp / 4);
  unsigned char *up = nullptr, *down = nullptr;
  ladder::check(cudaMallocHost(&up, rows * kRowUp), "pinned");
  ladder::check(cudaMallocHost(&down, rows * kRowDown), "pinned");
  for (std::size_t i = 0; i < rows * kRowUp; ++i) up[i] = static_cast<unsigned char>(byte_of(i + 1));
  cudaStream_t rising = nullptr, falling = nullptr;
  ladder::check(cudaStreamCreate(&rising), "stream");
  ladder::check(cudaStreamCreate(&falling), "stream");
  s.run(
      "rows of pinned bytes up to wider rows, others down meanwhile", real(rows * (kRowUp + kRowDown)),
      [&] {
        cudaMemcpy2DAsync(s.out, kPitchUp, up, kRowUp, kRowUp, rows, cudaMemcpyHostToDevice, rising);
        cudaMemcpyAsync(down, s.words, rows * kRowDown, cudaMemcpyDeviceToHost, falling);
      },
      [&] {
        for (std::size_t i = 0; i < rows * kRowDown; ++i)
          if (down[i] != byte_of(i)) return false;
        return Set::each(rows * kPitchUp, [&](std::size_t i) {
          const std::size_t x = i % kPitchUp;
          return s.byte(i) == (x < kRowUp ? byte_of(i / kPitchUp * kRowUp + x + 1) : 0);
        });
      });
  cudaStreamDestroy(rising), cudaStreamDestroy(falling), cudaFreeHost(up), cudaFreeHost(down);

  auto* more = room<unsigned>(1);
  unsigned rounds = 0;
  s.run_whole(
      "numbers halved until the host reads that all are small", 8.0 * 11 * kHalved,
      [&] {
        cudaMemcpyAsync(s.out, s.in, kHalved * sizeof(float), cudaMemcpyDeviceToDevice);
        unsigned go_on = 1;
        for (rounds = 0; go_on != 0 && rounds < kMostRounds; ++rounds) {
          cudaMemsetAsync(more, 0, sizeof(unsigned));
          halve_all<<<kHalved / 256, 256>>>(s.out, more);
          cudaMemcpy(&go_on, more, sizeof(unsigned), cudaMemcpyDeviceToHost);
        }
      },
      [&] {
        return rounds == 10 && floats(
                                   s, kHalved, [](std::size_t i) { return float_of(i) / 1024.0; }, 1e-6);
      });
  cudaFree(more);

  const unsigned touched = as_number(n / 128);
  unsigned *managed = nullptr, salt = 0;
  ladder::check(cudaMallocManaged(&managed, touched * sizeof(unsigned)), "managed");
  for (std::size_t i = 0; i < touched; ++i) managed[i] = word_of(i);
  s.run(
      "managed memory of which the host has changed a word in each 64 kB", 4.0 * touched,
      [&] {
        ++salt;
        for (std::size_t i = 0; i < touched; i += kTouchApart) managed[i] = word_of(i) + salt;
        add_up_touched<<<touched / kOfTouchedBlock, kOfTouchedBlock / 4>>>(
            reinterpret_cast<const uint4*>(managed), s.numbers());
      },
      [&] {
        return numbers(s, touched / kOfTouchedBlock, [&](std::size_t block) {
          unsigned sum = block * kOfTouchedBlock % kTouchApart == 0 ? salt : 0;
          for (std::size_t k = 0; k < kOfTouchedBlock; ++k) sum += word_of(block * kOfTouchedBlock + k);
          return sum;
        });
      });
  cudaFree(managed);

  const unsigned apart = as_number(n / 512);
  unsigned *of_host = nullptr, *mapped = nullptr;
  ladder::check(
      cudaHostAlloc(&of_host, std::size_t{apart} * kMappedApart * sizeof(unsigned), cudaHostAllocMapped),
      "mapped");
  ladder::check(cudaHostGetDevicePointer(&mapped, of_host, 0), "mapped");
  for (std::size_t i = 0; i < apart; ++i) of_host[i * kMappedApart] = word_of(i + 3);
  s.run(
      "words of mapped memory of the host, 128 bytes apart", 8.0 * apart,
      [&] { read_apart<<<Set::blocks(apart), 256>>>(mapped, s.numbers(), apart); },
      [&] { return numbers(s, apart, [](std::size_t i) { return word_of(i + 3); }); });
  cudaFreeHost(of_host);
}

}  // namespace held_out_13
