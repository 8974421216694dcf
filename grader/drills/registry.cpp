/// @file
/// The list of drills. A new drill is a file that defines its function, a line here, and a line in CMakeLists.txt.
#include "drills/registry.hpp"

namespace course::drills {

const drill& sectors();
const drill& occupancy();

const std::vector<const drill*>& all_drills() {
  static const std::vector<const drill*> kAll = {&sectors(), &occupancy()};
  return kAll;
}

const drill* find_drill(std::string_view name) {
  for (const drill* one : all_drills()) {
    if (one->word == name || one->exercise == name) return one;
  }
  return nullptr;
}

}  // namespace course::drills
