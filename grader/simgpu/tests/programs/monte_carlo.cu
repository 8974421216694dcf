// Pi by throwing darts, with a generator per thread, double precision, and a 64-bit atomic.
#include "program.hpp"

__global__ void darts(unsigned long long* hits, int each, double* mean) {
  unsigned long long state = (blockIdx.x * blockDim.x + threadIdx.x) * 0x9E3779B97F4A7C15ull + 1;
  auto next = [&] {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return double(state >> 11) * 0x1p-53;
  };
  for (int i = 0; i < 8; ++i) next();
  unsigned mine = 0;
  double sum = 0;
  for (int i = 0; i < each; ++i) {
    const double x = next(), y = next();
    mine += x * x + y * y < 1;
    sum += exp(-x) + log(1 + y) + sin(x) * cos(y) + pow(x, 0.3);
  }
  atomicAdd(hits, (unsigned long long)mine);
  atomicAdd(mean, sum / each);
}

int main() {
  unsigned long long* hits = to_device(std::vector<unsigned long long>{0});
  double* mean = to_device(std::vector<double>{0});
  const int threads = 64 * 128, each = 32;
  darts<<<64, 128>>>(hits, each, mean);
  CHECK(cudaGetLastError());
  const double pi = 4.0 * double(to_host(hits, 1)[0]) / (double(threads) * each);
  EXPECT(std::fabs(pi - 3.14159) < 0.02);
  // Means: 1 - 1/e, 2 ln 2 - 1, (1 - cos 1) sin 1, 1 / 1.3.
  const double expected =
      (1 - std::exp(-1.0)) + (2 * std::log(2.0) - 1) + (1 - std::cos(1.0)) * std::sin(1.0) + 1 / 1.3;
  EXPECT(std::fabs(to_host(mean, 1)[0] / threads - expected) < 0.01);
  return ok();
}
