/// @file
/// See bandwidth.hpp. The part for a real device: interleaved pairs of samples, in blocks at fresh places, until the interval leaves the
/// gate.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "judge/bandwidth.hpp"
#include "judge/plan.hpp"
#include "judge/timed_sets.hpp"
#include "protocol/names.hpp"
#include "records/json_fields.hpp"

namespace course {
namespace {

using nlohmann::json;
namespace op = protocol::op;
using seconds = std::chrono::duration<double>;

constexpr std::size_t kBytesMoved = std::size_t{1} << 30;
// Sets of buffers that launches take in turn, so that none finds its data in L2. End to end, a set's way over the link is longer than L2
// is large, and each costs pages to pin or to send home: half of a grading's time went there.
constexpr std::size_t kSets = 4, kFewSets = 3, kSetsEndToEnd = 2;
// Five blocks with a spread below 1 % decide wrongly in 3e-5 of the cases at 1 % clear of the gate (simulated with recorded noise).
constexpr int kPairs = 16, kWarmUpPairs = 2, kFewestBlocks = 5, kMostBlocks = 9;
// End to end a sample lasts long, and so does placing the buffers anew. Three blocks are enough there where the interval lies this
// far from the gate, on either side.
constexpr int kFewestEndToEnd = 3;
constexpr double kFarFromGate = 1.08;
constexpr int kLooks = 3;  // launches that tell what is ahead
constexpr int kTalks = 9;  // questions without work
// Seconds. By the judge's own clock more, for waking a process up takes some 0.1 ms more or less.
constexpr double kShortestSample = 1e-3, kShortestEndToEnd = 10e-3;
// A launch of so many seconds has swept L2 by itself, and needs no other sets of buffers beside it in a sample.
constexpr double kLongLaunch = 10e-3;
constexpr double kHopeless = 5;      // times slower than the baseline: not measured further
constexpr double kMostSeconds = 20;  // of measuring; then what there is decides
// The baseline against itself. End to end its samples scatter by 5 % and the median of eighty by 1 %: 2.5 % were seen beside a program
// that copied managed memory, with nothing else on the card.
constexpr double kUnstable = 0.02, kUnstableEndToEnd = 0.05;
constexpr double kSamplePatience = 60;
constexpr double kRoom =
    1.25;  // of device memory: two programs with three buffer sets or more, and something left

// Adds the time until its end to a sum.
class lap {
 public:
  explicit lap(double& sum) : sum_(sum) {}
  lap(const lap&) = delete;
  lap& operator=(const lap&) = delete;
  ~lap() { sum_ += seconds(protocol::clock::now() - begin_).count(); }

 private:
  double& sum_;
  protocol::clock::time_point begin_ = protocol::clock::now();
};

class measurement_run {
 public:
  measurement_run(const exercise& what, const benchmark& of, contenders who, double gate, std::uint64_t seed,
                  measurement& into, result& notes)
      : what_(what), of_(of), who_(who), gate_(gate), seed_(seed), into_(into), notes_(notes) {}

  std::optional<judgement> run();

 private:
  std::optional<judgement> sample(contestant& one, std::size_t launches, double& timed_seconds,
                                  double& judge_seconds);
  std::optional<judgement> ask_for(contestant& one, std::size_t launches, double& timed_seconds,
                                   double& judge_seconds);
  std::optional<judgement> poke();
  std::optional<judgement> verify(contestant& one);
  std::optional<judgement> measure_block();
  std::optional<judgement> look_ahead(double& student, double& baseline);
  std::optional<judgement> finish();
  std::optional<judgement> heed_the_judges_clock();
  std::optional<judgement> time_talk(contestant& one, double& talk_seconds);
  bool is_decided(int blocks) const;
  // Who was at fault decides: the student's fault is a verdict, the baseline's is ours.
  std::optional<judgement> blame(const contestant* one, judgement found) const;
  std::vector<contestant*> both() const { return {&who_.student, &who_.baseline}; }
  bool end_to_end() const { return of_.clock == clock_kind::end_to_end; }

