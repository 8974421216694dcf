/// @file
/// All drills, by name.
#pragma once

#include <string_view>
#include <vector>

#include "drills/drill.hpp"

namespace course::drills {

/// Every drill, in the order of the chapters.
const std::vector<const drill*>& all_drills();

/// The drill of that word (sectors) or exercise (predict_sectors); nullptr if there is none.
const drill* find_drill(std::string_view name);

}  // namespace course::drills
