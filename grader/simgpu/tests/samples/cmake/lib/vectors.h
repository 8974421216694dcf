/// @file
/// Vectors on the device.
#pragma once

namespace vectors {
/// @return sqrt(sum x^2) of @p n values in device memory.
float norm(const float* x, int n);
/// x *= factor
void scale(float* x, float factor, int n);
}  // namespace vectors
