/// @file
/// Reading environment variables: a bad value costs a sentence on standard error, and the variable's default holds.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace simgpu::runtime {

/// @return nullptr if it is not set, or empty.
inline const char* variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr || *text == '\0' ? nullptr : text;
}

/// @return nothing where @p text is more, or less, than digits.
inline std::optional<std::uint32_t> whole_number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

inline int whole_number_of(const char* name, int least, int most, int otherwise) {
  const char* const text = variable(name);
  if (text == nullptr) return otherwise;
  const auto value = whole_number(text);
  if (value && *value >= static_cast<std::uint32_t>(least) && *value <= static_cast<std::uint32_t>(most))
    return static_cast<int>(*value);
  std::fprintf(stderr, "simgpu: %s=%s is no whole number from %d to %d: using %d\n", name, text, least, most,
               otherwise);
  return otherwise;
}

/// The value of the word that the variable holds. The first one is the default.
template <class T>
T one_of(const char* name, std::initializer_list<std::pair<const char*, T>> words) {
  const char* const text = variable(name);
  if (text == nullptr) return words.begin()->second;
  std::string known;
  for (const auto& [word, value] : words) {
    if (std::strcmp(word, text) == 0) return value;
    known += (known.empty() ? "" : ", ") + std::string(word);
  }
  std::fprintf(stderr, "simgpu: %s=%s is none of %s: using %s\n", name, text, known.c_str(),
               words.begin()->first);
  return words.begin()->second;
}

}  // namespace simgpu::runtime
