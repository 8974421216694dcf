/// @file
/// Thresholds, with their units. Three kinds: a *pass gate* is a share of the reference's speed and decides
/// `too_slow`; an *idea gate* is a count that the simulated GPU makes exactly and decides `wasteful`; a
/// *limit mark* is shown and recorded, never required.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace course {

class device_report;
class problem;

/// A count or a ratio of counts, from the simulated GPU's report.
struct metric {
  std::string_view unit;  ///< "sectors per ideal sector", ...
  double (*evaluate)(const device_report& report, const problem& asked);
};

/// How much of the reference's bandwidth a hand-in must reach.
struct fraction_of_reference {
  double value;  ///< 1 = as fast as the reference
};

/// At least this share of the reference's speed, in the same run: else `too_slow`.
struct pass_gate {
  fraction_of_reference at_least;
};

/// From this share on a result is "at the limit".
struct limit_mark {
  fraction_of_reference at_least;
};

/// At most this much of something countable: else `wasteful`.
struct idea_gate {
  std::string_view name;  ///< an identifier: "global_atomics_per_block"
  metric measures;
  double at_most;  ///< in the metric's unit
  std::string_view
      lesson;  ///< one sentence for who misses it; may be empty: the judge then only names the line
};

/// All gates of an exercise.
struct gate_set {
  pass_gate pass{{0}};
  limit_mark limit{{0}};
  std::vector<idea_gate> ideas;
};

/// A gate and what was measured, as result files hold it.
struct gate_result {
  std::string name, kind, relation, unit, note;
  double value = 0, threshold = 0;
  bool met = false, modelled = false;
};

/// Metrics for idea gates; names after what they count.
namespace metrics {

/// Threads that took part in a global atomic or reduction, over blocks launched.
extern const metric global_atomics_per_block;
/// Sectors that global loads move, over the sectors of the inputs read once.
extern const metric load_sectors_over_ideal;
/// Sectors that global loads and stores move beyond what the bytes asked for would fill side by side, over
/// requests.
extern const metric wasted_sectors_per_request;
/// Shared-memory wavefronts beyond the fewest that the access widths allow, over requests; loads and stores
/// apart, the larger.
extern const metric excess_wavefronts_per_request;
/// Bytes of local memory (spills, arrays indexed at run time), in sectors of 32.
extern const metric local_sectors;

}  // namespace metrics

}  // namespace course
