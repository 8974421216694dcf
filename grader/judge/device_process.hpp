/// @file
/// The simulated device as the judge sees it: a process of its own, to which a worker has the door and the judge the grader's channel. What
/// decides a verdict comes from here: counters, findings, modelled time, and the bytes of device memory. No code of a student's runs in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "judge/process_end.hpp"
#include "protocol/arena.hpp"
#include "protocol/channel.hpp"

namespace course {

/// See the file's head. Killed when the object goes.
class device_process {
 public:
  device_process() = default;
  device_process(const device_process&) = delete;
  device_process& operator=(const device_process&) = delete;
  ~device_process();

  /// Starts @p program. @return an empty text or one sentence.
  std::string start(const std::filesystem::path& program);
  /// The other end of the device's door, for the worker; close_door() once it has it.
  int door() const { return door_; }
  void close_door();
  /// Says what the device is, and whose. It carries nothing out before go().
  /// @param worker the process of the one with the door. @param card its name; empty: the usual one.
  /// @param reads the files and folders that it may still read once it listens to the program
  bool begin(int worker, const std::string& card, int devices,
             const std::vector<std::filesystem::path>& reads = {});

  /// @name Requests. @return false, or nothing, when the device does not answer by @p deadline, or is no more: see end().
  /// @{
  /// Waits for no answer, as go() and drop_report(): the next request takes it, and tells of a device that is no more.
  void configure(const protocol::json& simulator, int devices);
  /// The file that programs are loaded from.
  bool name_program(const std::filesystem::path& plugin, protocol::clock::time_point deadline);
  /// What the program has said so far is carried out, then nothing more.
  struct stillness {
    bool idle = false;         ///< no kernel stands still unfinished
    std::size_t launches = 0;  ///< kernels that have ended since the last report
    std::string ended;         ///< why nothing of the program is listened to any more; empty: it is
  };
  std::optional<stillness> hold(protocol::clock::time_point deadline);
  /// The same, and take_report() behind it, in one question: most steps of a program are followed by both.
  std::optional<stillness> hold_and_report(const std::string& part, std::string& report,
                                           protocol::clock::time_point deadline);
  void go();
  /// @param part what the worker says is its part of the report: calls by name, handles alive. Whatever it is, it is no more than that.
  std::optional<std::string> take_report(const std::string& part, protocol::clock::time_point deadline);

  /// What was seen since the last report is in none.
  void drop_report();

  /// Rows of an allocation, and where they lie in pages(), row behind row.
  struct stretch {
    std::uint64_t address = 0, width = 0, rows = 1, pitch = 0;
    std::size_t offset = 0;
    std::string kind;  ///< of memory that it must be, in the report's words; empty: any
  };
  /// @return nothing as above; else an empty text, or why not all was copied.
  std::optional<std::string> transfer(bool to_device, const std::vector<stretch>& stretches,
                                      protocol::clock::time_point deadline);
  /// @}

  /// What the judge and the device exchange. No worker has it.
  protocol::arena& pages() { return pages_; }
  int id() const { return process_; }
  /// How it ended; nullopt while it runs. @param patience how long to wait for it
  const std::optional<process_end>& end(std::chrono::milliseconds patience = {});
  void kill();
  /// The first line of what it has written to its standard error and nobody has read yet; mostly nothing.
  std::string last_words() const;
  /// Which measures of its cage are in force (simgpu/process/cage.hpp). Known when the second request has been answered.
  const std::vector<std::string>& cage() const { return cage_; }

 private:
  void note_cage(const std::string& answer);
  std::optional<std::string> ask(const std::string& text, protocol::clock::time_point deadline);
  bool send(const std::string& text);
  /// Takes the answers that nobody has taken.
  bool skip_answers(protocol::clock::time_point deadline);
  void post(const std::string& text);
  std::optional<std::string> receive(protocol::clock::time_point deadline);

  int process_ = -1;
  int door_ = -1;
  int channel_ = -1;
  int said_ = -1;       ///< where its standard error can be read
  int unanswered_ = 0;  ///< requests whose answers nobody has taken
  protocol::arena pages_;
  std::vector<std::string> cage_;
  std::optional<process_end> end_;
};

}  // namespace course
