/// @file
/// SHA-256 (FIPS 180-4). Plugins and foreign trees are named by content, and a whole cryptography library for
/// eighty lines would be one more package to install.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace course {

/// Incremental SHA-256.
class sha256 {
 public:
  /// Appends bytes to the message.
  void update(std::string_view bytes);
  /// Appends a length-prefixed field, so that ("ab", "c") and ("a", "bc") differ.
  void update_field(std::string_view bytes);
  /// Ends the message. Call once.
  /// @return 64 lower-case hexadecimal digits.
  std::string hex_digest();

 private:
  void process(const unsigned char* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> buffer_{};
  std::uint64_t length_ = 0;  // bytes so far
};

/// SHA-256 of one string, as 64 hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace course
