/// @file
/// Framing and deadlines of the conversation, and the arena.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>

#include "protocol/arena.hpp"
#include "protocol/channel.hpp"

namespace {

using namespace course::protocol;

struct pair {
  pair() {
    std::array<int, 2> sockets{};
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()) != 0) throw std::runtime_error("no sockets");
    here = channel(sockets[0]);
    there = sockets[1];
  }
  ~pair() {
    if (there >= 0) ::close(there);
  }
  void say(std::string_view text) const {
    ASSERT_EQ(::write(there, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  received hear() { return here.receive(course::protocol::clock::now() + std::chrono::milliseconds(100)); }
  channel here;
  int there = -1;
};

TEST(protocol, lines_may_come_in_pieces_or_together) {
  pair p;
  p.say("{\"a\": 1}\n{\"a\"");
  EXPECT_EQ(p.hear().message->at("a"), 1);
  p.say(": 2}\n");
  EXPECT_EQ(p.hear().message->at("a"), 2);
}

TEST(protocol, silence_death_and_nonsense_differ) {
  pair p;
  EXPECT_EQ(p.hear().status, receive_status::timed_out);
  p.say("no json\n[1]\n");
  EXPECT_EQ(p.hear().status, receive_status::malformed);
  EXPECT_EQ(p.hear().status, receive_status::malformed);
  ::close(std::exchange(p.there, -1));
  EXPECT_EQ(p.hear().status, receive_status::closed);
  EXPECT_FALSE(p.here.send({{"to", "nobody"}}));
}

TEST(protocol, lines_are_wiped_once_they_are_read) {
  line_buffer buffer;
  const auto say = [&](std::string_view text) {
    for (const char c : text) {
      buffer.room()[0] = c;
      buffer.filled(1);
    }
  };
  const auto holds = [&](std::string_view text) {
    const auto all = buffer.storage();
    return std::string_view(all.data(), all.size()).find(text) != std::string_view::npos;
  };
  say("nonce one\nno");
  EXPECT_EQ(buffer.line(), "nonce one");
  buffer.drop_line();
  EXPECT_FALSE(holds("one"));
  say("nce two\n");
  EXPECT_EQ(buffer.line(), "nonce two");
  buffer.drop_line();
  EXPECT_FALSE(holds("two"));
  EXPECT_EQ(buffer.size(), 0u);
  say(std::string(1 << 17, 'x'));  // more than fits at first
  say("\n");
  EXPECT_EQ(buffer.line()->size(), std::size_t{1} << 17);
}

TEST(protocol, nonces_are_never_the_same) {
  EXPECT_NE(fresh_nonce(), fresh_nonce());
}

TEST(protocol, both_sides_of_an_arena_see_the_same_bytes) {
  arena judge, worker;
  ASSERT_TRUE(judge.create());
  ASSERT_TRUE(judge.grow(100));
  worker.adopt(::dup(judge.descriptor()));
  EXPECT_FALSE(worker.map(std::size_t{1} << 30));
  ASSERT_TRUE(worker.map(100));
  judge.data()[99] = std::byte{7};
  EXPECT_EQ(worker.data()[99], std::byte{7});
  EXPECT_NE(::ftruncate(worker.descriptor(), 0), 0);
}

}  // namespace
