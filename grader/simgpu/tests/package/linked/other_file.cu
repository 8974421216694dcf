/// @file
/// What two_files.cu calls.
__device__ int twice(int x) {
  return 2 * x;
}
