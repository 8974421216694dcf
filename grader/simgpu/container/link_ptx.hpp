/// @file
/// Links the PTX texts of files that were built with relocatable device code (-rdc=true, CUDA_SEPARABLE_COMPILATION) to one text,
/// as nvlink does it with machine code: what one file defines and others declare becomes one thing.
#pragma once

#include <string>
#include <vector>

namespace simgpu::container {

/// One text, or why there is none.
struct LinkedPtx {
  std::string text;
  std::string problem;  ///< a sentence for the user where there is no text
};

/// @param texts of the files. Those that hold the device's own runtime, which nvcc links to every such program, are left out.
LinkedPtx link_ptx(const std::vector<std::string>& texts);

}  // namespace simgpu::container
