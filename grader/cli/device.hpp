/// @file
/// Which device a grading would use, said before it starts.
#pragma once

#include <string>

namespace course::cli {

/// What the NVIDIA driver of this machine offers.
struct driver_answer {
  bool has_gpu = false;
  std::string name;    ///< of the first GPU
  std::string reason;  ///< why there is none, e.g. "no NVIDIA driver"
};

/// Asks the driver, if there is one. Loads libcuda into this process, nothing else; takes up to a second
/// where there is a GPU.
driver_answer ask_driver();

/// One line such as "simulated GPU (no NVIDIA driver); times are modelled".
/// @param[in] wanted auto, gpu or sim.
std::string device_sentence(const std::string& wanted);

}  // namespace course::cli
