/// @file
/// What the host asks for: a graph within a graph, functions of the host between kernels, kernels that begin before
/// the one ahead has ended, short fills, two copies beside a kernel, managed memory that is sent away and faulted
/// back, mapped memory read by few warps.
#include "held_out_16.hpp"

namespace held_out_16 {
namespace {

constexpr unsigned kInnerGraphs = 3, kInnerLine = 32768;
__global__ void __launch_bounds__(256) add_scaled(const unsigned* words, unsigned* out) {
  out[global_index()] += 3 * words[global_index()];
}
__global__ void __launch_bounds__(256) mix_own(unsigned* out) {
  out[global_index()] = scrambled(out[global_index()]);
}

constexpr unsigned kTold = 8, kToldLine = 16384;
/// What a function of the host tells the kernel after it.
struct Telling {
  unsigned* to;
  unsigned value;
};
void tell(void* telling) {
  const auto* asked = static_cast<const Telling*>(telling);
  *asked->to = asked->value;
}
__global__ void __launch_bounds__(256) add_what_is_told(const unsigned* told, unsigned* out) {
  const std::size_t i = global_index();
  out[i] = 5 * out[i] + *told + static_cast<unsigned>(i);
}

constexpr unsigned kEarlyKernels = 16, kEarlyLine = 32768;
/// The next may begin once all blocks have loaded what does not depend on the one before.
__global__ void __launch_bounds__(256) begin_early(const float* in, float* out, bool first) {
  const std::size_t i = global_index();
  const float v = in[i];
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
  out[i] = (first ? 0.0f : 0.5f * out[i]) + v;
}

constexpr unsigned kFills = 40, kFill = 16384;

constexpr unsigned kBesideThreads = 256, kBesideBlocks = 2, kBesideSteps = 6000;
__host__ __device__ __forceinline__ unsigned beside_step(unsigned v) {
  return (v ^ v >> 9) * 0x01000193u + 12345u;
}
__global__ void __launch_bounds__(kBesideThreads) step_beside_copies(const unsigned* words, unsigned* out) {
  unsigned v = words[global_index()];
#pragma unroll 8
  for (unsigned k = 0; k < kBesideSteps; ++k) v = beside_step(v);
  out[global_index()] = v;
}

constexpr unsigned kFaultPiece = 16384, kFaultEvery = 3;  // words of 64 kB
__host__ __device__ __forceinline__ std::size_t faulted_place(std::size_t i) {
  return i / kFaultPiece * (kFaultEvery * kFaultPiece) + i % kFaultPiece;
}
__global__ void __launch_bounds__(256) read_pieces(const unsigned* managed, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = managed[faulted_place(i)] + 7;
}

__global__ void __launch_bounds__(32) read_by_few(const uint4* mapped, uint4* out, unsigned m) {
  for (unsigned i = blockIdx.x * 32 + threadIdx.x; i < m; i += gridDim.x * 32) {
    const uint4 v = mapped[i];
    out[i] = make_uint4(v.y, v.z, v.w, v.x);
  }
}

}  // namespace

void calls(Set& s) {
  const std::size_t n = s.n;
  cudaStream_t stream = nullptr;
  ladder::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  cudaGraph_t inner = nullptr, outer = nullptr;
  cudaGraphExec_t ready = nullptr;
  ladder::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "capture");
  add_scaled<<<kInnerLine / 256, 256, 0, stream>>>(s.words, s.numbers());
  mix_own<<<kInnerLine / 256, 256, 0, stream>>>(s.numbers());
  ladder::check(cudaStreamEndCapture(stream, &inner), "capture");
  ladder::check(cudaGraphCreate(&outer, 0), "graph");
  cudaGraphNode_t last = nullptr;
  cudaMemsetParams clear{};
  clear.dst = s.out;
  clear.value = 1;
  clear.elementSize = sizeof(unsigned);
  clear.width = kInnerLine;
  clear.height = 1;
  ladder::check(cudaGraphAddMemsetNode(&last, outer, nullptr, 0, &clear), "node");
  for (unsigned k = 0; k < kInnerGraphs; ++k) {
    const cudaGraphNode_t before = last;
    ladder::check(cudaGraphAddChildGraphNode(&last, outer, &before, 1, inner), "node");
  }
  ladder::check(cudaGraphInstantiate(&ready, outer, 0), "graph");
  s.run_whole(
      "graph of a fill and three times a graph of two kernels", (4.0 + 20.0 * kInnerGraphs) * kInnerLine,
      [&] { cudaGraphLaunch(ready, nullptr); },
      [&] {
        return numbers(s, kInnerLine, [](std::size_t i) {
          unsigned v = 1;
          for (unsigned k = 0; k < kInnerGraphs; ++k) v = scrambled(v + 3 * word_of(i));
          return v;
        });
      });
  cudaGraphExecDestroy(ready), cudaGraphDestroy(outer), cudaGraphDestroy(inner), cudaStreamDestroy(stream);

  unsigned* told = nullptr;
  ladder::check(cudaMallocHost(&told, sizeof(unsigned)), "pinned");
  *told = 0;
  Telling tellings[kTold];
  for (unsigned k = 0; k < kTold; ++k) tellings[k] = {told, word_of(k + 70)};
  ladder::check(cudaStreamCreate(&stream), "stream");
  s.run_whole(
      "eight functions of the host, after each a kernel", 8.0 * kTold * kToldLine,
      [&] {
        for (Telling& each : tellings) {
          cudaLaunchHostFunc(stream, tell, &each);
          add_what_is_told<<<kToldLine / 256, 256, 0, stream>>>(told, s.numbers());
        }
      },
      [&] {
        return numbers(s, kToldLine, [](std::size_t i) {
          unsigned v = 0;
          for (unsigned k = 0; k < kTold; ++k) v = 5 * v + word_of(k + 70) + as_number(i);
          return v;
        });
      });
  cudaFreeHost(told);

