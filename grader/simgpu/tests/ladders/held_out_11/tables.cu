/// @file
/// Constant memory: planes that all lanes read at once, scores that each lane looks up. Textures: squares of
/// a picture turned, a volume of bytes halved. An array of a thread: a chain of those still in a circle.
#include "../set_textures.hpp"
#include "held_out_11.hpp"

namespace held_out_11 {
namespace {

constexpr unsigned kPlanes = 64;
__constant__ float4 planes[kPlanes];
__global__ void least_above_planes(const float* x, const float* y, const float* z, float* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const float px = x[i], py = y[i], pz = z[i];
  float least = 1e30f;
  for (unsigned k = 0; k < kPlanes; ++k) {
    const float4 plane = planes[k];
    least = fminf(least, plane.x * px + plane.y * py + plane.z * pz + plane.w);
  }
  out[i] = least;
}

constexpr unsigned kResidues = 20;
__constant__ int pair_scores[kResidues * kResidues];
__global__ void score_pairs(const uchar4* letters, int* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const uchar4 v = letters[i];
  out[i] = pair_scores[v.x % kResidues * kResidues + v.y % kResidues] +
           pair_scores[v.z % kResidues * kResidues + v.w % kResidues];
}

constexpr unsigned kPictureWide = 512, kSquare = 256;
/// Each square is turned around its middle; what comes from beyond the picture is black.
__global__ void turn_squares(cudaTextureObject_t picture, float* out, float sine, float cosine) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  constexpr float kMiddle = kSquare / 2;
  const float u = static_cast<float>(x % kSquare) + 0.5f - kMiddle,
              v = static_cast<float>(y % kSquare) + 0.5f - kMiddle;
  const float from_x = static_cast<float>(x / kSquare * kSquare) + kMiddle + cosine * u - sine * v,
              from_y = static_cast<float>(y / kSquare * kSquare) + kMiddle + sine * u + cosine * v;
  const float4 p = tex2D<float4>(picture, from_x, from_y);
  out[y * kPictureWide + x] = 0.3f * p.x + 0.6f * p.y + 0.1f * p.z;
}

constexpr unsigned kByteSide = 256, kHalfSide = kByteSide / 2;
__global__ void halve_volume(cudaTextureObject_t volume, float* out) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
                 z = blockIdx.z;
  out[(z * kHalfSide + y) * kHalfSide + x] = tex3D<float>(
      volume, static_cast<float>(2 * x + 1), static_cast<float>(2 * y + 1), static_cast<float>(2 * z + 1));
}

constexpr unsigned kCircle = 41;
__host__ __device__ __forceinline__ unsigned counted_by(unsigned word) {
  return 2 + word % 7;
}
/// Each k-th leaves the circle until one is left.
__global__ void __launch_bounds__(128) last_of_circle(const unsigned* words, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  unsigned next[kCircle];
  for (unsigned k = 0; k < kCircle; ++k) next[k] = k + 1 == kCircle ? 0 : k + 1;
  const unsigned by = counted_by(words[i]);
  unsigned at = kCircle - 1;
  for (unsigned left = kCircle; left > 1; --left) {
    for (unsigned k = 1; k < by; ++k) at = next[at];
    next[at] = next[next[at]];
  }
  out[i] = at + 1;
}

}  // namespace

