/// @file
/// The program's own pages become pages that both sides map, and plain ones again, and nothing that they hold is lost.
#include "simgpu/runtime/exchanged_pages.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>

#include "simgpu/runtime/allocations.hpp"
#include "simgpu/runtime/host_fault.hpp"

namespace simgpu::runtime {
namespace {

constexpr std::size_t kPage = 4096, kPages = 8;

std::uint64_t address_of(const volatile void* p) {
  return reinterpret_cast<std::uint64_t>(p);
}
char pattern(std::size_t at) {
  return static_cast<char>(at * 7);
}

class Exchanged : public testing::Test {
 protected:
  Exchanged() {
    install_host_fault_handler(known_);
    own_ = static_cast<char*>(
        mmap(nullptr, kPages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    for (std::size_t i = 0; i < kPages * kPage; ++i) own_[i] = pattern(i);
  }
  ~Exchanged() override { munmap(own_, kPages * kPage); }

  std::string exchange(char* at, std::size_t bytes) { return pages_.exchange(address_of(at), bytes); }
  void give_back(char* at, std::size_t bytes) { pages_.give_back(address_of(at), bytes); }
  bool holds_what_it_held() const {
    for (std::size_t i = 0; i < kPages * kPage; ++i)
      if (own_[i] != pattern(i)) return false;
    return true;
  }
  /// What the device sees of @p at.
  char seen(const char* at) const {
    std::byte* const view = file_->map(address_of(at) / kPage * kPage, kPage, PROT_READ);
    const auto value = static_cast<char>(view[address_of(at) % kPage]);
    munmap(view, kPage);
    return value;
  }

  Allocations known_;
  std::optional<memory::SharedPages> file_ = memory::SharedPages::make();
  ExchangedPages pages_{*file_};
  char* own_ = nullptr;
};

TEST_F(Exchanged, BothSidesHaveTheBytesUntilTheyAreGivenBack) {
  char* const at = own_ + 1000;
  ASSERT_EQ(exchange(at, 6000), "");
  EXPECT_TRUE(holds_what_it_held());
  EXPECT_EQ(seen(at), *at);
  at[5999] = 99;
  EXPECT_EQ(seen(at + 5999), 99);
  at[5999] = pattern(1000 + 5999);
  give_back(at, 6000);
  EXPECT_TRUE(holds_what_it_held());
  EXPECT_EQ(seen(at), 0) << "the pages have gone back";
  *at = 5;
  EXPECT_EQ(seen(at), 0) << "and are the program's alone";
}

TEST_F(Exchanged, NeighboursHaveAPageInCommon) {
  char *const left = own_ + 16, *const right = own_ + kPage + 100;
  ASSERT_EQ(exchange(left, kPage), "");
  ASSERT_EQ(exchange(right, 3 * kPage), "");
  give_back(left, kPage);
  EXPECT_EQ(seen(left), 0);
  EXPECT_EQ(seen(right), *right) << "still registered";
  give_back(right, 3 * kPage);
  EXPECT_TRUE(holds_what_it_held());
  give_back(right, 3 * kPage);
  EXPECT_TRUE(holds_what_it_held()) << "what is not registered is left alone";
}

TEST_F(Exchanged, WhatCannotBeExchangedIsAsItWas) {
  mprotect(own_ + 2 * kPage, kPage, PROT_READ);
  EXPECT_EQ(exchange(own_, kPages * kPage), "it cannot be written");
  EXPECT_EQ(seen(own_), 0);
  EXPECT_TRUE(holds_what_it_held());
  mprotect(own_ + 2 * kPage, kPage, PROT_READ | PROT_WRITE | PROT_EXEC);
  EXPECT_EQ(exchange(own_, kPages * kPage), "it can be executed");
  mprotect(own_ + 2 * kPage, kPage, PROT_READ | PROT_WRITE);
  munmap(own_ + 3 * kPage, kPage);
  EXPECT_EQ(exchange(own_, kPages * kPage), "not all of it is there");
  EXPECT_EQ(pages_.exchange(~0ull - 4, 100), "not all of it is there");
  char stack[64] = "";
  EXPECT_EQ(exchange(stack, sizeof stack), "it is a thread's stack");
  std::thread([&] {
    char other[64] = "";
    EXPECT_EQ(exchange(other, sizeof other), "it is a thread's stack");
  }).join();
  auto* const shared =
      static_cast<char*>(mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  EXPECT_EQ(exchange(shared, 10), "it is shared with a file or with another process already");
  munmap(shared, kPage);
}

TEST_F(Exchanged, WhatIsFreedMeanwhileIsNotMadeAgain) {
  EXPECT_TRUE(is_mapped(address_of(own_), kPages * kPage));
  ASSERT_EQ(exchange(own_, kPages * kPage), "");
  EXPECT_TRUE(is_mapped(address_of(own_), kPages * kPage));
  munmap(own_ + kPage, kPage);
  EXPECT_FALSE(is_mapped(address_of(own_), kPages * kPage));
  give_back(own_, kPages * kPage);
  EXPECT_FALSE(is_mapped(address_of(own_ + kPage), kPage));
}

TEST_F(Exchanged, VariablesOfTheProgramCanBe) {
  // On pages of their own: this test has the handler's variables among its own, which a program that links the library has not.
  alignas(kPage) static char written[3 * kPage] = {1, 2, 3};
  alignas(kPage) static char zero[3 * kPage];
  for (char* each : {written, zero}) {
    const char before = each[2];
    ASSERT_EQ(exchange(each, 3 * kPage), "");
    EXPECT_EQ(seen(each + 2), before);
    give_back(each, 3 * kPage);
    EXPECT_EQ(each[2], before);
  }
}

/// Without the wait in the handler, what a thread writes between the copy and the exchange would be lost.
TEST_F(Exchanged, AThreadThatWritesMeanwhileLosesNothing) {
  std::atomic<bool> stop{false};
  auto* const counter = reinterpret_cast<volatile std::uint64_t*>(own_ + kPage);
  *counter = 0;
  std::uint64_t counted = 0;
  std::thread writer([&] {
    while (!stop) {
      *counter = *counter + 1;
      ++counted;
    }
  });
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(exchange(own_ + 10, kPages * kPage - 20), "");
    give_back(own_ + 10, kPages * kPage - 20);
  }
  stop = true;
  writer.join();
  EXPECT_GT(counted, 0u);
  EXPECT_EQ(*counter, counted);
}

TEST_F(Exchanged, AChildOfForkHasPagesOfItsOwn) {
  ASSERT_EQ(exchange(own_, 2 * kPage), "");
  const pid_t child = fork();
  if (child == 0) {
    const bool same = own_[100] == pattern(100);
    own_[100] = 1;
    give_back(own_, 2 * kPage);  // it has nothing to give back
    _exit(same ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(holds_what_it_held());
  EXPECT_EQ(seen(own_ + 100), pattern(100));
  give_back(own_, 2 * kPage);
}

}  // namespace
}  // namespace simgpu::runtime
