/// @file
/// One worker's life: requests in, answers out (protocol/messages.md). Knows no exercise and no expected value.
#pragma once

#include <memory>

#include "protocol/arena.hpp"
#include "protocol/channel.hpp"
#include "worker/hardening.hpp"
#include "worker/plugin.hpp"
#include "worker/runs.hpp"

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
  json finish();

  protocol::channel channel_;
  protocol::arena arena_;
  limits limits_;
  plugin plugin_;
  std::unique_ptr<runs> runs_;
};

}  // namespace course::worker
