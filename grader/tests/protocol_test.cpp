/// @file
/// Framing and deadlines of the conversation, and the arena.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

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
  EXPECT_EQ(p.hear().message.at("a"), 1);
  p.say(": 2}\n");
  EXPECT_EQ(p.hear().message.at("a"), 2);
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
