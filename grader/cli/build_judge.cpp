/// @file
/// Implementation of build_judge.hpp.
#include "cli/build_judge.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdio>

#include "build/process.hpp"

namespace course::cli {
namespace {

/// The lock of a build folder, which the launcher takes as well.
class build_lock {
 public:
  explicit build_lock(const std::filesystem::path& folder)
      : file_(::open((folder / ".lock").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666)) {
    if (file_ >= 0) ::flock(file_, LOCK_EX);
  }
  build_lock(const build_lock&) = delete;
  build_lock& operator=(const build_lock&) = delete;
  ~build_lock() {
    if (file_ >= 0) ::close(file_);
  }

 private:
  int file_;
};

}  // namespace

bool has_judge(const build_folder& build, const exercise_id& exercise) {
  std::error_code error;
  return exercise.is_drill() || std::filesystem::exists(build.bin() / "judges" / exercise.judge(), error);
}

bool build_judge(const build_folder& build, const exercise_id& exercise) {
  if (has_judge(build, exercise)) return true;
  const build_lock lock(build.root());
  if (has_judge(build, exercise)) return true;
  fmt::print("Building the judge of {}, once\n", exercise.name);
  std::fflush(stdout);
  process_request request;
  request.command = {"cmake", "--build", build.root().string(), "--target", "grading." + exercise.name};
  const process_result made = run_process(request);
  if (!made.ok()) fmt::print("{}\nThat failed: run ./course grade {}.\n", made.output, exercise.name);
  return made.ok();
}

}  // namespace course::cli
