/// @file
/// See program.hpp.
#include "worker/program.hpp"

#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "worker/copies.hpp"

namespace course::worker {
namespace {

using nlohmann::json;

template <class T>
std::uint64_t bits_of(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

call_plan::argument read_argument(const json& from) {
  using source = call_plan::argument::kind;
  using type = parameter::kind;
  call_plan::argument one;
  const auto kind = from.at("kind").get<std::string>();
  const auto text = from.value("value", std::string());
  const char* const digits = text.c_str();
  if (kind == "buffer" || kind == "answer") {
    one.from = kind == "buffer" ? source::buffer : source::answer;
    one.index = std::strtoull(digits, nullptr, 10);
  } else if (kind == "stream") {
    one.from = source::stream;
  } else if (kind == "i32") {
    one.value = {type::i32, bits_of(static_cast<std::int32_t>(std::strtol(digits, nullptr, 10)))};
  } else if (kind == "u32") {
    one.value = {type::u32, bits_of(static_cast<std::uint32_t>(std::strtoul(digits, nullptr, 10)))};
  } else if (kind == "i64") {
    one.value = {type::i64, bits_of(static_cast<std::int64_t>(std::strtoll(digits, nullptr, 10)))};
  } else if (kind == "u64") {
    one.value = {type::u64, bits_of(static_cast<std::uint64_t>(std::strtoull(digits, nullptr, 10)))};
  } else if (kind == "f32") {
    one.value = {type::f32, bits_of(std::strtof(digits, nullptr))};
  } else if (kind == "f64") {
    one.value = {type::f64, bits_of(std::strtod(digits, nullptr))};
  } else {
    throw std::runtime_error("unknown kind of argument: " + kind);
  }
  return one;
}

phase phase_of(const std::string& word) {
  if (word == "before") return phase::before;
  if (word == "timed") return phase::timed;
  if (word == "collect") return phase::collect;
  if (word == "after") return phase::after;
  throw std::runtime_error("unknown phase: " + word);
}

result_kind result_of(const std::string& word) {
  return word == "status"   ? result_kind::status
         : word == "handle" ? result_kind::handle
         : word == "size"   ? result_kind::size
                            : result_kind::nothing;
}

}  // namespace

program::program(const json& request, const plugin& from) {
  before_is_done = request.value("before_is_done", false);
  for (const auto& one : request.at("buffers")) {
    buffer_plan plan;
    plan.place.kind = protocol::memory_kind_of(one.at("memory").get<std::string>());
    plan.place.device = one.value("device", 0);
    plan.place.bytes = one.at("bytes").get<std::size_t>();
    plan.arena = one.at("arena").get<std::size_t>();
    plan.pointer_offset = one.value("pointer_offset", std::size_t{0});
    plan.common = one.value("common", false);
    plan.restored = one.value("restored", false);
    plan.spoiled = one.value("spoiled", false);
    const auto follows = one.value("follows", std::string("nothing"));
    plan.follows = follows == "pointer" ? follows_as::pointer
                   : follows == "pitch" ? follows_as::pitch
                                        : follows_as::nothing;
    plan.from_call = one.value("from_call", std::size_t{0});
    if (plan.follows == follows_as::pitch || one.contains("pitch")) {
      plan.place.rows = one.at("rows").get<std::size_t>();
      plan.place.row_bytes = one.at("row_bytes").get<std::size_t>();
      plan.place.pitch = one.value("pitch", std::size_t{0});
    }
    buffers.push_back(plan);
  }
  for (const auto& one : request.at("calls")) {
    call_plan plan;
    plan.name = one.at("function").get<std::string>();
    plan.function = from.find(plan.name);
    if (!plan.function) throw std::runtime_error("cannot call " + plan.name);
    plan.returns = result_of(one.value("returns", std::string("void")));
    plan.when = phase_of(one.at("phase").get<std::string>());
    plan.once = one.value("once", false);
    plan.least = one.value("least", std::uint64_t{0});
    plan.most = one.value("most", UINT64_MAX);
    plan.multiple_of = one.value("multiple_of", std::uint64_t{1});
    for (const auto& argument : one.at("arguments")) {
      plan.arguments.push_back(read_argument(argument));
      const auto& last = plan.arguments.back();
      using source = call_plan::argument::kind;
      if ((last.from == source::buffer && last.index >= buffers.size()) ||
          (last.from == source::answer && last.index >= calls.size()))
        throw std::runtime_error("an argument of " + plan.name + " names nothing");
    }
    calls.push_back(std::move(plan));
  }
}

void buffer_set::provide_or_throw(allocation& place) {
  if (const auto error = provide(place); !error.empty())
    throw std::runtime_error("allocating " + std::to_string(place.bytes) + " bytes: " + error);
}

void buffer_set::plan(const program& of, buffer_set* first) {
  first_ = first;
  timed_.clear();
  answers_.assign(of.calls.size(), std::nullopt);
  const auto renew = [](allocation& now, const allocation& wanted) {
    if (now.pointer && now.ours && now.same_place(wanted)) return;
    worker::release(now);
    now = wanted;
  };
  for (std::size_t index = of.buffers.size(); index < places_.size(); ++index) {
    worker::release(places_[index]);
    worker::release(kept_[index]);
  }
  places_.resize(of.buffers.size());
  kept_.resize(of.buffers.size());
  for (std::size_t index = 0; index < of.buffers.size(); ++index) {
    const auto& buffer = of.buffers[index];
    if (buffer.common && first_) {
      worker::release(places_[index]);
      places_[index] = first_->places_[index];
      places_[index].ours = false;
      continue;
    }
    if (buffer.follows == follows_as::nothing) {
      renew(places_[index], buffer.place);
      provide_or_throw(places_[index]);
    } else {
      worker::release(places_[index]);
      places_[index] = buffer.place;  // appears after its call
    }
    if (buffer.restored || buffer.follows != follows_as::nothing) {
      auto image = buffer.place;
      image.rows = image.row_bytes = image.pitch = 0;
      if (image.kind != protocol::memory_kind::device) image.kind = protocol::memory_kind::pageable;
      renew(kept_[index], image);
      provide_or_throw(kept_[index]);
    } else {
      worker::release(kept_[index]);
      kept_[index] = {};
    }
  }
}

void buffer_set::release() {
  for (auto& one : places_) worker::release(one);
  for (auto& one : kept_) worker::release(one);
  places_.clear();
  kept_.clear();
  timed_.clear();
}

void* buffer_set::element_zero(const program& of, std::size_t index) const {
  auto* const first = static_cast<char*>(places_[index].pointer);
  return first ? first + of.buffers[index].pointer_offset : nullptr;
}

void buffer_set::restore(const program& of, restored which) {
  for (std::size_t index = 0; index < of.buffers.size(); ++index) {
    if (which == restored::in_out && !of.buffers[index].restored) continue;
    if (!kept_[index].pointer || !places_[index].pointer || (of.buffers[index].common && first_)) continue;
    if (const auto error = copy_between(places_[index], kept_[index]); !error.empty())
      throw std::runtime_error("restoring a buffer: " + error);
  }
}

void buffer_set::bring_home() const {
  for (const auto& one : places_) worker::bring_home(one);
}

void buffer_set::write_at_home() const {
  for (const auto& one : places_) worker::write_at_home(one);
}

prepared_call buffer_set::prepare(const program& of, const call_plan& call, void* stream) const {
  using source = call_plan::argument::kind;
  std::vector<parameter> parameters;
  for (const auto& one : call.arguments) {
    switch (one.from) {
      case source::buffer:
        parameters.push_back({parameter::kind::pointer, bits_of(element_zero(of, one.index))});
        break;
      case source::answer:
        parameters.push_back({parameter::kind::u64, answers_[one.index].value_or(0)});
        break;
      case source::stream:
        parameters.push_back({parameter::kind::pointer, bits_of(stream)});
        break;
      case source::value:
        parameters.push_back(one.value);
        break;
    }
  }
  prepared_call made;
  if (!made.prepare(call.function, call.returns, parameters))
    throw std::runtime_error("cannot call " + call.name);
  return made;
}

void buffer_set::appear(const program& of, std::size_t call, trouble& into) {
  for (std::size_t index = 0; index < of.buffers.size(); ++index) {
    const auto& buffer = of.buffers[index];
    if (buffer.follows == follows_as::nothing || buffer.from_call != call || (buffer.common && first_))
      continue;
    auto& place = places_[index];
    if (buffer.follows == follows_as::pointer) {
      place = buffer.place;
      place.ours = false;
      place.pointer = reinterpret_cast<void*>(*answers_[call]);
      if (!place.pointer && place.bytes > 0) {
        into.refused_call = call;
        into.answer = 0;
        return;
      }
    } else {
      auto wanted = buffer.place;
      wanted.pitch = *answers_[call];
      if (!place.pointer || !place.same_place(wanted)) {
        worker::release(place);
        place = wanted;
        provide_or_throw(place);
      }
    }
    if (const auto error = copy_between(place, kept_[index]); !error.empty()) {
      cudaGetLastError();
      into.refused_call = call;
      into.answer = *answers_[call];
      return;
    }
  }
}

trouble buffer_set::make_one(const program& of, std::size_t index, void* stream) {
  const auto& call = of.calls[index];
  trouble found;
  if (call.once && first_) {
    answers_[index] = first_->answers_[index];
    return found;
  }
  auto made = prepare(of, call, stream);
  try {
    answers_[index] = made();
  } catch (const std::exception& error) {
    found.thrown_by = call.name;
    found.what = error.what();
    return found;
  } catch (...) {
    found.thrown_by = call.name;
    return found;
  }
  if (call.returns == result_kind::size) {
    const auto answer = *answers_[index];
    if (answer < call.least || answer > call.most ||
        (call.multiple_of > 1 && answer % call.multiple_of != 0)) {
      found.refused_call = index;
      found.answer = answer;
      return found;
    }
  }
  if (call.when == phase::before) appear(of, index, found);
  return found;
}

trouble buffer_set::make(const program& of, phase when, void* stream) {
  for (std::size_t index = 0; index < of.calls.size(); ++index) {
    if (of.calls[index].when != when) continue;
    if (auto found = make_one(of, index, stream); found.any()) return found;
  }
  return {};
}

void buffer_set::prepare_timed(const program& of, void* stream) {
  timed_.clear();
  for (std::size_t index = 0; index < of.calls.size(); ++index) {
    if (of.calls[index].when == phase::timed)
      timed_.emplace_back(index, prepare(of, of.calls[index], stream));
  }
}

void buffer_set::make_timed() {
  for (auto& [index, call] : timed_) answers_[index] = call();
}

}  // namespace course::worker
