/// @file
/// See simulated_card.hpp.
#include "cli/simulated_card.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>

#include "records/files.hpp"

namespace course::cli {

std::optional<simgpu::timing::Device> simulated_card(const std::string& option, const std::string& device) {
  const char* const variable = std::getenv("COURSE_CARD");
  const std::string name = !option.empty() ? option : variable ? variable : "";
  if (name.empty()) return std::nullopt;
  if (device == "gpu")
    throw environment_error(
        "A card is what the simulated GPU is to be: leave --card away, or ask for --device sim.");
  auto card = simgpu::timing::card_named(name);
  if (!card)
    throw environment_error(fmt::format("COURSE_CARD={} is no card that can be simulated: {} are.", name,
                                        fmt::join(simgpu::timing::card_names(), ", ")));
  return card;
}

std::vector<std::pair<std::string, std::string>> variables_of(const simgpu::timing::Device& card) {
  return {{"COURSE_CARD", card.card}, {"COURSE_CARD_ARCH", std::to_string(card.arch())}};
}

}  // namespace course::cli
