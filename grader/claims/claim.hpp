/// @file
/// What a claim is: a headline result of one of the texts that the course draws on, and the kernels that measure it honestly. Each file of
/// kernels/ holds a few; list.cpp names them all. Read by nvcc too, hence C++17 and no library.
#pragma once

#include <string>
#include <vector>

namespace course::claims {

class device;

/// A measured or counted number, in base units.
struct quantity {
  std::string what;  ///< "tiles of 32 x 32"
  double value = 0;
  std::string unit;  ///< "B/s", "FLOP/s", "cycles", "sectors"
};

/// What came out.
struct outcome {
  quantity baseline, value;
  double ratio = 0;            ///< compared with what the text says
  std::vector<quantity> also;  ///< what else one must know to judge it
  std::string why;  ///< one or two sentences; no figures of one card; empty where each claim has its own
};

/// One claim.
struct claim {
  const char* name;
  const char* source;  ///< title of the text, as docs/pages/source_texts.md has it
  const char* says;    ///< in our words
  double low, high;    ///< the ratio that the text states
  const char* unit;    ///< of the ratio: "times", or "FLOP/B", "B"
  bool counted;        ///< exact counts of the simulated GPU: the same on every card, and no card is needed
  outcome (*measure)(
      device& on);       ///< claims that name the same function are about the same figures, measured once
  const char* why = "";  ///< in place of the outcome's
};

/// All claims, in the order of the lessons.
const std::vector<claim>& all_claims();

}  // namespace course::claims
