/// @file
/// See contestant.hpp.
#include "judge/contestant.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "protocol/names.hpp"

namespace course {
namespace {

namespace op = protocol::op;
using nlohmann::json;

constexpr double kStartPatience = 60;  // a driver's first start on a cold machine takes many seconds
constexpr double kLoadPatience = 60;

template <class T>
T field(const json& from, const char* key, T otherwise) {
  const auto found = from.find(key);
  if (found == from.end()) return otherwise;
  try {
    return found->get<T>();
  } catch (const json::exception&) {
    return otherwise;
  }
}

}  // namespace

std::optional<judgement> contestant::start(const std::filesystem::path& worker) {
  const auto broken = [&](std::string sentence) {
    judgement found;
    found.outcome = verdict::harness_error;
    found.headline = std::move(sentence);
    return found;
  };
  if (const auto error = worker_.start(worker); !error.empty()) return broken(error);
  const auto answer =
      worker_.ask({{"op", op::kHello},
                   {"limits", {{"cpu_seconds", 900}, {"file_bytes", 256u << 20}, {"open_files", 4096}}}},
                  std::chrono::duration<double>(kStartPatience));
  if (!answer.ok()) {
    auto found = diagnose_silence(answer, worker_, "while the device was started", kStartPatience);
    found.outcome = verdict::harness_error;  // no student's code has run yet
    found.cause = cause::none;
    found.headline = fmt::format(
        "the worker {} does not start: {}", worker.filename().string(),
        answer.status == reply_status::refused ? answer.error : worker_.end().value_or(process_end{}).text());
    return found;
  }
  const auto& body = answer.body;
  if (field(body, "version", 0) != protocol::kVersion)
    return broken("worker and judge are of different versions: build the course again");
  device_.present = field(body, "device", false);
  device_.reason = field(body, "reason", std::string());
  device_.simulated = field(body, "simulated", false);
  const auto properties = body.find("properties");
  if (properties != body.end() && properties->is_object()) {
    const auto& p = *properties;
    device_.name = field(p, "name", std::string());
    device_.uuid = field(p, "uuid", std::string());
    device_.compute_capability = field(p, "compute_capability", std::string());
    device_.l2_bytes = field(p, "l2_bytes", std::size_t{0});
    device_.free_bytes = field(p, "free_bytes", std::size_t{0});
    device_.sm_count = field(p, "sm_count", 0);
    device_.peak_bytes_per_second =
        2 * field(p, "memory_clock_hz", 0.0) * field(p, "memory_bus_bits", 0.0) / 8;
    const int driver = field(p, "driver_version", 0);
    if (driver) device_.driver = fmt::format("{}.{}", driver / 1000, driver % 1000 / 10);
  }
  return std::nullopt;
}

std::optional<judgement> contestant::load(const std::filesystem::path& plugin,
                                          const std::vector<std::string>& functions) {
  const auto answer = worker_.ask({{"op", op::kLoad}, {"plugin", plugin.string()}, {"functions", functions}},
                                  std::chrono::duration<double>(kLoadPatience));
  if (!answer.ok()) {
    auto found = diagnose_silence(
        answer, worker_,
        "while the program was loaded, before any function was called (a constructor of a global object?)",
        kLoadPatience);
    if (answer.status == reply_status::refused) {
      found.outcome = verdict::compile_error;
      const auto symbol = answer.error.find("undefined symbol: ");
      if (symbol != std::string::npos) {
        found.cause = cause::undefined_symbol;
        found.headline =
            fmt::format("the program uses {}, which nobody provides", answer.error.substr(symbol + 18));
      } else {
        found.headline = answer.error;
      }
    }
    return found;
  }
  const auto missing = field(answer.body, "missing", std::vector<std::string>());
  if (!missing.empty()) {
    judgement found;
    found.outcome = verdict::compile_error;
    found.cause = cause::missing_function;
    found.headline =
        fmt::format("the program has no function {}: is its name or extern \"C\" missing?", missing.front());
    return found;
  }
  return std::nullopt;
}

reply contestant::run_case(const case_data& data, const json& simulator, double patience_seconds) {
  json request{{"op", op::kRunCase}};
  if (!simulator.is_null()) request["simulator"] = simulator;
  if (!data.send_to(worker_.arena(), request)) {
    reply none;
    none.status = reply_status::refused;
    none.error = "there is not enough memory for the buffers";
    return none;
  }
  return worker_.ask(std::move(request), std::chrono::duration<double>(patience_seconds));
}

std::vector<std::string> functions_of(const problem& asked) {
  std::vector<std::string> names;
  for (const auto& call : asked.calls()) {
    if (std::find(names.begin(), names.end(), call.function) == names.end()) names.push_back(call.function);
  }
  return names;
}

}  // namespace course
