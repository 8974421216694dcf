/// @file
/// Runs in one process with the device: a question is a whole case or a whole sample, and all that is said of it comes from here. So it is
/// on a real GPU, where the judge checks outputs itself and holds times against its own clock.
#pragma once

#include "worker/memory.hpp"
#include "worker/runs.hpp"

namespace course::worker {

/// See the file's head.
class runs_in_process final : public runs {
 public:
  runs_in_process(const plugin& from, protocol::arena& shared) : runs(from, shared) {}
  std::optional<nlohmann::json> answer(std::string_view operation, const nlohmann::json& request) override;

 private:
  json run_case(const json& request);
  json prepare_timing(const json& request);
  json place_anew(const json& request);
  json poke(const json& request);
  json sample(const json& request);
  json fetch(const json& request);

  /// Copies the images of the request into a set's buffers.
  void fill(buffer_set& set, const program& of);
  void pad(std::size_t bytes);

  /// Sees to it that managed pages are the host's alone, as a timed call is to find them. Does nothing if they are since the last time.
  void send_pages_home();

  allocation padding_;
  bool pages_are_home_ = false;
};

}  // namespace course::worker
