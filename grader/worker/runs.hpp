/// @file
/// What a worker does with a plugin once it is loaded. Two forms: in one process with the CUDA runtime, where one question is a whole case
/// or a whole sample (runs_in_process.hpp), and in steps, where the judge itself speaks to the simulated device between them
/// (runs_in_steps.hpp). Here is what both do alike.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/arena.hpp"
#include "worker/plugin.hpp"
#include "worker/program.hpp"

namespace course::worker {

/// See the file's head.
class runs {
 public:
  virtual ~runs() = default;
  runs(const runs&) = delete;
  runs& operator=(const runs&) = delete;

  /// Makes the stream of the contract, and the events. Before the plugin is loaded.
  /// @throws std::exception when the device gives none.
  void make_stream();
  /// The plugin is about to be loaded: threads that come from now on are its own.
  void count_threads();
  /// @return nothing when there is no such operation. @throws std::exception with a sentence when it cannot be done.
  virtual std::optional<nlohmann::json> answer(std::string_view operation, const nlohmann::json& request) = 0;
  /// Makes the calls that set-up still has to be followed by.
  void finish() { tear_down_all(); }

 protected:
  using json = nlohmann::json;

  runs(const plugin& from, protocol::arena& shared) : plugin_(from), arena_(shared) {}

  void map_arena(const json& request);
  std::byte* arena_at(std::size_t at, std::size_t bytes);
  /// Waits for all devices; the first error counts. The current device is 0 afterwards, whatever a program chose.
  int synchronise();
  /// Waits between the calls before and the timed ones. Calls that take a stream promise their work to it, others may promise to be done:
  /// on the simulator, which sees what nothing orders, only that stream is waited for. A card shows nothing of it, so there all devices
  /// are. Then what the calls should have taken over gets other bytes.
  int after_before_calls(const program& asked);
  /// The modelled or real time between the two events; 0 where there is none. [seconds]
  double event_seconds();
  /// Frees the sets of timed runs.
  void drop_sets();
  /// Makes the *before* calls of all sets and prepares the timed ones; what went wrong goes into @p reply.
  void set_up_all(json& reply);
  void tear_down_all();
  /// Managed pages of all sets go to the host, where a timed call is to find them, and are waited for.
  void bring_sets_home();
  /// Makes the timed calls @p launches times, set after set. @param apart whether one set's work must end before the next set's calls
  /// begin, also where no stream that all of them take sees to it. @return what was thrown.
  trouble make_timed(std::size_t first, std::size_t launches, bool apart = false);
  /// Makes the calls after the timed ones that give outputs, of the sets that @p launches have used.
  trouble collect(std::size_t first, std::size_t launches);
  /// The buffer of a slice, which lies inside it. @param of_image where samples start from, and not where the program works.
  allocation& slice_of(buffer_set& set, const json& slice, bool of_image);

  const plugin& plugin_;
  protocol::arena& arena_;
  void* stream_ = nullptr;
  void* start_ = nullptr;
  void* stop_ = nullptr;
  int devices_ = 1;
  int threads_at_load_ = 0;
  program program_;  ///< of the timed sets
  buffer_set case_set_;
  bool repeats_before_ = false;
  std::deque<buffer_set> sets_;

 private:
  bool is_set_up_ = false;
};

/// Passes on the fields of a request that configure the simulator. @throws std::exception if it refuses them.
void configure(const nlohmann::json& request);

/// @name Parts of answers
/// @{
double seconds_now();
int thread_count();
nlohmann::json error_of(int status);
void require(const std::string& error, const char* doing);
std::size_t bytes_of(const nlohmann::json& what, const char* key);
void tell(nlohmann::json& reply, const trouble& found);
nlohmann::json answers_of(const program& of, const buffer_set& set);
nlohmann::json addresses_of(const program& of, const buffer_set& set);
/// @}

}  // namespace course::worker
