/// @file
/// Measures the ladders slow / plain / limit of chapter 2 on a real GPU: every variant of an exercise, the
/// copy ceiling and, for the reduction, CUB, in one run and in turns, so that the ratios between them are
/// fair.
///
///   ladder [options] <exercise> <label>=<plugin.so> ... [<exercise> <label>=<plugin.so> ...]
///
/// A plugin is a shared object that exports <exercise>_run and leaves the CUDA runtime's symbols open, as the
/// course builds it; this program brings the runtime (shared, found beside it). Every variant's whole output
/// is checked before it is timed. Results: a table on standard output and, with --json, a file of schema
/// course.ladder/1.
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cub/device/device_reduce.cuh>
#include <functional>
#include <string>
#include <vector>

namespace {

[[noreturn]] void stop(const std::string& message) {
  std::fprintf(stderr, "ladder: %s\n", message.c_str());
  std::exit(2);
}

void check(cudaError_t code, const char* what) {
  if (code != cudaSuccess) stop(std::string(what) + ": " + cudaGetErrorString(code));
}
#define CHECK(call) check(call, #call)

// ---- inputs
// --------------------------------------------------------------------------------------------------------

/// Value at a position: one of 1024 values in [1, 2), plus 2^-12. Neighbours differ, sums cannot cancel, and
/// half precision would round every one of them down.
__host__ __device__ inline float value_at(std::uint64_t position, std::uint32_t seed) {
  std::uint64_t h = (position + 1) * 0x9E3779B97F4A7C15ull + seed * 0xD1B54A32D192ED03ull;
  h ^= h >> 29;
  h *= 0xBF58476D1CE4E5B9ull;
  h ^= h >> 32;
  return 1.0f + static_cast<float>(h & 1023u) * (1.0f / 1024.0f) + 1.0f / 4096.0f;
}

__global__ void fill_kernel(float* data, std::uint64_t count, std::uint32_t seed) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride)
    data[i] = value_at(i, seed);
}

// ---- checks: whole outputs, on the device
// ---------------------------------------------------------------------------

constexpr int ghosts = 32, radius = 8;  // of stencil_1d

__global__ void check_stencil_kernel(const float* out, std::uint64_t n, std::uint32_t seed,
                                     unsigned long long* bad) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    double sum = 0;
    for (int d = -radius; d <= radius; ++d) sum += value_at(i + ghosts + d, seed);
    if (!(fabs(out[i] - sum) <= 1e-5 * sum)) atomicAdd(bad, 1ull);
  }
}

__global__ void check_transpose_kernel(const float* out, std::uint64_t rows, std::uint64_t cols,
                                       std::uint32_t seed, unsigned long long* bad) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < rows * cols; i += stride) {
    const std::uint64_t c = i / rows, r = i % rows;
    if (!(out[i] == value_at(r * cols + c, seed))) atomicAdd(bad, 1ull);
  }
}

/// `first` is the position of the pattern at out[0].
__global__ void check_copy_kernel(const float* out, std::uint64_t n, std::uint64_t first, std::uint32_t seed,
                                  unsigned long long* bad) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
    if (!(out[i] == value_at(first + i, seed))) atomicAdd(bad, 1ull);
}

// ---- copies: the ceiling
// --------------------------------------------------------------------------------------------

/// COUNT float4 a thread, a block's width apart, all loads before the first store.
template <int COUNT>
__global__ void copy_float4_kernel(const float4* __restrict__ in, float4* __restrict__ out,
                                   std::uint64_t count) {
  const std::uint64_t first = std::uint64_t{blockIdx.x} * blockDim.x * COUNT + threadIdx.x;
  float4 v[COUNT];
#pragma unroll
  for (int k = 0; k < COUNT; ++k)
    if (first + std::uint64_t{blockDim.x} * k < count) v[k] = in[first + std::uint64_t{blockDim.x} * k];
#pragma unroll
  for (int k = 0; k < COUNT; ++k)
    if (first + std::uint64_t{blockDim.x} * k < count) out[first + std::uint64_t{blockDim.x} * k] = v[k];
}

