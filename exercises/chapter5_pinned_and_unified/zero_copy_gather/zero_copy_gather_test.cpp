/// @file
/// How zero_copy_gather is graded: numbers of a table in the hand-in's own host memory, picked by a kernel. Few of them, where reading
/// in place is right, and half of them, where it is not.
#include "zero_copy_gather.cuh"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "judge/device_report.hpp"
#include "judge/exercise.hpp"

namespace {

using course::shape;

// Planned, not yet measured on a card. With one in a thousand wanted, copying everything first is computed to reach 0.02 of the
// reference's speed on an H200 (4.88 ms for the table against 67 thousand reads at 0.74e9 a second).
constexpr double kPass = 0.85, kLimit = 0.95;

constexpr std::size_t kSparse = 1000, kDense = 2;  // one of so many is wanted

// A float that is read in place brings its sector of 32 bytes. Four times that leaves room for a list that is sent along or sorted
// first. Fewer bytes than a sector for each, less 5 % for wanted floats that share one, were picked by somebody else than the kernel.
constexpr double kSector = 32, kFewest = 0.95 * kSector, kMost = 4 * kSector;

/// A table that kernels read where it lies: host memory behind the link, as large as the table at least. A small buffer there, filled
/// by the host, is none.
const course::metric kReadInPlace{
    "read_in_place",
    "share",
    course::origin::counters,
    course::scope::total,
    course::when_nothing::missed,
    "bytes that kernels load from mapped host memory that holds the table and is not locked anew in each "
    "call, over the "
    "bytes to be gathered",
    [](const course::evidence& seen) -> course::reading {
      double table = 0, loaded = 0, told = 0;
      for (const auto& one : seen.asked.buffers())
        if (one.options.place != course::place::device) table = static_cast<double>(one.bytes());
      for (const auto& launch : seen.report.launches()) {
        for (const auto& one : launch.buffers) {
          if (one.memory == "mapped" && one.bytes >= table) loaded += one.loaded_bytes;
          if (one.memory != "device") told += one.stored_bytes + one.atomic_lanes;
        }
      }
      course::reading found{.value = loaded / seen.asked.bytes_written(),
                            .cause = course::cause::off_the_idea};
      if (found.value == 0) found.sentence = "no kernel reads the table where it lies";
      if (told > 0) {  // the only way by which the host learns indices, copies down being refused
        found.value = 0;
        found.sentence =
            "a kernel writes to host memory: the device knows the indices, and the host is not told";
      }
      if (seen.report.calls_of("cudaHostRegister") > 0) {
        found.value = 0;
        found.sentence =
            "the table's pages are locked anew in each gather, which takes longer than copying them";
      }
      return found;
    }};

/// Index k of @p count into @p n numbers: each stretch of n / count gives one, and neighbours of a warp want distant stretches. The last
/// number is wanted too. Drawn freely where more are wanted than there are.
course::values indices(std::size_t n, std::size_t count) {
  return course::values_of([n, count](std::uint64_t k, std::uint64_t random) -> double {
    constexpr std::uint64_t prime = 7'368'787;  // shuffles the stretches, unless it divides their number
    if (k == count / 2) return static_cast<double>(n - 1);
    if (count > n) return static_cast<double>(random % n);
    const std::uint64_t stretch = n / count, of = count % prime == 0 ? k : k * prime % count;
    return static_cast<double>(of * stretch + random % stretch);
  });
}

/// @param again a second gather, of the same indices, after every number of the table has changed its sign.
course::problem gathered_from(const shape& sizes, bool again) {
  const std::size_t n = sizes[0], count = sizes[1];
  course::problem p;
  const auto memory = p.before(COURSE_FUNCTION(zero_copy_gather_alloc), n);
  const auto host = p.input<float>(
      "host", n,
      {.filled_with = course::distinct, .alignment = alignof(float), .place = course::place::pageable});
  p.lies_at(host, memory);
  const auto wanted = p.input<std::uint32_t>("wanted", count, {.filled_with = indices(n, count)});
  const auto expect = [&](const course::output_handle<float>& found, float sign) {
    const auto expected = [host, wanted, sign](const course::host_inputs& inputs, std::size_t k) {
      return sign * inputs[host][inputs[wanted][k]];
    };
    const auto affected = [wanted, count](std::size_t buffer, std::size_t index) -> course::index_range {
      return buffer == wanted.index ? course::index_range{index, 1} : course::index_range{0, count};
    };
    p.expects(found, course::each_element(expected, affected), course::exact());
  };
  const auto found = p.output<float>("found", count);
  p.timed(COURSE_FUNCTION(zero_copy_gather_run), host, wanted, found, n, count, course::stream);
  expect(found, 1);
  if (again) {
    const auto second = p.output<float>("found_again", count);
    p.timed(COURSE_FUNCTION(zero_copy_gather_negate), memory, n, course::stream);
    p.timed(COURSE_FUNCTION(zero_copy_gather_run), host, wanted, second, n, count, course::stream);
    p.timed(COURSE_FUNCTION(zero_copy_gather_negate), memory, n, course::stream);
    expect(second, -1);
  }
  p.after(COURSE_FUNCTION(zero_copy_gather_free), memory);
  p.before_launches_no_kernel();
  p.teardown_frees_all();
  // An index and a number each.
  const auto all = static_cast<double>(count * (again ? 2 : 1));
  p.work({.read = all * (sizeof(std::uint32_t) + sizeof(float)), .written = all * sizeof(float)});
  p.amount(all, "numbers");
  return p;
}

course::problem gathered(const shape& sizes) {
  return gathered_from(sizes, false);
}
course::problem gathered_twice(const shape& sizes) {
  return gathered_from(sizes, true);
}

// Locking more takes longer than all runs together; 256 MB and 64 MB.
constexpr std::size_t kMostSparse = 64u << 20, kMostDense = 16u << 20;  // floats

shape sparse_on_gpu(std::size_t bytes, const course::facts&) {
  const std::size_t n = std::min(bytes / sizeof(float), kMostSparse) + 5;
  return {n, n / kSparse};
}
shape dense_on_gpu(std::size_t bytes, const course::facts&) {
  const std::size_t n = std::min(bytes / (2 * sizeof(float)), kMostDense) + 5;
  return {n, n / kDense};
}

}  // namespace

