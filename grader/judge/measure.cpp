/// @file
/// See bandwidth.hpp. The part for a real device: interleaved pairs of samples, in blocks with fresh
/// allocations and data, until the interval leaves the gate. Inputs are changed before every sample and
/// outputs checked after it, so that an answer from the last sample, or from a cache keyed by address, is a
/// wrong answer.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "judge/bandwidth.hpp"
#include "protocol/names.hpp"

namespace course {
namespace {

using nlohmann::json;
namespace op = protocol::op;
using seconds = std::chrono::duration<double>;

constexpr std::size_t kBytesMoved = std::size_t{1} << 30;
constexpr std::size_t kSets = 4;
constexpr int kPairs = 31, kWarmUpPairs = 3, kFewestBlocks = 3, kMostBlocks = 9;
constexpr double kShortestSample = 1e-3;  // seconds
constexpr double kHopeless = 5;           // times slower than the reference: not measured further
constexpr double kMostSeconds = 25;       // of measuring; then what there is decides
constexpr double kUnstable = 0.02;        // the reference against itself
constexpr double kRoofSlack = 1.10;  // an L2 full of unwritten lines may hide a little traffic at a run's end
constexpr std::size_t kPokes = 16, kRandomSlices = 4, kPoisonSlices = 2, kSliceElements = 64;
constexpr double kPatience = 60;

// One measurement at a time on a device, however many tests run. Released when the process ends, whatever
// happens.
class device_lock {
 public:
  device_lock(const std::filesystem::path& folder, const std::string& uuid) {
    const auto file = folder / ("course-device-" + (uuid.empty() ? "0" : uuid) + ".lock");
    descriptor_ = ::open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) ::flock(descriptor_, LOCK_EX);
  }
  device_lock(const device_lock&) = delete;
  device_lock& operator=(const device_lock&) = delete;
  ~device_lock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

 private:
  int descriptor_ = -1;
};

struct changed_element {
  std::size_t buffer = 0, element = 0;
  double value = 0;
};

// What one set differs in from the data that all sets began with.
using overlay = std::vector<changed_element>;

struct slice {
  std::size_t expectation = 0, first = 0, count = 0;
  auto operator<=>(const slice&) const = default;
};

json error_member(const json& body, const char* key) {
  const auto found = body.find(key);
  return found == body.end() ? json() : *found;
}

double number(const json& body, const char* key) {
  const auto value = error_member(body, key);
  return value.is_number() ? value.get<double>() : 0;
}

class measurement_run {
 public:
  measurement_run(const exercise& what, contenders who, std::uint64_t seed, result& into)
      : what_(what), who_(who), random_(seed), into_(into) {}

  std::optional<judgement> run();

 private:
  std::optional<judgement> prepare_block();
  std::optional<judgement> measure_block();
  std::optional<judgement> poke();
  std::optional<judgement> sample(contestant& one, std::size_t launches, double& event_seconds,
                                  double& judge_seconds);
  std::optional<judgement> verify(contestant& one);
  std::optional<judgement> verify_whole(contestant& one, std::size_t set);
  std::optional<judgement> finish();
  std::optional<judgement> fetch_and_compare(contestant& one, std::size_t set,
                                             const std::vector<slice>& slices);
  std::size_t draw(std::size_t below) {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_);
  }
  bool is_student(const contestant& one) const { return &one == &who_.student; }
  std::optional<judgement> blame(contestant& one, judgement found) const;
  static judgement trouble(std::string sentence) {
    judgement found;
    found.outcome = verdict::harness_error;
    found.headline = std::move(sentence);
    return found;
  }

  const exercise& what_;
  contenders who_;
  std::mt19937_64 random_;
  result& into_;
  problem asked_;
  std::string name_;
  std::optional<case_data> data_;
  std::vector<overlay> overlays_;
  std::vector<std::vector<slice>> to_check_;  // per set, of the last pokes
  std::size_t sets_ = kSets, launches_ = kSets;
  std::vector<statistics::block> blocks_;
  std::vector<double> student_residual_, reference_residual_, student_wall_;
};

std::optional<judgement> measurement_run::blame(contestant& one, judgement found) const {
  if (is_student(one)) {
    into_.cases.push_back({name_ + " (timed)", "gpu", found.outcome, found.headline});
    return found;
  }
  return trouble(fmt::format("the reference fails: {}", found.headline));
}

std::optional<judgement> measurement_run::prepare_block() {
  data_.emplace(asked_, placement{0}, random_());
  overlays_.assign(sets_, {});
  for (auto* one : {&who_.student, &who_.reference}) {
    json request{{"op", op::kPrepareTiming}, {"sets", sets_}, {"padding", (draw(64) + 1) * 65536}};
    if (!data_->send_to(one->worker().arena(), request))
      return trouble("there is not enough host memory for the timed buffers");
    one->worker().send(std::move(request), seconds(kPatience));
  }
  for (auto* one : {&who_.student, &who_.reference}) {
    const auto answer = one->worker().wait();
    if (!answer.ok())
      return blame(*one,
                   diagnose_silence(answer, one->worker(), "while the timed buffers were filled", kPatience));
  }
  return std::nullopt;
}

