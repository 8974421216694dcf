/// @file
/// Implementation of units.hpp.
#include "reports/units.hpp"

namespace course::reports {

const std::vector<unit_entry>& all_units() {
  static const std::vector<unit_entry> kUnits = {
      {"request", "a load or store of one warp; the fewest: 32 lanes, 16 bytes each"},
      {"sector", "32 bytes side by side, the least that global memory hands over"},
      {"wavefront", "one turn of shared memory; bank conflicts need more of them"},
      {"memory bus", "between the L2 cache and DRAM"},
      {"fewest", "each input byte read once, each output byte written once"},
      {"modelled", "computed by the simulated GPU, not measured on a card"},
      {"limit mark", "what the reference shows to be possible; not required"},
      {"MB", "10^6 bytes; 1 GB/s is 10^9 bytes a second"},
  };
  return kUnits;
}

std::vector<unit_entry> units_in(const std::string& text) {
  std::vector<unit_entry> found;
  for (const unit_entry& one : all_units()) {
    const bool said = one.first == "MB"
                          ? text.find("B/s") != std::string::npos || text.find(" MB") != std::string::npos ||
                                text.find(" kB") != std::string::npos
                          : text.find(one.first) != std::string::npos;
    if (said) found.push_back(one);
  }
  return found;
}

}  // namespace course::reports
