/// @file
/// A library with a kernel, given as machine code.
__global__ void fill(int* data) {
  *data = 42;
}

void fill_one(int* data) {
  fill<<<1, 1>>>(data);
}
