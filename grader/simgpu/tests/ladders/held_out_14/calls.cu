/// @file
/// What the host asks for: a graph of memsets, copies and kernels, pieces brought down while others are made,
/// managed memory that stays with the host, words written into mapped memory, few blocks in many streams.
#include "held_out_14.hpp"

namespace held_out_14 {
namespace {

constexpr unsigned kGraphRounds = 6, kGraphLine = 16384;
constexpr unsigned char kGraphByte = 0x21;
constexpr unsigned kGraphWord = kGraphByte * 0x01010101u;
__global__ void __launch_bounds__(256)
    add_to_filled(const unsigned* filled, const unsigned* copied, unsigned* out, unsigned round) {
  const std::size_t i = global_index();
  out[i] = filled[i] + (copied[i] ^ round);
}

constexpr unsigned kDownPieces = 8;
__host__ __device__ __forceinline__ float made_of(float v) {
  return v * v + 2.0f;
}
__global__ void __launch_bounds__(256) make_piece(const float* in, float* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = made_of(in[i]);
}

__global__ void __launch_bounds__(256) read_where_it_stays(const uint4* there, uint4* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const uint4 v = there[i];
  out[i] = make_uint4(v.x + 1, v.y + 1, v.z + 1, v.w + 1);
}

constexpr unsigned kWrittenRun = 16;
/// Sixteen words are written, sixteen are left.
__host__ __device__ __forceinline__ std::size_t place_of_written(std::size_t i) {
  return i / kWrittenRun * (2 * kWrittenRun) + i % kWrittenRun;
}
__global__ void __launch_bounds__(256)
    write_every_other_run(const unsigned* words, unsigned* mapped, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) mapped[place_of_written(i)] = words[i];
}

constexpr unsigned kFewStreams = 6, kFewOfStream = 2, kFewBlocks = 5, kFewOfBlock = 64, kFewChain = 2048;
constexpr unsigned kFewOfKernel = kFewBlocks * kFewOfBlock;
__host__ __device__ __forceinline__ unsigned chain_step(unsigned v) {
  return (v ^ v >> 7) * 1664525u + 1013904223u;
}
/// One step waits for the one before.
__global__ void __launch_bounds__(kFewOfBlock) few_long_chains(const unsigned* words, unsigned* out) {
  const std::size_t i = global_index();
  unsigned v = words[i];
#pragma unroll 16
  for (unsigned k = 0; k < kFewChain; ++k) v = chain_step(v);
  out[i] = v;
}

}  // namespace

