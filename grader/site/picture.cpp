#include "site/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <regex>

#include "site/html.hpp"

namespace course::site {
namespace {

/// A picture is shown neither so small nor so large that its smallest text leaves these bounds. [px]
constexpr double kSmallestReadable = 11, kLargestNeeded = 15;

std::optional<double> number_after(const std::string& text, const std::regex& what) {
  std::smatch found;
  if (!std::regex_search(text, found, what)) return std::nullopt;
  return std::atof(found.str(1).c_str());
}

}  // namespace

std::optional<svg_facts> facts_of(std::string_view svg) {
  const std::string text(svg);
  const std::string tag = text.substr(0, text.find('>', text.find("<svg")));
  svg_facts facts;
  static const std::regex kBox(R"re(viewBox="\s*[-\d.]+[\s,]+[-\d.]+[\s,]+([\d.]+)[\s,]+([\d.]+))re");
  static const std::regex kWidth(R"re(\swidth="([\d.]+)(?:px)?")re"),
      kHeight(R"re(\sheight="([\d.]+)(?:px)?")re");
  if (std::smatch found; std::regex_search(tag, found, kBox)) {
    facts.width = std::atof(found.str(1).c_str());
    facts.height = std::atof(found.str(2).c_str());
  } else if (const auto width = number_after(tag, kWidth), height = number_after(tag, kHeight);
             width && height) {
    facts.width = *width;
    facts.height = *height;
  }
  if (facts.width <= 0 || facts.height <= 0) return std::nullopt;
  // font-size="11", font-size: 11px, font: 600 11px/1.2 sans-serif
  static const std::regex kSize(
      R"re((?:font-size\s*[:=]\s*"?|font\s*[:=]\s*"?[^;"}]*?)(\d+(?:\.\d+)?)(?:px)?)re");
  for (std::sregex_iterator it(text.begin(), text.end(), kSize), end; it != end; ++it) {
    const double size = std::atof(it->str(1).c_str());
    if (size < 4 || size >= 100) continue;  // a weight, not a size
    facts.smallest_text = facts.smallest_text == 0 ? size : std::min(facts.smallest_text, size);
  }
  facts.has_dark_form = text.find("prefers-color-scheme") != std::string::npos;
  return facts;
}

std::string picture_html(const std::string& address, const std::string& alternative, std::string_view svg) {
  const auto facts = facts_of(svg);
  if (!facts) return fmt::format("<img src=\"{}\" alt=\"{}\">", escape(address), escape(alternative));
  std::string bounds;
  if (facts->smallest_text > 0) {
    const double px = facts->width / facts->smallest_text;
    bounds =
        fmt::format(" style=\"min-width:{:.0f}px;max-width:{:.0f}px\"", std::ceil(px * kSmallestReadable),
                    std::max(std::ceil(px * kLargestNeeded), facts->width));
  }
  return fmt::format("<img src=\"{}\" alt=\"{}\" width=\"{:.0f}\" height=\"{:.0f}\"{}{}>", escape(address),
                     escape(alternative), facts->width, facts->height, bounds,
                     facts->has_dark_form ? "" : " class=\"paper\"");
}

}  // namespace course::site
