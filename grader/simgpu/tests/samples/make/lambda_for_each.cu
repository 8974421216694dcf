/// @file
/// A kernel that takes a functor, and a helper that chooses the grid.
#include "buffer.cuh"

template <typename F>
__global__ void for_each(int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i);
}

template <typename F>
void parallel_for(int n, F f) {
  for_each<<<min(divide_up(n, 256), 64), 256>>>(n, f);
  CHECK_LAUNCH();
}

struct Fill {
  int* out;
  int factor;
  __device__ void operator()(int i) const { out[i] = i * factor; }
};
struct AddNeighbours {
  const int* in;
  int* out;
  int n;
  __device__ void operator()(int i) const { out[i] = in[i] + in[(i + 1) % n]; }
};

int main() {
  const int n = 1234;
  Buffer<int> a(n), b(n);
  parallel_for(n, Fill{a, 3});
  parallel_for(n, AddNeighbours{a, b, n});
  bool right = true;
  const auto result = b.host();
  for (int i = 0; i < n; ++i) right = right && result[i] == 3 * i + 3 * ((i + 1) % n);
  return verdict(right);
}
