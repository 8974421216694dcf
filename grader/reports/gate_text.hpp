/// @file
/// Gates in words. Value and threshold stand side by side everywhere, so both are rounded here and nowhere else.
#pragma once

#include <string>

#include "reports/outcome.hpp"

namespace course::reports {

/// What was found: "30.8", or "-" where nothing could be counted.
std::string value_text(const gate& g);

/// What is wanted: ">= 0.45", "0.95 to 1.05".
std::string wanted_text(const gate& g);

/// Met, though below what is wanted: a modelled speed that the simulated GPU's clock cannot judge.
bool left_to_a_gpu(const gate& g);

/// "yes", "no", "not yet" (a limit mark), "not judged here".
std::string met_text(const gate& g);

/// "excess_wavefronts 30.8, not <= 1" or "speed 0.57 >= 0.45".
std::string gate_text(const gate& g);

/// A gate's name, with its benchmark where there are several.
std::string name_text(const gate& g);

/// What there is to remark beyond what goes without saying (counts are the simulated GPU's): "confirm on a GPU", ...; mostly empty.
std::string remark_text(const gate& g);

/// What a result lacks to its limit marks: "speed: 0.54 of the reference's, wanted >= 0.85"; empty if nothing, or if it has none.
std::string lacking_to_limit(const outcome& o);

}  // namespace course::reports
