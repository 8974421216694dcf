#include "cli/calculator.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/quantity.hpp"

namespace course::cli {
namespace {

/// The command's words as they were typed.
struct calculator_words {
  std::string bytes, time, bandwidth, memory_clock, latency, sm_clock;
  double elements = 0, element_bytes = 0, bus_bits = 0, latency_cycles = 0, sms = 0;
  bool json = false;
};

/// A number above zero that was typed as it is.
std::optional<double> plain_number(double value, const char* what) {
  if (value == 0) return std::nullopt;
  if (!(value > 0) || !std::isfinite(value))
    throw quantity_error(fmt::format("{} must be a number above zero", what));
  return value;
}

calculation read(const calculator_words& words) {
  calculation known;
  const auto quantity = [](const std::string& text, dimension wanted,
                           const char* what) -> std::optional<double> {
    if (text.empty()) return std::nullopt;
    return parse_quantity(text, wanted, what);
  };
  known.bytes = quantity(words.bytes, dimension::bytes, "--bytes");
  const auto elements = plain_number(words.elements, "--elements"),
             width = plain_number(words.element_bytes, "--element-bytes");
  if (elements.has_value() != width.has_value())
    throw quantity_error(
        "--elements and --element-bytes go together: how many, and how many bytes each moves (a float "
        "that is read and written moves 8)");
  if (elements) known.bytes = *elements * *width;
  known.seconds = quantity(words.time, dimension::time, "--time");
  known.bandwidth = quantity(words.bandwidth, dimension::rate, "--bandwidth");
  known.memory_clock = quantity(words.memory_clock, dimension::frequency, "--memory-clock");
  known.bus_bits = plain_number(words.bus_bits, "--bus");
  if (known.memory_clock.has_value() != known.bus_bits.has_value())
    throw quantity_error("--memory-clock and --bus go together: a card's peak follows from both");
  known.latency = quantity(words.latency, dimension::time, "--latency");
  const auto cycles = plain_number(words.latency_cycles, "--latency-cycles");
  const auto sm_clock = quantity(words.sm_clock, dimension::frequency, "--sm-clock");
  if (cycles.has_value() != sm_clock.has_value())
    throw quantity_error("--latency-cycles and --sm-clock go together: cycles become a time by the clock");
  if (cycles) known.latency = *cycles / *sm_clock;
  known.sms = plain_number(words.sms, "--sms");
  complete(known);
  return known;
}

std::string gb_per_second(double rate) {
  return fmt::format("{:.1f} GB/s", rate / 1e9);
}

std::string time_text(double seconds) {
  if (seconds < 1e-6) return fmt::format("{:.4g} ns", seconds * 1e9);
  if (seconds < 1e-3) return fmt::format("{:.4g} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.4g} ms", seconds * 1e3);
  return fmt::format("{:.4g} s", seconds);
}

void print(const calculation& known, bool time_was_given) {
  const auto line = [](const char* name, const std::string& value, const std::string& why) {
    fmt::print("{:<18}{:<18}{}\n", name, value, why);
  };
  if (known.bandwidth && known.bytes && time_was_given)
    line("bandwidth", gb_per_second(*known.bandwidth),
         fmt::format("{:.0f} bytes / {}", *known.bytes, time_text(*known.seconds)));
  if (known.peak)
    line("peak", gb_per_second(*known.peak),
         fmt::format("2 x {:.6g} MHz x {:.0f} bits / 8", *known.memory_clock / 1e6, *known.bus_bits));
  if (known.share)
    line("share of peak", fmt::format("{:.3f}", *known.share),
         fmt::format("{} / {}", gb_per_second(*known.bandwidth), gb_per_second(*known.peak)));
  if (known.bytes && known.seconds && !time_was_given)
    line("transfer time", time_text(*known.seconds),
         fmt::format("{:.0f} bytes / {}", *known.bytes, gb_per_second(*known.bytes / *known.seconds)));
  if (known.in_flight) {
    line("bytes in flight", fmt::format("{:.0f} bytes", *known.in_flight),
         fmt::format("{} x {} (Little's law)", gb_per_second(*known.in_flight / *known.latency),
                     time_text(*known.latency)));
    if (known.sms)
      line("on each SM", fmt::format("{:.0f} bytes", *known.in_flight / *known.sms),
           fmt::format("of {:.0f} SMs", *known.sms));
  }
}

/// Base units, under the names of the members.
std::string as_json(const calculation& known) {
  nlohmann::json out = {{"schema", "course.calc/1"}};
  const auto add = [&](const char* name, const std::optional<double>& value) {
    if (value) out[name] = *value;
  };
  add("bytes", known.bytes);
  add("seconds", known.seconds);
  add("bandwidth", known.bandwidth);
  add("peak", known.peak);
  add("share", known.share);
  add("latency", known.latency);
  add("in_flight", known.in_flight);
  return out.dump(1);
}

int calculate(const calculator_words& words) {
  calculation known;
  try {
    known = read(words);
  } catch (const quantity_error& problem) {
    fmt::print(stderr, "{}.\n", problem.what());
    return 2;
  }
  if (words.json) {
    fmt::print("{}\n", as_json(known));
    return 0;
  }
  if (known.bytes && !known.seconds && !known.peak && !known.in_flight) {
    fmt::print(stderr, "Bytes alone give neither a speed nor a time: add --time or --bandwidth.\n");
    return 2;
  }
  if (!known.peak && !known.in_flight && !(known.bytes && known.seconds)) {
    fmt::print(
        stderr,
        "There is nothing to compute yet: give --bytes and --time, --bytes and --bandwidth, --memory-clock "
        "and --bus, or --bandwidth and --latency; ./course calc --help shows examples.\n");
    return 2;
  }
  print(known, !words.time.empty());
  return 0;
}

}  // namespace

void complete(calculation& known) {
  if (known.bytes && known.seconds) known.bandwidth = *known.bytes / *known.seconds;
  if (known.memory_clock && known.bus_bits) known.peak = 2 * *known.memory_clock * *known.bus_bits / 8;
  const std::optional<double> rate = known.bandwidth ? known.bandwidth : known.peak;
  if (known.bandwidth && known.peak) known.share = *known.bandwidth / *known.peak;
  if (known.bytes && !known.seconds && rate) known.seconds = *known.bytes / *rate;
  // What must be in flight to reach the peak where it is known; else to reach the bandwidth.
  const std::optional<double> wanted = known.peak ? known.peak : rate;
  if (wanted && known.latency) known.in_flight = *wanted * *known.latency;
}

void add_calculator(CLI::App& app, int& exit_code) {
  // They live as long as the callback that reads them.
  const auto words = std::make_shared<calculator_words>();
  CLI::App* command = app.add_subcommand(
      "calc", "Bandwidth calculator: bytes and time, share of a card's peak, bytes in flight");
  command->add_option("--bytes", words->bytes, "Bytes moved, read and written together: 512MB, 1GiB");
  command->add_option("--elements", words->elements, "Or: number of elements ...")->excludes("--bytes");
  command->add_option("--element-bytes", words->element_bytes, "... and bytes that each of them moves");
  CLI::Option* time = command->add_option("--time", words->time, "How long it took: 256us, 1.5ms");
  command->add_option("--bandwidth", words->bandwidth, "Or how fast it goes: 55GB/s")->excludes(time);
  command->add_option("--memory-clock", words->memory_clock, "Clock of the card's memory: 3201MHz");
  command->add_option("--bus", words->bus_bits, "Width of its bus [bits]: 6016");
  CLI::Option* latency = command->add_option("--latency", words->latency, "Time of one load: 350ns");
  command->add_option("--latency-cycles", words->latency_cycles, "Or in cycles ...")->excludes(latency);
  command->add_option("--sm-clock", words->sm_clock, "... of this clock: 1980MHz");
  command->add_option("--sms", words->sms, "Number of SMs, to see each one's part");
  command->add_flag("--json", words->json, "Print base units as JSON");
  command->footer(
      "MB and GB are powers of 1000, MiB and GiB of 1024. Examples:\n"
      "  ./course calc --bytes 1GiB --time 256us --memory-clock 3201MHz --bus 6016\n"
      "  ./course calc --elements 268435456 --element-bytes 8 --time 512us\n"
      "  ./course calc --bytes 256MiB --bandwidth 55GB/s\n"
      "  ./course calc --bandwidth 4.8TB/s --latency-cycles 692 --sm-clock 1980MHz --sms 132\n"
      "Exit code: 0 computed, 2 something is missing or no number.");
  command->callback([words, &exit_code] { exit_code = calculate(*words); });
}

}  // namespace course::cli
