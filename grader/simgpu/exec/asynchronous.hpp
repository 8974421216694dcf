/// @file
/// What the files of the asynchronous instructions share: where their operands lie, and the mbarriers.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "simgpu/async/tensor_map.hpp"
#include "simgpu/exec/state.hpp"

namespace simgpu::exec::asynchronous {

using async::Load;
using async::Mbarrier;
using async::Store;
using lower::AddressSpace;
using lower::AsyncOp;
using observe::FindingKind;

inline constexpr u32 kOffsetMask = (1u << memory::kClusterShift) - 1;

template <class F>
void each_lane(u32 mask, F f) {
  for (; mask; mask &= mask - 1) f(static_cast<u32>(__builtin_ctz(mask)));
}

/// Bytes of some block's shared memory.
struct Place {
  Block* block = nullptr;
  u32 offset = 0;
};

// async_places.cpp
const AsyncOp& op_of(const Warp& w, const Ins& i);
u64 address_of(const Warp& w, const Ins& i, const AsyncOp& a, AsyncOp::Place which, u32 lane);
bool illegal(Warp& w, const Ins& i, u32 lane, std::string what,
             observe::Memory space = observe::Memory::shared, u64 address = 0);
/// Resolves an address of shared memory, of any block of the cluster. @return false after a fault.
bool find_shared(Warp& w, const Ins& i, u32 lane, u64 address, AddressSpace space, u32 bytes, u32 align,
                 Place& out);
/// Resolves device memory. @return nullptr after a fault.
std::byte* find_global(Warp& w, const Ins& i, u32 lane, u64 address, u32 bytes, u32 align, bool writes);

// mbarriers.cpp
void store_image(const Place& p, const Mbarrier& b);
/// The object at a resolved place. @return nullptr after a fault.
Mbarrier* object_at(Warp& w, const Ins& i, u32 lane, const Place& p);
Mbarrier* object(Warp& w, const Ins& i, u32 lane, AsyncOp::Place which, Place& p);
/// A phase of the mbarrier at @p offset has ended.
void phase_ended(Block& b, u32 offset);
/// Somebody waits for @p bar: what completes on it completes now, as far as the phase lacks nothing else.
void advance(Block& block, Mbarrier& bar);
void init(Warp& w, const Ins& i, u32 mask);
void inval(Warp& w, const Ins& i, u32 mask);
void arrive(Warp& w, const Ins& i, u32 mask);
void transactions(Warp& w, const Ins& i, u32 mask);
void cp_async_arrive(Warp& w, const Ins& i, u32 mask);
/// Lanes of @p mask whose wait is over.
u32 over(Warp& w, const Ins& i, u32 mask);
void wait(Warp& w, const Ins& i, u32 mask);

// bulk_copies.cpp
void bulk_load_lane(Warp& w, const Ins& i, u32 l);
void bulk_store_lane(Warp& w, const Ins& i, u32 l);
void store_async_lane(Warp& w, const Ins& i, u32 l);

}  // namespace simgpu::exec::asynchronous
