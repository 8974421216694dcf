/// @file
/// How particle_step is graded: particles go in as records, are moved step by step, and come out as records. Only a step is timed.
#include "particle_step.cuh"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "judge/exercise.hpp"

COURSE_RECORD(particle, COURSE_FIELD(particle, x), COURSE_FIELD(particle, y), COURSE_FIELD(particle, z),
              COURSE_FIELD(particle, vx), COURSE_FIELD(particle, vy), COURSE_FIELD(particle, vz));

namespace {

using course::shape;

constexpr std::size_t kAlignment = 128;  // bytes, of both arrays of records
constexpr std::size_t kFields = 6;
constexpr std::size_t kReadAStep = 24, kWrittenAStep = 12;  // bytes of a particle

// Numbers for which x + vx dt is exact, fused or not, for some steps: positions are multiples of 2^-6 below 2^11, velocities
// multiples of 2^-8 below 2^5, and a step is a multiple of 2^-4 below 1. So each sum is a multiple of 2^-12 below 2^12: 24 bits.
double whole_below(double most, std::uint64_t random) {
  const double magnitude = std::floor(static_cast<double>(random >> 11) * 0x1p-53 * (most - 1)) + 1;
  return (random & 1) != 0 ? magnitude : -magnitude;
}
double exact_field(std::uint64_t position, std::uint64_t random) {
  return position % kFields < kFields / 2 ? 0x1p-6 * whole_below(0x1p17, random)
                                          : 0x1p-8 * whole_below(0x1p13, random);
}
double exact_step(std::uint64_t, std::uint64_t random) {
  return 0x1p-4 * whole_below(0x1p4, random);
}

using records_in = course::input_handle<particle>;
using step_in = course::input_handle<float>;

/// A problem under construction, with what all parts have in common.
struct scene {
  explicit scene(const shape& sizes) : n(sizes[0]) {}

  std::size_t n;
  bool extremes = false;
  course::problem p = {};

  records_in batch(const char* name) {
    return p.input<particle>(name, n,
                             {.filled_with = extremes ? course::extremes : course::values_of(exact_field),
                              .alignment = kAlignment});
  }
  step_in step(const char* name) {
    return p.input<float>(name, 1,
                          {.filled_with = extremes ? course::uniform : course::values_of(exact_step),
                           .place = course::place::pageable});
  }
  course::output_handle<particle> room(const char* name) {
    return p.output<particle>(name, n, {.alignment = kAlignment});
  }

  // What @p from has become after @p steps.
  void expect(const course::output_handle<particle>& out, records_in from,
              const std::vector<step_in>& steps) {
    const auto moved = [=](const course::host_inputs& inputs, std::size_t i) {
      particle now = inputs[from][i];
      for (const auto& step : steps) {
        const double dt = inputs[step][0];
        now.x = static_cast<float>(now.x + now.vx * dt);
        now.y = static_cast<float>(now.y + now.vy * dt);
        now.z = static_cast<float>(now.z + now.vz * dt);
      }
      return now;
    };
    // A step shows in all particles; some of them are enough to look at.
    const auto affected = [from, count = n](std::size_t buffer, std::size_t index) -> course::index_range {
      return buffer == from.index ? course::index_range{index, 1}
                                  : course::index_range{0, std::min<std::size_t>(count, 1000)};
    };
    const auto rounding = [=](const course::host_inputs& inputs, std::size_t i) {
      const particle& was = inputs[from][i];
      double most = 0;
      for (const auto& [at, speed] :
           {std::pair{was.x, was.vx}, std::pair{was.y, was.vy}, std::pair{was.z, was.vz}}) {
        double magnitude = std::abs(static_cast<double>(at));
        for (const auto& step : steps)
          magnitude += std::abs(static_cast<double>(speed) * static_cast<double>(inputs[step][0]));
        most = std::max(most, magnitude);
      }
      return 0x1p-22 * most * static_cast<double>(steps.size());
    };
    p.expects(out, course::each_element(moved, affected),
              extremes ? course::within(rounding) : course::exact());
  }

