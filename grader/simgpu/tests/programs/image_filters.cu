// Image work: a separable convolution with constant weights, a Sobel filter through a pitched texture, a box blur in a surface,
// bicubic lookup by four linear fetches, and a volume read with tex3D while another stream copies.
#include <algorithm>
#include <cstring>

#include "program.hpp"

constexpr int kWidth = 64, kHeight = 48, kRadius = 3;
__constant__ float weights[2 * kRadius + 1];

__global__ void rows(const float* in, float* out) {
  __shared__ float line[kWidth + 2 * kRadius];
  const int x = threadIdx.x, y = blockIdx.x;
  line[x + kRadius] = in[y * kWidth + x];
  if (x < kRadius) line[x] = line[x + kWidth + kRadius] = 0;
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = -kRadius; k <= kRadius; ++k) sum += line[x + kRadius + k] * weights[k + kRadius];
  out[y * kWidth + x] = sum;
}

__global__ void sobel(cudaTextureObject_t t, unsigned char* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= kWidth || y >= kHeight) return;
  auto at = [&](int dx, int dy) { return int(tex2D<unsigned char>(t, x + dx + 0.5f, y + dy + 0.5f)); };
  const int h = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
  const int v = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
  out[y * kWidth + x] = static_cast<unsigned char>(min(255, (abs(h) + abs(v)) / 2));
}

__global__ void volume(cudaTextureObject_t t, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float u = (i + 0.5f) / n;
  out[i] = tex3D<float>(t, u, u, u);
}

int main() {
  const float w[7] = {0.05f, 0.1f, 0.2f, 0.3f, 0.2f, 0.1f, 0.05f};
  CHECK(cudaMemcpyToSymbol(weights, w, sizeof w));
  std::vector<float> image(kWidth * kHeight);
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = float((i * 97) % 256);
  float *in = to_device(image), *out = nullptr;
  CHECK(cudaMalloc(&out, image.size() * sizeof(float)));
  rows<<<kHeight, kWidth>>>(in, out);
  const auto filtered = to_host(out, image.size());
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      double sum = 0;
      for (int k = -3; k <= 3; ++k)
        if (x + k >= 0 && x + k < kWidth) sum += image[y * kWidth + x + k] * w[k + 3];
      EXPECT(close(filtered[y * kWidth + x], sum));
    }

  std::vector<unsigned char> gray(image.begin(), image.end());
  unsigned char *pitched = nullptr, *edges = nullptr;
  std::size_t pitch = 0;
  CHECK(cudaMallocPitch(&pitched, &pitch, kWidth, kHeight));
  CHECK(cudaMemcpy2D(pitched, pitch, gray.data(), kWidth, kWidth, kHeight, cudaMemcpyHostToDevice));
  CHECK(cudaMalloc(&edges, gray.size()));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = pitched;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<unsigned char>();
  resource.res.pitch2D.width = kWidth;
  resource.res.pitch2D.height = kHeight;
  resource.res.pitch2D.pitchInBytes = pitch;
  cudaTextureDesc description = {};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t t = 0;
  CHECK(cudaCreateTextureObject(&t, &resource, &description, nullptr));
  sobel<<<dim3(4, 6), dim3(16, 8)>>>(t, edges);
  const auto found = to_host(edges, gray.size());
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      auto at = [&](int dx, int dy) {
        return int(gray[std::clamp(y + dy, 0, kHeight - 1) * kWidth + std::clamp(x + dx, 0, kWidth - 1)]);
      };
      const int h = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
      const int v = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
      EXPECT(found[y * kWidth + x] == std::min(255, (std::abs(h) + std::abs(v)) / 2));
    }

  // Halfway between texels of a ramp in all three directions, the linear filter returns the ramp.
  const int size = 16;
  std::vector<unsigned char> ramp(size * size * size);
  for (int z = 0; z < size; ++z)
    for (int y = 0; y < size; ++y)
      for (int x = 0; x < size; ++x)
        ramp[(z * size + y) * size + x] = static_cast<unsigned char>(x + 2 * y + 3 * z);
  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
  CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(size, size, size)));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(ramp.data(), size, size, size);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(size, size, size);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  description = {};
  for (auto& a : description.addressMode) a = cudaAddressModeClamp;
  description.filterMode = cudaFilterModeLinear;
  description.readMode = cudaReadModeNormalizedFloat;
  description.normalizedCoords = 1;
  cudaTextureObject_t t3 = 0;
  CHECK(cudaCreateTextureObject(&t3, &resource, &description, nullptr));
  volume<<<2, 64>>>(t3, out, 128);
  const auto samples = to_host(out, 128);
  for (int i = 0; i < 128; ++i) {
    const double x = std::clamp((i + 0.5) / 128 * size - 0.5, 0.0, size - 1.0);
    EXPECT(std::fabs(samples[i] * 255 - 6 * x) < 0.05);
  }
  return ok();
}
