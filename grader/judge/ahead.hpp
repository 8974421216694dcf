/// @file
/// Counting that begins while correctness is still being checked. The two use different processes and different data, and whoever waits for
/// a verdict waits for the longer of the two instead of for both. Only where the device is simulated: modelled time does not depend on what
/// else the machine does.
///
/// The correctness test starts this program once more, for the bandwidth test alone. That one keeps what it has counted to itself until it
/// is told that the answers are right; what it then writes is what the bandwidth test of the same run of ctest finds.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "judge/environment.hpp"
#include "judge/grader.hpp"

namespace course {

/// The correctness test's end of it.
class counting_ahead {
 public:
  /// Starts it where `course grade` asks for it (COURSE_AHEAD=1) and the device may be simulated.
  explicit counting_ahead(const environment& here);
  counting_ahead(const counting_ahead&) = delete;
  counting_ahead& operator=(const counting_ahead&) = delete;
  /// Stops it, unless it was kept.
  ~counting_ahead();

  /// Call once the result of correctness is written. If it @p passed, waits until what was counted is written, too; otherwise nothing is.
  void end(bool passed, const environment& here, const grading_task& task);

 private:
  void stop();

  pid_t process_ = -1;
  int word_ = -1;  // the pipe by which it is told
};

/// The other end. True in a process that counting_ahead started.
bool counts_ahead();

/// Waits for the word there. Does not return when correctness has failed, or its process is gone.
void wait_for_correctness();

/// What this run's bandwidth test has to say when it has been counted ahead.
struct counted_result {
  std::string verdict, cause, headline;
};

/// @return nothing where it was not, or was not finished.
std::optional<counted_result> counted_by_then(const environment& here, const grading_task& task);

}  // namespace course
