// expect: pass
/// @file
/// Sound in another style: the matrices go to the kernel by value, in a struct. Parameters lie in constant memory too.
#include "transform_points.cuh"

constexpr int matrices_of_motion = 8;
constexpr int entries = 16;
constexpr unsigned int block_threads = 128;

struct motion {
  float at[matrices_of_motion][4][4];
};

__global__ void transform(const float4* in, float4* out, std::size_t n, motion by) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 point = in[i];
  float4 moved{0.0f, 0.0f, 0.0f, 0.0f};
  float power = 1.0f;
#pragma unroll
  for (int k = 0; k < matrices_of_motion; ++k) {  // by powers, in place of Horner's rule
    const auto component = [&](int r) {
      return by.at[k][r][0] * point.x + by.at[k][r][1] * point.y + by.at[k][r][2] * point.z + by.at[k][r][3];
    };
    moved.x += power * component(0);
    moved.y += power * component(1);
    moved.z += power * component(2);
    moved.w += power * component(3);
    power *= point.w;
  }
  out[i] = moved;
}

static motion current;

extern "C" void transform_points_setup(const float* matrices, cudaStream_t stream) {
  cudaMemcpyAsync(&current, matrices, sizeof(current), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
}

extern "C" void transform_points_run(const float4* in, float4* out, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  const auto blocks = static_cast<unsigned int>((n + block_threads - 1) / block_threads);
  transform<<<blocks, block_threads, 0, stream>>>(in, out, n, current);
}

extern "C" void transform_points_matrices(float* matrices, cudaStream_t stream) {
  cudaMemcpyAsync(matrices, &current, sizeof(current), cudaMemcpyHostToDevice, stream);
}
