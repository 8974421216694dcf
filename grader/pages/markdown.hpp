/// @file
/// Tables and numbers as pages print them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace course::pages {

/// A Markdown table.
class table {
 public:
  /// @param heads of the columns; one that ends in '>' (which is taken off) is a column of numbers, set to the right.
  explicit table(std::vector<std::string> heads);
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  std::string text() const;

 private:
  std::vector<std::string> heads_;
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

/// 200003 -> "200,003"; 0.45 -> "0.45"; 262144.5 -> "2.621e+05".
std::string number(double value);

/// With a fixed number of digits behind the point.
std::string fixed(double value, int digits);

/// How many of a base unit one of the printed unit is: ("B/s", "GB/s") -> 1e9, ("s", "us") -> 1e-6, ("share", "%") -> 0.01; 1 for the same.
/// @throws environment_error for units that have nothing to do with each other.
double scale_of(const std::string& unit, const std::string& shown_as);

/// Joins with commas and a last "and".
std::string in_words(const std::vector<std::string>& words);

}  // namespace course::pages
