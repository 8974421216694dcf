/// @file
/// How libFuzzer changes a conversation of the queue: records are dropped, doubled, exchanged or changed inside, and then counted again.
/// Bytes that are changed blindly break the sequence or a size nearly each time, and the second record is never judged.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

constexpr std::size_t kHead = 24, kSequence = 8;
/// One in so many inputs is changed blindly after all.
constexpr unsigned kBlindly = 16;

std::vector<std::string> records_of(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> all;
  for (std::size_t at = 0; size - at >= kHead;) {
    std::uint32_t length = 0;
    std::memcpy(&length, data + at, sizeof length);
    if (length < kHead || length > size - at) length = static_cast<std::uint32_t>(size - at);
    all.emplace_back(reinterpret_cast<const char*>(data) + at, length);
    at += length;
  }
  return all;
}

void change(std::string& record) {
  std::vector<std::uint8_t> body(record.begin() + kHead, record.end());
  const std::size_t was = body.size();
  // Half as long again at most; and mostly as long as it was, since a body's length is a rule of the grammar.
  body.resize(was + was / 2 + 8);
  std::size_t now = LLVMFuzzerMutate(body.data(), was, body.size());
  if (now % 3 != 0) now = was;
  body.resize((now + 7) / 8 * 8);
  record.resize(kHead);
  record.append(body.begin(), body.end());
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned int seed) {
  std::minstd_rand random(seed);
  auto all = records_of(data, size);
  if (all.size() < 2 || random() % kBlindly == 0) return LLVMFuzzerMutate(data, size, most);
  const auto any = [&]() -> std::size_t { return 1 + random() % (all.size() - 1); };  // hello stays
  const std::size_t at = any();
  switch (random() % 6) {
    case 0:
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 1:
      all.insert(all.begin() + static_cast<std::ptrdiff_t>(any()), std::string(all[at]));
      break;
    case 2:
      std::swap(all[at], all[any()]);
      break;
    default:
      change(all[at]);
  }
  std::size_t end = 0;
  std::uint64_t sequence = 0;
  for (std::string& record : all) {
    if (end + record.size() > most) break;
    const auto length = static_cast<std::uint32_t>(record.size());
    ++sequence;
    std::memcpy(record.data(), &length, sizeof length);
    std::memcpy(record.data() + kSequence, &sequence, sizeof sequence);
    std::memcpy(data + end, record.data(), record.size());
    end += record.size();
  }
  return end;
}
