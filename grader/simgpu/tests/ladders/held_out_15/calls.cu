/// @file
/// What the host asks for: launches that halve, a graph made by hand, arrays that come up while they are added,
/// boxes of volumes filled and copied, small copies of pageable memory, mapped memory both ways, managed memory
/// that is mostly read.
#include "held_out_15.hpp"

namespace held_out_15 {
namespace {

constexpr unsigned kHalvings = 19, kHalvedLine = 1u << kHalvings;
__global__ void __launch_bounds__(256) add_other_half(const float* in, float* out, unsigned half) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < half) out[i] = in[i] + in[i + half];
}

constexpr unsigned kSideParts = 6, kSidePart = 8192;
__global__ void __launch_bounds__(256) add_part_to_total(const unsigned* words, unsigned* total) {
  const unsigned sum = __reduce_add_sync(~0u, words[global_index()]);
  if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}
__global__ void __launch_bounds__(256)
    mix_with_total(const unsigned* words, const unsigned* total, unsigned* out) {
  out[global_index()] = words[global_index()] ^ *total;
}

constexpr unsigned kComingArrays = 6;
__host__ __device__ __forceinline__ unsigned coming_word(std::size_t array, std::size_t i) {
  return scrambled(static_cast<unsigned>(i) * 8 + static_cast<unsigned>(array));
}
__global__ void __launch_bounds__(256)
    add_what_came(const unsigned* came, unsigned* out, bool first, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = first ? came[i] : out[i] + came[i];
}

constexpr std::size_t kBoxedX = 256, kBoxedY = 128, kBoxedPlane = kBoxedX * kBoxedY;
constexpr std::size_t kCutX = 160, kCutY = 96, kCutFromX = 32, kCutFromY = 16, kCutToX = 64, kCutToY = 8;
constexpr std::size_t kFilledX = 40, kFilledY = 20;
constexpr unsigned char kFilledByte = 0x5a;

constexpr unsigned kSmallCopies = 24, kSmallCopy = 6144;

__global__ void __launch_bounds__(256) answer_mapped(const uint4* asked, uint4* answers, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const uint4 v = asked[i];
  answers[i] = make_uint4(~v.x, ~v.y, ~v.z, ~v.w);
}

constexpr unsigned kReadApart = 28672;  // a slice has exactly a twelfth as many
__global__ void __launch_bounds__(256) read_mostly(const unsigned* managed, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = 3 * managed[i] + 1;
}

}  // namespace

