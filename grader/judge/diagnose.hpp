/// @file
/// From what a worker did or did not answer to a verdict in a student's words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/case_data.hpp"
#include "judge/device_report.hpp"
#include "judge/result.hpp"
#include "judge/worker_process.hpp"

namespace course {

/// A decisive answer.
struct judgement {
  verdict outcome = verdict::pass;
  std::string cause;
  std::string headline;
  std::string reason;  ///< of a missed gate: the headline's end, to be said elsewhere
  location at;
  std::vector<std::string> details;
  bool can_wait = false;  ///< what else is wrong, at another size or by a counter, says more
  protocol::json_box findings = protocol::json_box::list();
  std::uint64_t address = 0;  ///< of the access that the verdict is about, if it is about one
  std::uint64_t allocation =
      0;  ///< begin of the allocation that the headline tells by its number, if it does
};

/// A question that got no usable answer: the process crashed, hung, left or lied, or refuses.
/// @param doing what it was asked to do, for the sentence: "while case n=33 ran".
judgement diagnose_silence(const reply& answer, worker_process& worker, const std::string& doing,
                           double patience_seconds);

/// Errors of calls that came to an end: exceptions, CUDA errors, answers that are not sound, what the simulated GPU found, threads left
/// behind.
/// @param body an answer to run_case, prepare_timing, poke or sample.
/// @return nullopt when there is nothing decisive.
std::optional<judgement> diagnose_call(const protocol::json& body, const device_report& report,
                                       const problem& asked);

/// The most serious finding of a report as a judgement; nullopt without one.
std::optional<judgement> diagnose_findings(const device_report& report);

/// Says an address as an element: "That is out[257]; out has elements 0 to 256."
/// @param addresses of element 0 of each buffer, as a worker gives them.
/// @return an empty text when no buffer is near.
std::string element_at(const problem& asked, const protocol::json& addresses, std::uint64_t address);

/// Adds to a wrong result what the simulated GPU warns of: it is likely to be the reason, so the first one is told at once, with its place.
void add_warnings(judgement& to, const device_report& report);

/// Memory that all calls of a case together have allocated and not freed: "4 KB of device memory"; empty without any.
/// @param before set-up's report. @param timed the timed calls'. @param after that of all calls after them.
std::string memory_left(const device_report& before, const device_report& timed, const device_report& after);

/// Memory that is still allocated when teardown has returned. @param left as memory_left() says it.
std::optional<judgement> diagnose_left(const std::string& left);

/// Memory that every call of the function leaves behind. @param left as memory_left() says it, of the last.
judgement diagnose_leak(const std::string& left);

/// Streams, events, texture and surface objects that one pass through set-up, runs and teardown leaves, although an equal pass has come
/// before: what a program makes once and keeps is no matter. For example "2 events"; empty if there are none.
/// @param earlier the report of what came after that pass's timed calls
/// @param now the same of this pass
std::string objects_left(const device_report& earlier, const device_report& now);

/// Objects that are still there when teardown has returned. @param left as objects_left() says it.
std::optional<judgement> diagnose_left_objects(const std::string& left);

/// Objects that every call of the function leaves behind. @param left as objects_left() says it, of the last.
judgement diagnose_leaked_objects(const std::string& left);

/// True if any kernel loads from or stores to shared memory.
bool shares_memory(const device_report& report);

/// Damaged inputs or guard zones.
judgement diagnose_damage(const damage& what);

/// Wrong outputs.
judgement diagnose_mismatch(const mismatches& what, const std::string& output_name);

/// Work that the contract wants done in the timed calls, by the road that it names, and that was not.
/// @param report of these calls, present.
std::optional<judgement> diagnose_work(const device_report& report, const problem& asked);

/// Kernels in the default stream, where the contract names a stream and nothing joins the two: they keep the order only because the
/// judge's stream is one that waits for the default one. @param report of the timed calls on the simulated GPU, with its time line.
std::optional<judgement> diagnose_default_stream(const device_report& report, const problem& asked);

/// Kernels launched by set-up, where the contract gives it only copies and objects.
std::optional<judgement> diagnose_before(const device_report& report_before, const problem& asked);

/// What the simulated GPU only warns of, as lines for whoever looks for a reason: at most three.
std::vector<std::string> warnings_of(const device_report& report);

/// A sentence in whose place the harness is at fault.
judgement harness_trouble(std::string sentence);

}  // namespace course
