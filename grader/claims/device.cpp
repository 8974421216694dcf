/// @file
/// See device.hpp.
#include "claims/device.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

namespace course::claims {
namespace {

using nlohmann::json;

constexpr double kShortestSampleSeconds = 200e-6;  ///< an event's resolution is half a microsecond
constexpr double kLongLaunchSeconds = 0.05;

using take_report = const char*();

/// What the simulated GPU saw since the last call; null on a real one.
json report_so_far() {
  auto* const take = reinterpret_cast<take_report*>(::dlsym(RTLD_DEFAULT, "simgpu_take_report"));
  return take ? json::parse(take(), nullptr, false) : json();
}

void refuse_errors(const json& report) {
  for (const auto& finding : report.value("findings", json::array()))
    if (finding.value("severity", "") == "error") throw device_error(finding.value("message", ""));
}

float milliseconds_of(int launches, const std::function<void()>& launch) {
  cudaEvent_t begin{}, end{};
  check(cudaEventCreate(&begin), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  check(cudaEventRecord(begin), "cudaEventRecord");
  for (int i = 0; i < launches; ++i) launch();
  check(cudaEventRecord(end), "cudaEventRecord");
  check(cudaGetLastError(), "the launch");
  check(cudaEventSynchronize(end), "the kernel");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
  check(cudaEventDestroy(begin), "cudaEventDestroy");
  check(cudaEventDestroy(end), "cudaEventDestroy");
  return milliseconds;
}

}  // namespace

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw device_error(std::string(what) + " failed: " + cudaGetErrorString(status));
}

floats::floats(std::size_t count) : count_(count) {
  check(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(float)), "cudaMalloc");
  // One period of values, doubled until the array is full. The period is odd, so that no two rows are alike.
  std::vector<float> period(std::min<std::size_t>(count, 8191));
  for (std::size_t i = 0; i < period.size(); ++i)
    period[i] = (i % 2 ? -1.0F : 1.0F) * (0.5F + static_cast<float>(i % 1021) / 1024.0F);
  check(cudaMemcpy(data_, period.data(), period.size() * sizeof(float), cudaMemcpyHostToDevice),
        "cudaMemcpy");
  for (std::size_t done = period.size(); done < count;) {
    const std::size_t more = std::min(done, count - done);
    check(cudaMemcpy(data_ + done, data_, more * sizeof(float), cudaMemcpyDeviceToDevice), "cudaMemcpy");
    done += more;
  }
}

floats::~floats() {
  cudaFree(data_);
}

device::device() {
  simulated_ = ::dlsym(RTLD_DEFAULT, "simgpu_take_report") != nullptr;
  check(cudaGetDeviceProperties(&properties_, 0), "cudaGetDeviceProperties");
  int version = 0;
  check(cudaDriverGetVersion(&version), "cudaDriverGetVersion");
  driver_ = std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::size_t device::array() const {
  if (simulated_) return 64 * 1024;
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return std::min<std::size_t>(free / 8, std::size_t{512} << 20) / sizeof(float) / 8192 * 8192;
}

double device::seconds(const std::function<void()>& launch) const {
  double once = 1e-3 * milliseconds_of(1, launch);
  const bool is_long = once > kLongLaunchSeconds || simulated_;
  if (!is_long) once = 1e-3 * milliseconds_of(1, launch);
  const int launches =
      is_long || once <= 0
          ? 1
          : static_cast<int>(std::clamp(std::ceil(kShortestSampleSeconds / once), 1.0, 100.0));
  std::vector<double> samples(simulated_ ? 1 : is_long ? 3 : 11);
  for (double& one : samples) one = 1e-3 * milliseconds_of(launches, launch) / launches;
  if (const json report = report_so_far(); report.is_object()) refuse_errors(report);
  std::nth_element(samples.begin(), samples.begin() + static_cast<long>(samples.size() / 2), samples.end());
  return samples[samples.size() / 2];
}

double device::count(const char* counter, const std::function<void()>& launch) const {
  if (report_so_far().is_null()) throw device_error("only the simulated GPU counts");
  launch();
  check(cudaGetLastError(), "the launch");
  check(cudaDeviceSynchronize(), "the kernel");
  const json report = report_so_far();
  refuse_errors(report);
  double sum = 0;
  for (const auto& one : report.value("launches", json::array())) {
    const auto counters = one.value("counters", json::object());
    const auto& holder = counters.contains(counter) ? counters : one;  // warp_instructions stands beside them
    if (!holder.contains(counter)) throw device_error(std::string("there is no counter called ") + counter);
    sum += holder[counter].get<double>();
  }
  return sum;
}

}  // namespace course::claims
