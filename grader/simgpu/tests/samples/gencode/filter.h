/// @file
/// What the program and its kernels agree on.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif
/// Blurs @p in, of width x height grey values, with a box of the given radius. @return 0, or CUDA's error.
int box_blur(const unsigned char* in, unsigned char* out, int width, int height, int radius,
             float* milliseconds);
#ifdef __cplusplus
}
#endif
