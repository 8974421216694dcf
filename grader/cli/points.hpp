/// @file
/// Points for verdicts: data that an instructor edits (exercises/points.json), not code.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "records/build_folder.hpp"
#include "reports/outcome.hpp"

namespace course::cli {

/// How many points each verdict gives, exercise by exercise.
class points_table {
 public:
  /// @throws environment_error naming the file and the word in it that is wrong or missing.
  static points_table read(const std::filesystem::path& file, const std::vector<exercise_id>& exercises);

  /// @return nullopt where nobody could decide: such a verdict must not cost points.
  std::optional<double> of(const reports::outcome& graded) const;
  /// The most that an exercise can give.
  double best(const exercise_id& exercise) const;

 private:
  using row = std::map<std::string, double>;
  const row& row_of(const exercise_id& exercise) const;

  row all_;
  std::map<std::string, row> of_exercise_;  // by chapter.name; complete rows
};

/// "12", "7.5".
std::string points_text(double points);

}  // namespace course::cli
