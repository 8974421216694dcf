/// @file
/// What rows cost that each thread has for itself, arrays of a thread's own, branches, fences, barriers of a cluster, plain loops, warps that
/// share a scheduler, phases between barriers and texels: cycles of an SM for one request, or for one turn of a warp, while all SMs do the same.
/// The slices of the L2 are the bound of many, which a single SM does not show.
///
///     rows [FILTER] [--csv FILE]
#include <cstdint>

#include "ladder.hpp"
#include "loop_rows.hpp"
#include "phase_rows.hpp"
#include "texel_rows.hpp"
#include "warp_rows.hpp"

namespace {

/// A thread's rows lie one beside the other; it stores @p Bytes of each, as words of type T.
template <typename T, int Row, int Bytes>
__global__ void store_rows(char* to, unsigned rows, int rounds) {
  for (int r = 0; r < rounds; ++r)
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += gridDim.x * blockDim.x) {
      T v{};
      v.x = i + r;
#pragma unroll
      for (int k = 0; k < Bytes; k += int{sizeof(T)})
        *reinterpret_cast<T*>(to + std::size_t{i} * Row + k) = v;
    }
}
template <typename T, int Row>
__global__ void copy_rows(const char* in, char* to, unsigned rows) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += gridDim.x * blockDim.x) {
    constexpr int kWords = Row / int{sizeof(T)};
    T v[kWords];
#pragma unroll
    for (int k = 0; k < kWords; ++k)
      v[k] = *reinterpret_cast<const T*>(in + std::size_t{i} * Row + k * sizeof(T));
#pragma unroll
    for (int k = 0; k < kWords; ++k) *reinterpret_cast<T*>(to + std::size_t{i} * Row + k * sizeof(T)) = v[k];
  }
}

/// An array of a thread's own: each turn loads a word of it and stores another.
template <int N>
__global__ void own_array(const unsigned* in, unsigned* out, bool one_index, int turns) {
  unsigned a[N], t = blockIdx.x * blockDim.x + threadIdx.x, s = in[t] | t * 2654435761u;
  for (int k = 0; k < N; ++k) a[k] = s >> k % 32;
#pragma unroll 1
  for (int r = 0; r < turns; ++r) {
    s = s * 1664525u + 1013904223u;
    const unsigned i = one_index ? static_cast<unsigned>(r) % N : (s >> 16) % N;
    s ^= a[i];
    a[(i + 1) % N] = s;
  }
  for (const unsigned v : a) s += v;
  out[t] = s;
}

