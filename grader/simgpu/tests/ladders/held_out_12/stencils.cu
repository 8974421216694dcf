/// @file
/// Stencils: nine points of doubles with three rows in registers, seven of a volume of halves, distances to
/// marks along columns.
#include "held_out_12.hpp"

namespace held_out_12 {
namespace {

constexpr int kNineWide = 1024, kNineRows = 16;
/// A thread goes down sixteen rows; beyond its edges the plane goes on as it is there.
__global__ void __launch_bounds__(128) nine_of_doubles(const double* in, double* out, int high) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
            y0 = static_cast<int>(blockIdx.y) * kNineRows;
  const int left = x == 0 ? 0 : x - 1, right = x + 1 == kNineWide ? x : x + 1;
  const auto row_sums = [&](int y, double& middle) {
    const double* row = in + min(max(y, 0), high - 1) * kNineWide;
    middle = row[x];
    return 0.25 * row[left] + 0.5 * middle + 0.25 * row[right];
  };
  double middle = 0.0, next = 0.0;
  double above = row_sums(y0 - 1, next), here = row_sums(y0, middle);
#pragma unroll 4
  for (int y = y0; y < y0 + kNineRows; ++y) {
    const double below = row_sums(y + 1, next);
    out[y * kNineWide + x] = 0.5 * middle + 0.125 * above + 0.25 * here + 0.125 * below;
    above = here;
    here = below;
    middle = next;
  }
}

constexpr int kHalfVolumeSide = 128;
__global__ void __launch_bounds__(256) seven_of_halves(const __half* in, __half2* out, int deep) {
  const int x = static_cast<int>(threadIdx.x) * 2,
            y = static_cast<int>(blockIdx.x * blockDim.y + threadIdx.y), z = static_cast<int>(blockIdx.y);
  const auto row_at = [&](int v, int w) {
    return in + (min(max(w, 0), deep - 1) * kHalfVolumeSide + min(max(v, 0), kHalfVolumeSide - 1)) *
                    kHalfVolumeSide;
  };
  const auto pair_of = [&](const __half* row) { return *reinterpret_cast<const __half2*>(row + x); };
  const __half* row = row_at(y, z);
  const __half2 middle = pair_of(row);
  const __half before = row[x == 0 ? 0 : x - 1], after = row[x + 2 == kHalfVolumeSide ? x + 1 : x + 2];
  __half2 around =
      __hadd2(__halves2half2(before, __low2half(middle)), __halves2half2(__high2half(middle), after));
  around = __hadd2(around, __hadd2(pair_of(row_at(y - 1, z)), pair_of(row_at(y + 1, z))));
  around = __hadd2(around, __hadd2(pair_of(row_at(y, z - 1)), pair_of(row_at(y, z + 1))));
  out[((z * kHalfVolumeSide + y) * kHalfVolumeSide + x) / 2] =
      __hfma2(__float2half2_rn(0.4f), middle, __hmul2(__float2half2_rn(0.1f), around));
}

constexpr unsigned kMarkedHigh = 128, kFarOff = 1000;
__host__ __device__ __forceinline__ bool marked(unsigned word) {
  return word % 24 == 0;
}
/// A thread goes down its column and up again.
__global__ void distances_to_marks(const unsigned* words, unsigned short* out, unsigned wide) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= wide) return;
  unsigned far = kFarOff;
  for (unsigned y = 0; y < kMarkedHigh; ++y) {
    far = marked(words[y * wide + x]) ? 0 : far + 1;
    out[y * wide + x] = static_cast<unsigned short>(far);
  }
  for (unsigned y = kMarkedHigh; y-- > 0;) {
    far = min(far + 1, unsigned{out[y * wide + x]});
    out[y * wide + x] = static_cast<unsigned short>(far);
  }
}

}  // namespace

