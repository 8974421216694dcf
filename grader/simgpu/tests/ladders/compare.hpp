/// @file
/// For tests: what a card and the model said of the same kernels, held together (fresh.cu and blind/, each measured once).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace ladder {

/// Figures by name, as they stand behind it.
inline std::map<std::string, std::vector<double>> read_figures(const std::string& path) {
  std::map<std::string, std::vector<double>> all;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] != '"') continue;
    const std::size_t end = line.find('"', 1);
    std::vector<double>& figures = all[line.substr(1, end - 1)] = {};
    for (std::size_t at = end + 1; at != std::string::npos; at = line.find(',', at + 1))
      figures.push_back(std::stod(line.substr(at + 1)));
  }
  return all;
}
/// GB/s by kernel.
inline std::map<std::string, double> read_rates(const std::string& path) {
  std::map<std::string, double> all;
  for (const auto& [name, figures] : read_figures(path)) all[name] = figures.front();
  return all;
}

inline std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<double> result;
  for (const double v : values)
    result.push_back(
        static_cast<double>(std::count_if(values.begin(), values.end(), [&](double o) { return o < v; })) +
        static_cast<double>(std::count(values.begin(), values.end(), v) - 1) / 2);
  return result;
}
inline double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  double ma = 0, mb = 0, ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) ma += a[i], mb += b[i];
  ma /= static_cast<double>(a.size()), mb /= static_cast<double>(a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    ab += (a[i] - ma) * (b[i] - mb), aa += (a[i] - ma) * (a[i] - ma), bb += (b[i] - mb) * (b[i] - mb);
  return ab / std::sqrt(aa * bb);
}

struct Errors {
  std::size_t kernels = 0, above_35 = 0, above_60 = 0;
  double mean = 0, worst = 0, rank_correlation = 0;
};

inline Errors compare(const std::map<std::string, double>& card, const std::map<std::string, double>& model) {
  Errors all;
  std::vector<double> measured, modelled;
  for (const auto& [kernel, rate] : card) {
    const auto at = model.find(kernel);
    if (at == model.end()) {
      ADD_FAILURE() << kernel << " was measured, but did not run here";
      continue;
    }
    const double error = 100 * std::abs(at->second / rate - 1);
    std::printf("%-52s %10.1f %10.1f %6.2f\n", kernel.c_str(), rate, at->second, at->second / rate);
    measured.push_back(rate), modelled.push_back(at->second);
    all.mean += error, all.worst = std::max(all.worst, error);
    all.above_35 += error > 35, all.above_60 += error > 60;
  }
  all.kernels = measured.size();
  all.mean /= static_cast<double>(std::max<std::size_t>(1, all.kernels));
  all.rank_correlation = correlation(ranks(measured), ranks(modelled));
  std::printf(
      "%zu kernels: mean %.1f %%, worst %.1f %%, %zu above 35 %%, %zu above 60 %%, rank correlation %.4f\n",
      all.kernels, all.mean, all.worst, all.above_35, all.above_60, all.rank_correlation);
  return all;
}

}  // namespace ladder
