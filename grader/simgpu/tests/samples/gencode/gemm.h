/// @file
/// Two forms of C = A B for n x n matrices in device memory.
#pragma once

void gemm_naive(const float* a, const float* b, float* c, int n);
void gemm_tiled(const float* a, const float* b, float* c, int n);