void stencils(Set& s) {
  const std::size_t n = s.n;
  const int nine_high = static_cast<int>(n / 32 / kNineWide / kNineRows) * kNineRows;
  s.run(
      "nine points of doubles, three rows in registers", 16.0 * kNineWide * nine_high,
      [&] {
        nine_of_doubles<<<dim3(kNineWide / 128, static_cast<unsigned>(nine_high / kNineRows)), 128>>>(
            reinterpret_cast<const double*>(s.in), reinterpret_cast<double*>(s.out), nine_high);
      },
      [&] {
        return doubles(
            s, static_cast<std::size_t>(kNineWide) * static_cast<std::size_t>(nine_high), [&](std::size_t i) {
              const int x = static_cast<int>(i) % kNineWide, y = static_cast<int>(i) / kNineWide;
              const auto at = [&](int u, int v) {
                return double_of(static_cast<std::size_t>(std::clamp(y + v, 0, nine_high - 1) * kNineWide +
                                                          std::clamp(x + u, 0, kNineWide - 1)));
              };
              constexpr double kAway[] = {0.5, 0.25};
              double sum = 0.5 * at(0, 0);
              for (int v = -1; v <= 1; ++v)
                for (int u = -1; u <= 1; ++u) sum += 0.5 * kAway[v * v] * kAway[u * u] * at(u, v);
              return sum;
            });
      });

  constexpr std::size_t kHalfPlane = std::size_t{kHalfVolumeSide} * kHalfVolumeSide;
  const int deep = static_cast<int>(n / 4 / kHalfPlane);
  s.run(
      "seven points of a volume of halves, two a thread", 4.0 * real(kHalfPlane) * deep,
      [&] {
        seven_of_halves<<<dim3(kHalfVolumeSide / 4, static_cast<unsigned>(deep)), dim3(64, 4)>>>(
            s.halves, reinterpret_cast<__half2*>(s.out), deep);
      },
      [&] {
        const auto* got = reinterpret_cast<const __half*>(s.out);
        return Set::each(kHalfPlane * static_cast<std::size_t>(deep), [&](std::size_t i) {
          const int at = static_cast<int>(i), x = at % kHalfVolumeSide,
                    y = at / kHalfVolumeSide % kHalfVolumeSide, z = at / kHalfVolumeSide / kHalfVolumeSide;
          const auto there = [&](int u, int v, int w) {
            const int px = std::clamp(x + u, 0, kHalfVolumeSide - 1),
                      py = std::clamp(y + v, 0, kHalfVolumeSide - 1), pz = std::clamp(z + w, 0, deep - 1);
            return double{
                half_of(static_cast<std::size_t>((pz * kHalfVolumeSide + py) * kHalfVolumeSide + px))};
          };
          const double around = there(-1, 0, 0) + there(1, 0, 0) + there(0, -1, 0) + there(0, 1, 0) +
                                there(0, 0, -1) + there(0, 0, 1);
          return Set::near(double{__half2float(Checked::at(got, i))}, 0.4 * there(0, 0, 0) + 0.1 * around,
                           5e-3);
        });
      });

  const unsigned wide = as_number(n / 8 / kMarkedHigh);
  s.run(
      "distances to marks along columns, down and up", 10.0 * kMarkedHigh * wide,
      [&] {
        distances_to_marks<<<Set::blocks(wide), 256>>>(s.words, reinterpret_cast<unsigned short*>(s.out),
                                                       wide);
      },
      [&] {
        const auto got =
            taken(reinterpret_cast<const unsigned short*>(s.out), std::size_t{kMarkedHigh} * wide);
        for (std::size_t x = 0; x < wide; x += 1 + wide / 100) {
          const auto is_marked = [&](std::size_t y) { return marked(word_of(y * wide + x)); };
          for (unsigned y = 0; y < kMarkedHigh; ++y) {
            unsigned want = 0;  // of those that there are
            while (want < kMarkedHigh && !(y >= want && is_marked(y - want)) &&
                   !(y + want < kMarkedHigh && is_marked(y + want)))
              ++want;
            const unsigned far = got[std::size_t{y} * wide + x];
            if (want < kMarkedHigh ? far != want : far <= kFarOff) return false;
          }
        }
        return true;
      });
}

}  // namespace held_out_12
