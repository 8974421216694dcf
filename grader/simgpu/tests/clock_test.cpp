/// @file
/// The modelled clock against times measured on an H200 (fixtures/h200_dram_l2.csv, h200_inside.csv, h200_unseen.csv, h200_fresh.csv), by class of kernel, and what
/// the profiler counted of their requests and sectors. A bound says how far the model is off today, not how far it may be: lower
/// it when the model gets better, and say in timing/calibration.md why if one has to be raised.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "ladders/run.hpp"

namespace {

/// The cases of a ladder whose names hold a word; of fresh.cu, a class.
struct Class {
  const char *name, *ladder, *filter;
  std::size_t cases;
  double mean, worst;  ///< error at most [per cent]
};
void PrintTo(const Class& c, std::ostream* out) {
  *out << c.ladder << ", " << c.filter;
}

class Clock : public testing::TestWithParam<Class> {};

double value(const ladder::Values& v, const char* counter) {
  const auto at = v.find(counter);
  return at == v.end() ? 0 : at->second;
}

/// The same requests and sectors, for the same number of both: a twelfth of the data is rounded to whole blocks.
void expect_equal_counts(const ladder::Case& c, const ladder::Values& card) {
  constexpr std::array kCounters = {
      "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
      "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"};
  double measured = 0, counted = 0;
  for (const char* counter : kCounters)
    measured += value(card, counter), counted += value(c.counters, counter);
  if (measured == 0) return;  // not recorded
  for (const char* counter : kCounters) {
    const double expected = value(card, counter) * counted / measured;
    EXPECT_NEAR(value(c.counters, counter), expected, 0.01 * expected + 2) << c.name << ": " << counter;
  }
}

TEST_P(Clock, IsAsFarFromAnH200AsItSays) {
  const Class& kind = GetParam();
  auto card = ladder::read_fixture(FIXTURES "/h200_dram_l2.csv");
  card.merge(ladder::read_fixture(FIXTURES "/h200_inside.csv"));
  card.merge(ladder::read_kernels("unseen", FIXTURES "/h200_unseen.csv"));
  card.merge(ladder::read_kernels("fresh", FIXTURES "/h200_fresh.csv"));
  const bool fresh = std::string(kind.ladder) == "fresh";
  const auto cases = fresh ? ladder::simulate_class(kind.filter) : ladder::simulate(kind.ladder, kind.filter);
  EXPECT_EQ(cases.size(), kind.cases);
  double sum = 0;
  for (const ladder::Case& c : cases) {
    const auto measured = card.find(c.name);
    ASSERT_NE(measured, card.end()) << c.name << " was never measured";
    expect_equal_counts(c, measured->second);
    const double error = 100 * std::abs(c.gbytes_per_second / measured->second.at("gbytes_per_second") - 1);
    EXPECT_LE(error, kind.worst) << c.name;
    sum += error;
  }
  EXPECT_LE(sum / static_cast<double>(cases.size()), kind.mean) << "mean of " << cases.size() << " cases";
}

INSTANTIATE_TEST_SUITE_P(
    Ladders, Clock,
    testing::Values(
        Class{"copies", "copy", "", 38, 4, 13},
        Class{"tiny_blocks", "stencil", "textbook, blocks of", 4, 9, 19},
        Class{"seven_loads", "stencil", "seven loads", 2, 9, 13},
        Class{"windows_of_global_memory", "stencil", "window global", 4, 14, 26},
        Class{"windows_of_a_tile", "stencil", "window tile", 3, 7, 11},
        Class{"stencil_in_registers", "stencil", "float4 registers", 1, 6, 6},
        Class{"copies_of_types", "held_out", "copy of", 3, 7, 9},
        Class{"streams", "held_out", "axpy", 3, 6, 10},
        Class{"dot_product", "held_out", "dot product", 1, 7, 7},
        Class{"integer_pipe", "held_out", "hash", 1, 6, 6},
        Class{"special_functions", "held_out", "sine", 1, 4, 4},
        Class{"floating_point", "held_out", "polynomial", 1, 3, 3},
        Class{"structs_and_arrays", "held_out", "updated", 2, 9, 16},
        Class{"row_sums", "held_out", "row sums", 1, 10, 10},
        Class{"softmax", "held_out", "softmax", 1, 3, 3},
        Class{"column_sums", "held_out", "column sums", 1, 10, 10},
        Class{"bit_reversal", "held_out", "bit reversal", 1, 17, 17},
        Class{"barriers", "held_out", "block scan", 1, 19, 19},
        Class{"small_tiles", "held_out", "small transposes", 1, 6, 6},
        Class{"convolutions", "held_out", "convolution", 2, 13, 21},
        Class{"volumes", "held_out", "volume", 2, 13, 22}, Class{"chunk_walks", "walk", "walk ", 8, 29, 59},
        Class{"strides", "walk", "stride", 5, 6, 13}, Class{"structs", "walk", "struct", 2, 18, 32},
        Class{"constant_lookups", "inside", "look-up, constant", 4, 8, 19},
        Class{"shared_lookups", "inside", "look-up, shared", 2, 6, 8},
        Class{"global_lookups", "inside", "look-up, global", 2, 12, 16},
        Class{"shared_atomics", "inside", "histogram, shared", 8, 15, 26},
        Class{"global_atomics", "inside", "histogram, global atomics, uniform", 1, 11, 11},
        Class{"global_atomics_skewed", "inside", "histogram, global atomics, 90", 1, 14, 14},
        Class{"products", "held_out", "matrix product", 2, 23, 33},
        Class{"products_by_tiles", "inside", "product, tile", 2, 10, 17},
        Class{"products_without_tiles", "inside", "product, naive", 2, 31, 37},
        Class{"scans", "unseen", "scan by", 3, 15, 20}, Class{"sorted_blocks", "unseen", "sorted", 2, 13, 18},
        Class{"rows_normalised", "unseen", "rows normalised", 2, 25, 42},
        Class{"sums_by_fours", "unseen", "four sums", 1, 8, 8},
        Class{"escape", "unseen", "escape", 1, 34, 34}, Class{"scatters", "held_out", "scatter, ", 2, 7, 8},
        Class{"private_tables", "held_out", "private table", 1, 96, 96},
        Class{"contended_counters", "unseen", "atomics, 1024", 2, 4, 4},
        Class{"counters_all_over", "unseen", "atomics, counters", 1, 13, 13},
        Class{"greatest", "unseen", "atomics, greatest", 1, 6, 6},
        Class{"tickets", "unseen", "atomics, tickets", 1, 6, 6},
        Class{"scattered", "unseen", "scattered", 2, 9, 9},
        Class{"few_blocks", "unseen", "few blocks", 2, 8, 10},
        Class{"one_wave_and_a_bit", "unseen", "one wave", 1, 9, 9},
        Class{"bodies", "unseen", "forces", 1, 33, 33},
        Class{"products_in_registers", "unseen", "product in", 1, 20, 20},
        Class{"planes", "unseen", "planes", 1, 35, 35}, Class{"divisions", "unseen", "quotients", 1, 18, 18},
        Class{"shifts", "unseen", "random steps", 1, 6, 6},
        Class{"lone_sectors_of_l2", "unseen", "gather in", 1, 13, 13},
        Class{"chains", "unseen", "lists", 1, 8, 8}, Class{"searches", "unseen", "search", 1, 27, 27},
        Class{"rows_at_random", "unseen", "gathered", 1, 7, 7},
        Class{"counters_in_shared_memory", "unseen", "counters of", 2, 8, 10},
        Class{"constants_by_data", "unseen", "constants by data", 1, 4, 4},
        Class{"fresh_streams", "fresh", "streams", 13, 5, 18}, Class{"fresh_bits", "fresh", "bits", 6, 9, 24},
        Class{"fresh_arithmetic", "fresh", "arithmetic", 8, 13, 27},
        Class{"fresh_matrices", "fresh", "matrices", 6, 15, 29},
        Class{"fresh_reductions", "fresh", "reductions", 8, 8, 19},
        Class{"fresh_atomics", "fresh", "atomics", 5, 11, 17},
        Class{"fresh_local", "fresh", "local", 2, 11, 13}, Class{"fresh_random", "fresh", "random", 5, 6, 14},
        Class{"fresh_textures", "fresh", "textures", 6, 17, 39},
        Class{"fresh_copies", "fresh", "copies", 4, 11, 29},
        Class{"fresh_clusters", "fresh", "clusters", 2, 13, 20},
        Class{"fresh_tails", "fresh", "tails", 4, 19, 32},
        Class{"fresh_stencils", "fresh", "stencils", 4, 22, 29}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
