// Copies to, from and between arrays, pitched memory and plain memory, whole and in part, with and without a stream.
#include "program.hpp"

constexpr std::size_t kWidth = 30, kHeight = 17, kDepth = 4;

static std::vector<float> ramp(std::size_t count, float from) {
  std::vector<float> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = from + static_cast<float>(i);
  return all;
}

int main() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreate(&stream));
  const auto data = ramp(kWidth * kHeight, 1);
  cudaArray_t a = nullptr, b = nullptr;
  CHECK(cudaMallocArray(&a, &format, kWidth, kHeight));
  CHECK(cudaMallocArray(&b, &format, kWidth, kHeight));
  cudaChannelFormatDesc asked = {};
  CHECK(cudaGetChannelDesc(&asked, a));
  EXPECT(asked.x == 32 && asked.y == 0 && asked.f == cudaChannelFormatKindFloat);

  // Host to array, array to array, array to pitched, pitched to host.
  CHECK(cudaMemcpy2DToArrayAsync(a, 0, 0, data.data(), kWidth * 4, kWidth * 4, kHeight,
                                 cudaMemcpyHostToDevice, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, kWidth * 4, kHeight, cudaMemcpyDeviceToDevice));
  float* pitched = nullptr;
  std::size_t pitch = 0;
  CHECK(cudaMallocPitch(&pitched, &pitch, kWidth * 4, kHeight));
  EXPECT(pitch >= kWidth * 4 && pitch % 32 == 0);
  CHECK(cudaMemcpy2DFromArrayAsync(pitched, pitch, b, 0, 0, kWidth * 4, kHeight, cudaMemcpyDeviceToDevice,
                                   stream));
  std::vector<float> back(kWidth * kHeight);
  CHECK(cudaMemcpy2DAsync(back.data(), kWidth * 4, pitched, pitch, kWidth * 4, kHeight,
                          cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(back == data);

  // A window in the middle.
  const std::vector<float> patch(6 * 5, -1.0f);
  CHECK(cudaMemcpy2DToArray(b, 4 * 4, 3, patch.data(), 6 * 4, 6 * 4, 5, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy2DFromArray(back.data(), kWidth * 4, b, 0, 0, kWidth * 4, kHeight, cudaMemcpyDeviceToHost));
  for (std::size_t y = 0; y < kHeight; ++y)
    for (std::size_t x = 0; x < kWidth; ++x) {
      const bool inside = x >= 4 && x < 10 && y >= 3 && y < 8;
      EXPECT(back[y * kWidth + x] == (inside ? -1.0f : data[y * kWidth + x]));
    }
  EXPECT(cudaMemcpy2DToArray(b, 0, kHeight - 1, patch.data(), 6 * 4, 6 * 4, 2, cudaMemcpyHostToDevice) !=
         cudaSuccess);
  (void)cudaGetLastError();

  // Boxes: host to array, array to array with an offset, array to pitched 3D memory, and back.
  const auto box = ramp(kWidth * kHeight * kDepth, 1000);
  const cudaExtent extent = make_cudaExtent(kWidth, kHeight, kDepth);
  cudaArray_t c = nullptr, d = nullptr;
  CHECK(cudaMalloc3DArray(&c, &format, extent));
  CHECK(cudaMalloc3DArray(&d, &format, extent));
  cudaMemcpy3DParms p = {};
  p.srcPtr = make_cudaPitchedPtr(const_cast<float*>(box.data()), kWidth * 4, kWidth, kHeight);
  p.dstArray = c;
  p.extent = extent;
  p.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3DAsync(&p, stream));
  p = {};
  p.srcArray = c;
  p.srcPos = make_cudaPos(2, 1, 1);
  p.dstArray = d;
  p.dstPos = make_cudaPos(0, 0, 2);
  p.extent = make_cudaExtent(5, 6, 2);
  p.kind = cudaMemcpyDeviceToDevice;
  CHECK(cudaMemcpy3DAsync(&p, stream));
  cudaPitchedPtr memory = {};
  CHECK(cudaMalloc3D(&memory, make_cudaExtent(kWidth * 4, kHeight, kDepth)));
  CHECK(cudaMemset3D(memory, 0, make_cudaExtent(kWidth * 4, kHeight, kDepth)));
  p = {};
  p.srcArray = d;
  p.srcPos = make_cudaPos(0, 0, 2);
  p.dstPtr = memory;
  p.dstPos = make_cudaPos(8 * 4, 2, 1);  // bytes along x, where there is no array
  p.extent = make_cudaExtent(5, 6, 2);
  p.kind = cudaMemcpyDeviceToDevice;
  CHECK(cudaMemcpy3DAsync(&p, stream));
  std::vector<float> whole(kWidth * kHeight * kDepth, 7);
  p = {};
  p.srcPtr = memory;
  p.dstPtr = make_cudaPitchedPtr(whole.data(), kWidth * 4, kWidth, kHeight);
  p.extent = make_cudaExtent(kWidth * 4, kHeight, kDepth);
  p.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&p));
  for (std::size_t z = 0; z < kDepth; ++z)
    for (std::size_t y = 0; y < kHeight; ++y)
      for (std::size_t x = 0; x < kWidth; ++x) {
        const bool inside = x >= 8 && x < 13 && y >= 2 && y < 8 && z >= 1 && z < 3;
        const float want = inside ? box[((z - 1 + 1) * kHeight + y - 2 + 1) * kWidth + x - 8 + 2] : 0.0f;
        EXPECT(whole[(z * kHeight + y) * kWidth + x] == want);
      }
  CHECK(cudaFreeArray(a));
  CHECK(cudaFreeArray(b));
  CHECK(cudaFreeArray(c));
  CHECK(cudaFreeArray(d));
  CHECK(cudaFree(memory.ptr));
  CHECK(cudaFree(pitched));
  CHECK(cudaStreamDestroy(stream));
  return ok();
}
