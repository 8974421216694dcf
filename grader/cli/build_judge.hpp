/// @file
/// Makes the judge of an exercise where nobody did: only the judges that were asked for are built.
#pragma once

#include "records/build_folder.hpp"

namespace course::cli {

/// Whether an exercise's judge is there. A drill needs none.
bool has_judge(const build_folder& build, const exercise_id& exercise);

/// Builds what grading an exercise needs, if its judge is not there, and says so. Several calls may run at once: they wait for each
/// other, and for the launcher. One that is there is left as it is, also if it is old: what runs is not built anew under it.
/// @return false if that failed; why is printed.
bool build_judge(const build_folder& build, const exercise_id& exercise);

}  // namespace course::cli
