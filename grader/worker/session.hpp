/// @file
/// One worker's life: requests in, answers out (protocol/messages.md). Knows no exercise and no expected value.
#pragma once

#include <deque>
#include <string>

#include "protocol/arena.hpp"
#include "protocol/channel.hpp"
#include "worker/hardening.hpp"
#include "worker/plugin.hpp"
#include "worker/program.hpp"

namespace course::worker {

/// Serves one judge until it says `finish` or goes away.
class session {
 public:
  session(int socket, int arena);

  /// @return the process's exit status.
  int serve();

 private:
  using json = protocol::json;

  json answer(const json& request);
  json hello(const json& request);
  json load(const json& request);
  json run_case(const json& request);
  json prepare_timing(const json& request);
  json place_anew(const json& request);
  json poke(const json& request);
  json sample(const json& request);
  json fetch(const json& request);
  json finish();

  void configure(const json& request);
  void map_arena(const json& request);
  std::byte* arena_at(std::size_t at, std::size_t bytes);
  /// Waits for all devices; the first error counts. The current device is 0 afterwards, whatever a program chose.
  int synchronise();
  /// Waits between the calls before and the timed ones. Calls that take a stream promise their work to it: on the simulator, which sees
  /// what nothing orders, only that stream is waited for. A card shows nothing of it, so there all devices are.
  int after_before_calls(const program& asked);
  /// Copies the images of the request into a set's buffers.
  void fill(buffer_set& set, const program& of);
  /// Sets up all sets; what went wrong goes into @p reply.
  void set_up_all(json& reply);
  void tear_down_all();
  void pad(std::size_t bytes);
  allocation& slice_of(const json& slice, bool of_image);

  protocol::channel channel_;
  protocol::arena arena_;
  limits limits_;
  plugin plugin_;
  void* stream_ = nullptr;
  void* start_ = nullptr;
  void* stop_ = nullptr;
  int devices_ = 1;
  int threads_at_load_ = 0;
  program program_;
  buffer_set case_set_;
  allocation padding_;
  bool repeats_before_ = false, is_set_up_ = false;
  std::deque<buffer_set> sets_;
};

}  // namespace course::worker
