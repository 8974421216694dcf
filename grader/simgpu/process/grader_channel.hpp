/// @file
/// What is said on the grader's channel, which is not the program's: how work is carried out, and what has come of it. Texts in JSON over a
/// socket of its own; each request has one answer. Stand-alone the client speaks here for the grader that there is not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "simgpu/device/settings.hpp"
#include "simgpu/report/client_part.hpp"

namespace simgpu::process {

/// The first request: what the device is.
struct Start {
  std::string card;
  std::uint32_t slice = 1, devices = 1;
  device::Settings settings;
  std::string
      report;  ///< what to write when the program dies without a word (as SIMGPU_REPORT); may be empty
};
/// From here on.
struct Configure {
  device::Settings settings;
  std::uint32_t devices = 1;
};
/// Everything seen since the last report, answered with its JSON. The last one, of a program that ends, is written to files instead, and
/// answered with how many errors it has: {"errors": N}.
struct TakeReport {
  report::ClientPart client;
  bool last = false;
  std::string wish;    ///< of the last one: as SIMGPU_REPORT, or empty
  std::string folder;  ///< that paths begin from
};

struct Request {
  std::uint64_t after = 0;  ///< it comes behind the command with this sequence
  std::variant<Start, Configure, TakeReport> body;
};

std::string text_of(const Request& request);
/// @return nothing if @p text is none.
std::optional<Request> request_of(std::string_view text);
/// @return what the answer to a last TakeReport says; 0 if @p text is none.
std::size_t errors_in(std::string_view text);

}  // namespace simgpu::process
