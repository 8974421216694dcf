/// @file
/// Records, sound and broken.
#include "simgpu/queue/codec.hpp"

#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace simgpu::queue {
namespace {

using Record_ = std::vector<std::byte>;

Record_ record_of(Body body, std::uint64_t sequence = 7, std::uint64_t spent = 250) {
  Record_ out;
  EXPECT_TRUE(encode({sequence, spent, std::move(body)}, out));
  return out;
}

template <typename T>
void put(Record_& record, std::size_t at, T value) {
  ASSERT_LE(at + sizeof value, record.size());
  std::memcpy(record.data() + at, &value, sizeof value);
}

/// One command of each kind, with numbers that tell the fields from each other.
std::vector<Body> all_kinds() {
  Launch launch{.stream = 3, .module = 4, .kernel = 5};
  launch.grid = {6, 7, 8}, launch.block = {9, 10, 11}, launch.cluster = {2, 1, 1};
  launch.shared = 4096;
  launch.cooperative = true;
  launch.parameters.inside = {std::byte{1}, std::byte{2}, std::byte{3}};
  Launch with_window = launch;
  with_window.early = true;
  with_window.parameters = {.inside = {}, .staged = true, .length = 64, .offset = 128};
  with_window.window = Window{.address = 4096,
                              .bytes = 64,
                              .hit_ratio = 0.5f,
                              .hit = Window::Hold::persisting,
                              .miss = Window::Hold::streaming,
                              .set_by = Window::SetBy::launch};
  const Copy copy{.stream = 3,
                  .call = 2,
                  .to = {Place::Kind::device, 4096},
                  .from = {Place::Kind::staging, 8192},
                  .shape = {.width = 16,
                            .height = 3,
                            .depth = 2,
                            .to_pitch = 32,
                            .to_slice = 128,
                            .from_pitch = 16,
                            .from_slice = 48},
                  .waits = true};
  const Set set{.stream = 3, .unit = 2, .value = 0xABCD, .call = 1, .address = 4096, .shape = {.width = 8}};
  Object object{.what = Object::What::texture};
  object.sampling = {.edges = {Sampling::Edge::clamp, Sampling::Edge::mirror, Sampling::Edge::border},
                     .linear = true,
                     .srgb = true,
                     .border = {1, std::numeric_limits<float>::infinity(), 3, 4},
                     .level_bias = 0.5f,
                     .level_max = 7};
  object.levels = {{.address = 4096,
                    .channel_bytes = 2,
                    .channels = 4,
                    .kind = Texels::Kind::signed_,
                    .dimensions = 3,
                    .tiled = true,
                    .width = 10,
                    .height = 11,
                    .depth = 12,
                    .pitch = 128,
                    .slice = 2048},
                   {.address = 8192, .layered = true, .layers = 5}};
  std::vector<Body> all{Hello{1, 2, 12},
                        Allocate{1, Allocate::Kind::managed, Allocate::Use::graph, 3, 2, 1000, 256},
                        Free{4096, 3, 2},
                        Map{1, 4096, 8192},
                        Unmap{4096},
                        Peer{0, 1, true},
                        MakeStream{3, 1, MakeStream::Kind::legacy, 2},
                        StreamGone{3},
                        Load{4, 1, {.inside = Record_(2, std::byte{'.'})}, "a program"},
                        Load{4, 1, {.inside = {}, .staged = true, .length = 70000, .offset = 4096}, ""},
                        Unload{4},
                        launch,
                        with_window,
                        copy,
                        set,
                        Record{3, 5},
                        Wait{3, 5},
                        EventGone{5},
                        Marker{3, 99},
                        Done{99},
                        Move{3, 1, 4096, 64},
                        Advise{Advise::What::map, 0, 4096, 64},
                        object,
                        ObjectGone{Object::What::surface, 9},
                        Graph{3, Graph::Step::place, 2, {0, 1}},
                        Needs{4, 5},
                        Query{Query::What::event, 5},
                        Synchronise{Synchronise::What::device, 0, false, 3},
                        Elapsed{5, 6},
                        Limit{1, Limit::Which::heap, 1u << 20},
                        Hold{*with_window.window},
                        Note{"A sentence.", "kernel"},
                        Reset{1},
                        Bye{}};
  all.emplace_back(Marker{3, 99, true});
  all.emplace_back(Touched{.id = 9, .address = 0x3000'0000'1010, .writes = true});
  all.emplace_back(Pass{4096, 64});
  all.emplace_back(Settle{});
  all.emplace_back(Visited{{{0x3400'0000'1000, 65536}, {0x3400'0010'0000, 4096}}});
  all.emplace_back(Fetch{12, 4096, 64});
  all.emplace_back(Lease{3, 2, true, 0x4000'0000'1000});
  all.emplace_back(Condition{3, Condition::What::assign, 7});
  return all;
}

TEST(Codec, EveryCommandComesBackAsItWent) {
  for (const Body& body : all_kinds()) {
    const Record_ record = record_of(body);
    const Decoded read = decode(record);
    ASSERT_EQ(read.problem, "") << name_of_code(code_of(body));
    EXPECT_EQ(read.size, record.size());
    EXPECT_EQ(read.command, (Command{7, 250, body})) << name_of_code(code_of(body));
    Record_ quiet;
    ASSERT_TRUE(encode({7, 250, body, /*quiet=*/true}, quiet));
    EXPECT_EQ(decode(quiet).command, (Command{7, 250, body, true})) << name_of_code(code_of(body));
  }
}

TEST(Codec, RecordsAreWholeEightsAndFollowEachOther) {
  Record_ all;
  for (const Body& body : all_kinds()) ASSERT_TRUE(encode({1, 0, body}, all));
  EXPECT_EQ(all.size() % 8, 0u);
  std::size_t at = 0, count = 0;
  while (at < all.size()) {
    const Decoded read = decode(std::span(all).subspan(at));
    ASSERT_EQ(read.problem, "");
    ASSERT_EQ(read.size % 8, 0u);
    at += read.size;
    ++count;
  }
  EXPECT_EQ(count, all_kinds().size());
}

/// The layout is fixed: another program's records must be read, too.
TEST(Codec, TheBytesOfAWaitAndOfALaunch) {
  const Record_ wait = record_of(Wait{0x0403, 0x0605}, 0x11, 0x22);
  const unsigned char expected[32] = {32,   0, 0, 0, 15, 0, 0, 0, 0x11, 0, 0, 0, 0, 0, 0, 0,
                                      0x22, 0, 0, 0, 0,  0, 0, 0, 3,    4, 0, 0, 5, 6, 0, 0};
  ASSERT_EQ(wait.size(), sizeof expected);
  EXPECT_EQ(std::memcmp(wait.data(), expected, sizeof expected), 0);

  const Record_ launch = record_of(Launch{.stream = 1, .module = 2, .parameters = {.inside = Record_(5)}});
  EXPECT_EQ(launch.size(), 24u + 14 * 4 + 8 + 8);  // five bytes of parameters are padded to eight
}

/// Every cut of every record, and every byte of it changed: refused, or read and written back the same.
TEST(Codec, NoCutAndNoChangedByteIsMisread) {
  for (const Body& body : all_kinds()) {
    const Record_ record = record_of(body);
    for (std::size_t bytes = 0; bytes < record.size(); ++bytes)
      EXPECT_NE(decode(std::span(record).first(bytes)).problem, "")
          << name_of_code(code_of(body)) << " " << bytes;
    for (std::size_t at = 0; at < record.size(); ++at) {
      for (const int flip : {1, 0x80, 0xFF}) {
        Record_ changed = record;
        changed[at] ^= static_cast<std::byte>(flip);
        const Decoded read = decode(changed);
        if (!read.problem.empty()) continue;
        Record_ again;
        ASSERT_TRUE(encode(read.command, again));
        changed.resize(read.size);
        EXPECT_EQ(again, changed) << name_of_code(code_of(body)) << " byte " << at;
      }
    }
  }
}

struct Broken {
  const char* name;
  Body body;
  std::function<void(Record_&)> harm;
  const char* says;
};

TEST(Codec, WhatBreaksTheGrammarIsToldInOneSentence) {
  const Body launch = Launch{.stream = 1, .module = 2, .parameters = {.inside = Record_(8)}};
  const Body copy = Copy{.stream = 1,
                         .to = {Place::Kind::device, 64},
                         .from = {Place::Kind::device, 128},
                         .shape = {.width = 8}};
  const Body set = Set{.stream = 1, .unit = 4, .address = 64, .shape = {.width = 8}};
  const Body graph = Graph{1, Graph::Step::place, 2, {0, 1}};
  const Body note = Note{"abc", ""};
  const Body texture = Object{.levels = {Texels{.address = 64}}};
  constexpr std::size_t kBody = 24;
  constexpr std::size_t kLevel = kBody + 4 + 16 * 4 + 4;  // of a texture: what, its sampling, a count
  const std::vector<Broken> all{
      {"size zero", Bye{}, [](Record_& r) { put(r, 0, std::uint32_t{0}); }, "its size of 0 bytes"},
      {"size not of eights", Bye{}, [](Record_& r) { put(r, 0, std::uint32_t{28}); }, "no multiple of 8"},
      {"size too large", Bye{}, [](Record_& r) { put(r, 0, std::uint32_t{(1u << 20) + 8}); }, "to 1048576"},
      {"size beyond the bytes", Bye{}, [](Record_& r) { put(r, 0, std::uint32_t{32}); },
       "more than the 24 that are there"},
      {"no such code", Bye{}, [](Record_& r) { put(r, 4, std::uint16_t{40}); }, "there is no command 40"},
      {"code zero", Bye{}, [](Record_& r) { put(r, 4, std::uint16_t{0}); }, "there is no command 0"},
      {"flags", Bye{}, [](Record_& r) { put(r, 6, std::uint16_t{1}); }, "flags 1 that it cannot have"},
      {"flags of another", copy, [](Record_& r) { put(r, 6, std::uint16_t{4}); },
       "flags 4 that it cannot have"},
      {"time", Bye{}, [](Record_& r) { put(r, 16, kMostSpent + 1); }, "1000000000001 ns is more than"},
      {"zero field", Hello{}, [](Record_& r) { put(r, kBody + 12, 1u); }, "must be zero"},
      {"stream zero", launch, [](Record_& r) { put(r, kBody, 0u); }, "the id of its stream is zero"},
      {"module zero", launch, [](Record_& r) { put(r, kBody + 4, 0u); }, "the id of its module is zero"},
      {"cooperative", launch, [](Record_& r) { put(r, kBody + 52, 2u); }, "neither 0 nor 1"},
      {"parameters too long", launch, [](Record_& r) { put(r, kBody + 56, std::uint64_t{9}); },
       "ends before its body"},
      {"parameters much too long", launch, [](Record_& r) { put(r, kBody + 56, ~std::uint64_t{0}); },
       "ends before"},
      {"parameters too short", launch, [](Record_& r) { put(r, kBody + 56, std::uint64_t{0}); },
       "8 bytes follow its body"},
      {"padding", launch,
       [](Record_& r) {
         put(r, kBody + 56, std::uint64_t{7});
         put(r, r.size() - 1, std::uint8_t{1});
       },
       "its padding is not zero"},
      {"place", copy, [](Record_& r) { put(r, kBody + 8, 4u); }, "its field \"kind\" is 4"},
      {"zero of a place", copy, [](Record_& r) { put(r, kBody + 12, 3u); }, "must be zero"},
      {"shape of nothing", copy, [](Record_& r) { put(r, kBody + 40, std::uint64_t{0}); },
       "its shape holds no bytes"},
      {"shape beyond numbers", copy, [](Record_& r) { put(r, kBody + 48, ~std::uint64_t{0}); },
       "more than 64 bits"},
      {"end beyond numbers", copy, [](Record_& r) { put(r, kBody + 16, ~std::uint64_t{0}); },
       "beyond the last address"},
      {"unit", set, [](Record_& r) { put(r, kBody + 4, 3u); }, "neither 1, 2 nor 4"},
      {"unit zero", set, [](Record_& r) { put(r, kBody + 4, 0u); }, "neither 1, 2 nor 4"},
      {"value", set,
       [](Record_& r) {
         put(r, kBody + 4, 1u);
         put(r, kBody + 8, 256u);
       },
       "larger than its unit"},
      {"rows of units", set, [](Record_& r) { put(r, kBody + 24, std::uint64_t{6}); },
       "no whole number of units"},
      {"align", Allocate{.bytes = 8, .align = 4}, [](Record_& r) { put(r, kBody + 32, std::uint64_t{12}); },
       "no power of two"},
      {"nothing asked", Allocate{.bytes = 8, .align = 4},
       [](Record_& r) { put(r, kBody + 24, std::uint64_t{0}); }, "asks for no bytes"},
      {"range", Move{1, 0, 64, 8}, [](Record_& r) { put(r, kBody + 8, ~std::uint64_t{0}); },
       "beyond the last address"},
      {"a step of a graph", graph, [](Record_& r) { put(r, kBody + 4, 5u); }, "its field \"step\" is 5"},
      {"nodes before an end", graph, [](Record_& r) { put(r, kBody + 4, 4u); }, "no node's place"},
      {"too many nodes", graph, [](Record_& r) { put(r, kBody + 12, ~0u); }, "65536 members at most"},
      {"a text too long", note, [](Record_& r) { put(r, kBody, 65537u); }, "65536 bytes at most"},
      {"a text beyond the end", note, [](Record_& r) { put(r, kBody, 16u); }, "ends before its body"},
      {"a zero in a text", note, [](Record_& r) { put(r, kBody + 5, std::uint8_t{0}); }, "a zero byte"},
      {"a text's padding", note, [](Record_& r) { put(r, kBody + 7, std::uint8_t{1}); },
       "its padding is not zero"},
      {"a bias that is no number", texture, [](Record_& r) { put(r, kBody + 4 + 13 * 4, ~0u); },
       "a number of it is none"},
      {"no texels", texture, [](Record_& r) { put(r, kLevel - 4, 0u); }, "it has no texels"},
      {"channels", texture, [](Record_& r) { put(r, kLevel + 8, 3u); }, "neither 1, 2 nor 4 bytes"},
      {"a level of nothing", texture, [](Record_& r) { put(r, kLevel + 40, 0u); }, "holds no texels"},
  };
  for (const Broken& each : all) {
    Record_ record = record_of(each.body);
    ASSERT_EQ(decode(record).problem, "") << each.name;
    each.harm(record);
    const std::string problem = decode(record).problem;
    EXPECT_NE(problem.find(each.says), std::string::npos) << each.name << ": " << problem;
    EXPECT_TRUE(problem.starts_with("Record 7 (") && problem.ends_with(".")) << each.name << ": " << problem;
  }
}

TEST(Codec, WhatIsLongerThanARecordIsNotWritten) {
  Record_ out(8);
  EXPECT_FALSE(encode({1, 0, Load{1, 0, {.inside = Record_(kMostBytes)}}}, out));
  EXPECT_EQ(out.size(), 8u);
}

/// A launch's own window is the program's word, which nobody has held to anything: only what is no number breaks the grammar.
TEST(Codec, TheShareOfAWindowIsANumber) {
  Launch launch{.stream = 1, .module = 2};
  launch.window = Window{.address = 64, .bytes = 64, .hit_ratio = 1.5f};
  EXPECT_EQ(decode(record_of(launch)).problem, "");
  launch.window->hit_ratio = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(decode(record_of(launch)).problem.find("a number of it is none"), std::string::npos);
}

TEST(Codec, CallsHaveNumbersAndNames) {
  EXPECT_EQ(call_named("no such call"), 0u);
  EXPECT_STREQ(name_of_call(0), "?");
  EXPECT_STREQ(name_of_call(~0u), "?");
  for (const char* name :
       {"a memset node", "cudaMemcpy", "cudaMemcpyAsync", "cudaMemsetAsync", "cudaMemcpy3DPeerAsync"})
    EXPECT_STREQ(name_of_call(call_named(name)), name);
}

}  // namespace
}  // namespace simgpu::queue
