/// @file
/// No PTX, however broken, crashes or hangs the interpreter: modules with words exchanged at random are
/// lowered and run. Deterministic; the same texts in every run.
#include <random>
#include <regex>

#include "simgpu/exec/tests/device.hpp"

namespace simgpu::exec::testing {
namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    const bool part = std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '%' || c == '$';
    if (!part && !word.empty()) words.push_back(std::move(word)), word.clear();
    if (part)
      word += c;
    else
      words.emplace_back(1, c);
  }
  words.push_back(word);
  return words;
}

/// @return whether the text was PTX enough to be run.
bool run_all(const std::string& text, unsigned cluster) {
  ptx::ParseResult parsed = ptx::parse(text);
  if (!parsed.module) return false;
  memory::DeviceMemory memory(1ull << 30);
  const auto* a = memory.allocate(4096, memory::AllocationKind::device);
  std::memset(a->host, 0, 4096);
  lower::LowerResult lowered = lower::lower(*parsed.module, [&](std::string_view) { return a->base; });
  if (!lowered.program) return false;
  for (const lower::Kernel& k : lowered.program->kernels()) {
    Launch launch;
    launch.kernel = &k;
    launch.grid = {4};
    launch.cluster = {cluster};
    launch.block = {40, 2};
    launch.dynamic_shared_bytes = 1024;
    launch.warp_instruction_limit = 20'000;
    launch.scoreboard_every = 1;
    launch.parameters.assign(std::min<std::size_t>(k.parameter_bytes, 4096), std::byte{0});
    for (std::size_t at = 0; at + 8 <= launch.parameters.size(); at += 8)
      std::memcpy(launch.parameters.data() + at, &a->base, 8);
    if (k.static_shared_bytes > (1u << 20) || k.local_bytes > (1u << 20)) continue;
    observe::Findings findings;
    const Result r = run(launch, memory, {}, findings, {});
    std::string told;
    bool ended = false;  // by an error that it does not go on after
    for (const observe::Finding& f : findings.all()) {
      told += f.message + "\n";
      ended |= !f.warning && !f.passed;
    }
    EXPECT_EQ(r.ok, !ended) << k.name << ": " << told;
  }
  return true;
}

void mutate(const std::string& path) {
  // Without the files' names: they hold this checkout's path, and with it the words that the dice choose from.
  const std::vector<std::string> words = split(std::regex_replace(
      read_text(path), std::regex("\t\\.file\t(\\d+) \"[^\"]*\""), "\t.file\t$1 \"a.cu\""));
  std::mt19937 random(7);
  const char* count = std::getenv("SIMGPU_MUTATIONS");
  const int rounds = count ? std::atoi(count) : 60;
  // Words are exchanged for others of their kind, so that most texts still parse and reach the interpreter.
  auto kind = [](const std::string& w) {
    return w[0] == '%'                                      ? 0
           : std::isdigit(static_cast<unsigned char>(w[0])) ? 1
           : std::isalpha(static_cast<unsigned char>(w[0])) ? 2
                                                            : 3;
  };
  std::vector<std::string> pool[4];
  for (const std::string& w : words)
    if (!w.empty()) pool[kind(w)].push_back(w);
  for (const char* w : {"0", "65536", "4294967295", "9223372036854775807", "0xFFFFFFFF"})
    pool[1].insert(pool[1].end(), 200, w);
  int ran = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::string> mutated = words;
    const int changes = 1 << random() % 8;
    for (int n = 0; n < changes; ++n) {
      std::string& word = mutated[random() % mutated.size()];
      if (word.empty() || kind(word) == 3) continue;
      const auto& choices = pool[kind(word)];
      word = choices[random() % choices.size()];
    }
    std::string text;
    for (const std::string& w : mutated) text += w;
    ran += run_all(text, round % 3 ? 1 : 2);
  }
  EXPECT_GT(ran, rounds / 4);
}

TEST(Mutations, NeitherCrashNorHang) {
  mutate(SIMGPU_KERNELS_PTX);
}
TEST(Mutations, OfAsynchronousCopies) {
  mutate(SIMGPU_ASYNC_PTX);
}

}  // namespace
}  // namespace simgpu::exec::testing
