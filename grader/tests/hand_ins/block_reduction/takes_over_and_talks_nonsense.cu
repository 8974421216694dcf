// expect: wrong_result|crashed|not_attempted
/// @file
/// Takes over its worker, and answers each of the grader's questions from then on with what has the right number and nothing right beside it:
/// texts for numbers, lists for names, places that nobody has. Whatever the grader reads there, it must live to say what the program did.
#include "block_reduction.cuh"

#include <unistd.h>

#include <cstdio>
#include <cstring>

static const char kNonsense[] =
    "\"ok\": true, \"places\": [[[1, 2], \"there\", 7], {}, 3], \"answers\": {\"0\": [1]}, \"addresses\": "
    "{\"a\": 1, \"b\": 2},"
    "\"threads\": \"many\", \"threads_before\": -1e300, \"threads_after\": [], \"refused\": {\"call\": "
    "18446744073709551615},"
    "\"call_error\": [], \"sync_error\": 7, \"wall_seconds\": \"long\", \"part\": \"{\\\"api\\\": [[[], "
    "{}]], \\\"errors\\\": [1]}\","
    "\"exception\": \"\\u0007\", \"copied_back\": true, \"event_seconds\": -1, \"report\": \"{}\"";

static void answer(const char* number, std::size_t digits) {
  char text[1024];
  const int length = std::snprintf(text, sizeof text, "{\"nonce\": \"%.*s\", %s}\n", static_cast<int>(digits),
                                   number, kNonsense);
  if (::write(3, text, static_cast<std::size_t>(length)) < 0) ::_exit(0);
}

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  (void)in, (void)out, (void)n, (void)stream;
  answer("6", 1);  // hello, load, place, fill, before, and this is the sixth
  static char question[1 << 16];
  std::size_t have = 0;
  for (;;) {
    const auto came = ::read(3, question + have, sizeof question - 1 - have);
    if (came <= 0) ::_exit(0);
    have += static_cast<std::size_t>(came);
    question[have] = '\0';
    const char* const end = std::strchr(question, '\n');
    if (end == nullptr) continue;
    const char* const number = std::strstr(question, "\"nonce\":\"");
    if (number != nullptr) answer(number + 9, std::strcspn(number + 9, "\""));
    have = 0;
  }
}
