/// @file
/// coalesced_scale by cub::DeviceTransform, for `course bench`. It needs no temporary memory.
#include <cub/device/device_transform.cuh>

#include "coalesced_scale.cuh"

/// Multiplies by a factor.
struct times {
  float factor;
  __device__ float operator()(float value) const { return factor * value; }
};

extern "C" void coalesced_scale_run(const float* in, float* out, std::size_t n, float factor,
                                    cudaStream_t stream) {
  cub::DeviceTransform::Transform(in, out, n, times{factor}, stream);
}
