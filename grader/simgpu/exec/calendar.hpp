/// @file
/// When a unit that does one thing after the other has time for one more: a scheduler, a pipe, the queue to the caches.
///
/// Warps are executed a turn each, so one asks for cycles that lie before those another one has taken already. A unit that
/// only knew when it is free next would make it wait for what comes later. So time is cut into days: a day holds so many
/// cycles of work, and what it cannot hold goes to the next. Who asks first is served first, whatever the warps' order.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace simgpu::exec {

class Calendar {
 public:
  /// Work of @p cycles comes at @p time. @return when it is done.
  double take(double time, double cycles) noexcept {
    double end = time + cycles;
    for (auto n = static_cast<std::uint64_t>(time / kDay); cycles > 0; ++n) {
      Day& day = days_[n % kDays];
      if (day.number > n + 1) return end;  // too long ago: nobody knows who was there
      if (day.number != n + 1) day = {n + 1, 0};
      const double begin = static_cast<double>(n) * kDay;
      const double room = std::min(kDay - day.taken, begin + kDay - std::max(time, begin));
      if (room <= 0) continue;
      const double part = std::min(room, cycles);
      day.taken += part;
      cycles -= part;
      end = time >= begin ? time + part : begin + day.taken;
    }
    return end;
  }

 private:
  static constexpr double kDay = 64;  // cycles
  static constexpr std::size_t kDays = 512;
  struct Day {
    std::uint64_t number = 0;  // from 1
    double taken = 0;
  };
  std::array<Day, kDays> days_{};
};

}  // namespace simgpu::exec
