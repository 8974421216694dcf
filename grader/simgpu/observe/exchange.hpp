/// @file
/// Which bytes of shared memory change hands: loaded by another thread than the one that stored them. A value that only rests in shared
/// memory until its own thread takes it back has been shared with nobody. And how many different bytes a block takes that the copy engine or
/// another block brought: a tile that comes to many blocks, of which each uses a part over and over, need not have come. A part of Traffic. Watched in some blocks only, drawn by their
/// number: whole launches would cost every shared access a look at each lane.
#pragma once

#include <cstdint>
#include <vector>

#include "simgpu/observe/counters.hpp"
#include "simgpu/observe/observer.hpp"

namespace simgpu::observe {

/// Collects over one launch; launch_end() writes the counters.
class Exchange {
 public:
  void launch_begin(const LaunchInfo& info);
  void block_begin(const WarpId& block);
  void block_end(const WarpId& block);
  void launch_end(Counters& counters) const;

  /// What is noted of the shared memory of one block.
  struct Words {
    bool watched = false;
    bool elsewhere = false;              // some word was written by kElsewhere since the block began
    std::vector<std::uint16_t> writers;  // thread of the block, by word of 4 bytes
    std::vector<std::uint32_t>
        takers;  // blocks that have loaded the word since it was stored: bit r for readers[r]
    std::vector<std::uint64_t>
        readers;              // numbers of the blocks that load from this one's memory, itself included
    std::uint64_t taken = 0;  // bytes brought here or to a neighbour, by the first loads of this block
  };
  /// Of @p warp's block, until a block begins or ends; nullptr: it is not watched.
  Words* words_of(const WarpId& warp) {
    const std::size_t index = std::size_t{warp.slot} * sms_ + warp.sm;
    return index < places_.size() && places_[index].watched ? &places_[index] : nullptr;
  }
  /// An access to shared memory.
  void access(const Access& a) {
    if (a.warp == nullptr) return;
    Words* words = words_of(a.owner != nullptr ? *a.owner : *a.warp);
    if (words != nullptr) watched(a, *words);
  }
  /// The same, of a block that is watched.
  void watched(const Access& a, Words& words);
  /// The copy engine writes.
  void filled(const WarpId& owner, std::uint32_t offset, std::uint32_t bytes);

 private:
  static constexpr std::uint16_t kNobody = 0xffff, kElsewhere = 0xfffe;  // the copy engine, or another block
  void watched_words(const Access& a, Words& words);
  // Each returns how many lanes load what another thread has stored.
  static std::uint32_t one_word(const Access& a, Words& words);
  template <std::uint32_t count>
  static std::uint32_t words_in_a_row(const Access& a, Words& words);
  static std::uint32_t scattered_words(const Access& a, Words& words);
  static std::uint32_t single_words(const Access& a, Words& words);
  static std::uint32_t any_words(const Access& a, Words& words, std::uint32_t count);
  template <std::uint32_t count>
  static std::uint32_t row(std::uint16_t* writers, std::uint16_t first_thread, bool stores);
  static std::uint16_t& writer_of(Words& words, std::uint64_t word);
  static std::uint32_t bit_of(Words& words, std::uint64_t block);

  std::uint32_t sms_ = 1;
  std::uint64_t one_in_ = 1;  // of so many blocks one is watched
  std::vector<Words> places_;
  std::uint64_t loaded_ = 0, exchanged_ = 0;   // bytes, in watched blocks
  std::uint64_t ended_ = 0, least_taken_ = 0;  // watched blocks, and the fewest bytes that one of them took
};

}  // namespace simgpu::observe
