/// @file
/// Metrics of constant memory, and of what texture units fetch.
/// Each: how it is counted, and the sentence for whoever misses a gate on it.
#include <fmt/format.h>

#include "judge/device_report.hpp"
#include "judge/explain.hpp"
#include "judge/metrics.hpp"
#include "judge/metrics/reading.hpp"
#include "records/quantities.hpp"

namespace course::metrics {

const metric constant_passes{
    "constant_passes",
    "passes per request",
    origin::counters,
    scope::worst_line,
    when_nothing::met,
    "passes of a request to constant memory: different words that its lanes ask for",
    [](const evidence& seen) {
      reading found = kNothing;
      for (const auto& site : sites_by_line(seen.report)) {
        if (site.memory != "constant" || site.requests == 0) continue;
        const double passes = site.wavefronts / site.requests;
        if (!found.counted || passes > found.value) {
          found = with(
              {.value = passes}, cause::constant_passes,
              fmt::format("{} asks for {} different words a request: constant memory serves one at a time",
                          place_of(site), count_text(passes)),
              {site.file, site.line});
        }
      }
      return found;
    }};
const metric constant_words_per_warp{
    "constant_words_per_warp",
    "words per warp",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "words of 4 bytes that a lane asks constant memory for, over warps that touch data",
    [](const evidence& seen) {
      double words = 0;
      for (const auto& site : sites_by_line(seen.report)) {
        if (site.memory == "constant" && site.lanes > 0)
          words += site.requests * site.bytes_requested / site.lanes / 4;
      }
      auto found = over(words, counted(seen, "simgpu__warps_touching_global.sum"));
      return off(found, fmt::format("a warp asks constant memory for {} words", count_text(found.value)));
    }};
const metric filtered_fetches_per_output{
    "filtered_fetches_per_output",
    "fetches per output",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "texture fetches with linear filter, for each output",
    [](const evidence& seen) {
      auto found = over(counted(seen, "simgpu__texture_fetches_filtered.sum"), outputs_of(seen));
      return off(found, fmt::format("{} filtered fetches an output: let the texture unit do the "
                                    "interpolation, once for each output",
                                    count_text(found.value)));
    }};
const metric texels_by_hand{
    "texels_by_hand",
    "x required",
    origin::counters,
    scope::total,
    when_nothing::met,
    "bytes that kernels load from memory as large as an image, or fetch from textures without linear filter, "
    "over the bytes to be read",
    [](const evidence& seen) {
      // A table of a number for each row or column is no image.
      constexpr double kTableOfImage = 1.0 / 64, kTexel = 4, kOfGather = 4;
      double bytes = kTexel * (counted(seen, "simgpu__texture_fetches_point.sum") +
                               counted(seen, "simgpu__texture_fetches_surface.sum") +
                               kOfGather * counted(seen, "simgpu__texture_fetches_gather.sum"));
      for (const auto& launch : seen.report.launches()) {
        for (const auto& one : launch.buffers)
          bytes += one.bytes >= kTableOfImage * read_of(seen) ? one.loaded_bytes - one.fetched_bytes : 0;
      }
      auto found = over(bytes, read_of(seen));
      return off(found, fmt::format("kernels read {} times the image past the texture unit's filter",
                                    count_text(found.value)));
    }};

}  // namespace course::metrics