  const exercise& what_;
  const benchmark& of_;
  contenders who_;
  double gate_;
  std::uint64_t seed_;
  measurement& into_;
  result& notes_;
  problem asked_;
  std::string name_;
  std::optional<timed_sets> sets_;
  std::size_t launches_ = 0;
  double talk_seconds_ = 0;  // what a question and its answer take without any work
  std::vector<double> student_residual_, baseline_residual_, student_wall_;
};

std::optional<judgement> measurement_run::blame(const contestant* one, judgement found) const {
  if (one == &who_.student) {
    notes_.cases.push_back({name_ + " (timed)", "gpu", found.outcome, found.headline});
    return found;
  }
  return one ? harness_trouble(fmt::format("the reference fails: {}", found.headline)) : std::move(found);
}

std::optional<judgement> measurement_run::sample(contestant& one, std::size_t launches, double& timed_seconds,
                                                 double& judge_seconds) {
  const lap timed(into_.stages["sample"]);
  // By the judge's own clock, whoever is asked first would pay for waking up, and for what has to be put back before a run (managed
  // pages to the host: three times as long as the run). A question without work does both.
  if (end_to_end()) {
    if (auto found = ask_for(one, 0, timed_seconds, judge_seconds)) return found;
  }
  return ask_for(one, launches, timed_seconds, judge_seconds);
}

std::optional<judgement> measurement_run::ask_for(contestant& one, std::size_t launches,
                                                  double& timed_seconds, double& judge_seconds) {
  const auto answer = one.ask({{"op", op::kSample},
                               {"first_set", 0},
                               {"launches", launches},
                               {"clock", end_to_end() ? "end_to_end" : "events"},
                               {"hold", true}},
                              seconds(kSamplePatience));
  if (!answer.ok())
    return blame(&one, diagnose_silence(answer, one.worker(), fmt::format("in a timed run ({})", name_),
                                        kSamplePatience));
  if (auto found = diagnose_call(answer.body, {}, asked_)) return blame(&one, *found);
  judge_seconds = answer.judge_seconds;
  // End to end, nothing that the program's process says counts: the judge's own clock, less what talking costs.
  timed_seconds =
      end_to_end() ? std::max(0.0, judge_seconds - talk_seconds_) : number_of(answer.body, "event_seconds");
  return std::nullopt;
}

std::optional<judgement> measurement_run::measure_block() {
  auto& block = into_.samples.emplace_back();
  for (int pair = -kWarmUpPairs; pair < kPairs; ++pair) {
    if (auto found = poke()) return found;
    double timed[2] = {}, judge[2] = {};  // student, baseline
    for (int turn = 0; turn < 2; ++turn) {
      const int who = (pair & 1) ^ turn;  // AB, BA, AB, ...
      if (auto found = sample(who ? who_.baseline : who_.student, launches_, timed[who], judge[who]))
        return found;
    }
    if (auto found = verify(who_.student)) return found;
    if (pair % 8 == 0) {
      if (auto found = verify(who_.baseline)) return found;
    }
    if (pair < 0) continue;
    const auto launches = static_cast<double>(launches_);
    block.student_seconds.push_back(timed[0] / launches);
    block.reference_seconds.push_back(timed[1] / launches);
    student_residual_.push_back(judge[0] - timed[0]);
    baseline_residual_.push_back(judge[1] - timed[1]);
    student_wall_.push_back(judge[0]);
  }
  return std::nullopt;
}

bool measurement_run::is_decided(int blocks) const {
  const auto seen = statistics::estimate_ratio(into_.samples);
  if (blocks >= kFewestBlocks) return statistics::decide(seen, gate_).has_value();
  return end_to_end() && blocks >= kFewestEndToEnd &&
         (seen.low >= gate_ * kFarFromGate || seen.high < gate_ / kFarFromGate);
}

std::optional<judgement> measurement_run::poke() {
  const lap taken(into_.stages["change_inputs"]);
  auto found = sets_->poke(both(), kSamplePatience);
  return found ? blame(sets_->at_fault(), *found) : std::nullopt;
}

std::optional<judgement> measurement_run::verify(contestant& one) {
  const lap taken(into_.stages["check_samples"]);
  auto found = sets_->verify(one, launches_, kSamplePatience);
  return found ? blame(sets_->at_fault(), *found) : std::nullopt;
}

// The first launches load and warm up; the median of the next says what is ahead.
std::optional<judgement> measurement_run::look_ahead(double& student, double& baseline) {
  std::vector<double> students, baselines, talks;
  for (int look = 0; look < 1 + kLooks; ++look) {
    if (auto found = poke()) return found;
    double mine = 0, theirs = 0, ignored = 0, talk = 0;
    if (auto found = sample(who_.baseline, 0, ignored, talk)) return found;
    if (auto found = sample(who_.baseline, 1, theirs, ignored)) return found;
    if (auto found = sample(who_.student, 1, mine, ignored)) return found;
    if (look == 0) continue;
    students.push_back(mine);
    baselines.push_back(theirs);
    talks.push_back(talk);
  }
  student = statistics::median(students);
  baseline = statistics::median(baselines);
  talk_seconds_ = statistics::median(talks);
  return std::nullopt;
}

std::optional<judgement> measurement_run::run() {
  const auto& device = who_.baseline.device().known;
  std::size_t bytes = std::min(
      kBytesMoved, static_cast<std::size_t>(static_cast<double>(device.free_bytes) / (2 * 3 * kRoom)));
  bytes = std::max(bytes, 4 * device.l2_bytes);
  const auto size = of_.on_gpu ? of_.on_gpu(bytes, device) : of_.on_sim;
  asked_ = ask(what_, of_, size, device);
  into_.benchmark = of_.name;
  into_.size = to_string(size, what_.size_names);
  into_.baseline = of_.baseline == baseline_kind::plain ? "plain" : "reference";
  into_.amount = asked_.amount();
  into_.unit = asked_.unit();
  name_ = of_.name.empty() ? into_.size : fmt::format("{}, {}", of_.name, into_.size);
  const auto set_bytes = static_cast<double>(asked_.buffer_bytes());
  const bool roomy = static_cast<double>(device.free_bytes) >= 2 * kRoom * (kSets + 1) * set_bytes;
  if (static_cast<double>(device.free_bytes) < 2 * kFewSets * set_bytes) {
    judgement found;
    found.outcome = verdict::unsupported_device;
    found.cause = cause::not_enough_memory;
    found.headline =
        fmt::format("the timed size {} needs {:.1f} GB of device memory, {:.1f} GB are free", name_,
                    2e-9 * kFewSets * set_bytes, 1e-9 * static_cast<double>(device.free_bytes));
    return found;
  }
  {
    const lap taken(into_.stages["draw_inputs"]);
    sets_.emplace(asked_, end_to_end() ? kSetsEndToEnd : roomy ? kSets : kFewSets, name_, seed_);
  }
  launches_ = sets_->count();

  const auto begin = protocol::clock::now();
  {
    const lap taken(into_.stages["fill_buffers"]);
    if (auto found = sets_->prepare(both(), nullptr, kSamplePatience))
      return blame(sets_->at_fault(), *found);
  }
  double student = 0, baseline = 0;
  if (auto found = look_ahead(student, baseline)) return found;
  if (!(baseline > 0)) return harness_trouble("the device's events give no time");
  if (student > kHopeless * baseline && gate_ * kHopeless > 1) {
    into_.student_seconds = student;
    into_.baseline_seconds = baseline;
    into_.ratio = {baseline / student, baseline / student, baseline / student, kLooks, 1};
    notes_.details.push_back(
        fmt::format("The first launches took {:.1f} times the reference's time: not measured further.",
                    student / baseline));
    return std::nullopt;
  }
  const double shortest = end_to_end() ? kShortestEndToEnd : kShortestSample;
  const auto wanted = static_cast<std::size_t>(std::min(64.0, std::ceil(shortest / baseline)));
  const auto in_turn = std::min(sets_->count(), static_cast<std::size_t>(std::ceil(kLongLaunch / baseline)));
  launches_ = asked_.is_single_use() ? sets_->count() : std::max(in_turn, wanted);

  for (int block = 0; block < kMostBlocks; ++block) {
    if (block > 0) {
      const lap taken(into_.stages["place_anew"]);
      if (auto found = sets_->place_anew(both(), kSamplePatience)) return blame(sets_->at_fault(), *found);
    }
    if (auto found = measure_block()) return found;
    const bool late = seconds(protocol::clock::now() - begin).count() > kMostSeconds;
    const bool last = late || block + 1 == kMostBlocks || is_decided(block + 1);
    // One whole output at the beginning and at the end, chosen now that all work on it is done.
    if (block == 0 || last) {
      const lap taken(into_.stages["check_whole_output"]);
      const auto set = sets_->draw(std::min(sets_->count(), launches_));
      if (auto found = sets_->verify_whole(who_.student, set, kSamplePatience))
        return blame(sets_->at_fault(), *found);
    }
    if (last) break;
  }
  notes_.cases.push_back({name_ + " (timed)", "gpu", verdict::pass, ""});
  if (!end_to_end()) {
    if (auto found = heed_the_judges_clock()) return found;
  }
  return finish();
}

std::optional<judgement> measurement_run::time_talk(contestant& one, double& talk_seconds) {
  std::vector<double> talks;
  for (int k = 0; k < kTalks; ++k) {
    double ignored = 0, talk = 0;
    if (auto found = sample(one, 0, ignored, talk)) return found;
    talks.push_back(talk);
  }
  talk_seconds = statistics::median(talks);
  return std::nullopt;
}

// Two clocks: the device's events, and the judge's own. What lies between them is queueing and conversation. If the student's share of it
// is larger, its events do not tell everything, and the judge's clock counts. Conversation is not always the same for both: a process on a
// slower core took 0.3 ms more for it (once in 177 gradings), which says nothing about its kernels. So it is timed apart.
std::optional<judgement> measurement_run::heed_the_judges_clock() {
  double residual = statistics::median(baseline_residual_);
  std::vector<double> all;
  for (const auto& one : into_.samples)
    all.insert(all.end(), one.student_seconds.begin(), one.student_seconds.end());
  const double event_median = statistics::median(all) * static_cast<double>(launches_);
  const double tolerated = std::max(300e-6, 0.25 * event_median);
  const auto excess = [&] { return statistics::median(student_residual_) - residual; };
  if (excess() <= tolerated) return std::nullopt;
  double students = 0, baselines = 0;
  if (auto found = time_talk(who_.student, students)) return found;
  if (auto found = time_talk(who_.baseline, baselines)) return found;
  residual += std::max(0.0, students - baselines);
  if (excess() <= tolerated) return std::nullopt;
  std::size_t index = 0;
  for (auto& one : into_.samples) {
    for (auto& value : one.student_seconds)
      value = std::max(value, (student_wall_[index++] - residual) / static_cast<double>(launches_));
  }
  notes_.details.push_back(fmt::format(
      "The device's events tell {:.0f} us less a sample than the judge's clock (the reference's: {:.0f} us), "
      "so the judge's "
      "clock counts. If work runs on another stream, record an event there and let `stream` wait for it.",
      1e6 * statistics::median(student_residual_), 1e6 * residual));
  return std::nullopt;
}

std::optional<judgement> measurement_run::finish() {
  std::vector<double> student, baseline;
  for (const auto& one : into_.samples) {
    student.insert(student.end(), one.student_seconds.begin(), one.student_seconds.end());
    baseline.insert(baseline.end(), one.reference_seconds.begin(), one.reference_seconds.end());
  }
  into_.student_seconds = statistics::median(student);
  into_.baseline_seconds = statistics::median(baseline);
  into_.ratio = statistics::estimate_ratio(into_.samples);
  const auto& device = who_.baseline.device().known;
  if (of_.roof == roof_kind::dram && device.peak_dram_bytes_per_second > 0)
    into_.share_of_peak = asked_.bytes_moved() / into_.student_seconds / device.peak_dram_bytes_per_second;
  if (auto found = beyond_roof(of_, asked_, into_.student_seconds, device.peak_dram_bytes_per_second,
                               device.link_bytes_per_second))
    return found;
  if (const double self = statistics::self_ratio(into_.samples);
      std::abs(self - 1) > (end_to_end() ? kUnstableEndToEnd : kUnstable)) {
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

std::optional<judgement> measure_on_gpu(const exercise& what, const benchmark& of, contenders who,
                                        double gate, std::uint64_t seed, measurement& into, result& notes) {
  return measurement_run(what, of, who, gate, seed, into, notes).run();
}

}  // namespace course
