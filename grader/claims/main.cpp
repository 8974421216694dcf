/// @file
/// The program that `course claims` runs: `course-claims list` describes all claims, `course-claims measure NAME...` measures some and
/// says, a JSON line each, what came out. On the CUDA runtime it measures; with the simulated one in its place it counts.
#include <cstdio>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "claims/claim.hpp"
#include "claims/device.hpp"

namespace {

using namespace course::claims;
using ordered = nlohmann::ordered_json;

ordered described(const claim& one) {
  return {{"claim", one.name}, {"source", one.source},  {"says", one.says}, {"claimed", {one.low, one.high}},
          {"unit", one.unit},  {"counted", one.counted}};
}

ordered to_json(const quantity& one) {
  return {{"what", one.what}, {"value", one.value}, {"unit", one.unit}};
}

/// A line at once: the reader shows progress.
void tell(const ordered& line) {
  std::printf("%s\n", line.dump(-1, ' ', false, ordered::error_handler_t::replace).c_str());
  std::fflush(stdout);
}

int measure(int count, char** names) {
  device on;
  tell({{"device_name", on.properties().name}, {"driver", on.driver()}, {"simulated", on.simulated()}});
  std::map<outcome (*)(device&), outcome> measured;
  bool well = true;
  for (int i = 0; i < count; ++i) {
    for (const claim& one : all_claims()) {
      if (one.name != std::string_view(names[i])) continue;
      ordered line = described(one);
      try {
        auto known = measured.find(one.measure);
        if (known == measured.end()) known = measured.emplace(one.measure, one.measure(on)).first;
        const outcome& found = known->second;
        line["baseline"] = to_json(found.baseline);
        line["value"] = to_json(found.value);
        line["ratio"] = found.ratio;
        for (const quantity& also : found.also) line["also"].push_back(to_json(also));
        line["why"] = *one.why ? one.why : found.why;
      } catch (const device_error& problem) {
        line["error"] = problem.what();
        well = false;
      }
      tell(line);
    }
  }
  return well ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view word = argc > 1 ? argv[1] : "";
  try {
    if (word == "list") {
      for (const claim& one : all_claims()) tell(described(one));
      return 0;
    }
    if (word == "measure") return measure(argc - 2, argv + 2);
    std::fprintf(stderr, "usage: course-claims list | measure NAME...\n");
  } catch (const std::exception& problem) {
    tell({{"error", problem.what()}});
  }
  return 2;
}
