/// @file
/// What is known of the device before any student code is loaded. A description may depend on it: how many threads an SM is given,
/// how much work takes as long as a transfer, from which size on a tile no longer fits.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace course {

/// See the file's head. On the simulated GPU rates are those of the whole card; times of its slice are scaled by the judge.
struct facts {
  bool simulated = true;
  int devices = 1;
  int compute_capability = 90;  ///< 10 x major + minor
  int sm_count = 0;             ///< of the device that runs, so of the slice on the simulated GPU
  std::size_t l2_bytes = 0;
  std::size_t shared_bytes_per_block = 48 << 10;  ///< without opting in
  std::size_t shared_bytes_per_block_optin = 0;   ///< the most a block can have
  std::size_t shared_bytes_per_sm = 0;
  std::size_t registers_per_sm = 0;
  int threads_per_sm = 0, threads_per_block = 1024;
  std::size_t free_bytes = 0;
  double clock_hz = 0;
  double peak_dram_bytes_per_second = 0;  ///< 2 x memory clock x bus width / 8
  double link_bytes_per_second =
      0;                      ///< host to device, pinned; measured when the exercise asks for it, else 0
  double fma_per_second = 0;  ///< single precision, all SMs: SMs x lanes x clock
  std::map<std::string, int> attributes =
      {};  ///< further device attributes by CUDA's names without cudaDevAttr: "ConcurrentManagedAccess"
};

}  // namespace course
