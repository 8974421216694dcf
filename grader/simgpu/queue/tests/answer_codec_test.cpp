/// @file
/// Messages of the device, sound and broken.
#include "simgpu/queue/answer_codec.hpp"

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace simgpu::queue {
namespace {

using Record_ = std::vector<std::byte>;

Record_ record_of(const Message& message) {
  Record_ out;
  EXPECT_TRUE(encode(message, out));
  return out;
}

/// One message of each kind, with numbers that tell the fields from each other.
std::vector<Message> all_kinds() {
  Loaded loaded;
  loaded.constant_bytes = 64;
  loaded.kernels.push_back({.name = "scale",
                            .parameters = {{0, 8}, {8, 4}},
                            .parameter_bytes = 12,
                            .most_threads = Dim{256, 1, 1},
                            .exact_threads = {},
                            .cluster = Dim{2, 1, 1}});
  loaded.kernels.push_back({.name = "x",
                            .parameters = {},
                            .parameter_bytes = 0,
                            .most_threads = {},
                            .exact_threads = Dim{1, 2, 3},
                            .cluster = {}});
  loaded.variables.push_back({"table", Loaded::Variable::Kind::constant, {4096, 7}, 64});
  Loaded refused;
  refused.problem = "PTX line 3: no such instruction.";
  return {{1, Answer{}},
          {2, Answer{2, Allocated{4096, 5}}},
          {3, Answer{0, loaded}},
          {4, Answer{218, refused}},
          {5, Answer{0, Footprint{32, 30, 8, 16, 1024, 24, 512}}},
          {6, Answer{0, Footprint{32, {}, 8, 16, 1024, 24, 512}}},
          {7, Answer{0, Handle{9}}},
          {8, Answer{0, Ready{true}}},
          {9, Answer{600, Seconds{1.5}}},
          {11, Answer{0, Value{7}}},
          {0, Reached{77}},
          {0, Said{"hello\n"}},
          {0, Said{std::string("a\0b", 3)}},
          {0, Fault{1, 700, "Thread 3 reads beyond the array."}},
          {0, Closed{}},
          {0, Closed{{{5, 0x3000, 0x5000, true}, {6, 0x8000, 0x9000, false}}}},
          {0, Ended{"Record 3 (launch) breaks the grammar: there is no stream 9."}},
          {10, Answer{0, Ready{false}}, /*busy=*/true}};
}

TEST(AnswerCodec, EveryMessageComesBackAsItWent) {
  Record_ all;
  for (const Message& message : all_kinds()) {
    const Record_ record = record_of(message);
    EXPECT_EQ(record.size() % 8, 0u);
    const DecodedMessage read = decode_message(record);
    ASSERT_EQ(read.problem, "") << message.body.index();
    EXPECT_EQ(read.size, record.size());
    EXPECT_EQ(read.message, message) << message.body.index();
  }
}

/// Every cut of every record, and every byte of it changed: refused, or read and written back the same.
TEST(AnswerCodec, NoCutAndNoChangedByteIsMisread) {
  for (const Message& message : all_kinds()) {
    const Record_ record = record_of(message);
    for (std::size_t bytes = 0; bytes < record.size(); ++bytes)
      EXPECT_NE(decode_message(std::span(record).first(bytes)).problem, "") << bytes;
    for (std::size_t at = 0; at < record.size(); ++at) {
      for (const int flip : {1, 0x80, 0xFF}) {
        Record_ changed = record;
        changed[at] ^= static_cast<std::byte>(flip);
        const DecodedMessage read = decode_message(changed);
        if (!read.problem.empty()) {
          EXPECT_TRUE(read.problem.starts_with("A message") && read.problem.ends_with(".")) << read.problem;
          continue;
        }
        Record_ again;
        ASSERT_TRUE(encode(read.message, again));
        changed.resize(read.size);
        EXPECT_EQ(again, changed) << message.body.index() << " byte " << at;
      }
    }
  }
}

TEST(AnswerCodec, ClosedAreWholePages) {
  for (const Closed::Range& range : {Closed::Range{1, 0x3000, 0x3000, true},
                                     {1, 0x5000, 0x3000, true},
                                     {1, 0x3001, 0x5000, true},
                                     {1, 0x3000, 0x5001, true}}) {
    EXPECT_NE(decode_message(record_of({0, Closed{{range}}})).problem.find("no whole pages"),
              std::string::npos);
  }
  const std::vector<Closed::Range> many(Closed::kMostRanges + 1, {1, 0x3000, 0x5000, true});
  EXPECT_NE(decode_message(record_of({0, Closed{many}})).problem.find("at most"), std::string::npos);
}

TEST(AnswerCodec, AnswersAndWhatIsSaidAreToldApart) {
  EXPECT_NE(decode_message(record_of({0, Answer{}})).problem.find("answers no command"), std::string::npos);
  EXPECT_NE(decode_message(record_of({3, Reached{1}})).problem.find("answers nothing"), std::string::npos);
  EXPECT_NE(decode_message(record_of({0, Reached{1}, true})).problem.find("flags"), std::string::npos);
  Record_ record = record_of({3, Answer{}});
  const std::uint16_t code = 24;
  std::memcpy(record.data() + 4, &code, sizeof code);
  EXPECT_NE(decode_message(record).problem.find("there is no message 24"), std::string::npos);
  EXPECT_NE(decode_message(record_of({3, Answer{0, Seconds{std::numeric_limits<double>::quiet_NaN()}}}))
                .problem.find("a number of it is none"),
            std::string::npos);
}

}  // namespace
}  // namespace simgpu::queue