std::optional<judgement> measurement_run::poke() {
  // Values first, the same for both contestants.
  to_check_.assign(sets_, {});
  struct write {
    std::size_t set, buffer, element, count;
    std::vector<std::byte> bytes;
  };
  std::vector<write> writes;
  for (std::size_t set = 0; set < sets_; ++set) {
    auto& slices = to_check_[set];
    for (std::size_t buffer = 0; buffer < asked_.buffers().size(); ++buffer) {
      const auto& one = asked_.buffers()[buffer];
      if (one.role != buffer_role::input || one.count == 0) continue;
      for (std::size_t k = 0; k < kPokes; ++k) {
        const auto element = draw(one.count);
        std::vector<std::byte> bytes(size_of(one.type));
        const auto& with = one.poked_with ? *one.poked_with : one.filled_with;
        with.fill(bytes.data(), one.type, element, 1, random_());
        overlays_[set].push_back({buffer, element, load_element(one.type, bytes.data(), 0)});
        writes.push_back({set, buffer, element, 1, std::move(bytes)});
        for (std::size_t index = 0; index < asked_.expectations().size(); ++index) {
          const auto count = asked_.buffers()[asked_.expectations()[index].output].count;
          for (const auto& range : asked_.expectations()[index].expected->affected(buffer, element)) {
            if (range.first < count)
              slices.push_back({index, range.first, std::min(range.count, count - range.first)});
          }
        }
      }
    }
    for (std::size_t index = 0; index < asked_.expectations().size(); ++index) {
      const auto output = asked_.expectations()[index].output;
      const auto& one = asked_.buffers()[output];
      if (one.count == 0) continue;
      for (std::size_t k = 0; k < kRandomSlices + kPoisonSlices; ++k) {
        const auto count = std::min(kSliceElements, one.count);
        const auto first = draw(one.count - count + 1);
        slices.push_back({index, first, count});
        if (k >= kPoisonSlices) continue;
        std::vector<std::byte> bytes(count * size_of(one.type));
        fill_poison(one.type, bytes.data(), count, data_->poison(output));
        writes.push_back({set, output, first, count, std::move(bytes)});
      }
    }
    std::sort(slices.begin(), slices.end());
    slices.erase(std::unique(slices.begin(), slices.end()), slices.end());
  }
  for (auto* one : {&who_.student, &who_.reference}) {
    auto& arena = one->worker().arena();
    auto list = json::array();
    std::size_t at = 0;
    for (const auto& write : writes) {
      std::copy(write.bytes.begin(), write.bytes.end(), arena.data() + at);
      list.push_back({{"set", write.set},
                      {"buffer", write.buffer},
                      {"bytes", write.bytes.size()},
                      {"arena", at},
                      {"offset", data_->pointer_offset(write.buffer) +
                                     write.element * size_of(asked_.buffers()[write.buffer].type)}});
      at += (write.bytes.size() + 15) / 16 * 16;
    }
    one->worker().send({{"op", op::kPoke}, {"arena_bytes", arena.size()}, {"writes", std::move(list)}},
                       seconds(kPatience));
  }
  for (auto* one : {&who_.student, &who_.reference}) {
    const auto answer = one->worker().wait();
    if (!answer.ok())
      return blame(*one, diagnose_silence(answer, one->worker(), "between timed runs", kPatience));
  }
  return std::nullopt;
}

std::optional<judgement> measurement_run::sample(contestant& one, std::size_t launches, double& event_seconds,
                                                 double& judge_seconds) {
  const auto answer = one.worker().ask(
      {{"op", op::kSample}, {"first_set", 0}, {"launches", launches}, {"hold", true}}, seconds(kPatience));
  if (!answer.ok())
    return blame(
        one, diagnose_silence(answer, one.worker(), fmt::format("in a timed run ({})", name_), kPatience));
  if (auto found = diagnose_call(answer.body, {})) return blame(one, *found);
  event_seconds = number(answer.body, "event_seconds");
  judge_seconds = answer.judge_seconds;
  return std::nullopt;
}

