/// @file
/// What is said on the grader's channel, which is not the program's: how work is carried out, and what has come of it. Texts in JSON over a
/// socket of its own; each request has one answer, in the same order. Stand-alone the client speaks here for the grader that there is not.
///
/// A grader of its own starts the device as its child (`simgpu-device --child`), and hands the program the socket alone. What the program
/// says then decides nothing: between *hold* and *go* nothing of it is carried out, so that a report and the bytes that are read behind it
/// belong together, and bytes go to and from the grader's own pages (a descriptor that comes with *start*), which the program never sees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "simgpu/device/settings.hpp"
#include "simgpu/process/cage.hpp"
#include "simgpu/report/client_part.hpp"

namespace simgpu::process {

/// The first request: what the device is.
struct Start {
  std::string card;
  std::uint32_t slice = 1, devices = 1;
  device::Settings settings;
  std::string
      report;         ///< what to write when the program dies without a word (as SIMGPU_REPORT); may be empty
  int client = 0;     ///< the program's process, where the grader has started it; 0: who made the socket
  bool held = false;  ///< nothing is carried out before *go*
  Cage cage = {};     ///< answered with {"cage": [words]}, see there
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
  bool unread =
      false;  ///< not answered with its JSON but with {}: what was seen belongs to nothing that is asked about
};
/// What has come is carried out, and then nothing more before Go. Answered with {"idle": bool, "ended": text, "launches": number}: whether
/// nothing stands still, why nothing of the program is carried out any more (empty: it is), and how many kernels have ended since the last
/// report.
struct Hold {};
struct Go {};
/// The file from which programs are loaded from here on: ptxas's word on them lies beside it, and is asked nowhere else.
struct Program {
  std::string file;
};
/// Bytes between the grader's pages and the program's allocations, while it is held. They count as plain cudaMemcpy of the program's.
/// Answered with {"problem": text}: empty, or why not all were copied.
struct Transfer {
  struct Stretch {
    std::uint64_t address = 0, width = 0, rows = 1, pitch = 0;  ///< in the allocation
    std::uint64_t offset = 0;                                   ///< in the grader's pages, row behind row
    std::string
        kind;  ///< of memory that it has to be, as reports call it, or one of several with | between; empty: any
  };
  bool to_device = false;
  std::vector<Stretch> stretches;
};

struct Request {
  std::uint64_t after = 0;  ///< it comes behind the command with this sequence
  std::variant<Start, Configure, TakeReport, Hold, Go, Program, Transfer> body;
};

std::string text_of(const Request& request);
/// @name Answers, as the requests above say them.
/// @{
std::string answer_to_start(const std::vector<std::string>& measures);
std::string answer_to_hold(bool idle, const std::string& ended, std::size_t launches);
std::string answer_to_transfer(const std::string& problem);
/// @}
/// @return nothing if @p text is none.
std::optional<Request> request_of(std::string_view text);
/// @return what the answer to a last TakeReport says; 0 if @p text is none.
std::size_t errors_in(std::string_view text);
/// The client's part of a report, as it travels: what a program hands to a grader that takes its report itself.
std::string text_of(const report::ClientPart& part);

}  // namespace simgpu::process
