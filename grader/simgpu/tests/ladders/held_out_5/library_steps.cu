/// @file
/// What a library of device-wide steps does, its working room laid out beforehand: sums, running sums, sorts,
/// counts, choices, runs. Most programs that need one call it and write none of their own.
#include <cub/cub.cuh>

#include "held_out_5.hpp"

namespace held_out_5 {
namespace {

struct Odd {
  __device__ __forceinline__ bool operator()(unsigned w) const { return (w & 1) != 0; }
};

/// Room that a step asks for.
class Working {
 public:
  void* at = nullptr;
  std::size_t bytes = 0;

  explicit Working(const std::function<cudaError_t(void*, std::size_t&)>& step) : step_(step) {
    ladder::check(step_(nullptr, bytes), "working room");
    at = room<char>(bytes);
  }
  ~Working() { cudaFree(at); }
  void operator()() { ladder::check(step_(at, bytes), "step"); }

 private:
  std::function<cudaError_t(void*, std::size_t&)> step_;
};

}  // namespace

void library_steps(Set& s) {
  const std::size_t n = s.n;
  const int many = static_cast<int>(n / 8), some = static_cast<int>(n / 64);
  const auto few = static_cast<std::size_t>(some);
  {
    Working work(
        [&](void* at, std::size_t& bytes) { return cub::DeviceReduce::Sum(at, bytes, s.in, s.out, many); });
    s.run(
        "sum by cub", 4.0 * many, [&] { work(); },
        [&] {
          double sum = 0;
          for (std::size_t i = 0; i < n / 8; ++i) sum += float_of(i);
          return Set::near(s.value(0), sum);
        });
  }
  {
    Working work([&](void* at, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveSum(at, bytes, s.words, s.numbers(), many);
    });
    s.run(
        "running sums by cub", 8.0 * many, [&] { work(); },
        [&] {
          const auto got = taken(s.numbers(), n / 8);
          unsigned sum = 0;
          for (std::size_t i = 0; i < got.size(); sum += word_of(i++))
            if (got[i] != sum) return false;
          return true;
        });
  }
  {
    Working work([&](void* at, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeys(at, bytes, s.words, s.numbers(), some);
    });
    s.run(
        "keys sorted by cub", 8.0 * some, [&] { work(); },
        [&] {
          std::vector<unsigned> want(few);
          for (std::size_t i = 0; i < few; ++i) want[i] = word_of(i);
          std::sort(want.begin(), want.end());
          return taken(s.numbers(), few) == want;
        });
  }
  {
    // Sixteen bits of each key: equal ones keep their order.
    Working work([&](void* at, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(at, bytes, s.words, s.numbers(),
                                             reinterpret_cast<unsigned*>(s.in), s.numbers() + n / 2, some, 0,
                                             16);
    });
    s.run(
        "pairs sorted by sixteen bits by cub", 16.0 * some, [&] { work(); },
        [&] {
          std::vector<unsigned> order(few);
          for (std::size_t i = 0; i < few; ++i) order[i] = as_number(i);
          std::stable_sort(order.begin(), order.end(), [](unsigned a, unsigned b) {
            return (word_of(a) & 65535) < (word_of(b) & 65535);
          });
          return Set::each(few, [&](std::size_t i) {
            return s.number(i) == word_of(order[i]) && s.value(n / 2 + i) == float_of(order[i]);
          });
        });
  }
  {
    Working work([&](void* at, std::size_t& bytes) {
      return cub::DeviceHistogram::HistogramEven(at, bytes, s.in, reinterpret_cast<int*>(s.out), 129, 0.5f,
                                                 7.1f, many);
    });
    s.run(
        "128 classes counted by cub", 4.0 * many, [&] { work(); },
        [&] {
          const auto got = taken(s.numbers(), 128);
          std::vector<double> want(128);
          for (std::size_t i = 0; i < n / 8; ++i)
            want[std::min<std::size_t>(127, static_cast<std::size_t>((float_of(i) - 0.5) / 6.6 * 128))] += 1;
          double total = 0;
          for (std::size_t c = 0; c < 128; ++c) {
            total += got[c];
            // A value at an edge may fall on either side.
            if (std::abs(got[c] - want[c]) > 0.01 * want[c] + 50) return false;
          }
          return total == many;
        });
  }
  {
    Working work([&](void* at, std::size_t& bytes) {
      return cub::DeviceSelect::If(at, bytes, s.words, s.numbers(), s.numbers() + n / 2, many, Odd());
    });
    s.run(
        "odd words chosen by cub", 6.0 * many, [&] { work(); },
        [&] {
          std::vector<unsigned> want;
          for (std::size_t i = 0; i < n / 8; ++i)
            if (word_of(i) & 1) want.push_back(word_of(i));
          return s.number(n / 2) == want.size() && taken(s.numbers(), want.size()) == want;
        });
  }
  {
    std::vector<unsigned> marks(few);
    for (std::size_t i = 1; i < few; ++i) marks[i] = marks[i - 1] + (word_of(i) % 5 == 0);
    unsigned* there = kept(marks);
    Working work([&](void* at, std::size_t& bytes) {
      return cub::DeviceRunLengthEncode::Encode(at, bytes, there, s.numbers(), s.numbers() + n / 4,
                                                s.numbers() + n / 2, some);
    });
    s.run(
        "runs counted by cub", 4.0 * some * 1.4, [&] { work(); },
        [&] {
          std::vector<unsigned> lengths(marks.back() + std::size_t{1});
          for (const unsigned mark : marks) ++lengths[mark];
          return s.number(n / 2) == lengths.size() && taken(s.numbers() + n / 4, lengths.size()) == lengths;
        });
    cudaFree(there);
  }
}

}  // namespace held_out_5
