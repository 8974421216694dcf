/// @file
/// What an exercise's test file includes: everything to describe the exercise, and the macro that makes it two tests.
///
/// @code
/// COURSE_EXERCISE(block_reduction) {
///   return {
///       .asks = sum,                       // course::problem sum(const course::shape&[, const course::facts&])
///       .size_names = {"n"},
///       .cases = join(around(256), {{0}, {1}, {1009}}),
///       .hidden = [](course::random_source& draw) { return course::shape{draw.between(2'000'000, 3'000'000)}; },
///       .benchmarks = {{.on_sim = {6'000'004}, .on_gpu = [](std::size_t bytes) { return course::shape{bytes / 4 + 5}; }}},
///       .gates = {pass(at_least(0.45)), limit(at_least(0.85)), idea(metrics::global_atomics_per_block, at_most(1))},
///   };
/// }
/// @endcode
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "judge/gates.hpp"
#include "judge/problem.hpp"

namespace course {

/// The problem at a size, on a device. Must give the same buffers, in the same order, for every size.
class describer {
 public:
  describer() = default;
  template <class F>
  requires std::is_invocable_r_v<problem, F, const shape&, const facts&> ||
      std::is_invocable_r_v<problem, F, const shape&>
      describer(F describe) {  // NOLINT(google-explicit-constructor): reads `.asks = sum`
    if constexpr (std::is_invocable_v<F, const shape&, const facts&>) {
      describe_ = std::move(describe);
    } else {
      describe_ = [describe = std::move(describe)](const shape& sizes, const facts&) {
        return describe(sizes);
      };
    }
  }
  problem operator()(const shape& sizes, const facts& device) const { return describe_(sizes, device); }
  explicit operator bool() const { return static_cast<bool>(describe_); }

 private:
  std::function<problem(const shape&, const facts&)> describe_;
};

/// Draws sizes from a run's seed.
class random_source {
 public:
  explicit random_source(std::uint64_t seed) : state_(seed) {}
  /// @return a number from @p least to @p most, both included.
  std::size_t between(std::size_t least, std::size_t most) {
    state_ = mix(state_);
    return least + state_ % (most - least + 1);
  }

 private:
  std::uint64_t state_;
};

/// Sizes around a tile: 0 and 1, a warp's edge, one below, at and above @p tile and twice that.
std::vector<shape> around(std::size_t tile);
/// Lists one after the other, each shape once.
std::vector<shape> join(std::vector<shape> first, const std::vector<shape>& second);

/// A second function, or a second kind of data, of the same exercise, with cases of its own.
struct part {
  std::string name = {};  ///< for the sentence: "to_aos"
  describer asks = {};
  std::vector<shape> cases = {};
  std::function<shape(random_source&)> drawn = {}, hidden = {};  ///< see exercise
};

/// Which clock decides.
enum class clock_kind {
  events,      ///< the device's, between two events on the stream
  end_to_end,  ///< the judge's, from the call until every device is idle
};

/// What student and baseline are compared with.
enum class baseline_kind { reference, plain };

/// What no program can beat; a rate above it is not believed.
enum class roof_kind {
  dram,  ///< the theoretical bandwidth of device memory
  link,  ///< the host link, both directions
  none,  ///< stated nowhere
};

/// One thing that is timed or counted.
struct benchmark {
  std::string name = {};  ///< empty where there is only one
  describer asks = {};    ///< empty: the exercise's own
  shape on_sim =
      {};  ///< at least four times the simulated L2 (5 MiB) where it is about DRAM; below thirty million warp instructions
  std::function<shape(std::size_t bytes, const facts&)> on_gpu =
      {};  ///< the size that moves about @p bytes; never a multiple of a tile
  clock_kind clock = clock_kind::events;
  baseline_kind baseline = baseline_kind::reference;
  roof_kind roof = roof_kind::dram;
  /// False where the modelled clock cannot judge yet: on the simulated GPU counters alone decide, and the result says so.
  bool modelled_time_decides = true;
  /// Where it does not decide: a kernel below this share of a pass gate is too_slow on the simulated GPU, too.
  double modelled_time_refuses = 0.2;
};

/// One exercise, as its test describes it.
struct exercise {
  describer asks = {};
  /// What the numbers of a shape are called: {"rows", "cols"}.
  std::vector<std::string> size_names = {};
  /// Sizes at which results are checked, in this order; the first one that fails decides. Each below two million warp instructions.
  std::vector<shape> cases = {};
  /// Further parts, checked after the first.
  std::vector<part> also = {};
  /// Draws one more case from the seed; asked three times.
  std::function<shape(random_source&)> drawn = {};
  /// Draws the case of a few million elements with all checks on; below eight million warp instructions.
  std::function<shape(random_source&)> hidden = {};
  std::vector<benchmark> benchmarks = {};
  std::vector<gate> gates = {};
  /// True where a library's kernel may do the loading (CUB, Thrust); otherwise lines of the hand-in must ask for 0.9 of the bytes.
  bool libraries_welcome = false;
  /// Lets the worker measure the host link before student code loads: facts::link_bytes_per_second.
  bool measures_link = false;
};

/// Makes an exercise GoogleTest's tests `name.correctness`, `name.bandwidth` and `name.description`. The first two run the cases or the
/// gates, print the verdict, write the result file and fail or skip unless it is `pass`; the third prints the exercise's
/// description as JSON (schema course.exercise/1). GoogleTest's header is not read here: that took longer than all else in a test file.
/// @param name       the suite's name
/// @param exercise_of called by each test when it runs
/// @param test_file  the exercise's test: chapter and exercise are the names of the folders above it
/// @param line       in test_file, for GoogleTest
/// @return true, to initialise what calls this before main
bool add_tests(const char* name, exercise (*exercise_of)(), const char* test_file, int line);

}  // namespace course

/// Defines the tests `name.correctness`, `name.bandwidth` and `name.description` from a function body that returns a course::exercise.
#define COURSE_EXERCISE(name)                                                 \
  static ::course::exercise course_describe_##name();                         \
  [[maybe_unused]] static const bool course_added_##name =                    \
      ::course::add_tests(#name, course_describe_##name, __FILE__, __LINE__); \
  static ::course::exercise course_describe_##name()