void tables(Set& s) {
  const std::size_t n = s.n;
  std::vector<float4> sides(kPlanes);
  for (std::size_t k = 0; k < kPlanes; ++k)
    sides[k] = make_float4(half_of(k) - 0.5f, half_of(k + 100) - 0.5f, half_of(k + 200) - 0.5f,
                           1.0f + half_of(k + 300));
  std::vector<int> scores(kResidues * kResidues);
  for (std::size_t k = 0; k < scores.size(); ++k) scores[k] = static_cast<int>(word_of(k + 9) % 16) - 5;
  ladder::check(cudaMemcpyToSymbol(planes, sides.data(), sizeof planes), "planes");
  ladder::check(cudaMemcpyToSymbol(pair_scores, scores.data(), sizeof pair_scores), "scores");
  const unsigned points = as_number(n / 64);
  s.run(
      "least of what points lie above 64 planes", 16.0 * points,
      [&] { least_above_planes<<<Set::blocks(points), 256>>>(s.in, s.other, s.in + points, s.out, points); },
      [&] {
        return within(s, points, 1e-4, [&](std::size_t i) {
          double least = 1e30;
          for (const float4& side : sides)
            least = std::min(least, double{side.x} * float_of(i) + double{side.y} * other_of(i) +
                                        double{side.z} * float_of(points + i) + side.w);
          return least;
        });
      });
  const unsigned pairs = as_number(n / 16);
  s.run(
      "scores of pairs of residues in constant memory", 8.0 * pairs,
      [&] {
        score_pairs<<<Set::blocks(pairs), 256>>>(reinterpret_cast<const uchar4*>(s.words),
                                                 reinterpret_cast<int*>(s.out), pairs);
      },
      [&] {
        const auto got = taken(reinterpret_cast<const int*>(s.out), pairs);
        for (std::size_t i = 0; i < pairs; i += 1 + pairs / 500) {
          const auto residue = [&](std::size_t k) { return byte_of(4 * i + k) % kResidues; };
          if (got[i] !=
              scores[residue(0) * kResidues + residue(1)] + scores[residue(2) * kResidues + residue(3)])
            return false;
        }
        return true;
      });

  const std::size_t high = std::max<std::size_t>(1, n / 32 / kPictureWide / kSquare) * kSquare;
  const float sine = std::sin(0.5236f), cosine = std::cos(0.5236f);
  cudaArray_t array = array_of<uchar4>(s.words, kPictureWide, high, 0);
  cudaTextureObject_t texture =
      texture_of(array, cudaAddressModeBorder, cudaFilterModeLinear, false, cudaReadModeNormalizedFloat);
  s.run(
      "squares of a picture turned by thirty degrees", 8.0 * kPictureWide * real(high),
      [&] {
        turn_squares<<<dim3(kPictureWide / 16, as_number(high / 16)), dim3(16, 16)>>>(texture, s.out, sine,
                                                                                      cosine);
      },
      [&] {
        return within(s, kPictureWide * high, 0.02, [&](std::size_t i) {
          const std::size_t x = i % kPictureWide, y = i / kPictureWide;
          constexpr double kMiddle = kSquare / 2;
          const double u = real(x % kSquare) + 0.5 - kMiddle, v = real(y % kSquare) + 0.5 - kMiddle;
          const double from_x = real(x / kSquare * kSquare) + kMiddle + cosine * u - sine * v,
                       from_y = real(y / kSquare * kSquare) + kMiddle + sine * u + cosine * v;
          return between_two(from_y, [&](long py) {
            return between_two(from_x, [&](long px) {
              if (px < 0 || px >= long{kPictureWide} || py < 0 || py >= static_cast<long>(high)) return 0.0;
              const std::size_t at =
                  4 * (static_cast<std::size_t>(py) * kPictureWide + static_cast<std::size_t>(px));
              return (0.3 * byte_of(at) + 0.6 * byte_of(at + 1) + 0.1 * byte_of(at + 2)) / 255;
            });
          });
        });
      });
  cudaDestroyTextureObject(texture), cudaFreeArray(array);

  constexpr std::size_t kBytePlane = std::size_t{kByteSide} * kByteSide;
  const unsigned deep = as_number(n / 4 / kBytePlane / 2);
  array = array_of<unsigned char>(s.words, kByteSide, kByteSide, 2 * deep);
  texture = texture_of(array, cudaAddressModeClamp, cudaFilterModeLinear, false, cudaReadModeNormalizedFloat);
  s.run(
      "volume of bytes halved by filtered reads", 3.0 * real(kBytePlane) * deep,
      [&] { halve_volume<<<dim3(kHalfSide / 32, kHalfSide / 8, deep), dim3(32, 8)>>>(texture, s.out); },
      [&] {
        return within(s, kBytePlane / 4 * deep, 0.01, [](std::size_t i) {
          const std::size_t x = i % kHalfSide, y = i / kHalfSide % kHalfSide, z = i / kHalfSide / kHalfSide;
          double sum = 0;
          for (std::size_t k = 0; k < 8; ++k)
            sum += byte_of(((2 * z + k / 4) * kByteSide + 2 * y + k / 2 % 2) * kByteSide + 2 * x + k % 2);
          return sum / 8 / 255;
        });
      });
  cudaDestroyTextureObject(texture), cudaFreeArray(array);

  const unsigned circles = as_number(n / 256);
  s.run(
      "the last of a circle of 41 counted out", 8.0 * circles,
      [&] { last_of_circle<<<Set::blocks(circles, 128), 128>>>(s.words, s.numbers(), circles); },
      [&] {
        const auto got = taken(s.numbers(), circles);
        for (std::size_t i = 0; i < circles; i += 1 + circles / 500) {
          unsigned last = 0;
          for (unsigned of = 2; of <= kCircle; ++of) last = (last + counted_by(word_of(i))) % of;
          if (got[i] != last + 1) return false;
        }
        return true;
      });
}

}  // namespace held_out_11
