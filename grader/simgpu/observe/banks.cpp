/// @file
/// See banks.hpp.
#include "simgpu/observe/banks.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "simgpu/observe/coalescing.hpp"

namespace simgpu::observe {
namespace {

constexpr std::uint32_t kBanks = 32;

// Distinct (or all) words a bank is asked for.
class Banks {
 public:
  // @return how many words the bank of this word now holds.
  std::uint32_t add(std::uint64_t word, bool merge_equal) noexcept {
    const auto bank = static_cast<std::uint32_t>(word % kBanks);
    std::uint32_t& count = count_[bank];
    if (merge_equal) {
      for (std::uint32_t i = 0; i < count; ++i) {
        if (words_[bank][i] == word) return count;
      }
    }
    words_[bank][count] = word;
    return ++count;
  }

 private:
  std::array<std::uint32_t, kBanks> count_{};
  std::uint64_t words_[kBanks][2 * kWarpLanes];  // left unset: count_ says what is valid
};

// Most words in one bank, over these lanes.
std::uint32_t fullest_bank(const std::uint64_t* address, std::uint32_t lanes, std::uint32_t words,
                           bool merge_equal) noexcept {
  Banks banks;
  std::uint32_t most = 0;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t first = address[std::countr_zero(rest)] / 4;
    for (std::uint32_t k = 0; k < words; ++k) most = std::max(most, banks.add(first + k, merge_equal));
  }
  return most;
}

// Whether each active lane T asks for what lane T^distance asks for, where that is active too.
bool pairs_agree(const std::uint64_t* address, std::uint32_t mask, std::uint32_t distance) noexcept {
  for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
    const std::uint32_t other = lane ^ distance;
    if ((mask >> lane & 1) != 0 && (mask >> other & 1) != 0 && address[lane] != address[other]) return false;
  }
  return true;
}

std::uint32_t lanes_of_group(std::uint32_t first, std::uint32_t size) noexcept {
  return size >= kWarpLanes ? ~0u : ((1u << size) - 1) << first;
}

}  // namespace

Wavefronts wavefronts_of(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes,
                         BankRule rule) noexcept {
  const std::uint32_t words = std::max(1u, bytes / 4);
  const std::uint32_t group = kWarpLanes / words;
  const bool merge_equal = rule != BankRule::each_lane;

  // Where neighbouring groups could merge, the profiler counts conflicts from the merged number on, also when a bank
  // keeps them apart (seen on an H200: fixtures/h200_micro.csv, pairs_xor1, pairs_xor2, even_lanes).
  Wavefronts result;
  std::uint32_t merged_ideal = 0;
  if (rule == BankRule::shared_load && (words == 2 || words == 4) &&
      (pairs_agree(address, mask, 1) || pairs_agree(address, mask, 2))) {
    bool fits = true;
    for (std::uint32_t first = 0; first < kWarpLanes; first += 2 * group) {
      const std::uint32_t lanes = mask & lanes_of_group(first, 2 * group);
      if (lanes == 0) continue;
      ++merged_ideal;
      if (fullest_bank(address, lanes, words, true) > 1) fits = false;
    }
    if (fits) return {merged_ideal, merged_ideal};
  }

  for (std::uint32_t first = 0; first < kWarpLanes; first += group) {
    const std::uint32_t lanes = mask & lanes_of_group(first, group);
    if (lanes == 0) continue;
    result.taken += fullest_bank(address, lanes, words, merge_equal);
    ++result.ideal;
  }
  if (merged_ideal != 0) result.ideal = merged_ideal;
  return result;
}

std::uint32_t constant_passes_of(const std::uint64_t* address, std::uint32_t mask) noexcept {
  std::array<std::uint64_t, kWarpLanes> seen;
  std::uint32_t count = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t word = address[std::countr_zero(rest)] / 4;
    if (std::find(seen.begin(), seen.begin() + count, word) == seen.begin() + count) seen[count++] = word;
  }
  return count;
}

}  // namespace simgpu::observe
