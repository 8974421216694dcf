/// @file
/// What a turn of a kernel's loop takes, by itself: for ladders that hold loops against the card. [cycles of an SM]
#pragma once

#include <cstdio>

#include "ladder.hpp"

namespace ladder {

/// A bench with its csv file, which cases are written to line by line.
class TimedTurns {
 public:
  TimedTurns(int argc, char** argv, const char* heading) : bench(argc, argv) {
    csv = bench.open_csv(argc, argv, heading);
    int khz = 0;
    check(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0), "cudaDeviceGetAttribute");
    hz_ = 1e3 * khz;
  }
  ~TimedTurns() {
    if (csv != nullptr) std::fclose(csv);
  }
  TimedTurns(const TimedTurns&) = delete;
  TimedTurns& operator=(const TimedTurns&) = delete;

  /// Of the second half of twice as many turns: the launch and what comes before the loop are in both.
  /// @param launch of so many turns
  template <typename Launch>
  double cycles(int turns, Launch launch) const {
    const auto seconds = [&](int count) {
      return bench.seconds("turns", bench.simulated ? 0 : 1, [&] { launch(count); });
    };
    return (seconds(2 * turns) - seconds(turns)) * hz_ / turns;
  }

  Bench bench;
  std::FILE* csv = nullptr;  ///< or nobody asked for one

 private:
  double hz_ = 0;
};

}  // namespace ladder