/// Four 4-byte elements a thread, all loads before the first store.
__global__ void copy_four_scalars_kernel(const float* __restrict__ in, float* __restrict__ out,
                                         std::uint64_t count) {
  const std::uint64_t first = std::uint64_t{blockIdx.x} * blockDim.x * 4 + threadIdx.x;
  float v[4];
#pragma unroll
  for (int k = 0; k < 4; ++k)
    if (first + std::uint64_t{blockDim.x} * k < count) v[k] = in[first + std::uint64_t{blockDim.x} * k];
#pragma unroll
  for (int k = 0; k < 4; ++k)
    if (first + std::uint64_t{blockDim.x} * k < count) out[first + std::uint64_t{blockDim.x} * k] = v[k];
}

template <int COUNT>
void copy_float4(const float* in, float* out, std::uint64_t n, unsigned threads, cudaStream_t stream) {
  const std::uint64_t a_block = std::uint64_t{threads} * COUNT;
  copy_float4_kernel<COUNT><<<static_cast<unsigned>((n / 4 + a_block - 1) / a_block), threads, 0, stream>>>(
      reinterpret_cast<const float4*>(in), reinterpret_cast<float4*>(out), n / 4);
}

// ---- the measurement
// ------------------------------------------------------------------------------------------------

constexpr int set_count =
    3;  // buffer sets in rotation: no launch meets the data of the one before in a cache

struct Shape {
  std::uint64_t n = 0, rows = 0, cols = 0;
};

struct BufferSet {
  float* in = nullptr;  // element 0 of the input; ghosts stand before it where the exercise has them
  float* out = nullptr;
  std::uint32_t seed = 0;
};

struct Variant {
  std::string label;
  std::function<void(const BufferSet&)> run;
  bool is_copy = false;
  double bytes = 0;
  bool timed = true;
  std::string remark;
  std::vector<double> seconds;  // one per round, of a single launch
};

struct Options {
  int samples = 31;
  int warm_ups = 3;
  int batch = 4;  // launches between two events
  double max_batch_seconds = 0.02;
  std::uint64_t gib_moved = 1;
  std::uint64_t elements = 0, rows = 0, cols = 0;
  std::string json;
  bool once = false;  // launch each plugin once, between cudaProfilerStart and Stop; no timing
  bool with_copies = true;
};

double median(std::vector<double> values) {
  if (values.empty()) return NAN;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return NAN;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
}

struct Group {
  std::string exercise;
  std::vector<std::pair<std::string, std::string>> plugins;  // label, path
};

std::string first_line_of(const char* command) {
  std::string line;
  if (FILE* pipe = popen(command, "r")) {
    char buffer[256];
    if (std::fgets(buffer, sizeof buffer, pipe)) line = buffer;
    pclose(pipe);
  }
  while (!line.empty() && (line.back() == '\n' || line.back() == ' ')) line.pop_back();
  return line;
}

