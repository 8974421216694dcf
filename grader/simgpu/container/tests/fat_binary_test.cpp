/// @file
/// Containers put together byte by byte as nvcc lays them out, whole and broken. Where nvcc's own output is
/// at hand, the runtime's tests read it through the same door.
#include "simgpu/container/fat_binary.hpp"

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <tuple>

#include "gtest/gtest.h"

namespace {

using simgpu::container::EntryKind;
using simgpu::container::FatBinary;
using simgpu::container::link_parts;
using simgpu::container::LinkedPtx;
using simgpu::container::pick_ptx;
using simgpu::container::read_container;
using simgpu::container::read_fat_binary;

template <class T>
void put(std::string& into, T value) {
  into.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

std::string entry(std::uint16_t kind, std::uint32_t arch, std::string payload, std::uint64_t flags = 0x11,
                  std::uint32_t compressed = 0, std::uint64_t uncompressed = 0) {
  payload.resize((payload.size() + 8) / 8 * 8);
  const std::string options = "-O3";
  const std::uint32_t header_bytes = 0x50;
  std::string result;
  put<std::uint16_t>(result, kind);
  put<std::uint16_t>(result, 0x0101);
  put<std::uint32_t>(result, header_bytes);
  put<std::uint64_t>(result, payload.size());
  put<std::uint32_t>(result, compressed);
  put<std::uint32_t>(result, 0x40);
  put<std::uint16_t>(result, 0);
  put<std::uint16_t>(result, 9);
  put<std::uint32_t>(result, arch);
  put<std::uint32_t>(result, 0x40);
  put<std::uint32_t>(result, 3);
  put<std::uint64_t>(result, flags);
  put<std::uint64_t>(result, 0);
  put<std::uint64_t>(result, uncompressed);
  result += options;
  result.resize(header_bytes);
  return result + payload;
}

std::string container(const std::string& entries) {
  std::string result;
  put<std::uint32_t>(result, 0xBA55ED50);
  put<std::uint16_t>(result, 1);
  put<std::uint16_t>(result, 16);
  put<std::uint64_t>(result, entries.size());
  return result + entries;
}

struct Wrapper {
  std::uint32_t magic = 0x466243B1, version = 1;
  const void* data = nullptr;
  const void* extra = nullptr;
};

TEST(FatBinary, FindsTheTextBesideMachineCode) {
  const std::string bytes = container(entry(2, 90,
                                            "\x7f"
                                            "ELF machine code") +
                                      entry(1, 90, ".version 9.0\n"));
  Wrapper wrapper;
  wrapper.data = bytes.data();
  const FatBinary binary = read_fat_binary(&wrapper);
  ASSERT_EQ(binary.problem, "");
  ASSERT_EQ(binary.entries.size(), 2u);
  EXPECT_EQ(binary.entries[0].kind, EntryKind::elf);
  EXPECT_EQ(binary.entries[0].bytes, "");
  EXPECT_EQ(binary.entries[1].name, "-O3");
  const auto picked = pick_ptx(binary);
  ASSERT_NE(picked.entry, nullptr);
  EXPECT_EQ(picked.entry->bytes, ".version 9.0\n");
}

TEST(FatBinary, PicksTheNewestThatTheDeviceHas) {
  const FatBinary binary =
      read_container(container(entry(1, 75, "a") + entry(1, 90, "b") + entry(1, 100, "c")));
  ASSERT_NE(pick_ptx(binary).entry, nullptr);
  EXPECT_EQ(pick_ptx(binary).entry->bytes, "b");
  EXPECT_EQ(pick_ptx(binary, 80).entry->bytes, "a");
}

TEST(FatBinary, SaysWhatToDoWithoutUsablePtx) {
  EXPECT_NE(pick_ptx(read_container(container(entry(2, 90, "elf")))).problem.find("compute_90"),
            std::string::npos);
  EXPECT_NE(pick_ptx(read_container(container(entry(1, 100, "x")))).problem.find("10.0"), std::string::npos);
  EXPECT_NE(pick_ptx(read_container("nonsense")).problem, "");
}

/// What is made of a program that was linked from files with these PTX texts.
LinkedPtx linked(const std::vector<std::string>& texts) {
  std::vector<std::string> containers;
  for (const std::string& text : texts) containers.push_back(container(entry(1, 90, text)));
  std::vector<const void*> parts;
  for (const std::string& bytes : containers) parts.push_back(bytes.data());
  parts.push_back(nullptr);
  Wrapper wrapper;
  wrapper.version = 2;
  wrapper.extra = parts.data();
  return link_parts(read_fat_binary(&wrapper));
}

TEST(FatBinary, LinksRelocatableDeviceCodeOrSaysWhatIsMissing) {
  const std::string runtime = ".visible .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(\n)\n{\n}\n";
  const std::string alone =
      ".extern .func (.param .b32 r) vprintf\n(\n)\n;\n.extern .shared .align 16 .b8 s[];\n";
  const auto says = [](const std::string& text, const char* words) {
    return text.find(words) != std::string::npos;
  };
  EXPECT_EQ(linked({alone, runtime}).problem, "");
  EXPECT_PRED2(says, linked({alone, runtime}).text, "vprintf");
  EXPECT_PRED2(
      says,
      linked({alone, ".extern .func (.param .b32 r) _Z5twicei\n(\n.param .b32 x\n)\n;\n", runtime}).problem,
      "needs twice(int), which is in the PTX of none");
  EXPECT_PRED2(says, linked({".extern .global .align 4 .u32 counter;\n", runtime}).problem, "needs counter");
  EXPECT_EQ(linked({".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2\n(\n)\n;\n", runtime}).problem,
            "");
  EXPECT_PRED2(says, linked({".extern .func (.param .b32 r) cudaLaunchDevice\n(\n)\n;\n", runtime}).problem,
               "build it with a newer nvcc");
  Wrapper bare;
  bare.version = 2;
  EXPECT_PRED2(says, read_fat_binary(&bare).problem, "-rdc");
}

TEST(FatBinary, NamesTheCompressionItCannotUndo) {
  // Not a valid stream: where the library is installed it is reported as damaged, elsewhere by name.
  for (const std::uint64_t flags : {0x8011u, 0x2011u}) {
    const auto picked = pick_ptx(read_container(container(entry(1, 90, "garbage!", flags, 8, 100))));
    EXPECT_EQ(picked.entry, nullptr);
    EXPECT_TRUE(picked.problem.find("--no-compress") != std::string::npos ||
                picked.problem.find("damaged") != std::string::npos)
        << picked.problem;
  }
}

TEST(FatBinary, UnpacksWhatNvccCompressesByDefault) {
  // Hand-made streams of ".version 9.0": a zstd frame with one raw block, and an LZ4 block of literals only.
  const std::string text = ".version 9.0";
  const std::string zstd = std::string("\x28\xb5\x2f\xfd\x20\x0c\x61\x00\x00", 9) + text;
  const std::string lz4 = "\xc0" + text;
  for (const auto& [flags, stream, library] :
       {std::tuple{0x8011u, zstd, "zstd"}, std::tuple{0x2011u, lz4, "lz4"}}) {
    const FatBinary binary = read_container(
        container(entry(1, 90, stream, flags, static_cast<std::uint32_t>(stream.size()), text.size())));
    const auto picked = pick_ptx(binary);
    if (picked.entry == nullptr && picked.problem.find("--no-compress") != std::string::npos) {
      EXPECT_NE(picked.problem.find(library), std::string::npos);
      continue;  // this machine lacks the library
    }
    ASSERT_NE(picked.entry, nullptr) << picked.problem;
    EXPECT_EQ(picked.entry->bytes, text);
  }
}

TEST(FatBinary, StaysInsideBrokenContainers) {
  const std::string good = container(entry(1, 90, ".version 9.0") + entry(2, 90, "elf"));
  for (std::size_t length = 0; length < good.size(); ++length) {
    // A heap copy of exactly this length, so that a sanitizer sees any step beyond it.
    const std::string cut = good.substr(0, length);
    EXPECT_NE(read_container(std::string_view(cut.data(), cut.size())).problem, "") << length;
  }
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string broken = good;
    for (int flips = 0; flips < 3; ++flips) broken[random() % broken.size()] = static_cast<char>(random());
    const FatBinary binary = read_container(broken);
    pick_ptx(binary);
  }
}

}  // namespace
