/// @file
/// Races that must be found, and correct programs that must not be blamed.
#include "simgpu/observe/races.hpp"
#include "simgpu/observe/shared_names.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "warp_access.hpp"

namespace simgpu::observe {
namespace {

using namespace testing_support;

const Site kWrite = site(0, "st.shared.f32", 44);
const Site kRead = site(1, "ld.shared.f32", 45);
const Site kAtom = site(2, "atom.global.add.u32", 46);
const Site kGlobalWrite = site(3, "st.global.f32", 47);
const Site kGlobalRead = site(4, "ld.global.f32", 48);
const Site kAtomShared = site(5, "atom.shared.add.u32", 49);
const Site kCas = site(6, "atom.global.cas.b32", 50);
const Site kVolatileRead = site(7, "ld.volatile.global.u32", 51);
const Site kVolatileWrite = site(8, "st.volatile.global.u32", 52);
const Site kByteWrite = site(9, "st.global.u8", 53);

class RacesTest : public testing::Test {
 protected:
  Findings findings;
  Races races{findings};
  Machine machine{{&races}};

  void SetUp() override { machine.begin(); }

  void write(std::uint32_t block, std::uint32_t warp, const Lanes& a, Memory memory = Memory::shared,
             std::uint32_t mask = ~0u) {
    machine.access(memory == Memory::shared ? kWrite : kGlobalWrite, machine.warp(block, warp), memory,
                   AccessKind::store, a, 4, mask);
  }
  void read(std::uint32_t block, std::uint32_t warp, const Lanes& a, Memory memory = Memory::shared,
            std::uint32_t mask = ~0u) {
    machine.access(memory == Memory::shared ? kRead : kGlobalRead, machine.warp(block, warp), memory,
                   AccessKind::load, a, 4, mask);
  }
  void atomic(std::uint32_t block, std::uint32_t warp, std::uint64_t address, std::uint32_t mask = 1) {
    machine.access(kAtom, machine.warp(block, warp), Memory::global, AccessKind::atomic, strided(address, 0),
                   4, mask, Ordering::relaxed);
  }
  // @return errors, warnings
  std::pair<int, int> finish() {
    machine.end();
    int errors = 0, warnings = 0;
    for (const Finding& f : findings.all()) ++(f.warning ? warnings : errors);
    return {errors, warnings};
  }
};

using Found = std::pair<int, int>;

TEST_F(RacesTest, MissingBarrierIsNamedWithBothThreadsAndLines) {
  for (std::uint32_t w = 0; w < 4; ++w) write(0, w, strided(128 * w, 4));
  read(0, 1, strided(128 * 2 + 4, 4), Memory::shared, 1);
  EXPECT_EQ(finish(), Found(1, 0));
  const Finding& f = findings.all()[0];
  EXPECT_EQ(
      f.message,
      "Thread (32,0,0) reads shared word 0x104 at line 45 that thread (65,0,0) wrote at line 44, and no "
      "__syncthreads() lies between them: it may get the old value.");
  EXPECT_EQ(f.line, 45u);
  EXPECT_EQ(f.other_line, 44u);
  EXPECT_EQ(f.thread, (Dim3{32, 0, 0}));
  EXPECT_EQ(f.other_thread, (Dim3{65, 0, 0}));
  EXPECT_EQ(f.file, "kernel.cu");
}

TEST_F(RacesTest, SharedElementsAreNamedAsTheProgramDoes) {
  LaunchInfo launch;
  launch.shared_bytes = 4096;
  launch.shared_variables = {
      {"_ZZ6kernelPfE4tile", 0, 1024}, {"_ZZ6kernelPfE4flag", 1024, 4}, {"buffer", 1040, 0}};
  const auto element = [&](const char* instruction, std::uint64_t address) {
    Site site;
    site.name = instruction;
    return shared_element(launch, site, address);
  };
  EXPECT_EQ(element("st.shared.f32", 0x80), "float 32 of tile");
  EXPECT_EQ(element("st.shared.f32", 1024), "flag");
  EXPECT_EQ(element("ld.shared.v2.f64", 1040 + 24), "double 3 of buffer");
  EXPECT_EQ(element("ld.shared.b32", 8), "word 2 of tile");
  EXPECT_EQ(element("st.shared.f32", 1032), "shared word 0x408");
}

TEST_F(RacesTest, BarrierOrdersABlock) {
  for (std::uint32_t w = 0; w < 4; ++w) write(0, w, strided(128 * w, 4));
  machine.barrier(0);
  for (std::uint32_t w = 0; w < 4; ++w) read(0, w, strided(128 * (3 - w), 4));
  machine.barrier(0);
  for (std::uint32_t w = 0; w < 4; ++w) write(0, w, strided(128 * (3 - w), 4));
  EXPECT_EQ(finish(), Found(0, 0));
}

TEST_F(RacesTest, OverwritingBeforeOthersHaveReadIsARace) {
  // The tile loop without the second barrier.
  for (std::uint32_t w = 0; w < 4; ++w) write(0, w, strided(128 * w, 4));
  machine.barrier(0);
  for (std::uint32_t w = 0; w < 4; ++w) read(0, w, strided(0, 4));
  write(0, 0, strided(0, 4));
  EXPECT_EQ(finish(), Found(1, 0));
  EXPECT_NE(findings.all()[0].message.find("too early"), std::string::npos);
}

TEST_F(RacesTest, ReaderOfTheSameWarpDoesNotHideAnother) {
  machine.barrier(0);
  read(0, 1, strided(0, 4));
  read(0, 0, strided(0, 4));
  write(0, 0, strided(0, 4));
  EXPECT_EQ(finish(), Found(1, 0));
}

TEST_F(RacesTest, DoubleBufferingNeedsOneBarrierATurn) {
  for (int turn = 0; turn < 6; ++turn) {
    const std::uint64_t now = turn % 2 * 512;
    for (std::uint32_t w = 0; w < 4; ++w) write(0, w, strided(now + 128 * w, 4));
    machine.barrier(0);
    for (std::uint32_t w = 0; w < 4; ++w) read(0, w, strided(now + 128 * (3 - w), 4));
  }
  EXPECT_EQ(finish(), Found(0, 0));
}

TEST_F(RacesTest, TwoWarpsWritingOneWordRace) {
  write(0, 0, strided(0, 0), Memory::shared, 1);
  write(0, 1, strided(0, 0), Memory::shared, 1);
  EXPECT_EQ(finish(), Found(1, 0));
}

// As when many threads set a flag.
TEST_F(RacesTest, IfTheyAreKnownToWriteTheSameItIsAWarning) {
  struct Values final : StoredValues {
    int mine = 0, there = 0;
    void stored(std::uint32_t, std::byte* to) const override { std::memcpy(to, &mine, 4); }
    void present(std::uint32_t, std::byte* to) const override { std::memcpy(to, &there, 4); }
  } values;
  const Site set = site(9, "st.global.u32", 90);
  const Lanes flag = strided(kBase, 0);
  const auto store = [&](std::uint32_t block, int value) {
    const WarpId warp = machine.warp(block, 0);
    values.mine = value;
    Access a;
    a.site = &set;
    a.warp = &warp;
    a.kind = AccessKind::store;
    a.mask = 0xF0;
    a.address = flag.data();
    a.values = &values;
    for (Observer* o : machine.observers) o->access(a);
    values.there = value;
  };
  store(0, 1);
  store(1, 1);
  EXPECT_EQ(finish(), Found(0, 1));
  EXPECT_EQ(findings.all()[0].kind, FindingKind::same_value_race);
  findings.clear();
  machine.begin();
  store(0, 1);
  store(1, 2);
  EXPECT_EQ(finish().first, 1);
}

TEST_F(RacesTest, LanesOfOneInstructionWritingOneWordAreAWarning) {
  write(0, 0, strided(0, 0));
  EXPECT_EQ(finish(), Found(0, 1));
}

TEST_F(RacesTest, LockstepReductionIsARaceUntilSynced) {
  write(0, 0, strided(0, 4));
  read(0, 0, strided(64, 4), Memory::shared, 0xFFFF);  // lane t reads what lane t + 16 wrote
  EXPECT_EQ(finish(), Found(1, 0));
  findings.clear();
  machine.begin();
  write(0, 0, strided(0, 4));
  for (std::uint64_t step = 16; step > 0; step /= 2) {
    machine.warp_sync(machine.warp(0, 0));
    read(0, 0, strided(4 * step, 4), Memory::shared, (1u << step) - 1);
    machine.warp_sync(machine.warp(0, 0));
    write(0, 0, strided(0, 4), Memory::shared, (1u << step) - 1);
  }
  EXPECT_EQ(finish(), Found(0, 0));
}

TEST_F(RacesTest, BlocksReuseSharedMemoryWithoutRacing) {
  write(0, 0, strided(0, 4));
  for (Observer* o : machine.observers) o->block_end(machine.warp(0, 0));
  WarpId next = machine.warp(0, 1);
  next.block_linear = 9;
  for (Observer* o : machine.observers) o->block_begin(next);
  machine.access(kRead, next, Memory::shared, AccessKind::load, strided(0, 4));
  EXPECT_EQ(finish(), Found(0, 0));
}

TEST_F(RacesTest, LaunchesAreOrdered) {
  write(0, 0, strided(kBase, 4), Memory::global);
  machine.end();
  machine.begin();
  read(1, 0, strided(kBase, 4), Memory::global);
  EXPECT_EQ(finish(), Found(0, 0));
}

TEST_F(RacesTest, BlocksSharingAWordRace) {
  write(0, 0, strided(kBase, 4), Memory::global);
  read(1, 0, strided(kBase, 4), Memory::global, 1);
  EXPECT_EQ(finish(), Found(1, 0));
  EXPECT_NE(findings.all()[0].message.find("of block (1,0,0)"), std::string::npos);
}

TEST_F(RacesTest, ABarrierOfTheirOwnDoesNotOrderBlocks) {
  write(0, 0, strided(kBase, 4), Memory::global);
  machine.barrier(0);
  machine.barrier(1);
  read(1, 0, strided(kBase, 4), Memory::global, 1);
  EXPECT_EQ(finish(), Found(1, 0));
}

TEST_F(RacesTest, AtomicsDoNotRaceWithEachOther) {
  for (std::uint32_t b = 0; b < 4; ++b) atomic(b, 0, kBase, ~0u);
  EXPECT_EQ(finish(), Found(0, 0));
}

// Whoever comes next must still find the plain write: of one word, and of many.
TEST_F(RacesTest, AnAtomicDoesNotHideItsWarpsPlainWrite) {
  for (const std::uint32_t lanes : {1u, ~0u}) {
    const auto add = [&](std::uint32_t block) {
      machine.access(kAtom, machine.warp(block, 0), Memory::global, AccessKind::atomic, strided(kBase, 4), 4,
                     lanes, Ordering::relaxed);
    };
    findings.clear();
    machine.end();
    machine.begin();
    write(0, 0, strided(kBase, 4), Memory::global, lanes);
    add(0);
    add(1);
    EXPECT_EQ(finish(), Found(1, 0)) << "lanes " << lanes;
    machine.begin();
  }
}

TEST_F(RacesTest, PlainReadOfAWordThatOthersUpdateAtomicallyRaces) {
  // The histogram without the barrier before it is read out.
  machine.access(kAtomShared, machine.warp(0, 0), Memory::shared, AccessKind::reduction, strided(0, 4), 4,
                 ~0u, Ordering::relaxed);
  read(0, 1, strided(0, 4));
  EXPECT_EQ(finish().first, 1);
}

TEST_F(RacesTest, PlainReadBeforeACasLoopIsFine) {
  // old = *p; do { assumed = old; old = atomicCAS(p, assumed, f(assumed)); } while (old != assumed);
  for (std::uint32_t b = 0; b < 4; ++b) read(b, 0, strided(kBase, 0), Memory::global);
  for (int turn = 0; turn < 3; ++turn) {
    for (std::uint32_t b = 0; b < 4; ++b) {
      machine.access(kCas, machine.warp(b, 0), Memory::global, AccessKind::atomic, strided(kBase, 0), 4, ~0u,
                     Ordering::relaxed);
      if (turn == 0 && b == 1) read(2, 1, strided(kBase, 0), Memory::global);
    }
  }
  machine.access(kCas, machine.warp(2, 1), Memory::global, AccessKind::atomic, strided(kBase, 0), 4, ~0u,
                 Ordering::relaxed);
  EXPECT_EQ(finish(), Found(0, 0));
}

// The last block to arrive adds up what the others wrote. Each step can be left out.
class Ticket : public RacesTest {
 protected:
  Found run(bool fence, bool barrier_before, bool barrier_after, bool fence_after = true) {
    const std::uint64_t ticket = kBase + 8192;
    for (std::uint32_t b = 0; b < 4; ++b) {
      write(b, 1, strided(kBase + 128 * b, 4), Memory::global);  // warp 1 writes, warp 0 takes the ticket
      if (barrier_before) machine.barrier(b);
      if (fence) machine.fence(machine.warp(b, 0));
      atomic(b, 0, ticket);
      if (fence_after) machine.fence(machine.warp(b, 0));
      if (barrier_after) machine.barrier(b);
    }
    for (std::uint32_t b = 0; b < 4; ++b) read(3, 2, strided(kBase + 128 * b, 4), Memory::global);
    return finish();
  }
};

TEST_F(Ticket, FencedTicketIsFine) {
  EXPECT_EQ(run(true, true, true), Found(0, 0));
}
// Many programs do without, and hardware lets them: a warning.
TEST_F(Ticket, WithoutFenceBehindTheTicket) {
  EXPECT_EQ(run(true, true, true, false), Found(0, 1));
}
TEST_F(Ticket, WithoutFence) {
  EXPECT_EQ(run(false, true, true).first, 1);
}
TEST_F(Ticket, WithoutBarrierBefore) {
  EXPECT_GE(run(true, false, true).first, 1);
}
TEST_F(Ticket, WithoutBarrierAfter) {
  EXPECT_GE(run(true, true, false).first, 1);
}

TEST_F(RacesTest, EveryThreadFencesThenOneTakesTheTicket) {
  for (std::uint32_t b = 0; b < 2; ++b) {
    for (std::uint32_t w = 0; w < 4; ++w) {
      write(b, w, strided(kBase + 1024 * b + 128 * w, 4), Memory::global);
      machine.fence(machine.warp(b, w));
    }
    machine.barrier(b);
    atomic(b, 0, kBase + 8192);
    machine.fence(machine.warp(b, 0));
    machine.barrier(b);
  }
  for (std::uint32_t w = 0; w < 4; ++w) read(1, w, strided(kBase + 128 * w, 4), Memory::global);
  EXPECT_EQ(finish(), Found(0, 0));
}

TEST_F(RacesTest, VolatileFlagWithFences) {
  const std::uint64_t flag = kBase + 4096;
  write(0, 0, strided(kBase, 4), Memory::global);
  machine.warp_sync(machine.warp(0, 0));  // or the other lanes' words are not lane 0's to give away
  machine.fence(machine.warp(0, 0));
  machine.access(kVolatileWrite, machine.warp(0, 0), Memory::global, AccessKind::store, strided(flag, 0), 4,
                 1, Ordering::volatile_);
  machine.access(kVolatileRead, machine.warp(1, 0), Memory::global, AccessKind::load, strided(flag, 0), 4, 1,
                 Ordering::volatile_);
  machine.fence(machine.warp(1, 0));
  read(1, 0, strided(kBase, 4), Memory::global, 1);
  machine.warp_sync(machine.warp(1, 0));
  read(1, 0, strided(kBase, 4), Memory::global);
  EXPECT_EQ(finish(), Found(0, 0));
}

TEST_F(RacesTest, AReadBeforeTheFlagIsStillARace) {
  const std::uint64_t flag = kBase + 4096;
  machine.access(kVolatileRead, machine.warp(1, 0), Memory::global, AccessKind::load, strided(flag, 0), 4, 1,
                 Ordering::volatile_);
  write(0, 0, strided(kBase, 4), Memory::global);
  machine.fence(machine.warp(0, 0));
  machine.access(kVolatileWrite, machine.warp(0, 0), Memory::global, AccessKind::store, strided(flag, 0), 4,
                 1, Ordering::volatile_);
  read(1, 0, strided(kBase, 4), Memory::global);
  EXPECT_EQ(finish(), Found(1, 0));
}

TEST_F(RacesTest, ReleaseAndAcquireOrder) {
  const std::uint64_t flag = kBase + 4096;
  write(0, 0, strided(kBase, 4), Memory::global);
  machine.warp_sync(machine.warp(0, 0));
  machine.access(kVolatileWrite, machine.warp(0, 0), Memory::global, AccessKind::store, strided(flag, 0), 4,
                 1, Ordering::release);
  machine.access(kVolatileRead, machine.warp(1, 0), Memory::global, AccessKind::load, strided(flag, 0), 4, 1,
                 Ordering::acquire);
  machine.warp_sync(machine.warp(1, 0));
  read(1, 0, strided(kBase, 4), Memory::global);
  EXPECT_EQ(finish(), Found(0, 0));
}

// What decoupled look-back does in place: block 0 reads its tile, counts (a barrier), and tells block 1 by a relaxed
// store how many it keeps; block 1 then writes into the tile.
class InPlace : public RacesTest {
 protected:
  Found run(bool barrier, bool signal, bool look) {
    const std::uint64_t flag = kBase + 4096;
    read(0, 0, strided(kBase, 4), Memory::global);
    if (barrier) machine.barrier(0);
    if (signal) {
      machine.access(kVolatileWrite, machine.warp(0, 1), Memory::global, AccessKind::store, strided(flag, 0),
                     4, 1, Ordering::relaxed);
    }
    if (look) {
      machine.access(kVolatileRead, machine.warp(1, 0), Memory::global, AccessKind::load, strided(flag, 0), 4,
                     1, Ordering::relaxed);
    }
    machine.barrier(1);
    write(1, 1, strided(kBase, 4), Memory::global);
    return finish();
  }
};

TEST_F(InPlace, AReadFinishedBeforeTheSignalIsOver) {
  EXPECT_EQ(run(true, true, true), Found(0, 0));
}
TEST_F(InPlace, WithoutTheBarrierTheReadMayStillBeUnderWay) {
  EXPECT_EQ(run(false, true, true), Found(1, 0));
}
TEST_F(InPlace, WithoutTheSignal) {
  EXPECT_EQ(run(true, false, true), Found(1, 0));
}
TEST_F(InPlace, WithoutLookingAtIt) {
  EXPECT_EQ(run(true, true, false), Found(1, 0));
}

// Block 2 looks only at what block 1 says, which has looked at block 0: its tile may be written, too.
class InPlaceOfThree : public RacesTest {
 protected:
  Found run(bool middle_looks) {
    const std::uint64_t flags = kBase + 4096;
    const auto signal = [&](std::uint32_t block, std::uint64_t flag) {
      machine.access(kVolatileWrite, machine.warp(block, 0), Memory::global, AccessKind::store,
                     strided(flag, 0), 4, 1, Ordering::relaxed);
    };
    const auto look = [&](std::uint32_t block, std::uint64_t flag) {
      machine.access(kVolatileRead, machine.warp(block, 0), Memory::global, AccessKind::load,
                     strided(flag, 0), 4, 1, Ordering::relaxed);
    };
    read(0, 1, strided(kBase, 4), Memory::global);
    machine.barrier(0);
    signal(0, flags);
    machine.barrier(1);
    if (middle_looks) look(1, flags);
    signal(1, flags + 4);
    look(2, flags + 4);
    machine.barrier(2);
    write(2, 1, strided(kBase, 4), Memory::global);
    return finish();
  }
};
TEST_F(InPlaceOfThree, ReadsThatAreOverAreToldOn) {
  EXPECT_EQ(run(true), Found(0, 0));
}
TEST_F(InPlaceOfThree, NobodyToldTheMiddle) {
  EXPECT_EQ(run(false), Found(1, 0));
}

TEST_F(RacesTest, ASignalWithoutFenceDoesNotPublishWrites) {
  const std::uint64_t flag = kBase + 4096;
  write(0, 0, strided(kBase, 4), Memory::global);
  machine.barrier(0);
  machine.access(kVolatileWrite, machine.warp(0, 0), Memory::global, AccessKind::store, strided(flag, 0), 4,
                 1, Ordering::volatile_);
  machine.access(kVolatileRead, machine.warp(1, 0), Memory::global, AccessKind::load, strided(flag, 0), 4, 1,
                 Ordering::volatile_);
  read(1, 0, strided(kBase, 4), Memory::global);
  EXPECT_EQ(finish(), Found(1, 0));
}

TEST_F(RacesTest, SpinLockWithFences) {
  const std::uint64_t lock = kBase + 4096;
  for (int turn = 0; turn < 20; ++turn) {
    for (std::uint32_t b = 0; b < 4; ++b) {
      atomic(b, 0, lock);  // taken
      machine.fence(machine.warp(b, 0));
      read(b, 0, strided(kBase, 0), Memory::global, 1);
      write(b, 0, strided(kBase, 0), Memory::global, 1);
      machine.fence(machine.warp(b, 0));
      atomic(b, 0, lock);  // given back
    }
  }
  EXPECT_EQ(finish(), Found(0, 0));
}

TEST_F(RacesTest, GridSyncMadeOfFencesAndAFlagOrdersAll) {
  // What cooperative groups do: thread 0 of each block fences, arrives, and spins until the last has come.
  const std::uint64_t arrived = kBase + 8192;
  for (int turn = 0; turn < 3; ++turn) {
    for (std::uint32_t b = 0; b < 4; ++b) {
      for (std::uint32_t w = 0; w < 4; ++w)
        write(b, w, strided(kBase + 512 * ((b + turn) % 4) + 128 * w, 4), Memory::global);
      machine.barrier(b);
      machine.fence(machine.warp(b, 0));
      atomic(b, 0, arrived);
    }
    for (std::uint32_t b = 0; b < 4; ++b) {
      machine.access(kVolatileRead, machine.warp(b, 0), Memory::global, AccessKind::load, strided(arrived, 0),
                     4, 1, Ordering::volatile_);
      machine.fence(machine.warp(b, 0));
      machine.barrier(b);
      for (std::uint32_t w = 0; w < 4; ++w)
        read(b, w, strided(kBase + 512 * ((b + turn + 1) % 4) + 128 * w, 4), Memory::global);
      machine.barrier(b);
      machine.fence(machine.warp(b, 0));
      atomic(b, 0, arrived);
    }
    for (std::uint32_t b = 0; b < 4; ++b) {
      machine.access(kVolatileRead, machine.warp(b, 0), Memory::global, AccessKind::load, strided(arrived, 0),
                     4, 1, Ordering::volatile_);
      machine.fence(machine.warp(b, 0));
      machine.barrier(b);
    }
  }
  EXPECT_EQ(finish(), Found(0, 0));
}

// A word is read by lanes of one warp, one after the other and all at once: whoever of them writes it races with the others.
TEST_F(RacesTest, ABroadcastIsReadByAllItsLanes) {
  read(0, 0, strided(0, 0));
  write(0, 0, strided(0, 0), Memory::shared, 1);
  EXPECT_EQ(finish(), Found(1, 0));
  findings.clear();
  machine.begin();
  read(0, 0, strided(0, 0), Memory::shared, 2);
  read(0, 0, strided(0, 0), Memory::shared, 1);
  write(0, 0, strided(0, 0), Memory::shared, 1);
  EXPECT_EQ(finish(), Found(1, 0));
  findings.clear();
  machine.begin();
  read(0, 0, strided(0, 0), Memory::shared, 1);
  write(0, 0, strided(0, 0), Memory::shared, 1);
  EXPECT_EQ(finish(), Found(0, 0));
}

// Two barriers of two warps each, one after the other: what is known is passed on, what is not is not.
TEST_F(RacesTest, PartialBarriersPassOnWhatIsKnown) {
  const auto meet = [&](std::uint32_t a, std::uint32_t b) {
    const BarrierPart parts[] = {{machine.warp(0, a), ~0u}, {machine.warp(0, b), ~0u}};
    races.partial_barrier(machine.warp(0, 0), 1, parts, 2);
  };
  write(0, 0, strided(0, 4));
  meet(0, 1);
  write(0, 1, strided(128, 4));
  meet(1, 2);
  read(0, 2, strided(0, 4));
  read(0, 2, strided(128, 4));
  EXPECT_EQ(finish(), Found(0, 0));
  machine.begin();
  write(0, 0, strided(0, 4));
  meet(1, 2);
  meet(0, 1);
  read(0, 2, strided(0, 4));
  EXPECT_EQ(finish(), Found(1, 0));
  EXPECT_NE(
      findings.all()[0].message.find(
          "nothing orders the two: no __syncthreads(), no named barrier (bar.sync with a number) that both "
          "come to; so it may get the old value."),
      std::string::npos)
      << findings.all()[0].message;
}

// A kernel that waits for mbarriers may lack one of those; the next launch is judged by its own barriers.
TEST_F(RacesTest, MissingMbarrierIsNotToldAsAMissingSyncthreadsOnly) {
  write(0, 0, strided(0, 4));
  races.mbarrier_wait(machine.warp(0, 1), ~0u, machine.warp(0, 0), 1024, false);
  read(0, 1, strided(0, 4));
  EXPECT_EQ(finish(), Found(1, 0));
  EXPECT_NE(findings.all()[0].message.find(
                "no mbarrier (cuda::barrier) that one arrives at and the other waits for"),
            std::string::npos)
      << findings.all()[0].message;
  findings.clear();
  machine.begin();
  write(0, 0, strided(0, 4));
  read(0, 1, strided(0, 4));
  EXPECT_EQ(finish(), Found(1, 0));
  EXPECT_EQ(findings.all()[0].message.find("mbarrier"), std::string::npos) << findings.all()[0].message;
}

// Of three warps that read a word, only two tell the writer that they have done so.
TEST_F(RacesTest, EachOfManyReadersMustBeHeardOf) {
  for (std::uint32_t left_out = 1; left_out < 5; ++left_out)
    for (const auto& [rows, written] : {std::pair(false, ~0u), {true, ~0u}, {false, 1u}, {true, 1u}}) {
      findings.clear();
      machine.end();
      machine.info.block.x = 160;
      machine.begin();
      const BarrierPart start[] = {{machine.warp(0, 0), ~0u}};
      races.partial_barrier(machine.warp(0, 0), 1, start, 1);
      for (std::uint32_t w = 1; w < 5; ++w) read(0, w, strided(0, rows ? 4 : 0));
      std::vector<BarrierPart> parts;
      for (std::uint32_t w = 0; w < 5; ++w)
        if (w != left_out) parts.push_back({machine.warp(0, w), ~0u});
      races.partial_barrier(machine.warp(0, 0), 1, parts.data(), parts.size());
      write(0, 0, strided(0, 4), Memory::shared, written);
      EXPECT_EQ(finish(), Found(1, 0))
          << "without warp " << left_out << (rows ? ", rows" : ", words") << ", written by " << written;
      machine.begin();
    }
}

// A chain of flags through more blocks than one may know by name: no order is forgotten.
TEST_F(RacesTest, LongChainsOfFlagsStayInOrder) {
  machine.end();
  machine.info.grid = {700, 1, 1};
  machine.begin();
  const std::uint64_t flags = kBase + 65536;
  const auto flag = [&](std::uint32_t b, std::uint32_t which, AccessKind kind, Ordering ordering) {
    machine.access(kind == AccessKind::load ? kVolatileRead : kVolatileWrite, machine.warp(b, 0),
                   Memory::global, kind, strided(flags + 4 * which, 0), 4, 1, ordering);
  };
  for (std::uint32_t b = 0; b < 700; ++b) {
    if (b > 0) flag(b, b - 1, AccessKind::load, Ordering::acquire);
    write(b, 0, strided(kBase + 4 * b, 0), Memory::global, 1);
    flag(b, b, AccessKind::store, Ordering::release);
  }
  for (std::uint32_t b = 0; b < 700; b += 50) read(699, 0, strided(kBase + 4 * b, 0), Memory::global, 1);
  EXPECT_EQ(finish(), Found(0, 0));
}

TEST_F(RacesTest, AtomicsOfTheBlockAreNoneForAnother) {
  const auto add = [&](std::uint32_t block, Scope scope) {
    machine.access(kAtom, machine.warp(block, 0), Memory::global, AccessKind::atomic, strided(kBase, 0), 4, 1,
                   Ordering::relaxed, CacheHint::normal, scope);
  };
  add(0, Scope::cta);
  add(0, Scope::gpu);
  EXPECT_EQ(finish(), Found(0, 0));
  machine.begin();
  add(0, Scope::cta);
  add(1, Scope::gpu);
  EXPECT_EQ(finish(), Found(1, 0));
}

TEST_F(RacesTest, BytesOfOneWordAreApart) {
  const Lanes a = strided(kBase, 4), b = strided(kBase + 1, 4);
  machine.access(kByteWrite, machine.warp(0, 0), Memory::global, AccessKind::store, a, 1);
  machine.access(kByteWrite, machine.warp(1, 0), Memory::global, AccessKind::store, b, 1);
  EXPECT_EQ(finish(), Found(0, 0));
}

TEST_F(RacesTest, AByteAgainstItsWordIsNot) {
  write(0, 0, strided(kBase, 4), Memory::global);
  machine.access(kByteWrite, machine.warp(1, 0), Memory::global, AccessKind::store, strided(kBase + 2, 4), 1);
  EXPECT_EQ(finish(), Found(1, 0));
}

TEST_F(RacesTest, EqualRacesBecomeOneFinding) {
  for (std::uint32_t b = 0; b < 4; ++b) write(b, 0, strided(kBase, 4), Memory::global);
  EXPECT_EQ(finish(), Found(1, 0));
  EXPECT_EQ(findings.all()[0].occurrences, 96u);
}

}  // namespace
}  // namespace simgpu::observe
