/// @file
/// The card that the simulated GPU is to be, as --card or COURSE_CARD names it. Two programs have to know of it: the builder, since an older
/// card takes PTX of its own compute capability, and the worker. Both learn it from variables.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simgpu/timing/cards.hpp"

namespace course::cli {

/// @param[in] option what --card says; empty = COURSE_CARD decides
/// @param[in] device what was asked for: auto, gpu or sim
/// @return nothing where neither names a card
/// @throws environment_error if it cannot be simulated, or a GPU was asked for.
std::optional<simgpu::timing::Device> simulated_card(const std::string& option, const std::string& device);

/// What builder and worker read.
std::vector<std::pair<std::string, std::string>> variables_of(const simgpu::timing::Device& card);

}  // namespace course::cli
