/// @file
/// See exchange.hpp.
#include "simgpu/observe/exchange.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "simgpu/observe/coalescing.hpp"

namespace simgpu::observe {
namespace {

constexpr std::uint64_t kFewBlocks = 64;  ///< a launch of so many is watched whole
constexpr unsigned kOneIn = 16;           ///< of others one block in so many

bool drawn(std::uint64_t block) {
  return ((block + 1) * 0x9e3779b97f4a7c15ull >> 32) % kOneIn == 0;
}

}  // namespace

void Exchange::launch_begin(const LaunchInfo& info) {
  sms_ = std::max(1u, info.sm_count);
  all_ = info.grid.count() <= kFewBlocks;
  loaded_ = exchanged_ = ended_ = least_taken_ = 0;
  for (Words& words : places_) words.watched = false;
}

void Exchange::block_begin(const WarpId& block) {
  const std::size_t index = std::size_t{block.slot} * sms_ + block.sm;
  const bool watched = all_ || drawn(block.block_linear);
  if (index >= places_.size()) {
    if (!watched) return;
    places_.resize(index + 1);
  }
  places_[index].watched = watched;
  if (!watched) return;
  Words& words = places_[index];
  std::fill(words.writers.begin(), words.writers.end(), kNobody);
  std::fill(words.takers.begin(), words.takers.end(), 0u);
  words.readers.clear();
  words.taken = 0;
  words.elsewhere = false;
}

void Exchange::block_end(const WarpId& block) {
  Words* const words = words_of(block);
  if (words == nullptr) return;
  words->watched = false;
  least_taken_ = ended_ == 0 ? words->taken : std::min(least_taken_, words->taken);
  ++ended_;
}

void Exchange::launch_end(Counters& counters) const {
  counters.shared_watched_bytes = loaded_;
  counters.shared_exchanged_bytes = exchanged_;
  counters.least_shared_taken_bytes = least_taken_;
}

std::uint16_t& Exchange::writer_of(Words& words, std::uint64_t word) {
  if (word >= words.writers.size()) {
    words.writers.resize(word + 1, kNobody);
    words.takers.resize(word + 1, 0);
  }
  return words.writers[word];
}

std::uint32_t Exchange::bit_of(Words& words, std::uint64_t block) {
  auto found = std::find(words.readers.begin(), words.readers.end(), block);
  if (found == words.readers.end()) found = words.readers.insert(words.readers.end(), block);
  return 1u << ((found - words.readers.begin()) & 31);  // a cluster has 16 blocks at most
}

// Accesses to whole words in the block's own memory: nearly all. What has come from elsewhere is left to watched(), which looks
// at every word for itself and takes ten times as long; of a tiled product it was an eighth of the whole launch.
void Exchange::watched_words(const Access& a, Words& words) {
  const std::uint64_t* const at = a.address;
  std::uint64_t bits = 0;  // no less than the highest address
  if (a.mask == ~0u)
    for (std::uint32_t lane = 0; lane < 32; ++lane) bits |= at[lane];
  else
    for (std::uint32_t left = a.mask; left != 0; left &= left - 1) bits |= at[std::countr_zero(left)];
  writer_of(words, (bits + a.bytes - 1) / 4);  // makes room
  std::uint16_t* const writers = words.writers.data();
  const std::uint32_t count = a.bytes / 4;
  const auto first_thread = static_cast<std::uint16_t>(a.warp->warp * 32);
  if (a.kind == AccessKind::store) {
    for (std::uint32_t left = a.mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
      const std::uint64_t word = at[lane] / 4;
      std::fill_n(writers + word, count, static_cast<std::uint16_t>(first_thread + lane));
      std::fill_n(words.takers.data() + word, count, 0u);
    }
    return;
  }
  std::uint32_t given = 0;
  const auto comes_from_others = [&](std::uint32_t lane, std::uint64_t word) {
    const std::uint32_t writer = writers[word];
    return static_cast<std::uint32_t>(writer != kNobody) &
           static_cast<std::uint32_t>(writer != first_thread + lane);
  };
  if (a.kind != AccessKind::load) {  // atomics: one lane after the other
    for (std::uint32_t left = a.mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
      std::uint32_t others = 0;
      for (std::uint64_t word = at[lane] / 4; word < at[lane] / 4 + count; ++word) {
        others |= comes_from_others(lane, word);
        writers[word] = static_cast<std::uint16_t>(first_thread + lane);
        words.takers[word] = 0;
      }
      given += others;
    }
  } else if (count == 1 && a.mask == ~0u) {
    std::array<std::uint16_t, 32>
        from;  // first all, then what it means: the compiler does that for eight lanes at a time
    for (std::uint32_t lane = 0; lane < 32; ++lane) from[lane] = writers[at[lane] / 4];
    std::uint16_t others = 0;
    for (std::uint16_t lane = 0; lane < 32; ++lane) {
      const auto me = static_cast<std::uint16_t>(first_thread + lane);
      others = static_cast<std::uint16_t>(others + (static_cast<std::uint32_t>(from[lane] != kNobody) &
                                                    static_cast<std::uint32_t>(from[lane] != me)));
    }
    given = others;
  } else {
    for (std::uint32_t left = a.mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
      std::uint32_t others = 0;
      for (std::uint32_t word = 0; word < count; ++word)
        others |= comes_from_others(lane, at[lane] / 4 + word);
      given += others;
    }
  }
  loaded_ += std::uint64_t{count_lanes(a.mask)} * a.bytes;
  exchanged_ += std::uint64_t{given} * a.bytes;
}

void Exchange::watched(const Access& a, Words& words) {
  if (a.owner == nullptr && a.bytes >= 4 && !words.elsewhere) return watched_words(a, words);
  const bool loads = a.kind != AccessKind::store, stores = a.kind != AccessKind::load;
  const std::uint64_t* const at = a.address;
  Words* const reader = loads ? words_of(*a.warp) : nullptr;
  const std::uint32_t bit = reader != nullptr ? bit_of(words, a.warp->block_linear) : 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    if ((a.mask >> lane & 1u) == 0) continue;
    if (a.owner != nullptr) words.elsewhere = true;
    const auto me = a.owner != nullptr ? kElsewhere : static_cast<std::uint16_t>(a.warp->warp * 32 + lane);
    const std::uint64_t first = at[lane] / 4, last = (at[lane] + a.bytes - 1) / 4;
    if (loads) loaded_ += a.bytes;
    bool from_others = false;
    for (std::uint64_t word = first; word <= last; ++word) {
      std::uint16_t& writer = writer_of(words, word);
      from_others |= writer != kNobody && writer != me;
      if (reader != nullptr && (writer == kElsewhere || (reader != &words && writer != kNobody)) &&
          (words.takers[word] & bit) == 0) {
        words.takers[word] |= bit;
        reader->taken += std::min<std::uint64_t>(4, a.bytes);
      }
      if (stores) writer = me, words.takers[word] = 0;
    }
    if (loads && from_others) exchanged_ += a.bytes;
  }
}

void Exchange::filled(const WarpId& owner, std::uint32_t offset, std::uint32_t bytes) {
  Words* words = words_of(owner);
  if (words == nullptr || bytes == 0) return;
  words->elsewhere = true;
  const std::uint64_t last = (std::uint64_t{offset} + bytes - 1) / 4;
  writer_of(*words, last);
  std::fill(words->writers.begin() + offset / 4,
            words->writers.begin() + static_cast<std::ptrdiff_t>(last + 1), kElsewhere);
  std::fill(words->takers.begin() + offset / 4, words->takers.begin() + static_cast<std::ptrdiff_t>(last + 1),
            0u);
}

}  // namespace simgpu::observe