std::optional<judgement> measurement_run::fetch_and_compare(contestant& one, std::size_t set,
                                                            const std::vector<slice>& slices) {
  auto& arena = one.worker().arena();
  auto reads = json::array();
  std::size_t at = 0;
  std::vector<std::size_t> places;
  for (const auto& part : slices) {
    const auto output = asked_.expectations()[part.expectation].output;
    const auto size = size_of(asked_.buffers()[output].type);
    reads.push_back({{"set", set},
                     {"buffer", output},
                     {"offset", data_->pointer_offset(output) + part.first * size},
                     {"bytes", part.count * size},
                     {"arena", at}});
    places.push_back(at);
    at += (part.count * size + 15) / 16 * 16;
  }
  if (!arena.grow(at)) return trouble("there is not enough host memory to check the outputs");
  const auto answer = one.worker().ask(
      {{"op", op::kFetch}, {"arena_bytes", arena.size()}, {"reads", std::move(reads)}}, seconds(kPatience));
  if (!answer.ok()) return blame(one, diagnose_silence(answer, one.worker(), "after a timed run", kPatience));

  // The judge's copy becomes this set's data for a moment.
  overlay before;
  for (const auto& change : overlays_[set])
    before.push_back(
        {change.buffer, change.element, data_->change(change.buffer, change.element, change.value)});
  std::optional<judgement> found;
  for (std::size_t k = 0; k < slices.size() && !found; ++k) {
    const auto& part = slices[k];
    const auto output = asked_.expectations()[part.expectation].output;
    mismatches wrong(data_->geometry(output, 0));
    data_->compare_part(part.expectation, arena.data() + places[k], part.first, part.count, wrong);
    if (wrong.none()) continue;
    found = diagnose_mismatch(wrong, asked_.buffers()[output].name, false);
    if (found->cause == cause::mismatch) found->cause = cause::wrong_at_timed_size;
    found->headline =
        fmt::format("right at the small sizes, wrong at the timed one ({}): {}", name_, found->headline);
  }
  for (auto change = before.rbegin(); change != before.rend(); ++change)
    data_->change(change->buffer, change->element, change->value);
  return found ? blame(one, *found) : std::nullopt;
}

std::optional<judgement> measurement_run::verify(contestant& one) {
  for (std::size_t set = 0; set < std::min(sets_, launches_); ++set) {
    if (auto found = fetch_and_compare(one, set, to_check_[set])) return found;
  }
  return std::nullopt;
}

std::optional<judgement> measurement_run::verify_whole(contestant& one, std::size_t set) {
  std::vector<slice> whole;
  for (std::size_t index = 0; index < asked_.expectations().size(); ++index) {
    whole.push_back({index, 0, asked_.buffers()[asked_.expectations()[index].output].count});
  }
  return fetch_and_compare(one, set, whole);
}

std::optional<judgement> measurement_run::measure_block() {
  auto& block = blocks_.emplace_back();
  for (int pair = -kWarmUpPairs; pair < kPairs; ++pair) {
    if (auto found = poke()) return found;
    double event[2] = {}, judge[2] = {};  // student, reference
    for (int turn = 0; turn < 2; ++turn) {
      const int who = (pair & 1) ^ turn;  // AB, BA, AB, ...
      if (auto found = sample(who ? who_.reference : who_.student, launches_, event[who], judge[who]))
        return found;
    }
    if (auto found = verify(who_.student)) return found;
    if (pair % 8 == 0) {
      if (auto found = verify(who_.reference)) return found;
    }
    if (pair < 0) continue;
    const auto launches = static_cast<double>(launches_);
    block.student_seconds.push_back(event[0] / launches);
    block.reference_seconds.push_back(event[1] / launches);
    student_residual_.push_back(judge[0] - event[0]);
    reference_residual_.push_back(judge[1] - event[1]);
    student_wall_.push_back(judge[0]);
  }
  // One whole output a block, chosen now that all work on it is done.
  return verify_whole(who_.student, draw(std::min(sets_, launches_)));
}

