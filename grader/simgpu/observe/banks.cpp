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

// The same for lanes with one word each: of nearly all requests. Lanes of one bank are chained, so that little has to be cleared.
std::uint32_t fullest_bank_of_words(const std::uint64_t* address, std::uint32_t lanes,
                                    bool merge_equal) noexcept {
  constexpr std::uint8_t kNone = 0xFF;
  std::array<std::uint8_t, kBanks> latest, count{};  // by bank
  latest.fill(kNone);
  std::array<std::uint8_t, kWarpLanes> before;  // by lane
  std::uint32_t most = 0;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint64_t word = address[lane] / 4;
    const std::uint32_t bank = word % kBanks;
    std::uint32_t same = merge_equal ? latest[bank] : kNone;
    while (same != kNone && address[same] / 4 != word) same = before[same];
    if (same != kNone) continue;
    before[lane] = latest[bank];
    latest[bank] = static_cast<std::uint8_t>(lane);
    most = std::max<std::uint32_t>(most, ++count[bank]);
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
  if (words == 1) {
    if (mask == 0) return {};
    return {each_bank_once(address, mask) ? 1 : fullest_bank_of_words(address, mask, merge_equal), 1};
  }

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

bool each_bank_once(const std::uint64_t* address, std::uint32_t mask) noexcept {
  std::uint32_t banks = 0;
  if (mask == ~0u) {
    for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) banks |= 1u << (address[lane] / 4 % kBanks);
    return banks == ~0u;
  }
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const std::uint32_t bank = 1u << (address[std::countr_zero(rest)] / 4 % kBanks);
    if ((banks & bank) != 0) return false;
    banks |= bank;
  }
  return true;
}

std::uint32_t most_on_one_address(const std::uint64_t* address, std::uint32_t mask) noexcept {
  constexpr std::uint8_t kNone = 0xFF;
  std::array<std::uint8_t, kBanks> latest;  // the lane that brought the latest address of a bank
  latest.fill(kNone);
  std::array<std::uint8_t, kWarpLanes> before,
      alike;  // of such a lane: the one before it; lanes on its address
  std::uint32_t most = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint32_t bank = address[lane] / 4 % kBanks;
    std::uint32_t same = latest[bank];
    while (same != kNone && address[same] != address[lane]) same = before[same];
    if (same == kNone) {
      same = lane;
      alike[lane] = 0;
      before[lane] = latest[bank];
      latest[bank] = static_cast<std::uint8_t>(lane);
    }
    most = std::max<std::uint32_t>(most, ++alike[same]);
  }
  return most;
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
