/// @file
/// A ladder whose cases are checked for their values, and that goes on after a kernel that faults or never ends: a program that
/// is measured once on a borrowed card must not lose the rest of its figures to one mistake.
///
/// A fault leaves a CUDA context useless. The program then names the case and starts itself anew behind it.
#pragma once

#include <signal.h>
#include <unistd.h>

#include <cmath>

#include "ladder.hpp"

namespace ladder {

namespace resume {
// For the alarm's handler, which may do little.
inline char* arguments[8] = {};
inline char from[16] = {};
inline char said[256] = {};
inline void on_alarm(int) {
  if (write(STDOUT_FILENO, said, std::strlen(said)) < 0) _exit(1);
  execv("/proc/self/exe", arguments);
  _exit(1);
}
}  // namespace resume

class Checked {
 public:
  /// PROGRAM [FILTER] [--csv FILE]; LADDER_PART in the environment makes everything that many times smaller, for trying out: then
  /// times are not shown.
  Checked(int argc, char** argv, const char* head = "kernel,gbytes_per_second,seconds") : bench_(1, argv) {
    for (int i = 1; i < argc; ++i) {
      if (std::strcmp(argv[i], "--csv") == 0 && i + 1 < argc)
        csv_ = argv[++i];
      else if (std::strcmp(argv[i], "--from") == 0 && i + 1 < argc)
        from_ = std::atoi(argv[++i]);
      else if (std::strcmp(argv[i], "--failed") == 0)
        wrong_ = 1;
      else
        bench_.filter = argv[i];
    }
    if (const char* part = std::getenv("LADDER_PART")) part_ = std::max(1, std::atoi(part));
    bench_.array_bytes /= static_cast<std::size_t>(part_);
    int k = 0;
    resume::arguments[k++] = argv[0];
    if (bench_.filter != nullptr) resume::arguments[k++] = const_cast<char*>(bench_.filter);
    static char option_csv[] = "--csv", option_from[] = "--from", option_failed[] = "--failed";
    if (csv_ != nullptr)
      resume::arguments[k++] = option_csv, resume::arguments[k++] = const_cast<char*>(csv_);
    resume::arguments[k++] = option_from, resume::arguments[k++] = resume::from;
    resume::arguments[k++] = option_failed;  // nothing else begins anew
    signal(SIGALRM, resume::on_alarm);
    sigset_t alarms;
    sigemptyset(&alarms), sigaddset(&alarms, SIGALRM);
    sigprocmask(SIG_UNBLOCK, &alarms, nullptr);  // started from the handler, it would stay blocked
    if (csv_ != nullptr && from_ == 0)
      if (std::FILE* file = std::fopen(csv_, "w")) {
        std::fprintf(file, "%s\n", head);
        std::fclose(file);
      }
  }

  const Bench& bench() const { return bench_; }

  /// Clears what @p clear_bytes at @p clear hold, launches, asks @p right for the values, then times. @param bytes shrinks with
  /// the slice in each of its terms, as does what is done.
  void run(const std::string& name, double bytes, void* clear, std::size_t clear_bytes,
           const std::function<void()>& launch, const std::function<bool()>& right) {
    const int index = next_++;
    if (index < from_ || !bench_.wants(name)) return;
    guard(name, index);
    survive(name, cudaMemset(clear, 0, clear_bytes));
    launch();
    survive(name, cudaGetLastError());
    survive(name, cudaDeviceSynchronize());
    if (!right()) {
      survive(name, cudaDeviceSynchronize());
      std::printf("%-44s FAILED: wrong values\n", name.c_str());
      std::fflush(stdout);
      alarm(0);
      ++wrong_;
      return;
    }
    cudaEvent_t begin, end;
    survive(name, cudaEventCreate(&begin));
    survive(name, cudaEventCreate(&end));
    const int warm = bench_.samples > 1 ? 1 : 0;
    std::vector<float> milliseconds;
    for (int i = 0; i < warm + bench_.samples; ++i) {
      survive(name, cudaEventRecord(begin));
      launch();
      survive(name, cudaGetLastError());
      survive(name, cudaEventRecord(end));
      survive(name, cudaEventSynchronize(end));
      float ms = 0;
      survive(name, cudaEventElapsedTime(&ms, begin, end));
      if (i >= warm) milliseconds.push_back(ms);
    }
    alarm(0);
    cudaEventDestroy(begin), cudaEventDestroy(end);
    std::sort(milliseconds.begin(), milliseconds.end());
    const double seconds = milliseconds[milliseconds.size() / 2] * 1e-3,
                 rate = bytes * bench_.slice / seconds * 1e-9;
    if (part_ > 1)
      std::printf("%-44s right\n", name.c_str());
    else
      std::printf("%-44s %9.1f GB/s\n", name.c_str(), rate);
    std::fflush(stdout);
    if (part_ > 1) return;
    char cells[64];
    std::snprintf(cells, sizeof cells, ",%.4f,%.9f", rate, seconds);
    line('"' + name + '"' + cells);
  }

  /// Does @p body as one case: the error that it returns ends this process, and the next case begins in a new one.
  void attempt(const std::string& name, const std::function<cudaError_t()>& body) {
    const int index = next_++;
    if (index < from_ || !bench_.wants(name)) return;
    guard(name, index);
    survive(name, body());
    alarm(0);
  }

  /// Adds a line to the file of --csv, if there is one.
  void line(const std::string& text) const {
    if (csv_ == nullptr) return;
    if (std::FILE* file = std::fopen(csv_, "a")) {
      std::fprintf(file, "%s\n", text.c_str());
      std::fclose(file);
    }
  }

  int wrong() const { return wrong_; }

  /// One element that lies on the device.
  template <typename T>
  static T at(const T* array, std::size_t i) {
    T value{};
    cudaMemcpy(&value, array + i, sizeof(T), cudaMemcpyDeviceToHost);
    return value;
  }
  static bool near(double got, double want, double tolerance = 1e-3) {
    return std::abs(got - want) <= tolerance * (std::abs(want) + 1e-3);
  }
  /// Is @p right true of some elements all over @p n?
  static bool each(std::size_t n, const std::function<bool(std::size_t)>& right) {
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}, n / 7, n / 3 + 5, n / 2, n - 2, n - 1})
      if (!right(i)) {
        std::printf("  element %zu of %zu:\n", i, n);
        return false;
      }
    return true;
  }

 private:
  void guard(const std::string& name, int index) const {
    std::snprintf(resume::from, sizeof resume::from, "%d", index + 1);
    std::snprintf(resume::said, sizeof resume::said, "%-44s FAILED: it does not end\n", name.c_str());
    if (!bench_.simulated) alarm(10);
  }

  /// The context is lost with the first fault: name the case, go on in a new process.
  void survive(const std::string& name, cudaError_t error) {
    if (error == cudaSuccess) return;
    std::printf("%-44s FAILED: %s\n", name.c_str(), cudaGetErrorName(error));
    std::fflush(stdout);
    execv("/proc/self/exe", resume::arguments);
    std::exit(1);
  }

  Bench bench_;
  const char* csv_ = nullptr;
  int from_ = 0, next_ = 0, part_ = 1, wrong_ = 0;
};

}  // namespace ladder
