/// @file
/// The bandwidth calculator, `course calc`: what a kernel's bytes and time say, how much of a card's peak that is, how many bytes must be in
/// flight, how long a copy takes. The site's calculator asks the same questions and gives the same answers.
#pragma once

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace course::cli {

/// What is known. Base units; what is not given stays empty.
struct calculation {
  std::optional<double> bytes;         ///< moved, read and written together [B]
  std::optional<double> seconds;       ///< [s]
  std::optional<double> bandwidth;     ///< given, or bytes / seconds [B/s]
  std::optional<double> memory_clock;  ///< [Hz]
  std::optional<double> bus_bits;      ///< width of the memory bus [bit]
  std::optional<double> peak;          ///< 2 x clock x bus / 8: two transfers a cycle [B/s]
  std::optional<double> share;         ///< bandwidth / peak
  std::optional<double> latency;       ///< of one load [s]
  std::optional<double> sms;           ///< number of SMs
  std::optional<double> in_flight;     ///< by Little's law: (bandwidth, else peak) x latency [B]
};

/// Fills in what follows from what is given.
void complete(calculation& known);

/// Adds the command `calc`.
void add_calculator(CLI::App& app, int& exit_code);

}  // namespace course::cli
