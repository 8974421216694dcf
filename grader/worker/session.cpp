/// @file
/// See session.hpp.
#include "worker/session.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "protocol/names.hpp"
#include "worker/device.hpp"
#include "worker/hardening.hpp"
#include "worker/runs_in_process.hpp"
#include "worker/runs_in_steps.hpp"
#include "worker/simulator.hpp"

namespace course::worker {
namespace {

using nlohmann::json;
namespace op = protocol::op;

}  // namespace

session::session(int socket, int arena) : channel_(socket) {
  arena_.adopt(arena);
  if (device_is_judges()) {
    runs_ = std::make_unique<runs_in_steps>(plugin_, arena_);
  } else {
    runs_ = std::make_unique<runs_in_process>(plugin_, arena_);
  }
}

int session::serve() {
  for (;;) {
    auto [status, box] = channel_.receive();
    if (status != protocol::receive_status::ok) return 0;  // the judge has gone: nobody to tell
    const json& request = *box;
    const auto nonce = request.value("nonce", std::string());
    json reply;
    try {
      reply = answer(request);
      reply.emplace("ok", true);
    } catch (const std::exception& error) {
      reply = {{"ok", false}, {"error", error.what()}};
    }
    reply["nonce"] = nonce;
    std::fflush(stdout);  // what kernels printed belongs to this question
    if (!channel_.send(reply)) return 0;
    if (request.value("op", std::string()) == op::kFinish) return 0;
  }
}

json session::answer(const json& request) {
  const auto what = request.at("op").get<std::string>();
  if (what == op::kHello) return hello(request);
  if (what == op::kLoad) return load(request);
  if (what == op::kFinish) return finish();
  if (auto reply = runs_->answer(what, request)) return std::move(*reply);
  throw std::runtime_error("unknown operation \"" + what + "\"");
}

json session::hello(const json& request) {
  configure(request);
  auto reply = start_device(request.value("measure_link", false));
  reply["version"] = protocol::kVersion;
  if (reply["device"].get<bool>()) {
    runs_->make_stream();
  }
  const auto& ceilings = request.at("limits");
  limits_ = {ceilings.value("cpu_seconds", 0ul), ceilings.value("file_bytes", 0ul),
             ceilings.value("open_files", 0ul), ceilings.value("memory_bytes", 0ul)};
  return reply;
}

json session::load(const json& request) {
  const auto path = request.at("plugin").get<std::string>();
  json reply{{"missing", json::array()}, {"hardening", harden(limits_, path, simulated())}};
  runs_->count_threads();
  std::string error;
  try {
    error = plugin_.load(path);
  } catch (const std::exception& thrown) {
    reply["exception"] = {{"function", "a constructor of a global object"}, {"what", thrown.what()}};
    return reply;
  } catch (...) {
    reply["exception"] = {{"function", "a constructor of a global object"}, {"what", ""}};
    return reply;
  }
  require(error, "loading the plugin");
  for (const auto& name : request.at("functions")) {
    if (!plugin_.find(name.get<std::string>())) reply["missing"].push_back(name);
  }
  return reply;
}

json session::finish() {
  runs_->finish();
  return json::object();
}

}  // namespace course::worker