void calls(Set& s) {
  const std::size_t n = s.n;
  s.run_whole(
      "nineteen launches, each half as large as the one before", 12.0 * kHalvedLine,
      [&] {
        for (unsigned half = kHalvedLine / 2; half > 0; half /= 2)
          add_other_half<<<Set::blocks(half), 256>>>(half == kHalvedLine / 2 ? s.in : s.out, s.out, half);
      },
      [&] {
        double sums[2] = {};
        for (std::size_t i = 0; i < kHalvedLine; ++i) sums[i % 2] += float_of(i);
        return Set::near(s.value(0), sums[0] + sums[1]) && Set::near(s.value(1), sums[1]);
      });

  auto* total = room<unsigned>(1);
  unsigned* total_of_host = nullptr;
  ladder::check(cudaMallocHost(&total_of_host, sizeof(unsigned)), "pinned");
  *total_of_host = 0;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  ladder::check(cudaGraphCreate(&graph, 0), "graph");
  cudaGraphNode_t cleared = nullptr, parts[kSideParts] = {}, mixed = nullptr, told = nullptr;
  cudaMemsetParams clear{};
  clear.dst = total;
  clear.elementSize = sizeof(unsigned);
  clear.width = 1;
  clear.height = 1;
  ladder::check(cudaGraphAddMemsetNode(&cleared, graph, nullptr, 0, &clear), "node");
  const auto kernel_of = [](const void* function, void** arguments) {
    cudaKernelNodeParams asked{};
    asked.func = const_cast<void*>(function);
    asked.gridDim = dim3(kSidePart / 256);
    asked.blockDim = dim3(256);
    asked.kernelParams = arguments;
    return asked;
  };
  for (unsigned k = 0; k < kSideParts; ++k) {
    const unsigned* part = s.words + k * kSidePart;
    void* arguments[] = {&part, &total};
    const cudaKernelNodeParams asked = kernel_of(reinterpret_cast<const void*>(add_part_to_total), arguments);
    ladder::check(cudaGraphAddKernelNode(&parts[k], graph, &cleared, 1, &asked), "node");
  }
  unsigned* to = s.numbers();
  void* of_mixing[] = {&s.words, &total, &to};
  const cudaKernelNodeParams mixing = kernel_of(reinterpret_cast<const void*>(mix_with_total), of_mixing);
  ladder::check(cudaGraphAddKernelNode(&mixed, graph, parts, kSideParts, &mixing), "node");
  ladder::check(cudaGraphAddMemcpyNode1D(&told, graph, parts, kSideParts, total_of_host, total,
                                         sizeof(unsigned), cudaMemcpyDeviceToHost),
                "node");
  ladder::check(cudaGraphInstantiate(&ready, graph, 0), "graph");
  s.run_whole(
      "graph by hand of a memset, six sums side by side, a kernel and a copy down",
      (4.0 * kSideParts + 8.0) * kSidePart, [&] { cudaGraphLaunch(ready, nullptr); },
      [&] {
        unsigned sum = 0;
        for (std::size_t i = 0; i < std::size_t{kSideParts} * kSidePart; ++i) sum += word_of(i);
        return *total_of_host == sum &&
               numbers(s, kSidePart, [&](std::size_t i) { return word_of(i) ^ sum; });
      });
  cudaGraphExecDestroy(ready), cudaGraphDestroy(graph), cudaFree(total), cudaFreeHost(total_of_host);

  const unsigned coming = as_number(n / 256);
  unsigned* pinned = nullptr;
  ladder::check(cudaMallocHost(&pinned, std::size_t{kComingArrays} * coming * sizeof(unsigned)), "pinned");
  for (std::size_t k = 0; k < kComingArrays; ++k)
    for (std::size_t i = 0; i < coming; ++i) pinned[k * coming + i] = coming_word(k, i);
  auto* buffers = room<unsigned>(2 * std::size_t{coming});
  cudaStream_t rising = nullptr, adding = nullptr;
  cudaEvent_t came[2], added[2];
  ladder::check(cudaStreamCreate(&rising), "stream");
  ladder::check(cudaStreamCreate(&adding), "stream");
  for (unsigned b = 0; b < 2; ++b) {
    ladder::check(cudaEventCreateWithFlags(&came[b], cudaEventDisableTiming), "event");
    ladder::check(cudaEventCreateWithFlags(&added[b], cudaEventDisableTiming), "event");
  }
  s.run(
      "six pinned arrays up through two buffers, added up meanwhile", 16.0 * kComingArrays * coming,
      [&] {
        for (unsigned k = 0; k < kComingArrays; ++k) {
          unsigned* buffer = buffers + k % 2 * std::size_t{coming};
          if (k >= 2) cudaStreamWaitEvent(rising, added[k % 2], 0);
          cudaMemcpyAsync(buffer, pinned + std::size_t{k} * coming, coming * sizeof(unsigned),
                          cudaMemcpyHostToDevice, rising);
          cudaEventRecord(came[k % 2], rising);
          cudaStreamWaitEvent(adding, came[k % 2], 0);
          add_what_came<<<Set::blocks(coming), 256, 0, adding>>>(buffer, s.numbers(), k == 0, coming);
          cudaEventRecord(added[k % 2], adding);
        }
      },
      [&] {
        return numbers(s, coming, [](std::size_t i) {
          unsigned sum = 0;
          for (std::size_t k = 0; k < kComingArrays; ++k) sum += coming_word(k, i);
          return sum;
        });
      });
  for (unsigned b = 0; b < 2; ++b) cudaEventDestroy(came[b]), cudaEventDestroy(added[b]);
  cudaStreamDestroy(rising), cudaStreamDestroy(adding), cudaFree(buffers), cudaFreeHost(pinned);

  const std::size_t planes = n / 8 / kBoxedPlane;
  s.run(
      "a box of a volume filled, another copied from volume to volume",
      (8.0 * kCutX * kCutY + 4.0 * kFilledX * kFilledY) * real(planes),
      [&] {
        constexpr std::size_t kRow = kBoxedX * sizeof(unsigned);
        cudaMemset3DAsync(make_cudaPitchedPtr(s.out, kRow, kRow, kBoxedY), kFilledByte,
                          make_cudaExtent(kFilledX * sizeof(unsigned), kFilledY, planes));
        cudaMemcpy3DParms copy{};
        copy.srcPtr = make_cudaPitchedPtr(s.words, kRow, kRow, kBoxedY);
        copy.dstPtr = make_cudaPitchedPtr(s.out, kRow, kRow, kBoxedY);
        copy.srcPos = make_cudaPos(kCutFromX * sizeof(unsigned), kCutFromY, 0);
        copy.dstPos = make_cudaPos(kCutToX * sizeof(unsigned), kCutToY, 0);
        copy.extent = make_cudaExtent(kCutX * sizeof(unsigned), kCutY, planes);
        copy.kind = cudaMemcpyDeviceToDevice;
        cudaMemcpy3DAsync(&copy);
      },
      [&] {
        const auto want = [](std::size_t i) {
          const std::size_t x = i % kBoxedX, y = i / kBoxedX % kBoxedY;
          if (x < kFilledX && y < kFilledY) return kFilledByte * 0x01010101u;
          if (x < kCutToX || x >= kCutToX + kCutX || y < kCutToY || y >= kCutToY + kCutY) return 0u;
          return word_of(i + (kCutFromY - kCutToY) * kBoxedX - (kCutToX - kCutFromX));
        };
        const auto got = taken(s.numbers(), kBoxedPlane * planes);
        for (std::size_t i = 0; i < got.size(); ++i)
          if (got[i] != want(i)) return false;
        return true;
      });

  std::vector<unsigned> small(std::size_t{kSmallCopies} * kSmallCopy);
  for (std::size_t i = 0; i < small.size(); ++i) small[i] = word_of(i + 21);
  s.run_whole(
      "twenty-four pieces of 24 kB up from pageable memory", 4.0 * kSmallCopies * kSmallCopy,
      [&] {
        for (unsigned k = 0; k < kSmallCopies; ++k)
          cudaMemcpy(s.numbers() + k * kSmallCopy, small.data() + k * kSmallCopy,
                     kSmallCopy * sizeof(unsigned), cudaMemcpyHostToDevice);
      },
      [&] { return numbers(s, small.size(), [](std::size_t i) { return word_of(i + 21); }); });

  const unsigned answered = as_number(n / 512);
  uint4 *of_host = nullptr, *mapped = nullptr;
  ladder::check(cudaHostAlloc(&of_host, 2 * std::size_t{answered} * sizeof(uint4), cudaHostAllocMapped),
                "mapped");
  ladder::check(cudaHostGetDevicePointer(&mapped, of_host, 0), "mapped");
  auto* words_of_host = reinterpret_cast<unsigned*>(of_host);
  for (std::size_t i = 0; i < 4 * std::size_t{answered}; ++i) {
    words_of_host[i] = word_of(i + 8);
    words_of_host[4 * std::size_t{answered} + i] = 0;
  }
  s.run(
      "vectors of mapped memory of the host turned round bit by bit into other mapped memory",
      32.0 * answered,
      [&] { answer_mapped<<<Set::blocks(answered), 256>>>(mapped, mapped + answered, answered); },
      [&] {
        for (std::size_t i = 0; i < 4 * std::size_t{answered}; ++i)
          if (words_of_host[4 * std::size_t{answered} + i] != ~word_of(i + 8)) return false;
        return true;
      });
  cudaFreeHost(of_host);

  const unsigned read = as_number(n / 128);
  unsigned *managed = nullptr, salt = 0;
  ladder::check(cudaMallocManaged(&managed, read * sizeof(unsigned)), "managed");
  const cudaMemLocation card{cudaMemLocationTypeDevice, 0};
  ladder::check(cudaMemAdvise(managed, read * sizeof(unsigned), cudaMemAdviseSetReadMostly, card), "advice");
  for (std::size_t i = 0; i < read; ++i) managed[i] = word_of(i + 13);
  s.run(
      "managed memory mostly read, a word in each 112 kB changed by the host, then fetched ahead", 8.0 * read,
      [&] {
        ++salt;
        for (std::size_t i = 0; i < read; i += kReadApart) managed[i] = word_of(i + 13) + salt;
        cudaMemPrefetchAsync(managed, read * sizeof(unsigned), card, 0, nullptr);
        read_mostly<<<Set::blocks(read), 256>>>(managed, s.numbers(), read);
      },
      [&] {
        return numbers(s, read, [&](std::size_t i) {
          return 3 * (word_of(i + 13) + (i % kReadApart == 0 ? salt : 0)) + 1;
        });
      });
  cudaFree(managed);
}

}  // namespace held_out_15
