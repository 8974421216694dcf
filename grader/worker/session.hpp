/// @file
/// One worker's life: requests in, answers out (protocol/messages.md). Knows no exercise and no expected
/// value.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "protocol/arena.hpp"
#include "protocol/channel.hpp"
#include "worker/memory.hpp"
#include "worker/plugin.hpp"

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
  json poke(const json& request);
  json sample(const json& request);
  json fetch(const json& request);

  /// Provides the buffers of @p request and fills them from the arena; throws std::runtime_error with a
  /// sentence.
  void fill_buffers(const json& request, allocations& into);
  /// Prepares the calls of one phase ("setup", "run", "teardown") over @p buffers.
  std::vector<prepared_call> calls_of(const json& request, const std::string& phase, allocations& buffers);
  void map_arena(const json& request);
  std::byte* arena_at(const json& slice, std::size_t bytes);
  allocation& slice_of(const json& slice);

  protocol::channel channel_;
  protocol::arena arena_;
  plugin plugin_;
  void* stream_ = nullptr;
  void* start_ = nullptr;
  void* stop_ = nullptr;
  allocations case_buffers_;
  allocation padding_;
  std::vector<allocations> sets_;
  std::vector<std::vector<prepared_call>> set_calls_;
};

}  // namespace course::worker
