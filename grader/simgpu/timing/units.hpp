/// @file
/// The units of one of an SM's schedulers, as the replay has them: when each has room, and for how long an instruction keeps it busy.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "simgpu/exec/trace.hpp"
#include "simgpu/timing/replay.hpp"

namespace simgpu::timing {

/// Through the load-store unit, and the caches.
inline bool is_access(exec::Unit unit) {
  return unit == exec::Unit::shared || unit == exec::Unit::load || unit == exec::Unit::store;
}

/// What is free from @p free on begins with what comes at @p at, a whole cycle. Parts of cycles are kept: who comes in the cycle in which it ends begins
/// there.
inline void occupy(double& free, double at, double cycles) {
  free = (free > at - 1 ? free : at) + cycles;
}

class Units {
  using Step = exec::Step;
  using Unit = exec::Unit;

 public:
  /// When the step's unit has room. [cycles]
  double room(const Step& s, const Replay& in) {
    if (cycles_of(s, in) == 0) return 0;
    const Pipe& pipe = pipe_for(s.unit, in);
    return pipe.free + behind_wide(s, pipe) - (s.unit == Unit::special ? kSpecialQueue : 0);
  }

  /// It begins with one of the step's machine instructions.
  void keep_busy(const Step& s, double at, const Replay& in) {
    if (const double cycles = cycles_of(s, in); cycles > 0) {
      Pipe& pipe = pipe_for(s.unit, in);
      pipe.free += behind_wide(s, pipe);
      if (&pipe == &of(Unit::multiply)) wide_ = s.holds_integers;
      give(pipe, at, cycles);
    }
    if (s.holds_integers) give(of(Unit::integer), at, busy(Unit::integer, in));
  }

 private:
  struct Pipe {
    double free = 0, given = 0;  ///< when it has room, and what it had to do so far [cycles]
  };
  /// Cycles of work that the special unit has in store.
  static constexpr double kSpecialQueue = 8;

  /// Cycles that an instruction keeps its unit busy; 0: it has none. Floats have one or two, see pipe_for.
  static constexpr double busy(Unit unit, const Replay& in) {
    switch (unit) {
      case Unit::fp64:
        return in.fp64_cycles;
      case Unit::fp32:
      case Unit::integer:
      case Unit::multiply:
      case Unit::adder:
        return 2;
      case Unit::special:
        return 8;
      default:
        return 0;
    }
  }

  /// ... each machine instruction of a step.
  static double cycles_of(const Step& s, const Replay& in) {
    if (s.unit == Unit::tensor) return s.keeps * in.tensor_cycles / std::max<double>(1, s.issues);
    if (s.keeps != 0 && !is_access(s.unit)) return s.keeps / std::max<double>(1, s.issues);
    return busy(s.unit, in);
  }

  Pipe& of(Unit unit) { return pipes_[static_cast<std::size_t>(unit)]; }

  /// ptxas gives sums to the unit that has less to do otherwise. Floats go where there is room first: to the multipliers, or to a unit of their own,
  /// if the card has that.
  Pipe& pipe_for(Unit unit, const Replay& in) {
    Pipe &integers = of(Unit::integer), &products = of(Unit::multiply), &floats = of(Unit::fp32);
    if (unit == Unit::adder) return integers.given <= products.given ? integers : products;
    if (unit == Unit::fp32) return in.own_floats && floats.free <= products.free ? floats : products;
    return of(unit);
  }

  /// Behind a product of 64 bits the multipliers need a cycle more for anything but the next of them.
  double behind_wide(const Step& s, const Pipe& pipe) {
    return &pipe == &of(Unit::multiply) && wide_ && !s.holds_integers ? 1 : 0;
  }

  static void give(Pipe& pipe, double at, double cycles) {
    occupy(pipe.free, at, cycles);
    pipe.given += cycles;
  }

  std::array<Pipe, 16> pipes_{};
  bool wide_ = false;  ///< is the multipliers' latest product one of 64 bits?
};

}  // namespace simgpu::timing