  course::problem finished(std::size_t timed_steps) {
    const auto moved = static_cast<double>(n * timed_steps);
    p.work({.read = kReadAStep * moved, .written = kWrittenAStep * moved});
    p.teardown_frees_all();
    return std::move(p);
  }
};

course::problem one_step(const shape& sizes, bool extremes) {
  scene s(sizes);
  s.extremes = extremes;
  const auto n = s.n;
  const auto particles = s.batch("particles");
  const auto dt = s.step("dt");
  const auto out = s.room("out");
  const auto state = s.p.before(COURSE_FUNCTION(particle_step_setup), n);
  s.p.before(COURSE_FUNCTION(particle_step_load), state, particles, n, course::stream);
  s.p.timed(COURSE_FUNCTION(particle_step_run), state, dt, n, course::stream);
  s.p.after(COURSE_FUNCTION(particle_step_store), state, out, n, course::stream);
  s.p.after(COURSE_FUNCTION(particle_step_teardown), state);
  s.expect(out, particles, {dt});
  return s.finished(1);
}
course::problem ordinary_step(const shape& sizes) {
  return one_step(sizes, false);
}
course::problem extreme_step(const shape& sizes) {
  return one_step(sizes, true);
}

course::problem several_steps(const shape& sizes) {
  scene s(sizes);
  const auto n = s.n;
  const auto particles = s.batch("particles");
  const std::array dts = {s.step("dt of step 1"), s.step("dt of step 2"), s.step("dt of step 3")};
  const auto out = s.room("out");
  const auto state = s.p.before(COURSE_FUNCTION(particle_step_setup), n);
  s.p.before(COURSE_FUNCTION(particle_step_load), state, particles, n, course::stream);
  for (const auto& dt : dts) s.p.timed(COURSE_FUNCTION(particle_step_run), state, dt, n, course::stream);
  s.p.after(COURSE_FUNCTION(particle_step_store), state, out, n, course::stream);
  s.p.after(COURSE_FUNCTION(particle_step_teardown), state);
  s.expect(out, particles, {dts.begin(), dts.end()});
  return s.finished(dts.size());
}

// Stored in between, moved on, and another batch into the same state.
course::problem two_batches(const shape& sizes) {
  scene s(sizes);
  const auto n = s.n;
  const auto first = s.batch("first batch"), second = s.batch("second batch");
  const auto dt1 = s.step("dt of step 1"), dt2 = s.step("dt of step 2"), dt3 = s.step("dt of step 3");
  const auto between = s.room("out after step 1"), moved_on = s.room("out after step 2"),
             out = s.room("out of the second batch");
  const auto state = s.p.before(COURSE_FUNCTION(particle_step_setup), n);
  s.p.before(COURSE_FUNCTION(particle_step_load), state, first, n, course::stream);
  s.p.before(COURSE_FUNCTION(particle_step_run), state, dt1, n, course::stream);
  s.p.before(COURSE_FUNCTION(particle_step_store), state, between, n, course::stream);
  s.p.before(COURSE_FUNCTION(particle_step_run), state, dt2, n, course::stream);
  s.p.before(COURSE_FUNCTION(particle_step_store), state, moved_on, n, course::stream);
  s.p.before(COURSE_FUNCTION(particle_step_load), state, second, n, course::stream);
  s.p.timed(COURSE_FUNCTION(particle_step_run), state, dt3, n, course::stream);
  s.p.after(COURSE_FUNCTION(particle_step_store), state, out, n, course::stream);
  s.p.after(COURSE_FUNCTION(particle_step_teardown), state);
  s.expect(between, first, {dt1});
  s.expect(moved_on, first, {dt1, dt2});
  s.expect(out, second, {dt3});
  return s.finished(1);
}

// The records' memory gets other contents once load's work is done, as the contract allows.
course::problem overwritten(const shape& sizes) {
  scene s(sizes);
  const auto n = s.n;
  const auto particles = s.batch("particles");
  const auto dt = s.step("dt");
  const auto out = s.room("out");
  const auto state = s.p.before(COURSE_FUNCTION(particle_step_setup), n);
  s.p.before(COURSE_FUNCTION(particle_step_load), state, particles, n, course::stream);
  s.p.spoils(particles);
  s.p.timed(COURSE_FUNCTION(particle_step_run), state, dt, n, course::stream);
  s.p.after(COURSE_FUNCTION(particle_step_store), state, out, n, course::stream);
  s.p.after(COURSE_FUNCTION(particle_step_teardown), state);
  s.expect(out, particles, {dt});
  return s.finished(1);
}

course::problem two_states(const shape& sizes) {
  scene s(sizes);
  const auto n = s.n;
  const auto here = s.batch("particles of state 1"), there = s.batch("particles of state 2");
  const auto dt1 = s.step("dt of state 1"), dt2 = s.step("dt of state 2");
  const auto out1 = s.room("out of state 1"), out2 = s.room("out of state 2");
  const auto one = s.p.before(COURSE_FUNCTION(particle_step_setup), n);
  const auto two = s.p.before(COURSE_FUNCTION(particle_step_setup), n);
  s.p.before(COURSE_FUNCTION(particle_step_load), one, here, n, course::stream);
  s.p.before(COURSE_FUNCTION(particle_step_load), two, there, n, course::stream);
  s.p.timed(COURSE_FUNCTION(particle_step_run), one, dt1, n, course::stream);
  s.p.timed(COURSE_FUNCTION(particle_step_run), two, dt2, n, course::stream);
  s.p.after(COURSE_FUNCTION(particle_step_store), one, out1, n, course::stream);
  s.p.after(COURSE_FUNCTION(particle_step_store), two, out2, n, course::stream);
  s.p.after(COURSE_FUNCTION(particle_step_teardown), one);
  s.p.after(COURSE_FUNCTION(particle_step_teardown), two);
  s.expect(out1, here, {dt1});
  s.expect(out2, there, {dt2});
  return s.finished(2);
}

// Shares of the reference's speed on an H200 (stand-alone kernels): records 0.67, arrays in the order of the statements 0.835, all
// loads before the first store 1.0. Bytes over the memory bus, of 36 a particle: records 1.33, arrays 1.00.
constexpr double kPass = 0.75, kLimit = 0.95;
constexpr double kLeastSectorUse = 0.9;  // records 0.167
constexpr double kMostDramBytes = 1.15;
constexpr double kMostBytesAskedFor = 1.1;

}  // namespace

