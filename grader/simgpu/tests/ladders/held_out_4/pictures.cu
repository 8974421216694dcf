/// @file
/// Textures: a picture through a lens, doubles fetched as pairs of words.
#include "held_out_4.hpp"

namespace held_out_4 {
namespace {

constexpr int kPicturesWidth = 1024;

/// Further from the middle, less is seen.
__global__ void through_a_lens(cudaTextureObject_t picture, float* out, int height) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (y >= height) return;
  const float dx = static_cast<float>(x) / kPicturesWidth - 0.5f,
              dy = static_cast<float>(y - height / 2) / kPicturesWidth;
  const float bent = 1.0f - 0.3f * (dx * dx + dy * dy);
  const float4 v = tex2D<float4>(picture, (dx * bent + 0.5f) * kPicturesWidth + 0.5f,
                                 dy * bent * kPicturesWidth + static_cast<float>(height / 2) + 0.5f);
  out[y * kPicturesWidth + x] = 0.25f * (v.x + v.y + v.z + v.w);
}
__global__ void doubles_by_number(cudaTextureObject_t table, const unsigned* which, double* out,
                                  unsigned count, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const int2 v = tex1Dfetch<int2>(table, static_cast<int>(place_of(which[i], count)));
  out[i] = __hiloint2double(v.y, v.x);
}
/// Four bytes a pixel, as numbers from nothing to one.
cudaTextureObject_t rows_of(void* from, int height) {
  cudaResourceDesc what{};
  what.resType = cudaResourceTypePitch2D;
  what.res.pitch2D.devPtr = from;
  what.res.pitch2D.desc = cudaCreateChannelDesc<uchar4>();
  what.res.pitch2D.width = kPicturesWidth;
  what.res.pitch2D.height = static_cast<std::size_t>(height);
  what.res.pitch2D.pitchInBytes = kPicturesWidth * 4;
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.filterMode = cudaFilterModeLinear;
  how.readMode = cudaReadModeNormalizedFloat;
  cudaTextureObject_t texture = 0;
  ladder::check(cudaCreateTextureObject(&texture, &what, &how, nullptr), "texture");
  return texture;
}
/// Between the four pixels around a place, whose middles lie at whole numbers.
double between(double x, double y, int width, int height, const std::function<double(std::size_t)>& pixel) {
  const auto at = [&](double u, double v) {
    const double w = std::clamp(u, 0.0, width - 1.0), h = std::clamp(v, 0.0, height - 1.0);
    return pixel(static_cast<std::size_t>(h) * static_cast<std::size_t>(width) + static_cast<std::size_t>(w));
  };
  const double u = std::floor(x), v = std::floor(y), a = x - u, b = y - v;
  return (1 - b) * ((1 - a) * at(u, v) + a * at(u + 1, v)) +
         b * ((1 - a) * at(u, v + 1) + a * at(u + 1, v + 1));
}

}  // namespace

void pictures(Set& s) {
  const std::size_t n = s.n, m = n / 32;
  const int height = static_cast<int>(m / kPicturesWidth);
  const cudaTextureObject_t colours = rows_of(s.words, height);
  const auto blocks = [](int of, int by) { return static_cast<unsigned>((of + by - 1) / by); };
  s.run(
      "picture through a lens", 8.0 * real(m),
      [&] {
        through_a_lens<<<dim3(kPicturesWidth / 16, blocks(height, 16)), dim3(16, 16)>>>(colours, s.out,
                                                                                        height);
      },
      [&] {
        return within(s, m, 0.02, [&](std::size_t i) {
          const double dx = real(i % kPicturesWidth) / kPicturesWidth - 0.5,
                       dy = (real(i / kPicturesWidth) - height / 2) / kPicturesWidth,
                       bent = 1 - 0.3 * (dx * dx + dy * dy);
          return between(
              (dx * bent + 0.5) * kPicturesWidth, dy * bent * kPicturesWidth + height / 2, kPicturesWidth,
              height, [](std::size_t k) {
                return (byte_of(4 * k) + byte_of(4 * k + 1) + byte_of(4 * k + 2) + byte_of(4 * k + 3)) /
                       1020.0;
              });
        });
      });
  const unsigned count = s.table / 2;
  cudaResourceDesc what{};
  what.resType = cudaResourceTypeLinear;
  what.res.linear.devPtr = s.in;
  what.res.linear.desc = cudaCreateChannelDesc<int2>();
  what.res.linear.sizeInBytes = count * std::size_t{8};
  cudaTextureDesc how{};
  how.readMode = cudaReadModeElementType;
  cudaTextureObject_t table = 0;
  ladder::check(cudaCreateTextureObject(&table, &what, &how, nullptr), "texture");
  s.run(
      "doubles fetched from a texture by number", 20.0 * real(n / 64),
      [&] {
        doubles_by_number<<<Set::blocks(n / 64), 256>>>(table, s.words, reinterpret_cast<double*>(s.out),
                                                        count, n / 64);
      },
      [&] {
        return Set::each(n / 64, [&](std::size_t i) {
          return Checked::at(reinterpret_cast<double*>(s.out), i) == double_of(place_of(word_of(i), count));
        });
      });
  cudaDestroyTextureObject(colours), cudaDestroyTextureObject(table);
}

}  // namespace held_out_4
