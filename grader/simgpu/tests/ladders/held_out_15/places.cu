/// @file
/// Where data lie: bytes of a table, doubles strewn within windows, a volume whose axes move on, links followed
/// in an SM's first cache, in its shared memory and all over memory.
#include "held_out_15.hpp"

namespace held_out_15 {
namespace {

__global__ void __launch_bounds__(256)
    fetch_bytes(const unsigned char* table, const uint4* words, uchar4* out, unsigned of, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const uint4 w = words[i];
  out[i] = make_uchar4(table[place_of(w.x, of)], table[place_of(w.y, of)], table[place_of(w.z, of)],
                       table[place_of(w.w, of)]);
}

constexpr unsigned kStrewnWindow = 4096, kStrewnStep = 2731;  // odd: all places are different
__host__ __device__ __forceinline__ unsigned strewn_place(unsigned j, unsigned window) {
  return (j * kStrewnStep + 97 * window) % kStrewnWindow;
}
__global__ void __launch_bounds__(256) strew_in_windows(const double* in, double* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, window = i / kStrewnWindow;
  out[window * kStrewnWindow + strewn_place(i % kStrewnWindow, window)] = in[i];
}

constexpr unsigned kMovedX = 192, kMovedY = 96, kMovedTile = 24, kMovedRows = 8;
/// What was along x comes to be outermost, what was along y innermost.
__global__ void __launch_bounds__(kMovedTile* kMovedRows)
    move_axes_on(const float* in, float* out, unsigned planes) {
  __shared__ float tile[kMovedTile][kMovedTile + 1];
  const unsigned x0 = blockIdx.x * kMovedTile, y0 = blockIdx.y * kMovedTile, z = blockIdx.z;
#pragma unroll
  for (unsigned k = threadIdx.y; k < kMovedTile; k += kMovedRows)
    tile[k][threadIdx.x] = in[(std::size_t{z} * kMovedY + y0 + k) * kMovedX + x0 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (unsigned k = threadIdx.y; k < kMovedTile; k += kMovedRows)
    out[(std::size_t{x0 + k} * planes + z) * kMovedY + y0 + threadIdx.x] = tile[threadIdx.x][k];
}

constexpr unsigned kHeldPiece = 2048, kHeldLeap = 613, kHeldSteps = 8191;
__global__ void fill_held_links(unsigned* links) {
  for (unsigned k = threadIdx.x; k < kHeldPiece; k += blockDim.x)
    links[blockIdx.x * kHeldPiece + k] = (k + kHeldLeap) % kHeldPiece;
}
/// The first time round, the links come from farther away.
__global__ void __launch_bounds__(32) follow_held(const unsigned* links, unsigned* out) {
  if (threadIdx.x != 0) return;
  const unsigned* own = links + blockIdx.x * kHeldPiece;
  unsigned at = blockIdx.x % kHeldPiece;
#pragma unroll 1
  for (unsigned k = 0; k < kHeldSteps; ++k) at = own[at];
  out[blockIdx.x] = at + 1;
}

constexpr unsigned kFarSteps = 250;
/// Without a factor in common with 2, 3 and 7, of which @p m is made.
__host__ __device__ __forceinline__ unsigned far_leap(unsigned m) {
  const unsigned part = place_of(0x6a09e667u, m);
  return part - part % 42 + 1;
}
__global__ void fill_far_links(unsigned* links, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) links[i] = i + far_leap(m) < m ? i + far_leap(m) : i + far_leap(m) - m;
}
__global__ void __launch_bounds__(32) follow_far(const unsigned* links, unsigned* out, unsigned m) {
  if (threadIdx.x != 0) return;
  unsigned at = place_of(scrambled(blockIdx.x), m);
#pragma unroll 1
  for (unsigned k = 0; k < kFarSteps; ++k) at = links[at];
  out[blockIdx.x] = at + 1;
}

constexpr unsigned kCrossedLinks = 8192, kCrossedThreads = 128, kCrossedSteps = 1000, kCrossedBlocks = 2;
/// No two places have the same next one.
__host__ __device__ __forceinline__ unsigned crossed_link(unsigned at) {
  const unsigned v = (at * 5173u + 1021u) % kCrossedLinks;
  return v ^ v >> 5;
}
__host__ __device__ __forceinline__ unsigned crossed_start(std::size_t thread) {
  return word_of(thread + 7) % kCrossedLinks;
}
/// Lanes of a warp meet in banks as it happens.
__global__ void __launch_bounds__(kCrossedThreads) follow_crossed(unsigned* out) {
  __shared__ unsigned links[kCrossedLinks];
  for (unsigned k = threadIdx.x; k < kCrossedLinks; k += kCrossedThreads) links[k] = crossed_link(k);
  __syncthreads();
  unsigned at = crossed_start(global_index());
#pragma unroll 4
  for (unsigned k = 0; k < kCrossedSteps; ++k) at = links[at];
  out[global_index()] = at + 1;
}

}  // namespace

void places(Set& s) {
  const std::size_t n = s.n;
  const unsigned of = 2 * s.table, fetched = as_number(n / 16);
  s.run(
      "bytes of a table that the L2 holds, four fetched by each thread", 24.0 * fetched,
      [&] {
        fetch_bytes<<<Set::blocks(fetched), 256>>>(reinterpret_cast<const unsigned char*>(s.words),
                                                   reinterpret_cast<const uint4*>(s.words + n / 2),
                                                   reinterpret_cast<uchar4*>(s.out), of, fetched);
      },
      [&] {
        return Set::each(4 * std::size_t{fetched}, [&](std::size_t i) {
          return s.byte(i) == byte_of(place_of(word_of(n / 2 + i), of));
        });
      });

  const unsigned strewn = as_number(n / 8 / kStrewnWindow * kStrewnWindow);
  s.run(
      "doubles strewn over windows of 4096 of them", 16.0 * strewn,
      [&] {
        strew_in_windows<<<strewn / 256, 256>>>(reinterpret_cast<const double*>(s.in),
                                                reinterpret_cast<double*>(s.out));
      },
      [&] {
        return doubles(s, strewn, [](std::size_t i) {
          const unsigned window = as_number(i / kStrewnWindow);
          unsigned j = 0;
          while (strewn_place(j, window) != i % kStrewnWindow) ++j;
          return double_of(std::size_t{window} * kStrewnWindow + j);
        });
      });

  constexpr std::size_t kMovedPlane = std::size_t{kMovedX} * kMovedY;
  const unsigned planes = as_number(n / 8 / kMovedPlane);
  s.run(
      "axes of a volume moved on by one, tiles of 24 x 24", 8.0 * real(kMovedPlane) * planes,
      [&] {
        move_axes_on<<<dim3(kMovedX / kMovedTile, kMovedY / kMovedTile, planes),
                       dim3(kMovedTile, kMovedRows)>>>(s.in, s.out, planes);
      },
      [&] {
        return floats(s, kMovedPlane * planes, [&](std::size_t i) {
          const std::size_t y = i % kMovedY, z = i / kMovedY % planes, x = i / kMovedY / planes;
          return double{float_of((z * kMovedY + y) * kMovedX + x)};
        });
      });

  auto* held = room<unsigned>(std::size_t{s.sms} * kHeldPiece);
  fill_held_links<<<s.sms, 256>>>(held);
  ladder::check(cudaDeviceSynchronize(), "links");
  s.run(
      "links of 8 kB followed by one lane of each SM, round and round", 4.0 * kHeldSteps * s.sms,
      [&] { follow_held<<<s.sms, 32>>>(held, s.numbers()); },
      [&] {
        return numbers(s, s.sms, [](std::size_t i) {
          return as_number((i + std::size_t{kHeldSteps} * kHeldLeap) % kHeldPiece) + 1;
        });
      });
  cudaFree(held);

  const unsigned far = as_number(n / 2);
  auto* links = room<unsigned>(far);
  fill_far_links<<<Set::blocks(far), 256>>>(links, far);
  ladder::check(cudaDeviceSynchronize(), "links");
  s.run(
      "links followed through half of the array by one lane of each SM", 4.0 * kFarSteps * s.sms,
      [&] { follow_far<<<s.sms, 32>>>(links, s.numbers(), far); },
      [&] {
        return numbers(s, s.sms, [&](std::size_t i) {
          const std::size_t start = place_of(scrambled(as_number(i)), far);
          return as_number((start + std::size_t{kFarSteps} * far_leap(far)) % far) + 1;
        });
      });
  cudaFree(links);

  s.run(
      "links of 32 kB in shared memory followed by four warps with conflicts",
      double{kCrossedBlocks} * kCrossedThreads * (4.0 * kCrossedSteps + 4.0) * s.sms,
      [&] { follow_crossed<<<s.sms * kCrossedBlocks, kCrossedThreads>>>(s.numbers()); },
      [&] {
        return numbers(s, std::size_t{kCrossedBlocks} * kCrossedThreads * s.sms, [](std::size_t i) {
          unsigned at = crossed_start(i);
          for (unsigned k = 0; k < kCrossedSteps; ++k) at = crossed_link(at);
          return at + 1;
        });
      });
}

}  // namespace held_out_15
