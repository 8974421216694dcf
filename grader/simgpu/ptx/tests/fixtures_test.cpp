/// @file
/// What nvcc 13.0 and clang 14 really write. Each fixture was compiled from the `.cu` beside it:
/// `nvcc -ptx -arch=compute_90 -lineinfo -O3 -std=c++17` (clang.cu: its first line says how).
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "simgpu/ptx/module.hpp"
#include "simgpu/ptx/tests/writer.hpp"

namespace simgpu::ptx {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> fixtures() {
  std::vector<fs::path> result;
  for (const auto& entry : fs::directory_iterator(SIMGPU_PTX_FIXTURES)) {
    if (entry.path().extension() == ".ptx") result.push_back(entry.path());
  }
  std::sort(result.begin(), result.end());
  return result;
}

class Fixture : public ::testing::TestWithParam<fs::path> {};

std::string fixture_name(const ::testing::TestParamInfo<fs::path>& info) {
  return info.param.stem().string();
}

TEST_P(Fixture, IsReadAndWrittenWithoutLoss) {
  const ParseResult first = parse(read_file(GetParam()));
  ASSERT_FALSE(first.error) << first.error->line << ": " << first.error->message;
  const std::string written = testing::write(*first.module);
  const ParseResult second = parse(written);
  ASSERT_FALSE(second.error) << second.error->line << ": " << second.error->message;
  EXPECT_EQ(testing::write(*second.module), written);
}

TEST_P(Fixture, NamesALineOfTheSourceForNearlyEveryInstruction) {
  const ParseResult result = parse(read_file(GetParam()));
  ASSERT_TRUE(result.module);
  std::size_t total = 0, in_source = 0;
  for (const Function& function : result.module->functions) {
    // The toolkit's own functions ("__internal_accurate_pow") have no lines.
    if (function.name.starts_with("__internal")) continue;
    for (const Instruction& instruction : function.instructions) {
      ++total;
      const std::string_view path = result.module->file_path(instruction.location.file);
      if (path.ends_with(GetParam().stem().string() + ".cu")) ++in_source;
    }
  }
  EXPECT_GT(total, 0u);
  EXPECT_GE(static_cast<double>(in_source), 0.95 * static_cast<double>(total))
      << in_source << " of " << total;
}

// A second judge that shares no code with us: the machine code made from what we wrote must equal, to the
// byte, that made from nvcc's text. Catches a dropped modifier, a wrong immediate, a register mixed up in
// renaming.
TEST_P(Fixture, MeansTheSameToPtxas) {
  if (std::system("'" SIMGPU_PTXAS "' --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no ptxas";
  // Comments and lines are not instructions.
  std::string original;
  const std::string text = read_file(GetParam());
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const std::string line = text.substr(begin, end - begin);
    begin = end;
    const std::size_t word = std::min(line.find_first_not_of(" \t"), line.size());
    if (line.compare(word, 8, ".section") == 0) break;
    if (line.compare(word, 5, ".loc\t") != 0) original += line;
  }
  const ParseResult result = parse(text);
  ASSERT_TRUE(result.module);
  const std::string folder = ::testing::TempDir() + "/simgpu_ptx_" + GetParam().stem().string();
  fs::create_directories(folder);
  std::map<std::string, std::string> machine_code;
  for (const auto& [name, source] : {std::pair{std::string("nvcc"), original},
                                     std::pair{std::string("ours"), testing::write(*result.module)}}) {
    std::ofstream(folder + "/" + name + ".ptx") << source;
    const std::string base = "'" + folder + "/" + name;
    ASSERT_EQ(
        std::system(("'" SIMGPU_PTXAS "' -arch=sm_90 " + base + ".ptx' -o " + base + ".cubin'").c_str()), 0)
        << name;
    machine_code[name] = read_file(folder + "/" + name + ".cubin");
  }
  EXPECT_FALSE(machine_code["nvcc"].empty());
  EXPECT_TRUE(machine_code["nvcc"] == machine_code["ours"]);
  fs::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(Ptx, Fixture, ::testing::ValuesIn(fixtures()), fixture_name);

}  // namespace
}  // namespace simgpu::ptx
