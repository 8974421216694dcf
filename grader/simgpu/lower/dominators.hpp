/// @file
/// Which blocks of a function run before which, whatever happens, and which loops they stand in.
#pragma once

#include <cstdint>
#include <vector>

namespace simgpu::lower {

/// Dominators of a function's blocks. Block 0 is the entry.
class Dominators {
 public:
  static constexpr std::uint32_t kNone = 0xFFFF'FFFFu;

  /// @param next successors of each block; those beyond the last block are left out.
  explicit Dominators(std::vector<std::vector<std::uint32_t>> next);

  /// The last block that every way to @p block goes through; kNone for the entry and for what is never reached.
  std::uint32_t immediate(std::uint32_t block) const { return immediate_[block]; }
  /// Blocks whose immediate dominator is @p block, in the text's order.
  const std::vector<std::uint32_t>& children(std::uint32_t block) const { return children_[block]; }
  const std::vector<std::uint32_t>& before(std::uint32_t block) const { return before_[block]; }
  bool dominates(std::uint32_t a, std::uint32_t b) const {
    return enter_[a] <= enter_[b] && leave_[b] <= leave_[a];
  }
  /// The first block of the innermost loop that @p block stands in; kNone: in none.
  std::uint32_t loop(std::uint32_t block) const { return loop_[block]; }

 private:
  void find_immediate(const std::vector<std::uint32_t>& order);
  void number_tree();
  void find_loops();

  std::vector<std::vector<std::uint32_t>> next_, before_, children_;
  std::vector<std::uint32_t> immediate_, enter_, leave_, loop_;
  std::size_t steps_ = 0;
};

}  // namespace simgpu::lower
