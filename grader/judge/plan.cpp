/// @file
/// See plan.hpp.
#include "judge/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace course {
namespace {

constexpr int kDrawnCases = 3;
constexpr std::size_t kRoomyBytes = 64 * 1024;

void add_part(std::vector<planned_case>& to, const exercise& what, const part& one, std::uint64_t seed) {
  const auto name_of = [&](const shape& sizes, const char* kind) {
    const auto text = to_string(sizes, what.size_names);
    return one.name.empty() ? text + kind : fmt::format("{} {}{}", one.name, text, kind);
  };
  for (const auto& sizes : one.cases) to.push_back({name_of(sizes, ""), &one.asks, sizes, false});
  random_source draw(mix(seed ^ 0x5eed));
  for (int k = 0; one.drawn && k < kDrawnCases; ++k) {
    const auto sizes = one.drawn(draw);
    to.push_back({name_of(sizes, ""), &one.asks, sizes, false});
  }
  if (one.hidden) {
    const auto sizes = one.hidden(draw);
    to.push_back({name_of(sizes, " (large)"), &one.asks, sizes, true});
  }
}

}  // namespace

std::vector<planned_case> plan_cases(const exercise& what, const facts& device, std::uint64_t seed) {
  std::vector<planned_case> all;
  add_part(all, what, {{}, what.asks, what.cases, what.drawn, what.hidden}, seed);
  for (auto& one : all) one.asks = &what.asks;  // the part above was a copy
  std::uint64_t part_seed = seed;
  for (const auto& one : what.also) add_part(all, what, one, part_seed = mix(part_seed));
  const auto real = std::find_if(all.begin(), all.end(), [&](const planned_case& one) {
    const auto asked = (*one.asks)(one.sizes, device);
    return !asked.wants_error() && asked.buffer_bytes() > 0 && asked.output_elements() > 0;
  });
  if (real != all.end()) std::rotate(all.begin(), real, real + 1);
  std::stable_partition(all.begin(), all.end(), [](const planned_case& one) { return !one.hidden; });
  return all;
}

std::size_t roomy_case(const std::vector<planned_case>& cases, const facts& device) {
  std::size_t best = 0, best_bytes = 0;
  for (std::size_t index = 0; index < cases.size(); ++index) {
    if (cases[index].hidden) continue;
    const auto bytes = (*cases[index].asks)(cases[index].sizes, device).buffer_bytes();
    if (bytes > best_bytes && bytes <= kRoomyBytes) best = index, best_bytes = bytes;
  }
  return best;
}

bool compares_figures(const exercise& what, const facts& device) {
  return std::any_of(what.cases.begin(), what.cases.end(),
                     [&](const shape& sizes) { return what.asks(sizes, device).asks_reference(); });
}

problem ask(const exercise& what, const benchmark& of, const shape& sizes, const facts& device) {
  return of.asks ? of.asks(sizes, device) : what.asks(sizes, device);
}

std::vector<std::string> functions_of(const exercise& what, const facts& device) {
  std::vector<std::string> names;
  const auto add = [&](const problem& asked) {
    for (const auto& call : asked.calls()) {
      if (std::find(names.begin(), names.end(), call.function) == names.end()) names.push_back(call.function);
    }
  };
  if (!what.cases.empty()) add(what.asks(what.cases.front(), device));
  for (const auto& one : what.also) {
    if (!one.cases.empty()) add(one.asks(one.cases.front(), device));
  }
  for (const auto& one : what.benchmarks) add(ask(what, one, one.on_sim, device));
  return names;
}

std::vector<shape> around(std::size_t tile) {
  std::vector<shape> sizes;
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{31}, std::size_t{32}, std::size_t{33},
        tile - 1, tile, tile + 1, 2 * tile - 1, 2 * tile, 2 * tile + 1})
    sizes.push_back({n});
  return join({}, sizes);
}

std::vector<shape> join(std::vector<shape> first, const std::vector<shape>& second) {
  for (const auto& one : second) {
    if (std::find(first.begin(), first.end(), one) == first.end()) first.push_back(one);
  }
  return first;
}

}  // namespace course
