/// @file
/// Words for checks.
#include "simgpu/device/checks.hpp"

#include <array>
#include <utility>

namespace simgpu::device {
namespace {

constexpr std::pair<std::string_view, bool Checks::*> kWords[] = {
#define CHECK(word) {#word, &Checks::word},
#include "simgpu/device/checks.def"
#undef CHECK
};

}  // namespace

std::optional<Checks> checks_of(std::string_view text) {
  if (text == "on" || text == "1") return Checks::all(true);
  if (text == "off" || text == "0") return Checks::all(false);
  Checks checks = Checks::all(false);
  for (;;) {
    const std::size_t comma = text.find(',');
    const std::string_view word = text.substr(0, comma);
    bool known = false;
    for (const auto& [name, member] : kWords)
      if (name == word) checks.*member = known = true;
    if (!known) return std::nullopt;
    if (comma == std::string_view::npos) return checks;
    text.remove_prefix(comma + 1);
  }
}

std::string checks_known() {
  std::string text = "on, off, or some of ";
  for (const auto& [name, member] : kWords) {
    if (&name != &kWords[0].first) text += ",";
    text += name;
  }
  return text + " with commas between";
}

}  // namespace simgpu::device