void calls(Set& s) {
  const std::size_t n = s.n;
  auto* graph_room = room<unsigned>(2 * kGraphLine);
  cudaStream_t stream = nullptr;
  ladder::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  ladder::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "capture");
  for (unsigned k = 0; k < kGraphRounds; ++k) {
    cudaMemsetAsync(graph_room, kGraphByte, kGraphLine * sizeof(unsigned), stream);
    cudaMemcpyAsync(graph_room + kGraphLine, s.words + k * kGraphLine, kGraphLine * sizeof(unsigned),
                    cudaMemcpyDeviceToDevice, stream);
    add_to_filled<<<kGraphLine / 256, 256, 0, stream>>>(graph_room, graph_room + kGraphLine,
                                                        s.numbers() + k * kGraphLine, k);
  }
  ladder::check(cudaStreamEndCapture(stream, &graph), "capture");
  ladder::check(cudaGraphInstantiate(&ready, graph, 0), "graph");
  s.run_whole(
      "graph of a memset, a copy and a kernel, six times in a chain", 24.0 * kGraphRounds * kGraphLine,
      [&] { cudaGraphLaunch(ready, nullptr); },
      [&] {
        return numbers(s, std::size_t{kGraphRounds} * kGraphLine,
                       [](std::size_t i) { return kGraphWord + (word_of(i) ^ as_number(i / kGraphLine)); });
      });
  cudaGraphExecDestroy(ready), cudaGraphDestroy(graph), cudaStreamDestroy(stream), cudaFree(graph_room);

  const unsigned piece = as_number(n / 64 / kDownPieces);
  float* down = nullptr;
  ladder::check(cudaMallocHost(&down, std::size_t{kDownPieces} * piece * sizeof(float)), "pinned");
  std::memset(down, 0, std::size_t{kDownPieces} * piece * sizeof(float));
  cudaStream_t two[2];
  for (cudaStream_t& each : two) ladder::check(cudaStreamCreate(&each), "stream");
  s.run(
      "eight pieces made by kernels and brought down to pinned memory in two streams",
      12.0 * kDownPieces * piece,
      [&] {
        for (unsigned k = 0; k < kDownPieces; ++k) {
          const std::size_t first = std::size_t{k} * piece;
          make_piece<<<Set::blocks(piece), 256, 0, two[k % 2]>>>(s.in + first, s.out + first, piece);
          cudaMemcpyAsync(down + first, s.out + first, piece * sizeof(float), cudaMemcpyDeviceToHost,
                          two[k % 2]);
        }
      },
      [&] {
        for (std::size_t i = 0; i < std::size_t{kDownPieces} * piece; ++i)
          if (!Set::near(down[i], made_of(float_of(i)))) return false;
        return true;
      });
  for (cudaStream_t each : two) cudaStreamDestroy(each);
  cudaFreeHost(down);

  const unsigned stays = as_number(n / 128 / 4);
  unsigned* managed = nullptr;
  ladder::check(cudaMallocManaged(&managed, std::size_t{stays} * sizeof(uint4)), "managed");
  const cudaMemLocation host{cudaMemLocationTypeHost, 0}, card{cudaMemLocationTypeDevice, 0};
  ladder::check(
      cudaMemAdvise(managed, std::size_t{stays} * sizeof(uint4), cudaMemAdviseSetPreferredLocation, host),
      "advice");
  for (std::size_t i = 0; i < 4 * std::size_t{stays}; ++i) managed[i] = word_of(i + 5);
  ladder::check(cudaMemAdvise(managed, std::size_t{stays} * sizeof(uint4), cudaMemAdviseSetAccessedBy, card),
                "advice");
  s.run(
      "managed memory advised to stay with the host, read by a kernel", 32.0 * stays,
      [&] {
        read_where_it_stays<<<Set::blocks(stays), 256>>>(reinterpret_cast<const uint4*>(managed),
                                                         reinterpret_cast<uint4*>(s.out), stays);
      },
      [&] { return numbers(s, 4 * std::size_t{stays}, [](std::size_t i) { return word_of(i + 5) + 1; }); });
  cudaFree(managed);

  const unsigned written = as_number(n / 128);
  unsigned *of_host = nullptr, *mapped = nullptr;
  ladder::check(cudaHostAlloc(&of_host, 2 * std::size_t{written} * sizeof(unsigned), cudaHostAllocMapped),
                "mapped");
  ladder::check(cudaHostGetDevicePointer(&mapped, of_host, 0), "mapped");
  std::memset(of_host, 0, 2 * std::size_t{written} * sizeof(unsigned));
  s.run(
      "every other 64 bytes of mapped memory of the host written", 8.0 * written,
      [&] { write_every_other_run<<<Set::blocks(written), 256>>>(s.words, mapped, written); },
      [&] {
        for (std::size_t i = 0; i < written; ++i)
          if (of_host[place_of_written(i)] != word_of(i) || of_host[place_of_written(i) + kWrittenRun] != 0)
            return false;
        return true;
      });
  cudaFreeHost(of_host);

  cudaStream_t few[kFewStreams];
  for (cudaStream_t& each : few) ladder::check(cudaStreamCreate(&each), "stream");
  s.run_whole(
      "twelve kernels of five small blocks with long chains in six streams",
      8.0 * kFewOfKernel * kFewStreams * kFewOfStream,
      [&] {
        for (unsigned k = 0; k < kFewStreams * kFewOfStream; ++k)
          few_long_chains<<<kFewBlocks, kFewOfBlock, 0, few[k % kFewStreams]>>>(
              s.words + k * kFewOfKernel, s.numbers() + k * kFewOfKernel);
      },
      [&] {
        return numbers(s, kFewOfKernel * kFewStreams * kFewOfStream, [](std::size_t i) {
          unsigned v = word_of(i);
          for (unsigned k = 0; k < kFewChain; ++k) v = chain_step(v);
          return v;
        });
      });
  for (cudaStream_t each : few) cudaStreamDestroy(each);
}

}  // namespace held_out_14
