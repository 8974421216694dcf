/// @file
/// See dominators.hpp. Immediate dominators by Cooper, Harvey and Kennedy: iterate to a fixed point in reverse post-order.
#include "simgpu/lower/dominators.hpp"

#include <algorithm>

#include "simgpu/lower/limits.hpp"

namespace simgpu::lower {
namespace {

/// Blocks that the entry reaches, each after those that follow it.
std::vector<std::uint32_t> post_order(const std::vector<std::vector<std::uint32_t>>& next) {
  std::vector<std::uint32_t> order;
  std::vector<std::uint8_t> seen(next.size());
  std::vector<std::pair<std::uint32_t, std::size_t>> stack;
  if (!next.empty()) stack.push_back({0, 0}), seen[0] = 1;
  while (!stack.empty()) {
    auto& [block, edge] = stack.back();
    if (edge < next[block].size()) {
      const std::uint32_t to = next[block][edge++];
      if (!seen[to]) seen[to] = 1, stack.push_back({to, 0});
    } else {
      order.push_back(block);
      stack.pop_back();
    }
  }
  return order;
}

}  // namespace

Dominators::Dominators(std::vector<std::vector<std::uint32_t>> next) : next_(std::move(next)) {
  const std::size_t n = next_.size();
  for (auto& list : next_) std::erase_if(list, [&](std::uint32_t to) { return to >= n; });
  before_.resize(n);
  for (std::uint32_t b = 0; b < n; ++b)
    for (const std::uint32_t to : next_[b]) before_[to].push_back(b);
  immediate_.assign(n, kNone);
  find_immediate(post_order(next_));
  // Without an answer in reasonable time, every block stands alone.
  if (steps_ > kMostFlowSteps) std::fill(immediate_.begin(), immediate_.end(), kNone);
  number_tree();
  find_loops();
}

void Dominators::find_immediate(const std::vector<std::uint32_t>& order) {
  if (order.empty()) return;
  std::vector<std::uint32_t> number(next_.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i;
  immediate_[0] = 0;
  for (bool changed = true; changed && steps_ <= kMostFlowSteps;) {
    changed = false;
    for (std::size_t i = order.size() - 1; i-- > 0;) {
      const std::uint32_t b = order[i];
      std::uint32_t best = kNone;
      for (const std::uint32_t p : before_[b]) {
        ++steps_;
        if (immediate_[p] == kNone) continue;
        if (best == kNone) {
          best = p;
          continue;
        }
        std::uint32_t x = best, y = p;
        while (x != y) {
          while (number[x] < number[y]) x = immediate_[x], ++steps_;
          while (number[y] < number[x]) y = immediate_[y], ++steps_;
        }
        best = x;
      }
      if (best != kNone && immediate_[b] != best) immediate_[b] = best, changed = true;
    }
  }
  immediate_[0] = kNone;
}

void Dominators::number_tree() {
  const std::size_t n = next_.size();
  children_.resize(n);
  enter_.assign(n, 0);
  leave_.assign(n, 0);
  for (std::uint32_t b = 0; b < n; ++b)
    if (immediate_[b] != kNone) children_[immediate_[b]].push_back(b);
  std::uint32_t at = 0;
  for (std::uint32_t root = 0; root < n; ++root) {
    if (immediate_[root] != kNone) continue;
    std::vector<std::pair<std::uint32_t, std::size_t>> stack{{root, 0}};
    enter_[root] = at++;
    while (!stack.empty()) {
      auto& [block, child] = stack.back();
      if (child < children_[block].size()) {
        const std::uint32_t to = children_[block][child++];
        enter_[to] = at++;
        stack.push_back({to, 0});
      } else {
        leave_[block] = at++;
        stack.pop_back();
      }
    }
  }
}

/// Natural loops: a jump back to a block that dominates it, and all that reaches the jump without that block.
void Dominators::find_loops() {
  const auto n = static_cast<std::uint32_t>(next_.size());
  loop_.assign(n, kNone);
  struct Loop {
    std::uint32_t header;
    std::vector<std::uint32_t> blocks;
  };
  std::vector<Loop> loops;
  std::vector<std::uint32_t> in(n, kNone);
  for (std::uint32_t header = 0; header < n && steps_ <= kMostFlowSteps; ++header) {
    std::vector<std::uint32_t> blocks;
    for (const std::uint32_t p : before_[header])
      if (dominates(header, p) && in[p] != header) in[p] = header, blocks.push_back(p);
    if (blocks.empty()) continue;
    if (in[header] != header) in[header] = header, blocks.push_back(header);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (blocks[i] == header) continue;
      for (const std::uint32_t p : before_[blocks[i]])
        if (++steps_; in[p] != header) in[p] = header, blocks.push_back(p);
    }
    loops.push_back({header, std::move(blocks)});
  }
  // The smallest that holds a block has the last word.
  std::stable_sort(loops.begin(), loops.end(),
                   [](const Loop& a, const Loop& b) { return a.blocks.size() > b.blocks.size(); });
  for (const Loop& loop : loops)
    for (const std::uint32_t b : loop.blocks) loop_[b] = loop.header;
}

}  // namespace simgpu::lower