class Ladder {
 public:
  Ladder(const Options& options, const Group& group) : options_(options), exercise_(group.exercise) {
    CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&begin_));
    CHECK(cudaEventCreate(&end_));
    CHECK(cudaMalloc(&bad_, sizeof *bad_));
    choose_shape();
    allocate();
    if (options.with_copies && !options.once) add_copies();
    if (exercise_ == "block_reduction" && !options.once) {
      if (shape_.n < (std::uint64_t{1} << 31)) add_cub<std::int32_t>("cub::DeviceReduce");
      add_cub<std::int64_t>("cub::DeviceReduce, 64-bit n");
    }
    for (const auto& [label, path] : group.plugins) add_plugin(label, path);
  }

  ~Ladder() {
    for (BufferSet& set : sets_) {
      cudaFree(set.in - ghosts);
      cudaFree(set.out);
    }
    for (void* scratch : cub_scratch_) cudaFree(scratch);
    cudaFree(bad_);
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
    cudaStreamDestroy(stream_);
  }

  void measure() {
    for (Variant& v : variants_) v.timed = verify(v);
    if (options_.once) return;
    std::vector<int> batch(variants_.size(), options_.batch);
    for (std::size_t i = 0; i < variants_.size(); ++i) {
      if (!variants_[i].timed) continue;
      double seconds = 0;
      for (int w = 0; w < options_.warm_ups; ++w) seconds = sample(variants_[i], 1);
      while (batch[i] > 1 && seconds * batch[i] > options_.max_batch_seconds) --batch[i];
    }
    for (int round = 0; round < options_.samples; ++round) {
      for (std::size_t k = 0; k < variants_.size(); ++k) {
        // Every second round runs backwards, so that no variant always follows the same neighbour.
        const std::size_t i = round % 2 ? variants_.size() - 1 - k : k;
        if (variants_[i].timed) variants_[i].seconds.push_back(sample(variants_[i], batch[i]));
      }
    }
    for (Variant& v : variants_)
      if (v.timed && !verify(v)) v.remark += " (after the timing)";
  }

  double ceiling() const {
    double best = 0;
    for (const Variant& v : variants_)
      if (v.is_copy && v.timed) best = std::max(best, v.bytes / median(v.seconds));
    return best;
  }

  const Variant* find(const std::string& label) const {
    for (const Variant& v : variants_)
      if (v.label == label && v.timed) return &v;
    return nullptr;
  }

  /// Median over the rounds of (time of other / time of v): v's speed as a share of other's.
  static double share(const Variant& v, const Variant* other) {
    if (!other || v.seconds.size() != other->seconds.size()) return NAN;
    std::vector<double> ratios;
    for (std::size_t i = 0; i < v.seconds.size(); ++i)
      ratios.push_back(other->seconds[i] / v.seconds[i] * (v.bytes / other->bytes));
    return median(ratios);
  }

  void print() const {
    std::printf("\n%s: ", exercise_.c_str());
    if (exercise_ == "transpose_banks")
      std::printf("%llu x %llu", (unsigned long long)shape_.rows, (unsigned long long)shape_.cols);
    else
      std::printf("n = %llu", (unsigned long long)shape_.n);
    if (options_.once) {
      std::printf(", one launch each\n");
      for (const Variant& v : variants_) std::printf("  %-28s %s\n", v.label.c_str(), v.remark.c_str());
      return;
    }
    std::printf(", %d rounds, copy ceiling %.0f GB/s\n", options_.samples, ceiling() / 1e9);
    std::printf("  %-28s %10s %10s %10s %9s %9s %9s %9s\n", "variant", "us", "p10 us", "p90 us", "GB/s",
                "of copy", "of ref", "of cub");
    for (const Variant& v : variants_) {
      if (!v.timed) {
        std::printf("  %-28s %s\n", v.label.c_str(), v.remark.c_str());
        continue;
      }
      const double seconds = median(v.seconds);
      std::printf("  %-28s %10.2f %10.2f %10.2f %9.0f %9.4f %9.4f %9.4f%s\n", v.label.c_str(), seconds * 1e6,
                  quantile(v.seconds, 0.1) * 1e6, quantile(v.seconds, 0.9) * 1e6, v.bytes / seconds / 1e9,
                  v.bytes / seconds / ceiling(), share(v, find("reference")),
                  share(v, find("cub::DeviceReduce")), v.remark.c_str());
    }
    std::fflush(stdout);
  }

  void write_json(FILE* file) const {
    const auto number = [file](const char* name, double value) {
      if (std::isfinite(value)) std::fprintf(file, ", \"%s\": %.9g", name, value);
    };
    std::fprintf(file, "    {\"exercise\": \"%s\", \"n\": %llu, \"rows\": %llu, \"cols\": %llu",
                 exercise_.c_str(), (unsigned long long)shape_.n, (unsigned long long)shape_.rows,
                 (unsigned long long)shape_.cols);
    number("copy_ceiling_bytes_per_second", ceiling());
    std::fprintf(file, ",\n     \"variants\": [");
    for (std::size_t i = 0; i < variants_.size(); ++i) {
      const Variant& v = variants_[i];
      std::fprintf(file, "%s\n      {\"label\": \"%s\", \"bytes_moved\": %.0f, \"checked\": %s", i ? "," : "",
                   v.label.c_str(), v.bytes, v.timed ? "true" : "false");
      if (v.timed && !v.seconds.empty()) {
        const double seconds = median(v.seconds);
        number("seconds_median", seconds);
        number("seconds_p10", quantile(v.seconds, 0.1));
        number("seconds_p90", quantile(v.seconds, 0.9));
        number("bytes_per_second", v.bytes / seconds);
        number("share_of_copy", v.bytes / seconds / ceiling());
        number("share_of_reference", share(v, find("reference")));
        number("share_of_cub", share(v, find("cub::DeviceReduce")));
      }
      std::fprintf(file, ", \"remark\": \"%s\"}", v.remark.c_str());
    }
    std::fprintf(file, "]}");
  }

 private:
  void choose_shape() {
    const std::uint64_t bytes = options_.gib_moved << 30;
    if (exercise_ == "block_reduction") {
      shape_.n = options_.elements ? options_.elements : bytes / 4 - 1237;
      in_count_ = shape_.n;
      out_count_ = 1;
      moved_ = 4.0 * shape_.n;
    } else if (exercise_ == "stencil_1d") {
      shape_.n = options_.elements ? options_.elements : bytes / 8 - 1237;
      in_count_ = shape_.n;
      out_count_ = shape_.n;
      moved_ = 8.0 * shape_.n;
    } else if (exercise_ == "transpose_banks") {
      // The judge's timed shape: multiples of 16, of neither 32 nor 64; 8240 x 16304 for 1 GiB.
      const auto side = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(bytes / 16)));
      shape_.rows = options_.rows ? options_.rows : side / 32 * 32 + 48;
      shape_.cols = options_.cols ? options_.cols : side / 32 * 64 - 80;
      in_count_ = out_count_ = shape_.rows * shape_.cols;
      moved_ = 8.0 * in_count_;
    } else {
      stop("unknown exercise '" + exercise_ + "'; known: block_reduction, stencil_1d, transpose_banks");
    }
    copy_count_ = (in_count_ / (exercise_ == "block_reduction" ? 2 : 1)) / 4 * 4;
  }

  void allocate() {
    sets_.resize(set_count);
    const std::uint64_t out_floats = std::max<std::uint64_t>(out_count_, options_.once ? 1 : copy_count_);
    for (int s = 0; s < set_count; ++s) {
      BufferSet& set = sets_[s];
      set.seed = 17u + 101u * s;
      CHECK(cudaMalloc(&set.in, (in_count_ + 2 * ghosts) * sizeof(float)));
      CHECK(cudaMalloc(&set.out, out_floats * sizeof(float)));
      // Position 0 of the pattern is the first ghost, only for the stencil; the others start at element 0.
      const bool has_ghosts = exercise_ == "stencil_1d";
      set.in += ghosts;  // 128 bytes: keeps the alignment
      if (has_ghosts)
        fill_kernel<<<4096, 256, 0, stream_>>>(set.in - ghosts, in_count_ + 2 * ghosts, set.seed);
      else
        fill_kernel<<<4096, 256, 0, stream_>>>(set.in, in_count_, set.seed);
      CHECK(cudaGetLastError());
      if (exercise_ == "block_reduction") {
        double sum = 0;
        const bool is_used = !options_.once || s == 0;
        for (std::uint64_t i = 0; is_used && i < shape_.n; ++i) sum += value_at(i, set.seed);
        expected_sum_.push_back(sum);
      }
    }
    CHECK(cudaStreamSynchronize(stream_));
  }

  void add(const std::string& label, bool is_copy, double bytes, std::function<void(const BufferSet&)> run) {
    Variant v;
    v.label = label;
    v.is_copy = is_copy;
    v.bytes = bytes;
    v.run = std::move(run);
    variants_.push_back(std::move(v));
  }

  void add_copies() {
    const std::uint64_t n = copy_count_;
    const double bytes = 8.0 * n;
    cudaStream_t s = stream_;
    add("copy: cudaMemcpyAsync", true, bytes, [=](const BufferSet& b) {
      CHECK(cudaMemcpyAsync(b.out, b.in, n * sizeof(float), cudaMemcpyDeviceToDevice, s));
    });
    add("copy: 1 float4, 256 threads", true, bytes,
        [=](const BufferSet& b) { copy_float4<1>(b.in, b.out, n, 256, s); });
    add("copy: 1 float4, 512 threads", true, bytes,
        [=](const BufferSet& b) { copy_float4<1>(b.in, b.out, n, 512, s); });
    add("copy: 1 float4, 1024 threads", true, bytes,
        [=](const BufferSet& b) { copy_float4<1>(b.in, b.out, n, 1024, s); });
    add("copy: 2 float4, 256 threads", true, bytes,
        [=](const BufferSet& b) { copy_float4<2>(b.in, b.out, n, 256, s); });
    add("copy: 4 floats, 256 threads", true, bytes, [=](const BufferSet& b) {
      copy_four_scalars_kernel<<<static_cast<unsigned>((n + 1023) / 1024), 256, 0, s>>>(b.in, b.out, n);
    });
  }

  /// CUB with 32-bit and with 64-bit lengths: the type of the length decides which code it compiles.
  template <class Length>
  void add_cub(const std::string& label) {
    const auto n = static_cast<Length>(shape_.n);
    std::size_t bytes = 0;
    CHECK(cub::DeviceReduce::Sum(nullptr, bytes, sets_[0].in, sets_[0].out, n, stream_));
    void* scratch = nullptr;
    CHECK(cudaMalloc(&scratch, bytes));
    cub_scratch_.push_back(scratch);
    cudaStream_t s = stream_;
    add(label, false, moved_, [=](const BufferSet& b) {
      std::size_t size = bytes;
      CHECK(cub::DeviceReduce::Sum(scratch, size, b.in, b.out, n, s));
    });
  }

  void add_plugin(const std::string& label, const std::string& path) {
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) stop("cannot load " + path + ": " + dlerror());
    void* symbol = dlsym(handle, (exercise_ + "_run").c_str());
    if (!symbol) stop(path + " does not define " + exercise_ + "_run");
    const Shape shape = shape_;
    cudaStream_t s = stream_;
    if (exercise_ == "transpose_banks") {
      const auto run =
          reinterpret_cast<void (*)(const float*, float*, std::size_t, std::size_t, cudaStream_t)>(symbol);
      add(label, false, moved_, [=](const BufferSet& b) { run(b.in, b.out, shape.rows, shape.cols, s); });
    } else {
      const auto run = reinterpret_cast<void (*)(const float*, float*, std::size_t, cudaStream_t)>(symbol);
      add(label, false, moved_, [=](const BufferSet& b) { run(b.in, b.out, shape.n, s); });
    }
  }

  /// Runs the variant once on each set, outputs poisoned before, and checks every element. False, with a
  /// remark, if anything is wrong. With --once only the first set is used, inside cudaProfilerStart and Stop.
  bool verify(Variant& v) {
    for (int s = 0; s < (options_.once ? 1 : set_count); ++s) {
      const BufferSet& set = sets_[s];
      const std::uint64_t count = v.is_copy ? copy_count_ : out_count_;
      CHECK(cudaMemsetAsync(set.out, 0xff, count * sizeof(float), stream_));
      CHECK(cudaMemsetAsync(bad_, 0, sizeof *bad_, stream_));
      CHECK(cudaStreamSynchronize(stream_));
      if (options_.once) CHECK(cudaProfilerStart());
      v.run(set);
      const cudaError_t code = cudaGetLastError();
      const cudaError_t after = cudaStreamSynchronize(stream_);
      if (options_.once) CHECK(cudaProfilerStop());
      if (after != cudaSuccess) stop(v.label + " broke the context: " + cudaGetErrorString(after));
      if (code != cudaSuccess) {
        v.remark = std::string(" NOT TIMED: ") + cudaGetErrorString(code);
        return false;
      }
      unsigned long long bad = 0;
      if (v.is_copy) {
        const std::uint64_t first =
            exercise_ == "stencil_1d" ? ghosts : 0;  // its pattern starts at the first ghost
        check_copy_kernel<<<4096, 256, 0, stream_>>>(set.out, copy_count_, first, set.seed, bad_);
      } else if (exercise_ == "block_reduction") {
        float sum = 0;
        CHECK(cudaMemcpy(&sum, set.out, sizeof sum, cudaMemcpyDeviceToHost));
        bad = !(std::fabs(sum - expected_sum_[s]) <= 1e-5 * expected_sum_[s]);
      } else if (exercise_ == "stencil_1d") {
        check_stencil_kernel<<<4096, 256, 0, stream_>>>(set.out, shape_.n, set.seed, bad_);
      } else {
        check_transpose_kernel<<<4096, 256, 0, stream_>>>(set.out, shape_.rows, shape_.cols, set.seed, bad_);
      }
      CHECK(cudaGetLastError());
      if (v.is_copy || exercise_ != "block_reduction") {
        CHECK(cudaMemcpyAsync(&bad, bad_, sizeof bad, cudaMemcpyDeviceToHost, stream_));
        CHECK(cudaStreamSynchronize(stream_));
        bad += wrong_on_host(v, set, s);
      }
      if (bad) {
        v.remark = " WRONG: " + std::to_string(bad) + " elements";
        return false;
      }
    }
    return true;
  }

  /// Looks at a few elements, first and last among them, with the host's own arithmetic: a check of the
  /// check.
  unsigned long long wrong_on_host(const Variant& v, const BufferSet& set, int s) const {
    if (v.is_copy) return 0;
    unsigned long long bad = 0;
    std::uint64_t state = 12345 + s;
    for (int k = 0; k < 256; ++k) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      const std::uint64_t i = k == 0 ? 0 : k == 1 ? out_count_ - 1 : (state >> 16) % out_count_;
      float actual = 0;
      CHECK(cudaMemcpy(&actual, set.out + i, sizeof actual, cudaMemcpyDeviceToHost));
      if (exercise_ == "stencil_1d") {
        double sum = 0;
        for (int d = -radius; d <= radius; ++d) sum += value_at(i + ghosts + d, set.seed);
        bad += !(std::fabs(actual - sum) <= 1e-5 * sum);
      } else {
        bad += !(actual == value_at((i % shape_.rows) * shape_.cols + i / shape_.rows, set.seed));
      }
    }
    return bad;
  }

  /// Seconds of one launch: `batch` launches on rotating sets between two events, divided by their number.
  double sample(Variant& v, int batch) {
    CHECK(cudaStreamSynchronize(stream_));
    CHECK(cudaEventRecord(begin_, stream_));
    for (int k = 0; k < batch; ++k) {
      v.run(sets_[turn_ % set_count]);
      ++turn_;
    }
    CHECK(cudaEventRecord(end_, stream_));
    CHECK(cudaEventSynchronize(end_));
    CHECK(cudaGetLastError());
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, begin_, end_));
    return milliseconds * 1e-3 / batch;
  }

  Options options_;
  std::string exercise_;
  Shape shape_;
  std::uint64_t in_count_ = 0, out_count_ = 0, copy_count_ = 0;
  double moved_ = 0;
  std::vector<BufferSet> sets_;
  std::vector<double> expected_sum_;
  std::vector<Variant> variants_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  unsigned long long* bad_ = nullptr;
  std::vector<void*> cub_scratch_;
  int turn_ = 0;
};

