/// @file
/// Numbers with units as people type them: 512MB, 1GiB, 256us, 4.8TB/s, 3201MHz, 692cycles. Everything inside is in base units.
#pragma once

#include <stdexcept>
#include <string>

namespace course::cli {

/// A text is no quantity of the wanted kind; the message says what to write.
class quantity_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class dimension {
  bytes,      ///< B, KB, MB, GB, TB are powers of 1000, KiB ... TiB of 1024 [B]
  time,       ///< s, ms, us, ns [s]
  rate,       ///< B/s ... TB/s, GiB/s [B/s]
  frequency,  ///< Hz, kHz, MHz, GHz [Hz]
};

/// @param what the option's name, for the message.
/// @throws quantity_error for no number, a missing or foreign unit, a negative number, zero, or one without end.
double parse_quantity(const std::string& text, dimension wanted, const std::string& what);

}  // namespace course::cli
