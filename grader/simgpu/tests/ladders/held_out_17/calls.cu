/// @file
/// What the host asks for: rows with a pitch filled and brought down, boxes of volumes both ways at once, managed memory
/// that belongs to the card, kernels beside one another that wait and are waited for, a count that is read back.
#include "held_out_17.hpp"

namespace held_out_17 {
namespace {

constexpr unsigned kPitchedRow = 890, kPitchedEvery = 896, kFilledWord = 0x11111111;
constexpr unsigned char kFilledByte = 0x11;
__global__ void __launch_bounds__(256)
    add_to_pitched(unsigned char* rows, std::size_t pitch, const unsigned* words) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < kPitchedRow)
    reinterpret_cast<unsigned*>(rows + y * pitch)[x] += words[std::size_t{y} * kPitchedRow + x];
}

constexpr std::size_t kBoxedWide = 128, kBoxedHigh = 32, kBoxedOfPlane = kBoxedWide * kBoxedHigh,
                      kInnerWide = 96, kInnerHigh = 24, kInnerFromX = 16, kInnerFromY = 4;
/// Is the place i of volumes of such planes in the inner box?
bool of_inner_box(std::size_t i) {
  const std::size_t x = i % kBoxedWide - kInnerFromX, y = i / kBoxedWide % kBoxedHigh - kInnerFromY;
  return x < kInnerWide && y < kInnerHigh;
}

__global__ void __launch_bounds__(256) make_managed(const unsigned* words, unsigned* managed, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) managed[i] = scrambled(words[i] + 5);
}

constexpr unsigned kBeside = 8, kBesideLine = 65536;
__global__ void __launch_bounds__(256) begin_for_all(const float* in, float* out) {
  out[global_index()] = 2.0f * in[global_index()];
}
__global__ void __launch_bounds__(256) go_on_beside(const float* begun, const float* in, float* out) {
  out[global_index()] = begun[global_index()] + in[global_index()];
}
__global__ void __launch_bounds__(256) end_for_all(const float* parts, float* out) {
  float sum = 0.0f;
#pragma unroll
  for (unsigned k = 0; k < kBeside; ++k) sum += parts[k * kBesideLine + global_index()];
  out[global_index()] = sum;
}

constexpr unsigned kCountings = 12, kCountedLine = 1u << 18;
__device__ unsigned count_of_small;
__global__ void __launch_bounds__(256) count_small(const unsigned* words, unsigned below) {
  const unsigned small = __popc(__ballot_sync(~0u, words[global_index()] < below));
  if (threadIdx.x % 32 == 0) atomicAdd(&count_of_small, small);
}
unsigned limit_of(unsigned counting) {
  return (counting + 1) << 27;
}

}  // namespace