const char* const usage =
    "usage: ladder [options] <exercise> <label>=<plugin.so> ... [<exercise> ...]\n"
    "  --json FILE      write the results as JSON\n"
    "  --samples N      rounds (31); every variant is sampled once a round\n"
    "  --batch N        launches between two events (4)\n"
    "  --gib N          GiB moved a launch (1)\n"
    "  --elements N     n of block_reduction and stencil_1d\n"
    "  --rows N --cols N   shape of transpose_banks\n"
    "  --no-copies      leave the copy ceiling out\n"
    "  --once           launch each plugin once between cudaProfilerStart and Stop, check it, time nothing\n"
    "The label 'reference' names the variant that column 'of ref' divides by.\n";

}  // namespace

int main(int argc, char** argv) {
  Options options;
  std::vector<Group> groups;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto next = [&]() -> std::string {
      if (i + 1 >= argc) stop(word + " needs a value\n" + usage);
      return argv[++i];
    };
    if (word == "--json") {
      options.json = next();
    } else if (word == "--samples") {
      options.samples = std::max(1, std::atoi(next().c_str()));
    } else if (word == "--batch") {
      options.batch = std::max(1, std::atoi(next().c_str()));
    } else if (word == "--gib") {
      options.gib_moved = std::strtoull(next().c_str(), nullptr, 10);
    } else if (word == "--elements") {
      options.elements = std::strtoull(next().c_str(), nullptr, 10);
    } else if (word == "--rows") {
      options.rows = std::strtoull(next().c_str(), nullptr, 10);
    } else if (word == "--cols") {
      options.cols = std::strtoull(next().c_str(), nullptr, 10);
    } else if (word == "--no-copies") {
      options.with_copies = false;
    } else if (word == "--once") {
      options.once = true;
    } else if (word == "--help" || word == "-h" || word[0] == '-') {
      std::fputs(usage, stdout);
      return word == "--help" || word == "-h" ? 0 : 2;
    } else if (const std::size_t equals = word.find('='); equals != std::string::npos) {
      if (groups.empty()) stop("name an exercise before the first plugin\n" + std::string(usage));
      groups.back().plugins.emplace_back(word.substr(0, equals), word.substr(equals + 1));
    } else {
      groups.push_back({word, {}});
    }
  }
  if (groups.empty()) {
    std::fputs(usage, stdout);
    return 2;
  }

  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  int runtime = 0, supported = 0;
  CHECK(cudaRuntimeGetVersion(&runtime));
  CHECK(cudaDriverGetVersion(&supported));
  const std::string driver =
      first_line_of("nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null");
  char date[32];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  std::printf("%s, %d SMs, driver %s (CUDA %d.%d), runtime %d.%d, nvcc %d.%d.%d, %s\n", properties.name,
              properties.multiProcessorCount, driver.c_str(), supported / 1000, supported % 1000 / 10,
              runtime / 1000, runtime % 1000 / 10, __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__,
              __CUDACC_VER_BUILD__, date);

  FILE* json = nullptr;
  if (!options.json.empty()) {
    json = std::fopen(options.json.c_str(), "w");
    if (!json) stop("cannot write " + options.json);
    std::fprintf(
        json,
        "{\"schema\": \"course.ladder/1\", \"device\": \"%s\", \"sm_count\": %d, \"driver\": \"%s\", "
        "\"runtime\": \"%d.%d\", \"nvcc\": \"%d.%d.%d\", \"date\": \"%s\", \"samples\": %d, \"batch\": %d,\n"
        "  \"ladders\": [\n",
        properties.name, properties.multiProcessorCount, driver.c_str(), runtime / 1000, runtime % 1000 / 10,
        __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__, __CUDACC_VER_BUILD__, date, options.samples,
        options.batch);
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    Ladder ladder(options, groups[g]);
    ladder.measure();
    ladder.print();
    if (json) {
      if (g) std::fprintf(json, ",\n");
      ladder.write_json(json);
    }
  }
  if (json) {
    std::fprintf(json, "\n  ]}\n");
    std::fclose(json);
  }
  return 0;
}
