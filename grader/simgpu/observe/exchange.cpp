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
/// Of others one block in 16, or some 32 of them, but one in 64 at least. (Of a tiled product of 1024 blocks one in 16 took a sixth of the
/// launch.)
constexpr std::uint64_t kMostOften = 16, kLeastOften = 64, kEnough = 32;

}  // namespace

void Exchange::launch_begin(const LaunchInfo& info) {
  sms_ = std::max(1u, info.sm_count);
  const std::uint64_t blocks = info.grid.count();
  one_in_ = blocks <= kFewBlocks ? 1 : std::clamp(blocks / kEnough, kMostOften, kLeastOften);
  loaded_ = exchanged_ = ended_ = least_taken_ = 0;
  for (Words& words : places_) words.watched = false;
}

void Exchange::block_begin(const WarpId& block) {
  const std::size_t index = std::size_t{block.slot} * sms_ + block.sm;
  const bool watched = ((block.block_linear + 1) * 0x9e3779b97f4a7c15ull >> 32) % one_in_ == 0;
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
// at every word for itself and takes ten times as long; of a tiled product it was an eighth of the whole launch. Nobody elsewhere has
// taken any of these words.
void Exchange::watched_words(const Access& a, Words& words) {
  const std::uint32_t count = a.bytes / 4;
  const LaneAddresses::Lie lie = a.kind <= AccessKind::store ? a.address.lie() : LaneAddresses::Lie::anyhow;
  std::uint64_t given = 0;
  if (lie == LaneAddresses::Lie::side_by_side)
    given = count == 1   ? words_in_a_row<1>(a, words)
            : count == 2 ? words_in_a_row<2>(a, words)
            : count == 4 ? words_in_a_row<4>(a, words)
                         : any_words(a, words, count);
  else if (lie == LaneAddresses::Lie::together && count == 1)
    given = one_word(a, words);
  else if (count == 1 && a.kind == AccessKind::load && a.mask == ~0u)
    given = scattered_words(a, words);
  else if (count == 1)
    given = single_words(a, words);
  else
    given = any_words(a, words, count);
  if (a.kind == AccessKind::store) return;
  loaded_ += std::uint64_t{count_lanes(a.mask)} * a.bytes;
  exchanged_ += given * a.bytes;
}

// All lanes on one word.
std::uint32_t Exchange::one_word(const Access& a, Words& words) {
  const auto first_thread = static_cast<std::uint16_t>(a.warp->warp * 32);
  std::uint16_t& writer = writer_of(words, a.first() / 4);
  if (a.kind == AccessKind::store) {  // the last lane's stays
    writer =
        static_cast<std::uint16_t>(first_thread + 31 - static_cast<std::uint32_t>(std::countl_zero(a.mask)));
    return 0;
  }
  if (writer == kNobody) return 0;
  const std::uint32_t lane = std::uint32_t{writer} - first_thread;
  return count_lanes(a.mask) - (lane < 32 ? a.mask >> lane & 1 : 0);
}

// Words of 32 lanes, side by side. @tparam count of each lane
template <std::uint32_t count>
std::uint32_t Exchange::words_in_a_row(const Access& a, Words& words) {
  const std::uint64_t first = a.first() / 4;
  writer_of(words, first + 32 * count - 1);  // makes room
  return row<count>(words.writers.data() + first, static_cast<std::uint16_t>(a.warp->warp * 32),
                    a.kind == AccessKind::store);
}

// First all words, then what they mean for a lane: the compiler does that for eight at a time.
template <std::uint32_t count>
std::uint32_t Exchange::row(std::uint16_t* writers, std::uint16_t first_thread, bool stores) {
  constexpr std::uint32_t kWords = 32 * count;
  std::array<std::uint16_t, kWords> me;
  for (std::uint32_t n = 0; n < kWords; ++n) me[n] = static_cast<std::uint16_t>(first_thread + n / count);
  if (stores) {
    std::copy(me.begin(), me.end(), writers);
    return 0;
  }
  alignas(16) std::array<std::uint16_t, kWords> others;
  for (std::uint32_t n = 0; n < kWords; ++n)
    others[n] = static_cast<std::uint16_t>(static_cast<std::uint32_t>(writers[n] != kNobody) &
                                           static_cast<std::uint32_t>(writers[n] != me[n]));
  std::uint16_t lanes = 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    std::uint16_t any = 0;
    for (std::uint32_t k = 0; k < count; ++k) any |= others[lane * count + k];
    lanes = static_cast<std::uint16_t>(lanes + any);
  }
  return lanes;
}

// A word for each of 32 lanes, loaded.
std::uint32_t Exchange::scattered_words(const Access& a, Words& words) {
  const std::uint64_t* const at = a.address;
  std::uint64_t bits = 0;  // no less than the highest address
  for (std::uint32_t lane = 0; lane < 32; ++lane) bits |= at[lane];
  writer_of(words, bits / 4);
  std::array<std::uint16_t, 32> from;
  for (std::uint32_t lane = 0; lane < 32; ++lane) from[lane] = words.writers[at[lane] / 4];
  return row<1>(from.data(), static_cast<std::uint16_t>(a.warp->warp * 32), false);
}

// A word of each lane, of any kind, one lane after the other.
std::uint32_t Exchange::single_words(const Access& a, Words& words) {
  const std::uint64_t* const at = a.address;
  std::uint64_t bits = 0;
  for (std::uint32_t left = a.mask; left != 0; left &= left - 1) bits |= at[std::countr_zero(left)];
  writer_of(words, bits / 4);
  std::uint16_t* const writers = words.writers.data();
  const bool loads = a.kind != AccessKind::store, stores = a.kind != AccessKind::load;
  const auto first_thread = a.warp->warp * 32;
  std::uint32_t given = 0;
  for (std::uint32_t left = a.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    const auto me = static_cast<std::uint16_t>(first_thread + lane);
    std::uint16_t& writer = writers[at[lane] / 4];
    given += static_cast<std::uint32_t>(writer != kNobody) & static_cast<std::uint32_t>(writer != me);
    if (stores) writer = me;
  }
  return loads ? given : 0;
}

// Any kind and width, one lane after the other. @param count words of each lane
std::uint32_t Exchange::any_words(const Access& a, Words& words, std::uint32_t count) {
  const std::uint64_t* const at = a.address;
  std::uint64_t bits = 0;
  for (std::uint32_t left = a.mask; left != 0; left &= left - 1) bits |= at[std::countr_zero(left)];
  writer_of(words, (bits + a.bytes - 1) / 4);
  const bool loads = a.kind != AccessKind::store, stores = a.kind != AccessKind::load;
  const auto first_thread = static_cast<std::uint16_t>(a.warp->warp * 32);
  std::uint32_t given = 0;
  for (std::uint32_t left = a.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    const auto me = static_cast<std::uint16_t>(first_thread + lane);
    std::uint16_t* const writers = words.writers.data() + at[lane] / 4;
    std::uint32_t others = 0;
    for (std::uint32_t word = 0; word < count; ++word) {
      others |= static_cast<std::uint32_t>(writers[word] != kNobody) &
                static_cast<std::uint32_t>(writers[word] != me);
      if (stores) writers[word] = me;
    }
    given += loads ? others : 0;
  }
  return given;
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
