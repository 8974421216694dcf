/// @file
/// A task page's contract table: what the header's comments say of each parameter, and what the judge does with it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace course::pages {

/// A documented parameter.
struct parameter {
  std::string name;
  std::string direction;  ///< in, out, "in,out" or empty
  std::string prose;      ///< in one line, Doxygen's words as Markdown
};

/// A documented function of a contract header.
struct documented_function {
  std::string name;
  std::string signature;  ///< in one line, without the semicolon
  std::string brief;
  std::string returns;
  std::string note;
  std::vector<parameter> parameters;
};

/// Functions with a comment of `///` lines that holds `@brief`, in the header's order.
std::vector<documented_function> functions_of_header(std::string_view header);

/// One table a function, with the buffers' element, place and alignment as the judge lays them out.
/// @throws environment_error if the header documents none of the functions that the judge calls, or leaves out a parameter.
std::string contract_block(const nlohmann::json& description, std::string_view header,
                           const std::string& header_name);

}  // namespace course::pages
