/// @file
/// See look_back.hpp.
#include "simgpu/observe/look_back.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace simgpu::observe {

void LookBack::launch_begin() {
  words_.clear();
  sites_.clear();
}

void LookBack::publish(std::uint64_t at, std::uint64_t block) {
  const auto known = words_.find(at);
  if (known == words_.end()) {
    if (words_.size() < kMostWords) words_.emplace(at, Word{block});
    return;
  }
  Word& word = known->second;
  if (!word.one_publisher || word.publisher == block) return;
  word.one_publisher = false;
  for (OfSite& s : sites_)
    if (s.site + 1 == word.looked_at_by) --s.looks.words;
}

void LookBack::access(const Access& a) {
  if (a.warp == nullptr) return;
  const std::uint64_t block = a.warp->block_linear;
  if (a.kind != AccessKind::load) {
    for (std::uint32_t rest = a.mask; rest != 0; rest &= rest - 1)
      publish(a.address[std::countr_zero(rest)], block);
    return;
  }
  if (words_.empty()) return;
  std::array<std::uint64_t, 32> seen;
  std::array<Word*, 32> looked;
  std::uint32_t others = 0, lanes = 0;
  std::uint64_t distance = 0;
  for (std::uint32_t rest = a.mask; rest != 0; rest &= rest - 1) {
    const auto known = words_.find(a.address[std::countr_zero(rest)]);
    if (known == words_.end()) continue;
    Word& word = known->second;
    if (word.publisher == block || !word.one_publisher) continue;
    looked[lanes++] = &word;
    distance += word.publisher < block ? block - word.publisher : word.publisher - block;
    if (std::find(seen.begin(), seen.begin() + others, word.publisher) == seen.begin() + others)
      seen[others++] = word.publisher;
  }
  if (others == 0 || distance > kFarthest * lanes) return;
  auto at = std::ranges::find(sites_, a.site->id, &OfSite::site);
  if (at == sites_.end()) at = sites_.insert(at, OfSite{a.site->id, ~std::uint64_t{0}, {}});
  ++at->looks.requests;
  for (std::uint32_t i = 0; i < lanes; ++i)
    if (std::exchange(looked[i]->looked_at_by, a.site->id + 1) != a.site->id + 1) ++at->looks.words;
  at->looks.most_blocks = std::max(at->looks.most_blocks, others);
  if (at->latest_block != block) ++at->looks.blocks;
  at->latest_block = block;
}

Looks LookBack::of(std::uint32_t site) const {
  const auto at = std::ranges::find(sites_, site, &OfSite::site);
  return at != sites_.end() ? at->looks : Looks{};
}

}  // namespace simgpu::observe