COURSE_EXERCISE(zero_copy_gather) {
  using course::at_least, course::between, course::idea;
  return {
      .asks = gathered,
      .size_names = {"n", "count"},
      // Nothing, one, all, more than all; then around a warp, a block and 64 K, at ever other shares.
      .cases = {{1000, 1},
                {0, 0},
                {1, 1},
                {1, 0},
                {1, 7},
                {31, 33},
                {33, 31},
                {32, 32},
                {64, 3},
                {1009, 1000},
                {4099, 255},
                {4099, 256},
                {100'003, 257},
                {3, 1023},
                {262'147, 1025},
                {70'001, 4099},
                {524'287, 9'973},
                {65'537, 65'537},
                {250'007, 3'001}},
      .also = {{.name = "a second gather, after all numbers have changed",
                .asks = gathered_twice,
                .cases = {{1009, 33}, {1009, 600}, {100'003, 70'001}}}},
      .drawn =
          [](course::random_source& draw) {
            const std::size_t n = draw.between(2, 200'000);
            return shape{n, draw.between(1, 20'000)};
          },
      .hidden =
          [](course::random_source& draw) {
            const std::size_t n = draw.between(2'500'000, 3'500'000);
            return shape{n, draw.between(70'000, 90'000)};
          },
      .benchmarks = {{.name = "one in a thousand",
                      .on_sim = {4'000'003, 4'000'003 / kSparse},
                      .on_gpu = sparse_on_gpu,
                      .clock = course::clock_kind::end_to_end,
                      .roof = course::roof_kind::none},
                     {.name = "every second one",
                      .on_sim = {1'000'003, 1'000'003 / kDense},
                      .on_gpu = dense_on_gpu,
                      .clock = course::clock_kind::end_to_end,
                      .roof = course::roof_kind::none}},
      .gates = {course::pass(at_least(kPass)), course::limit(at_least(kLimit)),
                idea(course::metrics::link_bytes_per_output, between(kFewest, kMost),
                     "a kernel can read the few that it wants where they lie; each brings its sector of 32 "
                     "bytes, and the "
                     "rest of the table stays")
                    .of("one in a thousand"),
                idea(kReadInPlace, at_least(0.95),
                     "let the kernel pick the numbers: host memory that is page-locked and mapped has an "
                     "address for it")
                    .of("one in a thousand")},
  };
}
