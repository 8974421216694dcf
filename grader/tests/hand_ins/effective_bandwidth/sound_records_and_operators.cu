// expect: pass
/// @file
/// Sound: bytes and rates as small types with operators, kernels judged from the last to the first.
#include "effective_bandwidth.cuh"

namespace {
struct traffic {
  std::size_t loads, stores;
  constexpr double bytes() const { return double(sizeof(float)) * double(loads + stores); }
};
struct rate {
  double per_second;
  friend double operator/(rate a, rate b) { return a.per_second / b.per_second; }
};
}  // namespace
extern "C" void effective_bandwidth_run(const float* in, float* out, std::size_t n, int khz, int bits,
                                        double* bytes, double* gbs, double* share, cudaStream_t stream) {
  const traffic of[kernels] = {
      {n, n}, {n / sum_rows * sum_rows, n / sum_rows}, {n / copy_stride, n / copy_stride}};
  const rate peak{double(khz) * 1000.0 * 2.0 * double(bits / 8)};
  auto judge = [&](int k) {
    const double ms = time_kernel(k, in, out, n, stream);
    bytes[k] = of[k].bytes();
    const rate got{bytes[k] * 1000.0 / ms};
    gbs[k] = got.per_second * 1e-9;
    share[k] = got / peak;
  };
  for (int k = kernels; k-- > 0;) judge(k);
}
