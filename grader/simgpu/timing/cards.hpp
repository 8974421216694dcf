/// @file
/// The cards that can be simulated: each is one file of devices/, with all that is particular to it. The model's constants
/// (ModelConstants) belong to the H200, on which they were measured; a card that is not calibrated has public figures, and the H200's
/// latencies.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simgpu/timing/device.hpp"

namespace simgpu::timing {

/// The files' texts, embedded.
const std::vector<std::string_view>& card_texts();

/// Names of all cards, in alphabetical order: "a100", "h200", ...
std::vector<std::string> card_names();

/// A slice of a card.
/// @param slice one part in this many of the card, a divisor of its number of SMs; 0: the card's own choice, about ten SMs
/// @return nothing if there is no such card, or if the slice is no divisor.
std::optional<Device> card_named(std::string_view card, std::uint32_t slice = 0);

}  // namespace simgpu::timing