std::optional<judgement> measurement_run::run() {
  const auto& device = who_.reference.device();
  std::size_t bytes = kBytesMoved;
  bytes = std::min(bytes, static_cast<std::size_t>(static_cast<double>(device.free_bytes) / (2 * 3 * 1.25)));
  bytes = std::max(bytes, 4 * device.l2_bytes);
  asked_ = what_.asks(what_.timed_on_gpu(bytes));
  name_ = to_string(what_.timed_on_gpu(bytes), what_.size_names);
  if (static_cast<double>(device.free_bytes) <
      2 * 1.25 * kSets * static_cast<double>(asked_.input_bytes() + asked_.output_bytes()))
    sets_ = 3;
  launches_ = sets_;

  const auto begin = protocol::clock::now();
  if (auto found = prepare_block()) return found;
  // One launch each to load and warm up, one to see what is ahead.
  double student = 0, reference = 0, ignored = 0;
  for (int round = 0; round < 2; ++round) {
    if (auto found = poke()) return found;
    if (auto found = sample(who_.reference, 1, reference, ignored)) return found;
    double wall = 0;
    if (auto found = sample(who_.student, 1, student, wall)) return found;
  }
  if (!(reference > 0)) return trouble("the device's events give no time");
  const auto fill = [&](double student_seconds, double reference_seconds) {
    auto& m = into_.measured;
    m.student_seconds = student_seconds;
    m.reference_seconds = reference_seconds;
    m.bytes_moved = static_cast<double>(asked_.bytes_moved());
    if (device.peak_bytes_per_second > 0)
      m.share_of_peak = m.bytes_moved / student_seconds / device.peak_bytes_per_second;
  };
  if (student > kHopeless * reference && what_.gates.pass.at_least.value * kHopeless > 1) {
    fill(student, reference);
    into_.measured.ratio = {reference / student, reference / student, reference / student, 1, 1};
    into_.details.push_back(
        fmt::format("The first launch took {:.1f} times the reference's time: not measured further.",
                    student / reference));
    return std::nullopt;
  }
  launches_ =
      std::max(sets_, static_cast<std::size_t>(std::min(64.0, std::ceil(kShortestSample / reference))));

  for (int block = 0; block < kMostBlocks; ++block) {
    if (block > 0) {
      if (auto found = prepare_block()) return found;
    }
    if (auto found = measure_block()) return found;
    if (block + 1 < kFewestBlocks) continue;
    const bool clear =
        statistics::decide(statistics::estimate_ratio(blocks_), what_.gates.pass.at_least.value).has_value();
    if (clear || std::chrono::duration<double>(protocol::clock::now() - begin).count() > kMostSeconds) break;
  }
  into_.cases.push_back({name_ + " (timed)", "gpu", verdict::pass, ""});

  // Two clocks: the device's events, and the judge's own. What lies between them is queueing and
  // conversation, the same for both programs. If the student's share of it is larger, its events do not tell
  // everything, and the judge's clock counts.
  const double residual = statistics::median(reference_residual_);
  double event_median = 0;
  {
    std::vector<double> all;
    for (const auto& one : blocks_)
      all.insert(all.end(), one.student_seconds.begin(), one.student_seconds.end());
    event_median = statistics::median(all) * static_cast<double>(launches_);
  }
  const double excess = statistics::median(student_residual_) - residual;
  if (excess > std::max(300e-6, 0.25 * event_median)) {
    std::size_t index = 0;
    for (auto& one : blocks_) {
      for (auto& value : one.student_seconds)
        value = std::max(value, (student_wall_[index++] - residual) / static_cast<double>(launches_));
    }
    into_.details.push_back(
        fmt::format("The device's events tell {:.0f} us less a sample than the judge's clock (the "
                    "reference's: {:.0f} us), so the "
                    "judge's clock counts. Does work run on another stream, or after the function returns?",
                    1e6 * statistics::median(student_residual_), 1e6 * residual));
  }
  return finish();
}

std::optional<judgement> measurement_run::finish() {
  std::vector<double> student, reference;
  for (const auto& one : blocks_) {
    student.insert(student.end(), one.student_seconds.begin(), one.student_seconds.end());
    reference.insert(reference.end(), one.reference_seconds.begin(), one.reference_seconds.end());
  }
  auto& m = into_.measured;
  m.student_seconds = statistics::median(student);
  m.reference_seconds = statistics::median(reference);
  m.bytes_moved = static_cast<double>(asked_.bytes_moved());
  m.ratio = statistics::estimate_ratio(blocks_);
  const double peak = who_.reference.device().peak_bytes_per_second;
  if (peak > 0) m.share_of_peak = m.bytes_moved / m.student_seconds / peak;
  if (peak > 0 && m.student_seconds > 0 && m.bytes_moved / m.student_seconds > kRoofSlack * peak) {
    judgement found;
    found.outcome = verdict::wrong_result;
    found.cause = cause::faster_than_roof;
    found.headline = fmt::format(
        "{} would be faster than this device's memory can be ({}): not believed. Is all of the work inside "
        "the timed call?",
        rate_text(m.bytes_moved / m.student_seconds), rate_text(peak));
    return found;
  }
  if (const double self = statistics::self_ratio(blocks_); std::abs(self - 1) > kUnstable) {
    judgement found;
    found.outcome = verdict::inconclusive;
    found.cause = cause::unstable_reference;
    found.headline = fmt::format(
        "the reference differs from itself by {:.1f} % on this machine: is something else running on the "
        "GPU?",
        100 * std::abs(self - 1));
    return found;
  }
  return std::nullopt;
}

}  // namespace

std::optional<judgement> measure_on_gpu(const exercise& what, contenders who, std::uint64_t seed,
                                        const std::filesystem::path& lock_folder, result& into) {
  const device_lock lock(lock_folder, who.reference.device().uuid);
  return measurement_run(what, who, seed, into).run();
}

}  // namespace course