COURSE_EXERCISE(particle_step) {
  using namespace course;
  return {
      .asks = ordinary_step,
      .size_names = {"n"},
      .cases = join({{1009}}, join(around(256), {{4099}, {65'537}, {200'003}})),
      .also =
          {{.name = "several steps", .asks = several_steps, .cases = {{0}, {1}, {33}, {1000}, {5003}}},
           {.name = "two batches", .asks = two_batches, .cases = {{0}, {1}, {33}, {1000}, {5003}}},
           {.name = "two states at once", .asks = two_states, .cases = {{1}, {257}, {5003}}},
           {.name = "the records overwritten after loading", .asks = overwritten, .cases = {{33}, {5003}}},
           {.name = "zeros, huge and tiny values", .asks = extreme_step, .cases = {{33}, {1025}, {20'011}}}},
      .drawn = [](random_source& draw) { return shape{draw.between(2, 20'000)}; },
      .hidden = [](random_source& draw) { return shape{draw.between(300'000, 400'000)}; },
      .benchmarks = {{.on_sim = {1'200'045},
                      .on_gpu =
                          [](std::size_t bytes, const facts&) {
                            return shape{bytes / (kReadAStep + kWrittenAStep) / 256 * 256 + 77};
                          }}},
      .gates =
          {pass(at_least(kPass)), limit(at_least(kLimit)),
           idea(metrics::sector_use, at_least(kLeastSectorUse),
                "the fields that a step touches should lie side by side, particle beside particle: a layout "
                "of your own, made in load() and turned back in store()"),
           idea(metrics::dram_bytes, at_most(kMostDramBytes),
                "a sector goes back to memory whole: keep what a step changes apart from what it only "
                "reads"),
           idea(metrics::load_bytes, at_most(kMostBytesAskedFor),
                "a step needs six floats of each particle, and each of them once"),
           idea(metrics::store_bytes, at_most(kMostBytesAskedFor),
                "a step changes three floats of each particle: write only these")},
  };
}
