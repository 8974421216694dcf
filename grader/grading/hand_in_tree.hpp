/// @file
/// A tree with one person's hand-ins in it, whatever the folder looked like that they came in. The tree is the grader's own, so
/// what is graded stays what it was when it was read.
#pragma once

#include <filesystem>

#include "build/hand_in.hpp"
#include "records/tree.hpp"

namespace course {

/// The file that an exercise's hand-in has: its .cu file, or a drill's answers.txt.
std::filesystem::path hand_in_name(const exercise_id& exercise);

/// A folder of the build folder that holds hand-ins, laid out like exercises/.
class hand_in_tree {
 public:
  /// @throws environment_error if the folder cannot be made.
  hand_in_tree(const build_folder& build, const std::filesystem::path& folder);

  /// Puts a hand-in in its place, in place of an earlier one. What could not be read (a link, a folder, too large) gets a stand-in
  /// that cannot be read for the same reason: the builder then says in its own words what is wrong.
  /// @throws environment_error if it cannot be written.
  void put(const exercise_id& exercise, const hand_in& file) const;

  const tree& graded() const { return tree_; }

 private:
  tree tree_;
};

}  // namespace course
