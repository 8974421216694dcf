/// @file
/// A worker as the judge sees it: a process that is asked questions with deadlines, and that may crash, hang
/// or lie.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/private_folder.hpp"
#include "judge/process_end.hpp"
#include "protocol/arena.hpp"
#include "protocol/channel.hpp"

namespace course {

/// How a question to a worker ended.
enum class reply_status {
  ok,         ///< an answer with the right nonce that says ok
  refused,    ///< an answer with the right nonce that says why not
  exited,     ///< the process is gone: see worker_process::end()
  timed_out,  ///< no answer in time; the process has been killed
  forged,     ///< something answered that does not know the nonce; the process has been killed
  cut_off,  ///< the program has closed, or broken the rules of, its connection to the simulated device; error says how
  device_full,  ///< the simulated device has ended, since the program has it keep more than the memory it may have
  gave_up,  ///< the program is in the worker, and the worker says that it cannot go on: nobody can tell which of the two says so
  no_device,  ///< the simulated device is no more, and not by the program's doing; error says how it ended
};

/// An answer, or why there is none.
struct reply {
  reply_status status = reply_status::exited;
  protocol::json_box body;
  std::string
      error;  ///< when refused: the worker's sentence; when timed out: where its host code hangs, if that is known
  double judge_seconds = 0;  ///< from question to answer, by the judge's clock
  bool ok() const { return status == reply_status::ok; }
};

/// What a program printed: its beginning, since a flood of text helps nobody, and how much there was.
struct printed_text {
  std::string head;       ///< at most 4 KiB
  std::size_t bytes = 0;  ///< of all
  std::size_t lines = 0;  ///< of all

  void add(std::string_view piece);
  /// The first lines, each cut to a readable length.
  std::vector<std::string> first_lines(std::size_t most) const;
};

/// See the file's head. Killed, with everything it started, when the object goes.
class worker_process {
 public:
  worker_process() = default;
  worker_process(const worker_process&) = delete;
  worker_process& operator=(const worker_process&) = delete;
  ~worker_process();

  /// What a worker is given of a simulated device that is the judge's.
  struct device_access {
    int door = -1;  ///< the way to it; below 0: it has its device itself
    int devices = 1;
    int process = -1;  ///< of the device: while that waits for a processor, so does the worker
  };
  /// Starts @p program. @return an empty text or one sentence.
  std::string start(const std::filesystem::path& program, const device_access& device);
  std::string start(const std::filesystem::path& program) { return start(program, device_access()); }

  /// Sends @p request (with a fresh nonce) and waits for its answer.
  reply ask(protocol::json request, std::chrono::duration<double> patience);

  /// What it prints from here on belongs to the next question. send() says so too, but where the device is the judge's: there several
  /// messages make one question.
  void forget_printed();
  /// The two halves of ask(), so that two workers can work at once.
  void send(protocol::json request, std::chrono::duration<double> patience);
  reply wait();

  /// @p look is called when an answer has not come in time, while the process still is as it was then.
  void when_silent(std::function<void()> look) { look_ = std::move(look); }

  /// Says `finish` and waits a moment; then kills whatever is left.
  void finish();
  void kill();

  /// Waits for it to end by itself. @return whether it has; if not, it runs on.
  bool ends_within(std::chrono::milliseconds patience);

  int id() const { return process_; }
  bool running() const { return process_ > 0; }
  /// How it ended; nullopt while it runs.
  const std::optional<process_end>& end() const { return end_; }
  /// The end of what the process wrote to its standard output and error, at most 64 KiB, cut at a line.
  std::string output();
  /// What it wrote since the last question.
  const printed_text& printed();
  protocol::arena& arena() { return arena_; }

 private:
  void drain();
  void reap(std::chrono::milliseconds patience);

  int process_ = -1;
  int output_descriptor_ = -1;
  std::string output_;
  printed_text printed_;
  protocol::channel channel_;
  protocol::arena arena_;
  private_folder folder_;
  std::string nonce_;
  device_access device_;
  std::uint64_t questions_ = 0;
  protocol::clock::time_point sent_{}, deadline_{};
  /// Without a processor, soon after the request was sent.
  std::optional<protocol::clock::duration> starved_before_;
  std::optional<process_end> end_;
  std::function<void()> look_;
};

}  // namespace course