enum class Branch { none, not_taken, half, both };
/// A turn with a branch that is too long for predicates.
template <Branch kind>
__global__ void branches(const unsigned* in, float* out, int turns) {
  float v = threadIdx.x, w = 1;
  const unsigned nought = in[threadIdx.x];
  const auto work = [&](float by) {
#pragma unroll
    for (int k = 0; k < 12; ++k) w = w * v + (by + static_cast<float>(k));
  };
#pragma unroll 1
  for (int r = 0; r < turns; ++r) {
    if (kind == Branch::not_taken && (nought >> r % 16 & 1) != 0) work(1);
    if (kind == Branch::half && ((threadIdx.x ^ r) & 1) != 0) work(2);
    if (kind == Branch::both) {
      if (((threadIdx.x ^ r) & 1) != 0)
        work(3);
      else
        work(-3);
    }
    v = v * 1.5f + w;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = v + w;
}

enum class Meeting { of_block, fence, fence_behind_store, barrier, relaxed_barrier };
/// A turn with a barrier of the block, a fence for the whole device or a barrier of two blocks: what was stored before it is to be seen behind it, or nothing is.
template <Meeting kind>
__global__ void meetings(float* out, int turns) {
  float v = threadIdx.x;
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int r = 0; r < turns; ++r) {
    if (kind == Meeting::of_block) __syncthreads();
    if (kind == Meeting::fence_behind_store) out[at] = v;
    if (kind == Meeting::fence || kind == Meeting::fence_behind_store) __threadfence();
    if (kind == Meeting::barrier)
      asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
    if (kind == Meeting::relaxed_barrier)
      asm volatile("barrier.cluster.arrive.relaxed.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
    v = v * 0.5f + 1;
  }
  out[at] = v;
}

class Rows {
 public:
  Rows(int argc, char** argv) : bench_(argc, argv) {
    int hertz = 0;
    ladder::check(cudaDeviceGetAttribute(&hertz, cudaDevAttrClockRate, 0), "clock rate");
    cycles_a_second_ = 1e3 * hertz;
    csv_ = bench_.open_csv(argc, argv, "row,cycles");
    in_ = bench_.array<char>(bytes());
    out_ = bench_.array<char>(bytes());
    ladder::check(cudaMemset(in_, 0, bytes()), "cudaMemset");
  }
  ~Rows() {
    if (csv_ != nullptr) std::fclose(csv_);
  }
  bool wants_any_of(const std::string& beginning) const { return bench_.wants_any_of(beginning); }
  std::size_t bytes() const { return std::size_t(bench_.sms) << 20; }
  unsigned blocks(unsigned an_sm) const { return an_sm * static_cast<unsigned>(bench_.sms); }
  char* in() const { return in_; }
  char* out() const { return out_; }

  /// @param units requests or turns of an SM.
  template <typename Launch>
  void time(const std::string& name, double units, Launch launch) {
    if (!bench_.wants(name)) return;
    const double cycles = bench_.seconds(name, 1, launch) * cycles_a_second_ / units;
    std::printf("%-56s %9.2f cycles\n", name.c_str(), cycles);
    if (csv_ != nullptr) std::fprintf(csv_, "\"%s\",%.3f\n", name.c_str(), cycles);
  }

  template <typename T, int Row, int Bytes>
  void store() {
    constexpr int kRounds = 16;
    const unsigned rows = static_cast<unsigned>(bytes() / 8 / Row);  // of what the L2 holds
    time("stores of " + std::to_string(Bytes) + " bytes in rows of " + std::to_string(Row) + ", by " +
             std::to_string(sizeof(T)),
         kRounds * 131072.0 / Row / 32 * (Bytes / sizeof(T)),
         [&] { store_rows<T, Row, Bytes><<<blocks(4), 512>>>(out(), rows, kRounds); });
  }
  template <typename T, int Row>
  void copy() {
    time("copies of rows of " + std::to_string(Row) + ", by " + std::to_string(sizeof(T)),
         1048576.0 / Row / 32 * (Row / sizeof(T)),
         [&] { copy_rows<T, Row><<<blocks(4), 512>>>(in(), out(), static_cast<unsigned>(bytes() / Row)); });
  }
  template <int N>
  void own(unsigned warps, bool one_index) {
    time("own array of " + std::to_string(N) + (one_index ? ", one index, " : ", index by lane, ") +
             std::to_string(warps) + " warps",
         warps * 300.0, [&] {
           own_array<N><<<blocks(1), warps * 32>>>(reinterpret_cast<unsigned*>(in()),
                                                   reinterpret_cast<unsigned*>(out()), one_index, 300);
         });
  }
  template <Branch kind>
  void branch(const char* name, unsigned warps) {
    time(std::string("turn ") + name + ", " + std::to_string(warps) + " warps", warps * 1000.0, [&] {
      branches<kind><<<blocks(1), warps * 32>>>(reinterpret_cast<unsigned*>(in()),
                                                reinterpret_cast<float*>(out()), 1000);
    });
  }
  template <Meeting kind>
  void meet(const char* name, unsigned warps, unsigned an_sm) {
    constexpr int kTurns = 400;
    const bool in_pairs = kind == Meeting::barrier || kind == Meeting::relaxed_barrier;
    cudaLaunchAttribute pairs{};
    pairs.id = cudaLaunchAttributeClusterDimension;
    pairs.val.clusterDim = {2, 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = blocks(an_sm) / 2 * 2, config.blockDim = warps * 32;
    config.attrs = &pairs, config.numAttrs = in_pairs ? 1 : 0;
    time(std::string("meeting at ") + name + ", " + std::to_string(an_sm) + " x " + std::to_string(warps) +
             " warps",
         kTurns,
         [&] { cudaLaunchKernelEx(&config, meetings<kind>, reinterpret_cast<float*>(out()), kTurns); });
  }

 private:
  ladder::Bench bench_;
  double cycles_a_second_ = 0;
  std::FILE* csv_ = nullptr;
  char *in_ = nullptr, *out_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  Rows rows(argc, argv);
  rows.store<uint1, 4, 4>();
  rows.store<uint4, 16, 16>();
  rows.store<uint1, 8, 4>();
  rows.store<uint1, 16, 4>();
  rows.store<uint1, 32, 4>();
  rows.store<uint1, 64, 4>();
  rows.store<uint4, 64, 64>();
  rows.store<uint4, 48, 48>();
  rows.store<uint1, 64, 64>();
  rows.store<uint1, 8, 8>();
  rows.store<uint2, 16, 16>();
  rows.copy<uint4, 16>();
  rows.copy<uint2, 16>();
  rows.copy<uint4, 32>();
  rows.copy<uint4, 64>();
  rows.copy<uint4, 48>();
  for (const unsigned warps : {8u, 30u}) {
    rows.own<16>(warps, false);
    rows.own<64>(warps, false);
    rows.own<16>(warps, true);
    rows.branch<Branch::none>("without a branch", warps);
    rows.branch<Branch::not_taken>("with a branch that nobody takes", warps);
    rows.branch<Branch::half>("that half of the lanes take", warps);
    rows.branch<Branch::both>("that parts the lanes", warps);
  }
  rows.meet<Meeting::of_block>("__syncthreads", 8, 1);
  rows.meet<Meeting::of_block>("__syncthreads", 8, 4);
  rows.meet<Meeting::of_block>("__syncthreads", 16, 4);
  rows.meet<Meeting::fence>("a fence", 1, 1);
  for (const unsigned an_sm : {1u, 4u}) {
    rows.meet<Meeting::fence>("a fence", 8, an_sm);
    rows.meet<Meeting::fence_behind_store>("a fence behind a store", 8, an_sm);
    rows.meet<Meeting::barrier>("a barrier of two blocks", 8, an_sm);
    rows.meet<Meeting::relaxed_barrier>("a relaxed barrier of two blocks", 8, an_sm);
  }
  phases::PhaseRows<Rows>(rows).all();
  loops::LoopRows<Rows>(rows).all();
  warps::WarpRows<Rows>(rows).all();
  texels::TexelRows<Rows>(rows).all();
}
