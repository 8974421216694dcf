/// @file
/// From pairs of samples to a ratio with an interval. Pure arithmetic, tested without a device.
///
/// Student and reference are measured in interleaved pairs (AB, BA, ...), because a card's clock drifts by
/// more than what is to be decided; pairs come in blocks with fresh allocations, because placement in memory
/// biases a whole block alike.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace course::statistics {

/// @return the middle value (mean of the two middle ones); 0 for none.
double median(std::vector<double> values);

/// Samples of one block: seconds of student and reference, pair by pair.
struct block {
  std::vector<double> student_seconds;
  std::vector<double> reference_seconds;
};

/// A share of the reference's speed with a 95 % interval.
struct estimate {
  double ratio = 0;  ///< reference seconds / student seconds
  double low = 0, high = 0;
  int pairs = 0, blocks = 0;
};

/// log(reference / student) of each pair, median over the block.
double log_ratio(const block& one);

/// The ratio over all blocks: mean of the blocks' medians; the interval is Student's t over blocks, widened
/// by a quarter because stopping early looks at it more than once. With one block the interval comes from
/// that block's quartiles.
estimate estimate_ratio(std::span<const block> blocks);

/// How the estimate lies to @p gate: true above, false below, nullopt when the interval holds it.
std::optional<bool> decide(const estimate& what, double gate);

/// The reference against itself: medians of its odd and its even samples, as a ratio. Far from 1 means an
/// unfit machine.
double self_ratio(std::span<const block> blocks);

}  // namespace course::statistics