  s.run_whole(
      "sixteen kernels that begin before the one ahead has ended", 12.0 * kEarlyKernels * kEarlyLine,
      [&] {
        cudaLaunchAttribute early{};
        early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        early.val.programmaticStreamSerializationAllowed = 1;
        cudaLaunchConfig_t how{};
        how.gridDim = dim3(kEarlyLine / 256);
        how.blockDim = dim3(256);
        how.stream = stream;
        how.attrs = &early;
        for (unsigned k = 0; k < kEarlyKernels; ++k) {
          how.numAttrs = k == 0 ? 0 : 1;  // the first waits for what was before
          cudaLaunchKernelEx(&how, begin_early, static_cast<const float*>(s.in + k * kEarlyLine), s.out,
                             k == 0);
        }
      },
      [&] {
        return floats(s, kEarlyLine, [](std::size_t i) {
          double v = 0;
          for (std::size_t k = 0; k < kEarlyKernels; ++k) v = 0.5 * v + float_of(k * kEarlyLine + i);
          return v;
        });
      });
  cudaStreamDestroy(stream);

  s.run_whole(
      "forty fills of 16 kB, each with another byte", 1.0 * kFills * kFill,
      [&] {
        auto* bytes = reinterpret_cast<unsigned char*>(s.out);
        for (unsigned k = 0; k < kFills; ++k)
          cudaMemsetAsync(bytes + k * kFill, static_cast<int>(k + 1), kFill);
      },
      [&] {
        return Set::each(std::size_t{kFills} * kFill,
                         [&](std::size_t i) { return s.byte(i) == i / kFill + 1; });
      });

  const std::size_t copied = n / 4, brought = n / 128,
                    stepped = std::size_t{s.sms} * kBesideBlocks * kBesideThreads;
  unsigned* pinned = nullptr;
  ladder::check(cudaMallocHost(&pinned, brought * sizeof(unsigned)), "pinned");
  std::memset(pinned, 0, brought * sizeof(unsigned));
  cudaStream_t three[3];
  for (cudaStream_t& each : three) ladder::check(cudaStreamCreate(&each), "stream");
  s.run(
      "a copy within the card, one down to pinned memory and a kernel at once",
      8.0 * real(copied) + 4.0 * real(brought) + 8.0 * real(stepped),
      [&] {
        cudaMemcpyAsync(s.out, s.words, copied * sizeof(unsigned), cudaMemcpyDeviceToDevice, three[0]);
        cudaMemcpyAsync(pinned, s.words + copied, brought * sizeof(unsigned), cudaMemcpyDeviceToHost,
                        three[1]);
        step_beside_copies<<<s.sms * kBesideBlocks, kBesideThreads, 0, three[2]>>>(s.words,
                                                                                   s.numbers() + copied);
      },
      [&] {
        return numbers(s, copied, [](std::size_t i) { return word_of(i); }) &&
               Set::each(brought, [&](std::size_t i) { return pinned[i] == word_of(copied + i); }) &&
               Set::each(stepped, [&](std::size_t i) {
                 unsigned v = word_of(i);
                 for (unsigned k = 0; k < kBesideSteps; ++k) v = beside_step(v);
                 return s.number(copied + i) == v;
               });
      });
  for (cudaStream_t each : three) cudaStreamDestroy(each);
  cudaFreeHost(pinned);

  const unsigned managed_words = as_number(n / 32), faulted = managed_words / kFaultEvery;
  unsigned* managed = nullptr;
  ladder::check(cudaMallocManaged(&managed, managed_words * sizeof(unsigned)), "managed");
  for (std::size_t i = 0; i < managed_words; ++i) managed[i] = word_of(i + 31);
  const cudaMemLocation host{cudaMemLocationTypeHost, 0};
  s.run(
      "managed memory sent to the host, each third 64 kB of it read by a kernel", 8.0 * faulted,
      [&] {
        cudaMemPrefetchAsync(managed, managed_words * sizeof(unsigned), host, 0, nullptr);
        read_pieces<<<Set::blocks(faulted), 256>>>(managed, s.numbers(), faulted);
      },
      [&] { return numbers(s, faulted, [](std::size_t i) { return word_of(faulted_place(i) + 31) + 7; }); });
  cudaFree(managed);

  const unsigned few = as_number(n / 1024);
  uint4 *of_host = nullptr, *mapped = nullptr;
  ladder::check(cudaHostAlloc(&of_host, few * sizeof(uint4), cudaHostAllocMapped), "mapped");
  ladder::check(cudaHostGetDevicePointer(&mapped, of_host, 0), "mapped");
  auto* words_of_host = reinterpret_cast<unsigned*>(of_host);
  for (std::size_t i = 0; i < 4 * std::size_t{few}; ++i) words_of_host[i] = word_of(i + 19);
  s.run(
      "mapped memory of the host read by a warp of each SM", 32.0 * few,
      [&] { read_by_few<<<s.sms, 32>>>(mapped, reinterpret_cast<uint4*>(s.out), few); },
      [&] {
        return numbers(s, 4 * std::size_t{few},
                       [](std::size_t i) { return word_of(i / 4 * 4 + (i + 1) % 4 + 19); });
      });
  cudaFreeHost(of_host);
}

}  // namespace held_out_16
