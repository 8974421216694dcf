/// @file
/// The site: all pages rendered, linked with each other, and written into one folder that works without a server.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace course::site {

/// Builds the site anew.
/// @param source the course's folder, or one laid out like it.
/// @param assets folder with page.html, site.css and the scripts.
/// @param out is made; pages that are gone stay until it is removed.
/// @return what is wrong with the pages, one sentence each: links and anchors that lead nowhere, pictures that are missing.
/// @throws environment_error if something cannot be read or written.
std::vector<std::string> build_site(const std::filesystem::path& source, const std::filesystem::path& assets,
                                    const std::filesystem::path& out);

}  // namespace course::site
