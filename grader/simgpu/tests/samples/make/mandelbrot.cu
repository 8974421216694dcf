/// @file
/// The Mandelbrot set, written as an image.
#include "buffer.cuh"

__host__ __device__ unsigned char escape_time(float cx, float cy) {
  float x = 0, y = 0;
  int n = 0;
  while (n < 100 && x * x + y * y < 4) {
    const float next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
    ++n;
  }
  return static_cast<unsigned char>(n * 255 / 100);
}

__global__ void mandelbrot(unsigned char* image, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  image[y * width + x] = escape_time(3.0f * x / width - 2.0f, 2.0f * y / height - 1.0f);
}

int main() {
  const int width = 120, height = 80;
  Buffer<unsigned char> image(width * height);
  const dim3 block(16, 16), grid(divide_up(width, 16), divide_up(height, 16));
  mandelbrot<<<grid, block>>>(image, width, height);
  CHECK_LAUNCH();
  const std::vector<unsigned char> pixels = image.host();
  if (std::FILE* file = std::fopen("mandelbrot.pgm", "wb")) {
    std::fprintf(file, "P5\n%d %d\n255\n", width, height);
    std::fwrite(pixels.data(), 1, pixels.size(), file);
    std::fclose(file);
  }
  int inside = 0;
  for (const unsigned char p : pixels) inside += p == 255;
  // The set's area is about 1.507 of the 6 that the image shows.
  const double area = 6.0 * inside / (width * height);
  std::printf("area %.3f\n", area);
  return verdict(area > 1.4 && area < 1.7);
}
