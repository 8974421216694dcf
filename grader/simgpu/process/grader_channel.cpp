/// @file
/// See grader_channel.hpp.
#include "simgpu/process/grader_channel.hpp"

#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

namespace simgpu::process {
namespace {

using nlohmann::json;

// Names may hold any bytes; a text must not fail for that.
std::string dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json json_of(const device::Settings& s) {
  return {{"races", s.checks.races},
          {"uninitialised", s.checks.uninitialised},
          {"streams", s.checks.streams},
          {"leaks", s.checks.leaks},
          {"keep_going", s.keep_going},
          {"reversed", s.order == exec::Order::reversed},
          {"warp_instruction_limit", s.warp_instruction_limit},
          {"timing", s.timing},
          {"quiet", s.quiet}};
}

device::Settings settings_of(const json& from) {
  device::Settings s;
  from.at("races").get_to(s.checks.races);
  from.at("uninitialised").get_to(s.checks.uninitialised);
  from.at("streams").get_to(s.checks.streams);
  from.at("leaks").get_to(s.checks.leaks);
  from.at("keep_going").get_to(s.keep_going);
  s.order = from.at("reversed").get<bool>() ? exec::Order::reversed : exec::Order::forward;
  from.at("warp_instruction_limit").get_to(s.warp_instruction_limit);
  from.at("timing").get_to(s.timing);
  from.at("quiet").get_to(s.quiet);
  return s;
}

json json_of(const report::ClientPart& p) {
  json api = json::array();
  for (const report::ApiCall& call : p.api) api.push_back({call.name, call.calls});
  return {{"api", api},
          {"errors", {p.errors.calls, p.errors.largest, p.errors.first, p.errors.first_call}},
          {"unsupported", p.unsupported},
          {"streams", p.streams},
          {"events", p.events},
          {"persisting_limit", p.persisting_limit}};
}

report::ClientPart client_of(const json& from) {
  report::ClientPart p;
  for (const json& call : from.at("api"))
    p.api.push_back({call.at(0).get<std::string>(), call.at(1).get<std::uint64_t>()});
  const json& errors = from.at("errors");
  errors.at(0).get_to(p.errors.calls);
  errors.at(1).get_to(p.errors.largest);
  errors.at(2).get_to(p.errors.first);
  errors.at(3).get_to(p.errors.first_call);
  from.at("unsupported").get_to(p.unsupported);
  from.at("streams").get_to(p.streams);
  from.at("events").get_to(p.events);
  from.at("persisting_limit").get_to(p.persisting_limit);
  return p;
}

json json_of(const Cage& c) {
  return {{"closed", c.closed},
          {"allocated_bytes", c.allocated_bytes},
          {"private_bytes", c.private_bytes},
          {"cpu_seconds", c.cpu_seconds},
          {"reads", c.reads}};
}

Cage cage_of(const json& from) {
  Cage c;
  from.at("closed").get_to(c.closed);
  from.at("allocated_bytes").get_to(c.allocated_bytes);
  from.at("private_bytes").get_to(c.private_bytes);
  from.at("cpu_seconds").get_to(c.cpu_seconds);
  from.at("reads").get_to(c.reads);
  return c;
}

json json_of(const Start& s) {
  return {{"do", "start"},
          {"card", s.card},
          {"slice", s.slice},
          {"devices", s.devices},
          {"settings", json_of(s.settings)},
          {"report", s.report},
          {"client", s.client},
          {"held", s.held},
          {"cage", json_of(s.cage)}};
}
json json_of(const Configure& c) {
  return {{"do", "configure"}, {"settings", json_of(c.settings)}, {"devices", c.devices}};
}
json json_of(const TakeReport& t) {
  return {{"do", "report"}, {"client", json_of(t.client)}, {"last", t.last},
          {"wish", t.wish}, {"folder", t.folder},          {"unread", t.unread}};
}
json json_of(const Hold&) {
  return {{"do", "hold"}};
}
json json_of(const Go&) {
  return {{"do", "go"}};
}
json json_of(const Program& p) {
  return {{"do", "program"}, {"file", p.file}};
}
json json_of(const Transfer& t) {
  json stretches = json::array();
  for (const Transfer::Stretch& one : t.stretches)
    stretches.push_back({one.address, one.width, one.rows, one.pitch, one.offset, one.kind});
  return {{"do", t.to_device ? "write" : "read"}, {"stretches", std::move(stretches)}};
}

Transfer transfer_of(const json& from, bool to_device) {
  Transfer t{.to_device = to_device, .stretches = {}};
  for (const json& one : from.at("stretches"))
    t.stretches.push_back({one.at(0).get<std::uint64_t>(), one.at(1).get<std::uint64_t>(),
                           one.at(2).get<std::uint64_t>(), one.at(3).get<std::uint64_t>(),
                           one.at(4).get<std::uint64_t>(), one.at(5).get<std::string>()});
  return t;
}

}  // namespace

std::string text_of(const Request& request) {
  json text = std::visit([](const auto& body) { return json_of(body); }, request.body);
  text["after"] = request.after;
  return dump(text);
}

std::string answer_to_start(const std::vector<std::string>& measures) {
  return dump(json{{"cage", measures}});
}
std::string answer_to_hold(bool idle, const std::string& ended, std::size_t launches) {
  return dump(json{{"idle", idle}, {"ended", ended}, {"launches", launches}});
}
std::string answer_to_transfer(const std::string& problem) {
  return dump(json{{"problem", problem}});
}

std::optional<Request> request_of(std::string_view text) {
  try {
    const json from = json::parse(text);
    Request request;
    from.at("after").get_to(request.after);
    const std::string what = from.at("do").get<std::string>();
    if (what == "start") {
      request.body = Start{from.at("card").get<std::string>(),
                           from.at("slice").get<std::uint32_t>(),
                           from.at("devices").get<std::uint32_t>(),
                           settings_of(from.at("settings")),
                           from.at("report").get<std::string>(),
                           from.value("client", 0),
                           from.value("held", false),
                           from.contains("cage") ? cage_of(from["cage"]) : Cage{}};
    } else if (what == "configure") {
      request.body = Configure{settings_of(from.at("settings")), from.at("devices").get<std::uint32_t>()};
    } else if (what == "report") {
      request.body = TakeReport{client_of(from.at("client")), from.at("last").get<bool>(),
                                from.at("wish").get<std::string>(), from.at("folder").get<std::string>(),
                                from.value("unread", false)};
    } else if (what == "hold") {
      request.body = Hold{};
    } else if (what == "go") {
      request.body = Go{};
    } else if (what == "program") {
      request.body = Program{from.at("file").get<std::string>()};
    } else if (what == "write" || what == "read") {
      request.body = transfer_of(from, what == "write");
    } else {
      return std::nullopt;
    }
    return request;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

std::string text_of(const report::ClientPart& part) {
  return dump(json_of(part));
}

std::size_t errors_in(std::string_view text) {
  const json from = json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto errors = from.find("errors");
  return errors != from.end() && errors->is_number_unsigned() ? errors->get<std::size_t>() : 0;
}

}  // namespace simgpu::process
