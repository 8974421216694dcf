/// @file
/// Whether pass gates stand in gaps, by recorded runs: on each card that was calibrated, and on the simulated GPU where a run of it is recorded.
#pragma once

#include <string>
#include <vector>

#include "pages/records.hpp"
#include "records/no_teeth.hpp"

namespace course::pages {

/// A speed gate, as a judge describes it.
struct speed_gate {
  std::string benchmark;  ///< empty: the slowest of all
  double at_least = 0;    ///< of the reference's speed
};

/// What one card's records say of a pass gate.
struct gap {
  std::string card;
  bool has_teeth = true;                ///< false: slow programs are recorded, and all of them clear the gate
  std::vector<std::string> complaints;  ///< sentences: who comes too near
};

/// @param speeds of one exercise, of any cards. @param slow_enough how far below the gate a slow program must stay: 0.08 on a card, the
/// model's error band on the simulated GPU.
/// A program that missed an idea gate when it was recorded is refused by that, and may be as fast as it likes.
std::vector<gap> gaps_of(const std::string& exercise, const speed_gate& gate,
                         const std::vector<recorded_speed>& speeds, double slow_enough);

/// All pass gates of all exercises against all records.
/// @param[out] sentences what is wrong. @param[out] toothless gates without a gap, those on cards before those on the simulated GPU
void check_gaps(const build_folder& build, std::vector<std::string>& sentences,
                std::vector<toothless_gate>& toothless);

}  // namespace course::pages
