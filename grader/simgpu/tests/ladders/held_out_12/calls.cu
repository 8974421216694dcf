/// @file
/// What the host asks for: a graph that copies up, adds and copies down, short kernels beside a long one,
/// columns brought down to pageable rows, a page of managed memory handed to and fro.
#include "held_out_12.hpp"

namespace held_out_12 {
namespace {

constexpr unsigned kHandedUp = 16384, kGraphLaunches = 5;
__global__ void add_what_came(const float* come, float* all) {
  const std::size_t i = global_index();
  all[i] += come[i];
}

constexpr unsigned kLongBlocks = 3, kLongSteps = 8192, kShortBlocks = 4, kShortKernels = 12, kOfShort = 8;
__host__ __device__ __forceinline__ unsigned generated(unsigned state) {
  state ^= state << 7;
  return state ^ state >> 9;
}
__global__ void __launch_bounds__(128) many_steps(const unsigned* words, unsigned* out) {
  const std::size_t i = global_index();
  unsigned state = words[i];
#pragma unroll 1
  for (unsigned k = 0; k < kLongSteps; ++k) state = generated(state);
  out[i] = state;
}
__global__ void __launch_bounds__(256) few_squares(const float* in, float* out) {
  for (unsigned k = 0; k < kOfShort; ++k) {
    const std::size_t i = global_index() + k * stride();
    out[i] = in[i] * in[i];
  }
}

constexpr std::size_t kPitch = 2048, kColumns = 512, kFirstColumn = 256;

constexpr unsigned kPageWords = 1024, kTurns = 8;
__host__ __device__ __forceinline__ unsigned turned_word(unsigned word, unsigned i) {
  return word * 3 + i;
}
__global__ void turn_page(unsigned* page) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  page[i] = turned_word(page[i], i);
}

}  // namespace

void calls(Set& s) {
  const std::size_t n = s.n;
  float *up = nullptr, *down = nullptr;
  ladder::check(cudaMallocHost(&up, kHandedUp * sizeof(float)), "pinned");
  ladder::check(cudaMallocHost(&down, kHandedUp * sizeof(float)), "pinned");
  for (std::size_t i = 0; i < kHandedUp; ++i) up[i] = float_of(i), down[i] = -1.0f;
  float* come = room<float>(kHandedUp);
  cudaStream_t captured = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  ladder::check(cudaStreamCreateWithFlags(&captured, cudaStreamNonBlocking), "stream");
  ladder::check(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal), "capture");
  cudaMemcpyAsync(come, up, kHandedUp * sizeof(float), cudaMemcpyHostToDevice, captured);
  add_what_came<<<kHandedUp / 256, 256, 0, captured>>>(come, s.out);
  cudaMemcpyAsync(down, s.out, kHandedUp * sizeof(float), cudaMemcpyDeviceToHost, captured);
  ladder::check(cudaStreamEndCapture(captured, &graph), "capture");
  ladder::check(cudaGraphInstantiate(&ready, graph, 0), "graph");
  s.run_whole(
      "graph that copies up, adds and copies down, five times", 8.0 * kHandedUp * kGraphLaunches,
      [&] {
        for (unsigned k = 0; k < kGraphLaunches; ++k) cudaGraphLaunch(ready, nullptr);
      },
      [&] {
        for (std::size_t i = 0; i < kHandedUp; ++i)
          if (!Set::near(down[i], kGraphLaunches * double{float_of(i)}, 1e-5)) return false;
        return true;
      });
  cudaGraphExecDestroy(ready), cudaGraphDestroy(graph), cudaStreamDestroy(captured);
  cudaFreeHost(up), cudaFreeHost(down), cudaFree(come);

  cudaStream_t slow = nullptr, quick = nullptr;
  ladder::check(cudaStreamCreate(&slow), "stream");
  ladder::check(cudaStreamCreate(&quick), "stream");
  constexpr std::size_t kOfKernel = std::size_t{kShortBlocks} * 256 * kOfShort;
  auto* generated_words = room<unsigned>(kLongBlocks * 128);
  s.run_whole(
      "twelve short kernels beside a long one of three blocks", 8.0 * real(kOfKernel) * kShortKernels,
      [&] {
        many_steps<<<kLongBlocks, 128, 0, slow>>>(s.words, generated_words);
        for (std::size_t k = 0; k < kShortKernels; ++k)
          few_squares<<<kShortBlocks, 256, 0, quick>>>(s.in + k * kOfKernel, s.out + k * kOfKernel);
      },
      [&] {
        const auto got = taken(generated_words, kLongBlocks * 128);
        for (std::size_t i = 0; i < got.size(); i += 13) {
          unsigned state = word_of(i);
          for (unsigned k = 0; k < kLongSteps; ++k) state = generated(state);
          if (got[i] != state) return false;
        }
        return floats(s, kOfKernel * kShortKernels,
                      [](std::size_t i) { return double{float_of(i)} * float_of(i); });
      });
  cudaFree(generated_words);
  cudaStreamDestroy(slow), cudaStreamDestroy(quick);

  const std::size_t rows = n / 32 / kColumns;
  std::vector<unsigned char> pageable(rows * kColumns);
  s.run(
      "columns of 512 bytes down to pageable rows", real(rows * kColumns),
      [&] {
        cudaMemcpy2D(pageable.data(), kColumns,
                     reinterpret_cast<const unsigned char*>(s.words) + kFirstColumn, kPitch, kColumns, rows,
                     cudaMemcpyDeviceToHost);
      },
      [&] {
        for (std::size_t i = 0; i < pageable.size(); ++i)
          if (pageable[i] != byte_of(i / kColumns * kPitch + kFirstColumn + i % kColumns)) return false;
        return true;
      });

  unsigned *page = nullptr, sum = 0;
  ladder::check(cudaMallocManaged(&page, kPageWords * sizeof(unsigned)), "managed");
  s.run_whole(
      "a page of managed memory handed to and fro eight times", 8.0 * kPageWords * kTurns,
      [&] {
        for (unsigned i = 0; i < kPageWords; ++i) page[i] = i;
        sum = 0;
        for (unsigned turn = 0; turn < kTurns; ++turn) {
          turn_page<<<kPageWords / 256, 256>>>(page);
          cudaDeviceSynchronize();
          sum += page[turn];
          page[turn] += turn + 1;
        }
      },
      [&] {
        std::vector<unsigned> want(kPageWords);
        for (unsigned i = 0; i < kPageWords; ++i) want[i] = i;
        unsigned sum_wanted = 0;
        for (unsigned turn = 0; turn < kTurns; ++turn) {
          for (unsigned i = 0; i < kPageWords; ++i) want[i] = turned_word(want[i], i);
          sum_wanted += want[turn];
          want[turn] += turn + 1;
        }
        return sum == sum_wanted && std::equal(want.begin(), want.end(), page);
      });
  cudaFree(page);
}

}  // namespace held_out_12
