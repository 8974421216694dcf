/// @file
/// Objects with virtual functions, made and used on the device.
#include <cmath>

#include "buffer.cuh"

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual float area() const = 0;
};
struct Circle : Shape {
  float r;
  __device__ explicit Circle(float radius) : r(radius) {}
  __device__ float area() const override { return 3.14159265f * r * r; }
};
struct Box : Shape {
  float a, b;
  __device__ Box(float width, float height) : a(width), b(height) {}
  __device__ float area() const override { return a * b; }
};

__global__ void make(Shape** shapes, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i % 2)
    shapes[i] = new Circle(1.0f);
  else
    shapes[i] = new Box(2.0f, static_cast<float>(i));
}
__global__ void measure(Shape** shapes, float* area, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  area[i] = shapes[i]->area();
  delete shapes[i];
}

int main() {
  const int n = 100;
  Buffer<Shape*> shapes(n);
  Buffer<float> area(n);
  make<<<2, 64>>>(shapes, n);
  measure<<<2, 64>>>(shapes, area, n);
  CHECK_LAUNCH();
  bool right = true;
  const auto result = area.host();
  for (int i = 0; i < n; ++i)
    right = right && std::fabs(result[i] - (i % 2 ? 3.14159265f : 2.0f * i)) < 1e-5f;
  return verdict(right);
}
