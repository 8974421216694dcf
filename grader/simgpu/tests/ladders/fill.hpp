/// @file
/// Kernels that fill the arrays of a ladder with words and halves which the host knows as well.
#pragma once

#include <cuda_fp16.h>

#include "data.hpp"

namespace ladder {

// Templates, so that several files of one program may include them.
template <typename Word>
__global__ void fill_words(Word* out, std::size_t n) {
  for (std::size_t i = global_index(); i < n; i += stride()) out[i] = word_of(i);
}
template <typename Half>
__global__ void fill_halves(Half* out, std::size_t n) {
  for (std::size_t i = global_index(); i < n; i += stride()) out[i] = __float2half(half_of(i));
}

}  // namespace ladder
