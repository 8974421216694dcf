/// @file
/// Implementation of course/course.hpp: the rooms' own types stay behind it, so that a program that links the library needs no
/// other header of ours.
#include "course/course.hpp"

#include <fmt/format.h>

#include <utility>

#include "build/plugin_builder.hpp"
#include "grading/grade_exercise.hpp"
#include "grading/hand_in_tree.hpp"
#include "records/files.hpp"

namespace course {

struct grader::state {
  build_folder build;
};

namespace {

/// Runs @p work, and says what it throws in the words of course.hpp.
template <class Work>
auto told_apart(Work work) {
  try {
    return work();
  } catch (const environment_error& problem) {
    throw cannot_grade(problem.what());
  } catch (const std::filesystem::filesystem_error& problem) {
    throw cannot_grade(problem.what());
  }
}

}  // namespace

grader::grader(const std::filesystem::path& folder)
    : state_(told_apart([&] { return new state{build_folder(std::filesystem::absolute(folder))}; })) {}

grader::grader(grader&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}

grader& grader::operator=(grader&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

grader::~grader() {
  delete state_;
}

std::vector<std::string> grader::exercises() const {
  std::vector<std::string> names;
  for (const exercise_id& one : state_->build.config().exercises)
    if (is_built(state_->build, one)) names.push_back(one.name);
  return names;
}

grade grader::operator()(const submission& what) const {
  return told_apart([&] {
    const build_folder& build = state_->build;
    const exercise_id* exercise = nullptr;
    for (const exercise_id& one : build.config().exercises)
      if (one.name == what.exercise) exercise = &one;
    if (!exercise)
      throw cannot_grade(
          fmt::format("There is no exercise called {} in {}.", what.exercise, build.root().string()));
    if (what.name.empty() || what.name.find('/') != std::string::npos || what.name.starts_with('.'))
      throw cannot_grade(fmt::format(
          "A submission's name is a file's name without a slash or a leading dot, and not \"{}\".",
          what.name));
    const hand_in file = read_hand_in(what.file.parent_path().empty() ? "." : what.file.parent_path(),
                                      what.file.filename(), kLargestSourceBytes);
    if (file.status == hand_in_status::missing)
      throw cannot_grade(fmt::format("There is no file {}.", what.file.string()));
    hand_in_tree own(build, build.root() / "submissions" / what.name);
    own.put(*exercise, file);
    const reports::outcome found = grade_exercise(build, own.graded(), *exercise, what.device);
    grade result{found.verdict,       found.cause, found.headline, found.location.file,
                 found.location.line, 0,           false,          {}};
    if (found.bandwidth && found.bandwidth->measured) {
      result.speed = found.bandwidth->measured->ratio;
      result.modelled = found.bandwidth->modelled;
    }
    for (const auto& part : {found.correctness, found.bandwidth})
      if (part) result.results.push_back(part->path);
    return result;
  });
}

}  // namespace course
