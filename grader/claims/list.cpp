/// @file
/// The claims of the texts, as far as the course uses them: what is stated, in which range a ratio confirms it, and what measures it. A
/// range is the text's own; where it states one figure, ten per cent on either side of it.
#include "claims/claim.hpp"
#include "claims/kernels/kernels.hpp"

namespace course::claims {
namespace {

constexpr const char* kGuide = "the memory-hierarchy guide";
constexpr const char* kChapter2 = "Chapter 2, Memory Hierarchy";
constexpr const char* kOverview = "the memory-spaces overview";
constexpr const char* kArticle = "the older memory-model article";
constexpr const char* kPost = "the shared-memory stencil post";

}  // namespace

const std::vector<claim>& all_claims() {
  static const std::vector<claim> kAll = {
      {"elementwise_intensity", kChapter2, "element-wise work has 1 to 2 FLOP a byte", 1, 2, "FLOP/B", true,
       elementwise_intensity},
      {"ridge_point", kChapter2, "the ridge point is at 312.5 FLOP a byte", 281, 344, "FLOP/B", false,
       ridge_point},
      {"arithmetic_latency", kGuide, "arithmetic is 100 to 1000 times faster than a global access", 100, 1000,
       "times", false, arithmetic_latency},
      {"occupancy_doubled", kChapter2, "more occupancy gives 1.1 to 1.5 times", 1.1, 1.5, "times", false,
       occupancy_doubled},
      {"tiled_matrix_product", kGuide, "tiling makes the matrix product 10 to 20 times faster", 10, 20,
       "times", false, tiled_matrix_product},
      {"laptop_matrix_product", kArticle, "shared memory makes a product of 512 x 512 three times faster",
       2.7, 3.3, "times", false, laptop_matrix_product},
      {"tile_accesses", kGuide, "a tile of side 32 cuts global accesses by 32", 28.8, 35.2, "times", true,
       tile_accesses},
      {"shared_100_times", kArticle, "shared memory is about 100 times faster (latency)", 90, 110, "times",
       false, shared_latency},
      {"shared_10_to_20_times", kGuide, "shared memory has 10 to 20 times lower latency", 10, 20, "times",
       false, shared_latency},
      {"shared_tenfold", kOverview, "shared memory is an order of magnitude faster (bandwidth)", 9, 11,
       "times", false, shared_bandwidth},
      {"shared_5_times", kPost, "shared memory is about 5 times faster (bandwidth)", 4.5, 5.5, "times", false,
       shared_bandwidth},
      {"stencil_reuse", kChapter2, "reuse through shared memory gives 2 to 10 times", 2, 10, "times", false,
       stencil_reuse},
      {"bank_conflicts", kChapter2, "bank conflicts cost 1.1 to 2 times", 1.1, 2, "times", false,
       conflicts_in_a_kernel},
      {"bank_conflicts_alone", kChapter2, "a 32-way conflict is 32 times slower", 28.8, 35.2, "times", false,
       conflicts_alone},
      {"strided_copy", kGuide, "strided access loses 5 to 10 times", 5, 10, "times", false, strided_copy,
       "Useful bytes only. The factor grows with the stride until each element has a line of its own, so a "
       "single factor needs its stride beside it."},
      {"strided_16_times", kChapter2, "8 TB/s or 500 GB/s: 16 times", 14.4, 17.6, "times", false,
       strided_copy,
       "Two figures of one card, whose ratio is compared here: how far a copy falls whose lanes lie 128 "
       "bytes apart."},
      {"chunk_walk", kChapter2, "coalescing gives 10 to 100 times", 10, 100, "times", false, chunk_walk},
      {"line_from_memory", kChapter2, "4 bytes fetch the whole line of 128 (from DRAM)", 115, 141, "B", false,
       isolated_read},
      {"line_from_l2", kChapter2, "4 bytes fetch the whole line of 128 (from L2)", 115, 141, "B", true,
       sectors_of_a_read},
      {"pinned_upload", kOverview, "pinned memory is faster", 1.1, 1000, "times", false, pinned_upload},
      {"bulk_instructions", kChapter2, "TMA makes addresses free (at most a tenth of the instructions)", 0,
       0.1, "times", true, bulk_instructions},
  };
  return kAll;
}

}  // namespace course::claims
