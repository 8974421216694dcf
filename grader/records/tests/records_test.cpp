/// @file
/// What builder, judge and course command agree on.
#include <gtest/gtest.h>
#include <unistd.h>

#include <set>
#include <string>

#include "records/predictions.hpp"
#include "records/run_id.hpp"
#include "records/sha256.hpp"
#include "records/verdict.hpp"

namespace course {
namespace {

TEST(sha256, agrees_with_the_standards_examples) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(run_id, names_a_process_once_and_for_all) {
  const std::string id = run_id_of(::getpid());
  EXPECT_TRUE(id.starts_with(std::to_string(::getpid()) + "-")) << id;
  EXPECT_EQ(id, run_id_of(::getpid()));
  EXPECT_EQ(run_id_of(-5), "");
}

TEST(predictions, a_share_is_no_count_and_nothing_is_negative) {
  course::prediction_question share, sectors;
  share.unit = "share", sectors.unit = "sectors";
  EXPECT_NE(course::objection_to(share, 32).find("32 %"), std::string::npos);
  EXPECT_EQ(course::objection_to(share, 0.32), "");
  EXPECT_EQ(course::objection_to(share, 1.05), "") << "a little faster than the reference";
  EXPECT_EQ(course::objection_to(sectors, 32), "");
  EXPECT_NE(course::objection_to(sectors, -1), "");
  EXPECT_EQ(course::parse_prediction("32 %"), 0.32);
}

TEST(words, are_each_said_once) {
  std::set<std::string_view> verdicts, causes(std::begin(kCauses), std::end(kCauses));
  for (const verdict one : kVerdicts) verdicts.insert(name_of(one));
  EXPECT_EQ(verdicts.size(), kVerdicts.size());
  EXPECT_EQ(causes.size(), std::size(kCauses));
  EXPECT_TRUE(is_cause(""));
  EXPECT_TRUE(is_cause(cause::missing_fence));
  EXPECT_FALSE(is_cause("missing_fences"));
}

}  // namespace
}  // namespace course
