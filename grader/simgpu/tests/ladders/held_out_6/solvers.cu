/// @file
/// Linear systems: Thomas's way along 64 unknowns a thread with what lies between threads side by side,
/// Jacobi steps by a full matrix, a step along conjugate directions of a plane.
#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

constexpr int kUnknowns = 64;

/// Word k of system i lies at k * m + i: diagonals of -1, 4 + b, -1.
__global__ void thomas(const float* b, const float* d, float* c, float* x, unsigned m) {
  const unsigned i = static_cast<unsigned>(global_index());
  if (i >= m) return;
  float last_c = 0, last_x = 0;
  for (int k = 0; k < kUnknowns; ++k) {
    const unsigned at = k * m + i;
    const float inverse = 1.0f / (4.0f + b[at] + last_c);
    last_c = -inverse;
    last_x = (d[at] + last_x) * inverse;
    c[at] = last_c, x[at] = last_x;
  }
  for (int k = kUnknowns - 2; k >= 0; --k) {
    const unsigned at = k * m + i;
    last_x = x[at] - c[at] * last_x;
    x[at] = last_x;
  }
}
constexpr unsigned kSize = 256;
/// A block has a system of 256: a warp goes along rows, all have four steps.
__global__ void __launch_bounds__(256) jacobi_steps(const float* a, const float* b, float* out) {
  __shared__ float x[2][kSize];
  const float* rows = a + blockIdx.x * std::size_t{kSize * kSize};
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  x[0][threadIdx.x] = 0.0f;
  const float* right = b + blockIdx.x * std::size_t{kSize};
  for (unsigned step = 0; step < 4; ++step) {
    __syncthreads();
    for (unsigned r = warp; r < kSize; r += 8) {
      float sum = 0;
      for (unsigned c = lane; c < kSize; c += 32) sum += rows[r * kSize + c] * x[step % 2][c];
      for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
      // The diagonal has 2000 more than what is read.
      if (lane == 0)
        x[1 - step % 2][r] =
            (right[r] - (sum - rows[r * kSize + r] * x[step % 2][r])) / (2000.0f + rows[r * kSize + r]);
    }
  }
  __syncthreads();
  out[blockIdx.x * std::size_t{kSize} + threadIdx.x] = x[0][threadIdx.x];
}
constexpr unsigned kSolversWide = 512;
/// q = A p of a plane, and p q.
__global__ void apply(const float* p, float* q, double* dot, unsigned high) {
  const unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y,
                 i = y * kSolversWide + x;
  const float here = p[i];
  const float v = 5.0f * here - (x > 0 ? p[i - 1] : 0.0f) - (x + 1 < kSolversWide ? p[i + 1] : 0.0f) -
                  (y > 0 ? p[i - kSolversWide] : 0.0f) - (y + 1 < high ? p[i + kSolversWide] : 0.0f);
  q[i] = v;
  double sum = static_cast<double>(v) * here;
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x == 0) atomicAdd(dot, sum);
}
__global__ void step_along(const float* p, const float* q, const double* dot, double rr, float* x, float* r,
                           unsigned m) {
  const unsigned i = static_cast<unsigned>(global_index());
  if (i >= m) return;
  const auto alpha = static_cast<float>(rr / *dot);
  x[i] = alpha * p[i];
  r[i] = p[i] - alpha * q[i];
}

}  // namespace

void solvers(Set& s) {
  const std::size_t n = s.n;
  const unsigned systems = as_number(n / 16 / kUnknowns);
  float* room_c = room<float>(n / 16);
  s.run(
      "three diagonals of 64, side by side", 4.0 * 7 * kUnknowns * systems,
      [&] { thomas<<<Set::blocks(systems, 64), 64>>>(s.in, s.other, room_c, s.out, systems); },
      [&] {
        return floats(s, std::size_t{kUnknowns} * systems, [&](std::size_t at) {
          const std::size_t i = at % systems;
          double c[kUnknowns], x[kUnknowns], last_c = 0, last_x = 0;
          for (std::size_t k = 0; k < kUnknowns; ++k) {
            const double inverse = 1 / (4 + double{float_of(k * systems + i)} + last_c);
            c[k] = last_c = -inverse, x[k] = last_x = (other_of(k * systems + i) + last_x) * inverse;
          }
          for (int k = kUnknowns - 2; k >= 0; --k) x[k] -= c[k] * x[k + 1];
          return x[at / systems];
        });
      });
  const unsigned many = as_number(n / 8 / (kSize * kSize));
  s.run(
      "four steps of full systems of 256", 4.0 * kSize * kSize * many,
      [&] { jacobi_steps<<<many, 256>>>(s.in, s.other, s.out); },
      [&] {
        for (std::size_t block : {std::size_t{0}, many - std::size_t{1}}) {
          std::vector<double> x(kSize), next(kSize);
          for (int step = 0; step < 4; ++step, x.swap(next))
            for (std::size_t r = 0; r < kSize; ++r) {
              const std::size_t row = (block * kSize + r) * kSize;
              double sum = other_of(block * kSize + r);
              for (std::size_t c = 0; c < kSize; ++c)
                if (c != r) sum -= float_of(row + c) * x[c];
              next[r] = sum / (2000.0 + float_of(row + r));
            }
          for (std::size_t r : {std::size_t{0}, std::size_t{101}, std::size_t{255}})
            if (!Set::near(s.value(block * kSize + r), x[r], 5e-3)) return false;
        }
        return true;
      });
  const unsigned high = as_number(n / 16 / kSolversWide / 8 * 8), cells = high * kSolversWide;
  double* dot = room<double>(1);
  double rr = 0;
  for (std::size_t i = 0; i < cells; ++i) rr += double{float_of(i)} * float_of(i);
  s.run(
      "a step of conjugate gradients on a plane", 28.0 * cells,
      [&] {
        cudaMemsetAsync(dot, 0, 8);
        apply<<<dim3(kSolversWide / 32, high / 8), dim3(32, 8)>>>(s.in, room_c, dot, high);
        step_along<<<Set::blocks(cells), 256>>>(s.in, room_c, dot, rr, s.out, s.out + n / 2, cells);
      },
      [&] {
        const auto applied = [&](std::size_t i) {
          const std::size_t x = i % kSolversWide, y = i / kSolversWide;
          double v = 5.0 * float_of(i);
          if (x > 0) v -= float_of(i - 1);
          if (x + 1 < kSolversWide) v -= float_of(i + 1);
          if (y > 0) v -= float_of(i - kSolversWide);
          if (y + 1 < high) v -= float_of(i + kSolversWide);
          return v;
        };
        double pq = 0;
        for (std::size_t i = 0; i < cells; ++i) pq += applied(i) * float_of(i);
        return floats(s, cells, [&](std::size_t i) { return rr / pq * float_of(i); }) &&
               Set::each(cells, [&](std::size_t i) {
                 return std::abs(s.value(n / 2 + i) - (float_of(i) - rr / pq * applied(i))) < 5e-3;
               });
      });
  cudaFree(dot), cudaFree(room_c);
}

}  // namespace held_out_6
