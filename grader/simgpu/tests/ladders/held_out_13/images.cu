/// @file
/// Pictures: one of colours made smaller by filtered reads, directions looked up in the six sides of a cube.
#include "../set_textures.hpp"
#include "held_out_13.hpp"

namespace held_out_13 {
namespace {

constexpr unsigned kColoursWide = 1536, kSmallerWide = kColoursWide / 3 * 2;
/// Pixel x lies at 1.5 x + 0.75 of the greater picture.
__global__ void make_smaller(cudaTextureObject_t colours, float4* out, unsigned high) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y >= high) return;
  out[y * kSmallerWide + x] =
      tex2D<float4>(colours, 1.5f * static_cast<float>(x) + 0.75f, 1.5f * static_cast<float>(y) + 0.75f);
}

constexpr unsigned kSides = 6, kSideWide = 256;
constexpr float kCubeMiddle = 3.75f;
/// Each texel says where it is.
__global__ void fill_sides(float2* sides) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned x = i % kSideWide, y = i / kSideWide % kSideWide, side = i / (kSideWide * kSideWide);
  sides[i] = make_float2(static_cast<float>(x), static_cast<float>(side * 1024 + y));
}
__global__ void __launch_bounds__(256)
    look_around(cudaTextureObject_t cube, const float3* directions, float2* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const float3 to = directions[i];
  out[i] = texCubemap<float2>(cube, to.x - kCubeMiddle, to.y - kCubeMiddle, to.z - kCubeMiddle);
}

}  // namespace

void images(Set& s) {
  const std::size_t n = s.n;
  const std::size_t high = n / 16 / kColoursWide, smaller = high / 3 * 2;
  cudaArray_t array = array_of<uchar4>(s.words, kColoursWide, high, 0);
  cudaTextureObject_t texture =
      texture_of(array, cudaAddressModeClamp, cudaFilterModeLinear, false, cudaReadModeNormalizedFloat);
  s.run(
      "picture of colours made smaller by a third between its points",
      (4.0 * 9 / 4 + 16.0) * kSmallerWide * real(smaller),
      [&] {
        make_smaller<<<dim3(kSmallerWide / 32, Set::blocks(smaller, 8)), dim3(32, 8)>>>(texture, s.vectors(),
                                                                                        as_number(smaller));
      },
      [&] {
        return within(s, 4 * kSmallerWide * smaller, 2e-3, [&](std::size_t i) {
          const std::size_t x = i / 4 % kSmallerWide, y = i / 4 / kSmallerWide;
          return between_two(1.5 * real(y) + 0.75, [&](long v) {
            const std::size_t row = std::min(static_cast<std::size_t>(v), high - 1) * kColoursWide;
            return between_two(1.5 * real(x) + 0.75, [&](long u) {
              return byte_of((row + std::min(static_cast<std::size_t>(u), std::size_t{kColoursWide} - 1)) *
                                 4 +
                             i % 4) /
                     255.0;
            });
          });
        });
      });
  cudaDestroyTextureObject(texture), cudaFreeArray(array);

  constexpr std::size_t kTexels = std::size_t{kSides} * kSideWide * kSideWide;
  auto* sides = room<float2>(kTexels);
  fill_sides<<<Set::blocks(kTexels), 256>>>(sides);
  ladder::check(cudaDeviceSynchronize(), "sides");
  array = array_of<float2>(sides, kSideWide, kSideWide, kSides, cudaArrayCubemap);
  texture = texture_of(array, cudaAddressModeClamp, cudaFilterModePoint, true);
  const unsigned looks = as_number(n / 32);
  s.run(
      "directions at random looked up in a cube of six pictures", 20.0 * looks,
      [&] {
        look_around<<<Set::blocks(looks), 256>>>(texture, reinterpret_cast<const float3*>(s.in),
                                                 reinterpret_cast<float2*>(s.out), looks);
      },
      [&] {
        const auto* got = reinterpret_cast<const float2*>(s.out);
        return Set::each(looks, [&](std::size_t i) {
          double to[3];
          for (std::size_t k = 0; k < 3; ++k) to[k] = double{float_of(3 * i + k)} - double{kCubeMiddle};
          const auto size = [&](std::size_t k) { return std::abs(to[k]); };
          const std::size_t axis = size(0) >= size(1) && size(0) >= size(2) ? 0 : size(1) >= size(2) ? 1 : 2;
          const bool back = to[axis] < 0;
          const double across = axis == 0   ? (back ? to[2] : -to[2])
                                : axis == 1 ? to[0]
                                            : (back ? -to[0] : to[0]),
                       down = axis == 1 ? (back ? -to[2] : to[2]) : -to[1];
          const float2 texel = Checked::at(got, i);
          const double side = 2 * real(axis) + (back ? 1 : 0);
          const double x = (across / size(axis) + 1) / 2 * kSideWide,
                       y = (down / size(axis) + 1) / 2 * kSideWide;
          // Where it lies nearly between two texels, either is right.
          return std::abs(texel.x + 0.5 - x) < 0.51 && std::abs(texel.y - 1024 * side + 0.5 - y) < 0.51;
        });
      });
  cudaDestroyTextureObject(texture), cudaFreeArray(array), cudaFree(sides);
}

}  // namespace held_out_13
