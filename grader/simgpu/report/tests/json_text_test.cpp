/// @file
/// Text that is written at once, against what nlohmann::json writes: readers of a report must not see which of the two it was.
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "gtest/gtest.h"
#include "simgpu/report/json_text.hpp"
#include "simgpu/report/report.hpp"
#include "simgpu/report/tests/sample.hpp"

namespace simgpu::report {
namespace {

using Library = nlohmann::ordered_json;

TEST(JsonText, NumbersAreTheLibrarys) {
  using limits = std::numeric_limits<double>;
  for (const double value : {0.0, -0.0, 1.0, -1.0, 0.1, 1.0 / 3, 12345678.0, 999999999999999.0, 1e15, 1e16,
                             123456789012345680.0, 1e22, 2.5e-7, 1e-310, limits::max(), limits::min(),
                             limits::infinity(), -limits::infinity(), limits::quiet_NaN()}) {
    EXPECT_EQ(Json(value).text(), Library(value).dump());
  }
  EXPECT_EQ(Json(std::numeric_limits<std::uint64_t>::max()).text(), "18446744073709551615");
  EXPECT_EQ(Json(std::numeric_limits<std::int64_t>::min()).text(), "-9223372036854775808");
  EXPECT_EQ(Json(true).text() + Json(false).text() + Json(nullptr).text(), "truefalsenull");
}

TEST(JsonText, StringsAreTheLibrarys) {
  using namespace std::string_literals;
  for (const std::string& value :
       {""s, "float const*"s, "a \"quoted\" word"s, "C:\\folder"s, "line\nline\ttab"s, "nul\0inside"s,
        "gr\xc3\xb6\xc3\x9f"s, "broken \xff\xc3"s, "del\x7f"s})
    EXPECT_EQ(Json(value).text(), Library(value).dump(-1, ' ', false, Library::error_handler_t::replace));
}

TEST(JsonText, NestedAndEmptyOnes) {
  Json all = Json::object();
  all.add("none", Json::object());
  all.add("list", Json::array({1u, -2, 0.5, "x", nullptr}));
  all.add("pairs", {{"a", "b"}, {"c", "d"}});
  Json rows = Json::array();
  rows.push_back(Json::array());
  rows.push_back({{"one", true}});
  all.add("rows", rows);
  EXPECT_EQ(all.text(),
            R"({"none":{},"list":[1,-2,0.5,"x",null],"pairs":{"a":"b","c":"d"},"rows":[[],{"one":true}]})");
}

TEST(JsonText, AReportWithoutSpacesIsTheOneWithThem) {
  const auto report = testing::sample();
  const std::string text = to_json(report, -1);
  EXPECT_EQ(text, Library::parse(text).dump());
  EXPECT_EQ(to_json(report, 2), Library::parse(text).dump(2));
}

}  // namespace
}  // namespace simgpu::report
