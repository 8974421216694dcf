/// @file
/// The drill `occupancy`: how many blocks an SM holds, and which resource decides. Right answers come from the simulated
/// GPU's occupancy; a mistake's come from the same sum on paper with a step left out.
///
/// The first two questions are those of an older article on CUDA's memory model, whose second one was never answered there.
/// The other eight ask for resident blocks, some of them before and after a change of one resource: such a question needs two
/// limits at once, and only so can each of four limits and three rules of rounding decide at least four questions of ten.
#include <fmt/format.h>

#include <stdexcept>

#include "drills/drill.hpp"
#include "drills/occupancy_on_paper.hpp"

namespace course::drills {
namespace {

using paper::BlockNeeds;
using paper::Device;
using paper::steps;

const Device kCard{};  ///< the simulated GPU's: compute capability 9.0

/// The article's cards, of which the drill needs no more than an SM's limits.
Device older_card(std::uint32_t threads, std::uint32_t registers, std::uint32_t shared) {
  Device card;
  card.threads_per_sm = threads;
  card.warps_per_sm = threads / 32;
  card.blocks_per_sm = 8;
  card.threads_per_block_max = 512;
  card.registers_per_sm = registers;
  // Compute capability 1.3 gives registers to blocks in steps of 512, 2.0 to warps in steps of 64. For blocks of eight warps the
  // first comes to 64 a warp as well.
  card.register_granule = 64;
  card.registers_per_thread_max = 63;
  card.shared_per_sm = shared;
  card.shared_per_block_optin = shared;
  card.shared_reserved_per_block = 0;
  return card;
}
const Device kCapability13 = older_card(1024, 16'384, 16 * 1024);
const Device kCapability20 = older_card(1536, 32'768, 48 * 1024);

struct known_mistake {
  mistake what;
  steps taken;
};

const std::vector<known_mistake>& known() {
  static const std::vector<known_mistake> kKnown = {
      {{"thread_limit_alone",
        "That is the limit of threads alone. Blocks, registers and shared memory have limits too, and the "
        "least of the four "
        "decides."},
       {.blocks = false, .registers = false, .shared = false}},
      {{"registers_not_rounded",
        "That shares the registers out exactly. A warp gets its 32 x registers rounded up to a whole step."},
       {.granule = false}},
      {{"no_reserve",
        "That forgets what the system keeps: each block takes 1,024 bytes of shared memory more than it asks "
        "for."},
       {.reserve = false}},
      {{"threads_not_whole_warps",
        "That counts threads one by one. A block takes whole warps, so that 100 threads cost as much as "
        "128."},
       {.whole_warps = false}},
      {{"no_block_limit", "That forgets that an SM holds only so many blocks, however small they are."},
       {.blocks = false}},
      {{"no_thread_limit", "That forgets that an SM holds only so many threads."}, {.threads = false}},
      {{"no_registers", "That leaves the registers out. All resident threads share one register file."},
       {.registers = false}},
      {{"no_shared_memory", "That leaves shared memory out. All resident blocks share what the SM has."},
       {.shared = false}},
  };
  return kKnown;
}

std::int64_t resident(const Device& card, const BlockNeeds& needs) {
  return simgpu::timing::occupancy(card, needs).blocks_per_sm;
}

/// Fills `by_mistake` from what each mistake makes of the question.
template <class Answer>
void answer_with_each_mistake(question& q, Answer answer) {
  for (const known_mistake& one : known()) q.by_mistake.push_back(answer(one.taken));
}

bool caught(const question& q, std::string_view mistake) {
  for (std::size_t i = 0; i < known().size(); ++i) {
    if (known()[i].what.name == mistake) return q.by_mistake[i] != q.right;
  }
  throw std::logic_error("no such mistake");
}

// --- How much may a block take? ----------------------------------------------------------------------------------------

/// "How much may a block take while the SM stays full?" on one or more cards: `shared` bytes, else registers a thread.
struct budget {
  std::vector<Device> cards;
  std::uint64_t threads = 256;
  bool shared = true;

  static std::int64_t full(const Device& card, std::uint64_t threads, const steps& taken = {}) {
    return paper::limits_of(card, {.threads = threads, .registers_per_thread = 1}, taken).least();
  }
  std::int64_t on_paper(const Device& card, const steps& taken) const {
    const std::int64_t blocks = full(card, threads, taken);
    return shared ? paper::shared_for(card, blocks, taken)
                  : paper::registers_for(card, threads, blocks, taken);
  }
  std::int64_t truth(const Device& card) const {
    const BlockNeeds bare{.threads = threads, .registers_per_thread = 1};
    const auto blocks = static_cast<std::uint32_t>(resident(card, bare));
    if (shared) return static_cast<std::int64_t>(simgpu::timing::shared_available(card, bare, blocks));
    BlockNeeds most = bare;
    most.registers_per_thread = card.registers_per_thread_max;
    while (resident(card, most) < blocks) --most.registers_per_thread;
    return most.registers_per_thread;
  }
  bool agrees() const {
    for (const Device& card : cards) {
      if (truth(card) != on_paper(card, {})) return false;
    }
    return true;
  }
  std::string why() const {
    std::string text;
    for (const Device& card : cards) {
      const std::int64_t blocks = full(card, threads),
                         warps = blocks * ((static_cast<std::int64_t>(threads) + 31) / 32);
      text += text.empty() ? "" : "\n";
      if (shared) {
        text += fmt::format("{} blocks fill the SM, so each has {} / {} = {} bytes{}.", blocks,
                            card.shared_per_sm, blocks, card.shared_per_sm / blocks,
                            card.shared_reserved_per_block ? fmt::format(", of which the system keeps {}",
                                                                         card.shared_reserved_per_block)
                                                           : "");
      } else {
        const std::int64_t each = card.registers_per_sm / warps, granule = card.register_granule;
        text += fmt::format(
            "{} warps fill the SM, so each has {} / {} = {} registers, in steps of {} that is {}: {} a "
            "thread.",
            warps, card.registers_per_sm, warps, each, granule, each / granule * granule,
            each / granule * granule / 32);
      }
    }
    return text;
  }
  question ask(std::string text, std::vector<std::string> asks) const {
    question q;
    q.text = std::move(text);
    q.asks = std::move(asks);
    q.why = why();
    for (const Device& card : cards) q.right.push_back(truth(card));
    answer_with_each_mistake(q, [&](const steps& taken) {
      numbers given;
      // Who leaves the resource out that is asked for has no answer.
      if (shared ? !taken.shared : !taken.registers) return given;
      for (const Device& card : cards) given.push_back(on_paper(card, taken));
      return given;
    });
    return q;
  }
};

question of_the_article(bool shared) {
  const budget b{{kCapability13, kCapability20}, 256, shared};
  const auto row = [](const char* name, std::uint32_t first, std::uint32_t second) {
    return fmt::format("    {:<24}{:>8}{:>8}\n", name, first, second);
  };
  const Device &a = kCapability13, &c = kCapability20;
  std::string text = "Two older cards. One SM holds\n\n";
  text += fmt::format("    {:<24}{:>8}{:>8}\n", "compute capability", "1.3", "2.0");
  text +=
      row("threads", a.threads_per_sm, c.threads_per_sm) + row("blocks", a.blocks_per_sm, c.blocks_per_sm);
  if (shared) {
    text += row("bytes of shared memory", a.shared_per_sm, c.shared_per_sm);
    text +=
        "\nNothing is kept by the system. A block has 16 x 16 threads.\n"
        "The SM should be full of threads. How many bytes of shared memory may a block use at most, on each "
        "card?";
    return b.ask(text, {"bytes on 1.3", "bytes on 2.0"});
  }
  text += row("registers", a.registers_per_sm, c.registers_per_sm);
  text += fmt::format(
      "\nA block has 16 x 16 threads. Blocks of that size get registers in steps of {} a warp.\n"
      "The SM should be full of threads. How many registers may a thread use at most, on each card?",
      a.register_granule);
  return b.ask(text, {"registers on 1.3", "registers on 2.0"});
}

/// The article's two questions with other numbers, for the second ten and later.
question in_the_manner_of_the_article(dice& random, bool shared) {
  for (;;) {
    const budget b{{kCard}, static_cast<std::uint64_t>(random.between(3, 32)) * 32, shared};
    const std::int64_t blocks = budget::full(kCard, b.threads);
    // Only bytes that come out even are asked for, and registers where the steps matter.
    if (!b.agrees() || (shared && kCard.shared_per_sm % (blocks * kCard.shared_granule) != 0)) continue;
    question q = b.ask(
        fmt::format(
            "A block has {} threads. The SM should hold as many of these blocks as its threads allow.\n"
            "How many {} at most?",
            b.threads, shared ? "bytes of shared memory may a block use" : "registers may a thread use"),
        {shared ? "bytes" : "registers"});
    if (caught(q, shared ? "no_reserve" : "registers_not_rounded")) return q;
  }
}

// --- How many blocks are resident? -------------------------------------------------------------------------------------

question ask_blocks(const std::vector<BlockNeeds>& kernels) {
  const bool change = kernels.size() > 1;
  question q;
  const auto row = [&](const char* name, auto value) {
    std::string line = fmt::format("    {:<30}", name);
    for (const BlockNeeds& needs : kernels) line += fmt::format("{:>8}", value(needs));
    return line + "\n";
  };
  q.text = change ? fmt::format("    {:<30}{:>8}{:>8}\n", "", "before", "after") : "";
  q.text += row("threads a block", [](const BlockNeeds& n) { return n.threads; });
  q.text += row("registers a thread", [](const BlockNeeds& n) { return n.registers_per_thread; });
  q.text += row("bytes of shared memory a block", [](const BlockNeeds& n) { return n.shared_bytes; });
  q.text += change ? "\nHow many blocks does an SM hold before the change, and how many after it?"
                   : "\nHow many blocks does an SM hold?";
  q.asks =
      change ? std::vector<std::string>{"blocks before", "blocks after"} : std::vector<std::string>{"blocks"};
  for (const BlockNeeds& needs : kernels) {
    q.right.push_back(resident(kCard, needs));
    const std::string limits = paper::limits_of(kCard, needs).text();
    q.why +=
        change ? fmt::format("{}{}", q.why.empty() ? "Before: " : "\nAfter: ", limits) : "Here " + limits;
    q.why += fmt::format("; the least is {}.", q.right.back());
  }
  answer_with_each_mistake(q, [&](const steps& taken) {
    numbers given;
    for (const BlockNeeds& needs : kernels) given.push_back(paper::limits_of(kCard, needs, taken).least());
    return given;
  });
  return q;
}

BlockNeeds draw_needs(dice& random, bool tiny) {
  BlockNeeds needs;
  needs.threads = static_cast<std::uint64_t>(
      tiny ? random.one_of({32, 32, 24, 20})
           : random.one_of({64,  96,  100, 128, 144, 160, 180, 200, 225, 256, 288, 300,
                            324, 350, 384, 400, 450, 512, 576, 600, 625, 768, 1024}));
  needs.registers_per_thread = static_cast<std::uint32_t>(random.between(16, tiny ? 128 : 72));
  needs.shared_bytes =
      random.chance(30) ? 0 : static_cast<std::uint64_t>(random.between(2, tiny ? 100 : 400)) * 256;
  return needs;
}

/// Whether @p needs is decided by that resource alone, fits at all, and comes out alike on paper and in the simulated GPU.
bool is_decided_by(const BlockNeeds& needs, char resource) {
  const paper::limits limits = paper::limits_of(kCard, needs);
  return limits.decided_by() == resource && limits.least() > 0 && resident(kCard, needs) == limits.least();
}

/// "How many blocks?", decided by one resource; @p must_catch is a mistake that must show.
question forward(dice& random, char resource, std::string_view must_catch) {
  for (;;) {
    const BlockNeeds needs = draw_needs(random, resource == 'b');
    if (!is_decided_by(needs, resource)) continue;
    question q = ask_blocks({needs});
    if (caught(q, must_catch)) return q;
  }
}

/// "How many before and after?", decided by one resource before, and by another one after its use has grown.
question change(dice& random, char before, char after, std::string_view must_catch) {
  for (;;) {
    const BlockNeeds old = draw_needs(random, before == 'b');
    if (!is_decided_by(old, before)) continue;
    BlockNeeds changed = old;
    if (after == 'r') changed.registers_per_thread += static_cast<std::uint32_t>(random.between(3, 60));
    if (after == 's') changed.shared_bytes += static_cast<std::uint64_t>(random.between(2, 120)) * 256;
    if (changed.registers_per_thread > kCard.registers_per_thread_max || !is_decided_by(changed, after))
      continue;
    question q = ask_blocks({old, changed});
    if (caught(q, must_catch)) return q;
  }
}

std::vector<question> propose_occupancy(dice& random, unsigned sheet) {
  std::vector<question> later = {
      forward(random, 'b', "no_block_limit"),
      forward(random, 'r', "registers_not_rounded"),
      forward(random, 's', "no_reserve"),
      change(random, 'b', 'r', "registers_not_rounded"),
      change(random, 'b', 's', "no_reserve"),
      change(random, 'b', 's', "no_reserve"),
      change(random, 't', 'r', "registers_not_rounded"),
      change(random, 't', 's', "no_reserve"),
  };
  random.shuffle(later);
  std::vector<question> questions;
  for (const bool shared : {true, false})
    questions.push_back(sheet == 0 ? of_the_article(shared) : in_the_manner_of_the_article(random, shared));
  questions.insert(questions.end(), later.begin(), later.end());
  return questions;
}

std::string rules() {
  const auto row = [](const char* name, const std::string& value) {
    return fmt::format("    {:<52}{:>8}\n", name, value);
  };
  return "One SM of compute capability 9.0, an H200 for instance, holds\n\n" +
         row("threads", std::to_string(kCard.threads_per_sm)) +
         row("blocks", std::to_string(kCard.blocks_per_sm)) +
         row("registers", std::to_string(kCard.registers_per_sm)) +
         row("bytes of shared memory", std::to_string(kCard.shared_per_sm)) +
         fmt::format(
             "\nA block takes whole warps of 32. A warp's registers are rounded up to a multiple of {}.\n"
             "Each block costs {} bytes of shared memory beside its own. The grid is large enough.",
             kCard.register_granule, kCard.shared_reserved_per_block);
}

}  // namespace

const drill& occupancy() {
  static const drill kDrill = [] {
    drill d{"occupancy",
            "occupancy_questions",
            "how many blocks an SM holds, and which resource decides",
            rules(),
            {},
            propose_occupancy};
    for (const known_mistake& one : known()) d.mistakes.push_back(one.what);
    return d;
  }();
  return kDrill;
}

}  // namespace course::drills