void calls(Set& s) {
  const std::size_t n = s.n;
  const unsigned pitched = as_number(n / 128 / kPitchedEvery);
  constexpr std::size_t kBytesOfRow = kPitchedRow * sizeof(unsigned);
  void* with_pitch = nullptr;
  std::size_t pitch = 0;
  unsigned* pinned = nullptr;
  ladder::check(cudaMallocPitch(&with_pitch, &pitch, kBytesOfRow, pitched), "pitch");
  ladder::check(cudaMallocHost(&pinned, kBytesOfRow * pitched), "pinned");
  std::memset(pinned, 0, kBytesOfRow * pitched);
  s.run(
      "rows with a pitch filled, added to and brought down to pinned memory without it",
      5.0 * real(kBytesOfRow) * pitched,
      [&] {
        cudaMemset2DAsync(with_pitch, pitch, kFilledByte, kBytesOfRow, pitched);
        add_to_pitched<<<dim3(Set::blocks(kPitchedRow), pitched), 256>>>(
            static_cast<unsigned char*>(with_pitch), pitch, s.words);
        cudaMemcpy2DAsync(pinned, kBytesOfRow, with_pitch, pitch, kBytesOfRow, pitched,
                          cudaMemcpyDeviceToHost);
      },
      [&] {
        return Set::each(std::size_t{kPitchedRow} * pitched,
                         [&](std::size_t i) { return pinned[i] == kFilledWord + word_of(i); });
      });
  cudaFree(with_pitch), cudaFreeHost(pinned);

  const std::size_t planes = n >> 18, boxed = kBoxedOfPlane * planes;
  unsigned *rising = nullptr, *sunk = nullptr;
  ladder::check(cudaMallocHost(&rising, boxed * sizeof(unsigned)), "pinned");
  ladder::check(cudaMallocHost(&sunk, boxed * sizeof(unsigned)), "pinned");
  for (std::size_t i = 0; i < boxed; ++i) {
    rising[i] = word_of(i + 61);
    sunk[i] = 0;
  }
  cudaStream_t streams_of_boxes[2];
  for (cudaStream_t& each : streams_of_boxes) ladder::check(cudaStreamCreate(&each), "stream");
  s.run(
      "the inside of a pinned volume up, that of another down at once",
      8.0 * kInnerWide * kInnerHigh * real(planes),
      [&] {
        constexpr std::size_t kRow = kBoxedWide * sizeof(unsigned);
        const auto copy_inside = [&](void* to, void* from, cudaMemcpyKind kind, cudaStream_t stream) {
          cudaMemcpy3DParms copy{};
          copy.srcPtr = make_cudaPitchedPtr(from, kRow, kRow, kBoxedHigh);
          copy.dstPtr = make_cudaPitchedPtr(to, kRow, kRow, kBoxedHigh);
          copy.srcPos = copy.dstPos = make_cudaPos(kInnerFromX * sizeof(unsigned), kInnerFromY, 0);
          copy.extent = make_cudaExtent(kInnerWide * sizeof(unsigned), kInnerHigh, planes);
          copy.kind = kind;
          cudaMemcpy3DAsync(&copy, stream);
        };
        copy_inside(s.out, rising, cudaMemcpyHostToDevice, streams_of_boxes[0]);
        copy_inside(sunk, s.words, cudaMemcpyDeviceToHost, streams_of_boxes[1]);
      },
      [&] {
        const auto got = taken(s.numbers(), boxed);
        for (std::size_t i = 0; i < boxed; ++i)
          if (got[i] != (of_inner_box(i) ? word_of(i + 61) : 0) ||
              sunk[i] != (of_inner_box(i) ? word_of(i) : 0))
            return false;
        return true;
      });
  for (cudaStream_t each : streams_of_boxes) cudaStreamDestroy(each);
  cudaFreeHost(rising), cudaFreeHost(sunk);

  const unsigned half = as_number(n / 128);
  unsigned* managed = nullptr;
  const std::size_t managed_bytes = 2 * std::size_t{half} * sizeof(unsigned);
  ladder::check(cudaMallocManaged(&managed, managed_bytes), "managed");
  std::memset(managed, 0, managed_bytes);
  const cudaMemLocation card{cudaMemLocationTypeDevice, 0}, host{cudaMemLocationTypeHost, 0};
  ladder::check(cudaMemAdvise(managed, managed_bytes, cudaMemAdviseSetPreferredLocation, card), "advice");
  cudaStream_t of_halves[2];
  for (cudaStream_t& each : of_halves) ladder::check(cudaStreamCreate(&each), "stream");
  s.run(
      "managed memory that belongs to the card, each half made there and fetched to the host", 16.0 * half,
      [&] {
        cudaMemPrefetchAsync(managed, managed_bytes, card, 0, nullptr);
        for (unsigned k = 0; k < 2; ++k) {
          unsigned* part = managed + k * std::size_t{half};
          make_managed<<<Set::blocks(half), 256, 0, of_halves[k]>>>(s.words + k * std::size_t{half}, part,
                                                                    half);
          cudaMemPrefetchAsync(part, half * sizeof(unsigned), host, 0, of_halves[k]);
        }
      },
      [&] {
        return Set::each(2 * std::size_t{half},
                         [&](std::size_t i) { return managed[i] == scrambled(word_of(i) + 5); });
      });
  for (cudaStream_t each : of_halves) cudaStreamDestroy(each);
  cudaFree(managed);

  cudaStream_t main_stream = nullptr, beside[kBeside];
  cudaEvent_t begun = nullptr, done[kBeside];
  ladder::check(cudaStreamCreate(&main_stream), "stream");
  ladder::check(cudaEventCreateWithFlags(&begun, cudaEventDisableTiming), "event");
  for (unsigned k = 0; k < kBeside; ++k) {
    ladder::check(cudaStreamCreate(&beside[k]), "stream");
    ladder::check(cudaEventCreateWithFlags(&done[k], cudaEventDisableTiming), "event");
  }
  float *first = s.out + kBesideLine, *parts = first + kBesideLine;
  s.run_whole(
      "a kernel, eight beside one another that wait for it, one that waits for all eight",
      4.0 * (2 + 3 * kBeside + kBeside + 1) * kBesideLine,
      [&] {
        begin_for_all<<<kBesideLine / 256, 256, 0, main_stream>>>(s.in, first);
        cudaEventRecord(begun, main_stream);
        for (unsigned k = 0; k < kBeside; ++k) {
          cudaStreamWaitEvent(beside[k], begun, 0);
          go_on_beside<<<kBesideLine / 256, 256, 0, beside[k]>>>(first, s.other + k * kBesideLine,
                                                                 parts + k * kBesideLine);
          cudaEventRecord(done[k], beside[k]);
          cudaStreamWaitEvent(main_stream, done[k], 0);
        }
        end_for_all<<<kBesideLine / 256, 256, 0, main_stream>>>(parts, s.out);
      },
      [&] {
        return floats(s, kBesideLine, [](std::size_t i) {
          double sum = 2.0 * kBeside * float_of(i);
          for (std::size_t k = 0; k < kBeside; ++k) sum += other_of(k * kBesideLine + i);
          return sum;
        });
      });
  for (unsigned k = 0; k < kBeside; ++k) cudaEventDestroy(done[k]), cudaStreamDestroy(beside[k]);
  cudaEventDestroy(begun), cudaStreamDestroy(main_stream);

  std::vector<unsigned> counts(kCountings);
  s.run_whole(
      "a count put to nought, counted up by a kernel and read back, twelve times",
      4.0 * kCountings * kCountedLine,
      [&] {
        for (unsigned k = 0; k < kCountings; ++k) {
          const unsigned nought = 0;
          cudaMemcpyToSymbol(count_of_small, &nought, sizeof nought);
          count_small<<<kCountedLine / 256, 256>>>(s.words, limit_of(k));
          cudaMemcpyFromSymbol(&counts[k], count_of_small, sizeof nought);
        }
      },
      [&] {
        std::vector<unsigned> want(kCountings);
        for (unsigned k = 0; k < kCountings; ++k)
          for (std::size_t i = 0; i < kCountedLine; ++i) want[k] += word_of(i) < limit_of(k) ? 1 : 0;
        return counts == want;
      });
}

}  // namespace held_out_17
