/// @file
/// Small words of HTML that every part of the site needs.
#pragma once

#include <string>
#include <string_view>

namespace course::site {

/// Text as it may stand between tags and in quoted attributes.
std::string escape(std::string_view text);

/// The name by which a code host links to a heading: lower case, blanks become dashes, punctuation is dropped.
std::string slug(std::string_view heading);

}  // namespace course::site
