/// @file
/// See occupancy_on_paper.hpp.
#include "drills/occupancy_on_paper.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace course::drills::paper {
namespace {

constexpr std::int64_t kWarp = 32;

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// Threads for which a block takes resources.
std::int64_t threads_taken(std::uint64_t threads, const steps& taken) {
  return taken.whole_warps ? round_up(static_cast<std::int64_t>(threads), kWarp)
                           : static_cast<std::int64_t>(threads);
}

std::int64_t registers_of_warp(const Device& card, std::int64_t registers, const steps& taken) {
  return taken.granule ? round_up(kWarp * registers, card.register_granule) : kWarp * registers;
}

}  // namespace

std::int64_t limits::least() const {
  return std::min({threads, blocks, registers, shared});
}

char limits::decided_by() const {
  char found = 0;
  for (const auto& [allowed, letter] :
       {std::pair(threads, 't'), std::pair(blocks, 'b'), std::pair(registers, 'r'), std::pair(shared, 's')}) {
    if (allowed != least()) continue;
    if (found) return 0;
    found = letter;
  }
  return found;
}

std::string limits::text() const {
  return fmt::format("threads allow {} blocks, the SM at most {}, registers {}, shared memory {}", threads,
                     blocks, registers, shared == kNoLimit ? "any number" : std::to_string(shared));
}

limits limits_of(const Device& card, const BlockNeeds& needs, const steps& taken) {
  limits found{kNoLimit, kNoLimit, kNoLimit, kNoLimit};
  const std::int64_t threads = threads_taken(needs.threads, taken);
  if (taken.threads) found.threads = card.threads_per_sm / threads;
  if (taken.blocks) found.blocks = card.blocks_per_sm;
  // 32 x file / (warp's registers x threads): no division before the last, so that parts of a warp count as parts.
  if (taken.registers)
    found.registers = kWarp * card.registers_per_sm /
                      (registers_of_warp(card, needs.registers_per_thread, taken) * threads);
  const std::int64_t shared = round_up(
      static_cast<std::int64_t>(needs.shared_bytes) + (taken.reserve ? card.shared_reserved_per_block : 0),
      card.shared_granule);
  if (taken.shared && shared > 0) found.shared = card.shared_per_sm / shared;
  return found;
}

std::int64_t shared_for(const Device& card, std::int64_t blocks, const steps& taken) {
  return card.shared_per_sm / blocks / card.shared_granule * card.shared_granule -
         (taken.reserve ? card.shared_reserved_per_block : 0);
}

std::int64_t registers_for(const Device& card, std::uint64_t threads, std::int64_t blocks,
                           const steps& taken) {
  std::int64_t registers = card.registers_per_thread_max;
  const auto fits = [&] {
    return kWarp * card.registers_per_sm >=
           blocks * registers_of_warp(card, registers, taken) * threads_taken(threads, taken);
  };
  while (registers > 1 && !fits()) --registers;
  return registers;
}

}  // namespace course::drills::paper
