/// @file
/// See contestant.hpp.
#include "judge/contestant.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "judge/machine_memory.hpp"
#include "protocol/names.hpp"
#include "records/json_fields.hpp"

namespace course {
namespace {

namespace op = protocol::op;
using nlohmann::json;

constexpr double kStartPatience = 60;  // a driver's first start on a cold machine takes many seconds
constexpr double kLoadPatience = 60;

template <class T>
T value_of(const json& from, const char* key, T otherwise) {
  const auto found = from.find(key);
  if (found == from.end()) return otherwise;
  try {
    return found->get<T>();
  } catch (const json::exception&) {
    return otherwise;
  }
}

}  // namespace

std::optional<judgement> contestant::launch(const std::filesystem::path& worker, const start_options& with) {
  name_ = worker.filename().string();
  worker_process::device_access access;
  if (!with.device.empty()) {
    device_process_ = std::make_unique<device_process>();
    if (const auto error = device_process_->start(with.device); !error.empty()) return harness_trouble(error);
    access = {device_process_->door(), value_of(with.simulator, "devices", 1), device_process_->id()};
  }
  if (const auto error = worker_.start(worker, access); !error.empty()) return harness_trouble(error);
  if (device_process_) {
    device_process_->close_door();
    const char* const card = std::getenv("COURSE_CARD");
    if (!device_process_->begin(worker_.id(), card ? card : "", access.devices, {with.plugin.parent_path()}))
      return harness_trouble("the simulated GPU's process cannot be spoken to");
    runs_ = std::make_unique<simulated_runs>(worker_, *device_process_, access.devices);
  }
  json request{{"op", op::kHello},
               {"limits",
                {{"cpu_seconds", 900},
                 {"file_bytes", 64u << 20},
                 {"open_files", 4096},
                 {"memory_bytes", memory_of_machine() / 4 * 3}}},
               {"measure_link", with.measure_link}};
  if (!with.simulator->is_null() && !runs_) request["simulator"] = with.simulator;
  worker_.send(std::move(request), std::chrono::duration<double>(kStartPatience));
  return std::nullopt;
}

std::optional<judgement> contestant::greet() {
  const auto answer = worker_.wait();
  if (!answer.ok()) {
    auto found = diagnose_silence(answer, worker_, "while the device was started", kStartPatience);
    found.outcome = verdict::harness_error;  // no student's code has run yet
    found.cause = cause::none;
    found.headline = fmt::format(
        "the worker {} does not start: {}", name_,
        answer.status == reply_status::refused ? answer.error : worker_.end().value_or(process_end{}).text());
    return found;
  }
  if (runs_ && !runs_->begin(std::chrono::duration<double>(kStartPatience)))
    return harness_trouble("the simulated GPU's process does not answer");
  const json& body = answer.body;
  if (value_of(body, "version", 0) != protocol::kVersion)
    return harness_trouble("worker and judge are of different versions: build the course again");
  device_.present = value_of(body, "device", false);
  device_.reason = value_of(body, "reason", std::string());
  auto& known = device_.known;
  known.simulated = value_of(body, "simulated", false);
  known.link_bytes_per_second = value_of(body, "link_bytes_per_second", 0.0);
  const auto properties = body.find("properties");
  if (properties == body.end() || !properties->is_object()) return std::nullopt;
  const auto& p = *properties;
  device_.name = value_of(p, "name", std::string());
  device_.uuid = value_of(p, "uuid", std::string());
  if (const int driver = value_of(p, "driver_version", 0))
    device_.driver = fmt::format("{}.{}", driver / 1000, driver % 1000 / 10);
  const auto capability = value_of(p, "compute_capability", std::string("9.0"));
  const auto dot = capability.find('.');
  known.compute_capability = 10 * std::atoi(capability.c_str()) +
                             (dot == std::string::npos ? 0 : std::atoi(capability.c_str() + dot + 1));
  known.devices = value_of(p, "devices", 1);
  known.l2_bytes = value_of(p, "l2_bytes", std::size_t{0});
  known.free_bytes = value_of(p, "free_bytes", std::size_t{0});
  known.sm_count = value_of(p, "sm_count", 0);
  known.shared_bytes_per_block = value_of(p, "shared_bytes_per_block", known.shared_bytes_per_block);
  known.shared_bytes_per_block_optin = value_of(p, "shared_bytes_per_block_optin", std::size_t{0});
  known.shared_bytes_per_sm = value_of(p, "shared_bytes_per_sm", std::size_t{0});
  known.registers_per_sm = value_of(p, "registers_per_sm", std::size_t{0});
  known.threads_per_sm = value_of(p, "threads_per_sm", 0);
  known.threads_per_block = value_of(p, "threads_per_block", 1024);
  known.clock_hz = value_of(p, "sm_clock_hz", 0.0);
  known.peak_dram_bytes_per_second =
      2 * value_of(p, "memory_clock_hz", 0.0) * value_of(p, "memory_bus_bits", 0.0) / 8;
  known.attributes = value_of(p, "attributes", std::map<std::string, int>());
  // Lanes for single-precision multiply-adds of an SM (CUDA C++ Programming Guide, arithmetic throughput): 64 up to 8.0, then 128.
  const int lanes = known.compute_capability <= 80 ? 64 : 128;
  known.fma_per_second = known.sm_count * lanes * known.clock_hz;
  return std::nullopt;
}

std::optional<judgement> contestant::load(const std::filesystem::path& plugin,
                                          const std::vector<std::string>& functions) {
  const json request{{"op", op::kLoad}, {"plugin", plugin.string()}, {"functions", functions}};
  const std::chrono::duration<double> patience(kLoadPatience);
  const auto answer = runs_ ? runs_->load(request, patience) : worker_.ask(request, patience);
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
  device_.hardening = value_of(answer.body, "hardening", std::vector<std::string>());
  if (auto found = diagnose_call(answer.body, {}, {})) return found;
  const auto missing = value_of(answer.body, "missing", std::vector<std::string>());
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

void contestant::send(json request, std::chrono::duration<double> patience) {
  if (!runs_) return worker_.send(std::move(request), patience);
  // In a thread: it is a conversation with two processes, and another program may have one at the same time.
  asked_ = std::async(std::launch::async, [this, request = std::move(request), patience] {
    return runs_->ask(request, patience);
  });
}

reply contestant::wait() {
  return runs_ && asked_.valid() ? asked_.get() : worker_.wait();
}

reply contestant::ask(json request, std::chrono::duration<double> patience) {
  return runs_ ? runs_->ask(request, patience) : worker_.ask(std::move(request), patience);
}

std::vector<std::string> contestant::device_hardening() const {
  return device_process_ ? device_process_->cage() : std::vector<std::string>();
}

void contestant::finish() {
  if (!runs_) return worker_.finish();
  worker_.kill();
  device_process_->kill();
}

reply contestant::run_case(const case_data& data, const json& simulator, double patience_seconds) {
  json request{{"op", op::kRunCase}};
  if (!simulator.is_null()) request["simulator"] = simulator;
  if (data.send_to(arena(), request))
    return ask(std::move(request), std::chrono::duration<double>(patience_seconds));
  reply none;
  none.status = reply_status::refused;
  none.error = "there is not enough memory for the buffers";
  return none;
}

device_report report_in(const json& body, const char* key) {
  return device_report(text_of(body, key));
}

}  // namespace course
