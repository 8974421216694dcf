/// @file
/// Directives, functions and instructions: the grammar of a PTX text.
#include <exception>
#include <new>
#include <string>
#include <unordered_set>
#include <utility>

#include "simgpu/ptx/locations.hpp"
#include "simgpu/ptx/reader.hpp"

namespace simgpu::ptx {
namespace {

// `.visible`, `.extern`, `.weak`, `.common` in front of a declaration.
struct Linkage {
  bool visible = false, is_extern = false, weak = false;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : cursor_(text) {}

  Module run() {
    if (cursor_.directive() != "version") cursor_.fail("this is not PTX: it does not begin with .version");
    version();
    while (!cursor_.at_end()) top_level();
    finish();
    return std::move(module_);
  }

 private:
  // --- module scope

  void version() {
    // "9.0" must not be read as a floating-point number: 8.10 is not 8.1.
    cursor_.skip_space();
    const std::string_view digits = cursor_.modifier();
    const auto integer = [&](std::string_view word) {
      std::uint32_t value = 0;
      for (const char c : word) {
        if (c < '0' || c > '9' || value > 10000) cursor_.fail("a PTX version looks like 9.0");
        value = value * 10 + static_cast<std::uint32_t>(c - '0');
      }
      return value;
    };
    module_.version_major = integer(digits);
    const std::string_view minor = cursor_.directive();
    if (minor.empty()) cursor_.fail("a PTX version looks like 9.0");
    module_.version_minor = integer(minor);
  }

  void top_level() {
    if (cursor_.accept(';')) return;  // nvcc ends prototypes with one
    if (cursor_.peek() == '@') {      // "@@DWARF ..." lines of old debug output
      if (cursor_.ahead(1) != '@') cursor_.fail("an instruction stands outside of any function");
      skip_line();
      return;
    }
    Linkage linkage;
    while (true) {
      const std::string_view word = cursor_.directive();
      if (word.empty()) cursor_.fail("expected a directive, found " + cursor_.describe_next());
      if (word == "visible") {
        linkage.visible = true;
      } else if (word == "extern") {
        linkage.is_extern = true;
      } else if (word == "weak" || word == "common") {
        linkage.weak = true;
      } else {
        directive(word, linkage);
        return;
      }
    }
  }

  void directive(std::string_view word, const Linkage& linkage) {
    if (word == "entry" || word == "func") return function(word == "entry", linkage);
    if (const Space space = space_from(word);
        space != Space::none && space != Space::reg && space != Space::sreg) {
      return module_variables(space, linkage);
    }
    if (word == "tex") return module_variables(Space::global, linkage);
    if (word == "version") return version();
    if (word == "target") {
      module_.target = cursor_.name();
      if (module_.target.empty()) cursor_.fail(".target needs a name such as sm_90");
      while (cursor_.accept(',')) cursor_.name();
      return;
    }
    if (word == "address_size") {
      module_.address_size = cursor_.small_integer(".address_size");
      return;
    }
    if (word == "file") return file();
    if (word == "section") return section();
    if (word == "pragma") {
      pragma();
      return;
    }
    if (word == "loc") {
      location();
      return;
    }
    if (word == "alias") {
      Alias alias;
      alias.name = cursor_.name();
      cursor_.expect(',', "between the two names of .alias");
      alias.target = cursor_.name();
      cursor_.expect(';', "after .alias");
      module_.aliases.push_back(std::move(alias));
      return;
    }
    cursor_.fail("'." + std::string(word) + "' is not a directive that may stand here");
  }

  void module_variables(Space space, const Linkage& linkage) {
    for (Variable& variable : read_variables(cursor_, space, nullptr, budget_)) {
      variable.visible = linkage.visible;
      variable.is_extern = linkage.is_extern;
      variable.weak = linkage.weak;
      module_.variables.push_back(std::move(variable));
    }
  }

  void file() {
    File file;
    file.number = cursor_.small_integer("the number of a .file");
    file.path = cursor_.quoted();
    while (cursor_.accept(',')) cursor_.number();  // time stamp and size
    module_.files.push_back(std::move(file));
  }

  void section() {
    cursor_.directive();
    if (cursor_.peek() == '{') cursor_.skip_block();
  }

  // Words for ptxas. None changes what a kernel computes; the one about loops changes how long it takes, so it is kept.
  // @return whether it is that one.
  bool pragma() {
    bool no_unroll = false;
    do no_unroll |= cursor_.quoted() == "nounroll";
    while (cursor_.accept(','));
    cursor_.expect(';', "after .pragma");
    return no_unroll;
  }

  void skip_line() {
    const std::uint32_t line = cursor_.line();
    while (!cursor_.at_end() && cursor_.line() == line) {
      if (cursor_.peek() == '"') {
        cursor_.quoted();
      } else {
        cursor_.accept(cursor_.peek());
      }
    }
  }

  // .loc file line column [, function_name label [+ offset], inlined_at file line column]
  std::uint32_t location() {
    Locations::Position position;
    position.file = cursor_.small_integer("the file of a .loc");
    position.line = cursor_.small_integer("the line of a .loc");
    position.column = cursor_.small_integer("the column of a .loc");
    Locations::Position inlined_at;
    while (cursor_.accept(',')) {
      const std::string_view word = cursor_.name();
      if (word == "function_name") {
        cursor_.name();
        if (cursor_.accept('+')) cursor_.number();
      } else if (word == "inlined_at") {
        inlined_at.file = cursor_.small_integer("the file of an inlined_at");
        inlined_at.line = cursor_.small_integer("the line of an inlined_at");
        inlined_at.column = cursor_.small_integer("the column of an inlined_at");
      } else {
        cursor_.fail("a .loc goes on with function_name or inlined_at");
      }
    }
    return locations_.add(position, inlined_at);
  }

  // --- functions

  void parameters(std::vector<Variable>& into, Scopes* scopes) {
    if (!cursor_.accept('(')) return;
    if (cursor_.accept(')')) return;
    do into.push_back(read_parameter(cursor_, scopes));
    while (cursor_.accept(','));
    cursor_.expect(')', "or ',' in a list of parameters");
  }

  void function(bool is_entry, const Linkage& linkage) {
    Function function;
    Scopes scopes;
    function.is_entry = is_entry;
    function.visible = linkage.visible;
    function.is_extern = linkage.is_extern;
    function.weak = linkage.weak;
    tuning(function);  // .func .noreturn (...) name
    if (!is_entry) parameters(function.results, &scopes);
    function.name = cursor_.name();
    function.ptx_line = cursor_.line();
    if (function.name.empty())
      cursor_.fail("expected the name of a function, found " + cursor_.describe_next());
    parameters(function.parameters, &scopes);
    tuning(function);
    if (cursor_.peek() == '{') {
      function.has_body = true;
      body(function, scopes);
    } else {
      cursor_.expect(';', "or '{' after the head of a function");
    }
    module_.functions.push_back(std::move(function));
  }

  void three(std::optional<std::uint32_t> (&into)[3], std::string_view what) {
    for (std::size_t i = 0; i < 3; ++i) {
      into[i] = cursor_.small_integer(what);
      if (i == 2 || !cursor_.accept(',')) break;
    }
    // Dimensions that are not written count 1.
    for (auto& dimension : into) {
      if (!dimension) dimension = 1;
    }
  }

  // What may stand between a function's head and its body.
  void tuning(Function& function) {
    while (cursor_.peek() == '.') {
      const std::string_view word = cursor_.directive();
      if (word == "maxntid") {
        three(function.maxntid, ".maxntid");
      } else if (word == "reqntid") {
        three(function.reqntid, ".reqntid");
      } else if (word == "reqnctapercluster") {
        three(function.reqnctapercluster, ".reqnctapercluster");
      } else if (word == "minnctapersm") {
        function.minnctapersm = cursor_.small_integer(".minnctapersm");
      } else if (word == "maxnreg") {
        function.maxnreg = cursor_.small_integer(".maxnreg");
      } else if (word == "explicitcluster") {
        function.explicit_cluster = true;
      } else if (word == "noreturn") {
        function.noreturn = true;
      } else if (word == "pragma") {
        pragma();
      } else if (word == "attribute") {
        cursor_.expect('(', "after .attribute");
        while (!cursor_.at_end() && !cursor_.accept(')')) cursor_.accept(cursor_.peek());
      } else {
        // Tuning directives of newer versions: a word and at most numbers. None of them changes what a kernel
        // computes.
        while (cursor_.number_next()) {
          cursor_.number();
          if (!cursor_.accept(',')) break;
        }
      }
    }
  }

  // --- bodies

  void body(Function& function, Scopes& scopes) {
    locations_.begin_function();
    location_ = 0;
    no_unroll_ = false;
    registers_ = 0;
    scope_of_instruction_.clear();
    scope_of_list_.clear();
    cursor_.expect('{', "at the start of a function");
    std::size_t open_braces = 1;
    while (open_braces != 0) {
      const char next = cursor_.peek();
      if (next == '{') {
        cursor_.accept('{');
        if (scopes.depth() >= kMostScopes) cursor_.fail("blocks are nested too deeply");
        scopes.open();
        ++open_braces;
      } else if (next == '}') {
        cursor_.accept('}');
        if (--open_braces != 0) scopes.close();
      } else if (next == ';') {
        cursor_.accept(';');
      } else if (next == '.') {
        body_directive(function, scopes);
      } else if (next == '@' && cursor_.ahead(1) == '@') {
        skip_line();
      } else if (next == 0 && cursor_.at_end()) {
        cursor_.fail("the text ends inside function '" + function.name + "'");
      } else {
        statement(function, scopes);
      }
    }
    scopes.settle_labels(function.instructions, scope_of_instruction_);
    if (scopes.any_label_renamed()) {
      for (std::size_t i = 0; i < function.lists.size(); ++i) {
        for (std::string& name : function.lists[i].names)
          name = scopes.label_seen_from(name, scope_of_list_[i]);
      }
    }
  }

  void body_directive(Function& function, Scopes& scopes) {
    const std::string_view word = cursor_.directive();
    if (word == "reg") return registers(function, scopes);
    if (word == "loc") {
      location_ = location();
      return;
    }
    if (word == "pragma") {
      no_unroll_ |= pragma();
      return;
    }
    if (word == "file") return file();
    if (word == "section") return section();
    if (word == "branchtargets" || word == "calltargets" || word == "callprototype") {
      cursor_.fail("." + std::string(word) + " needs a label in front of it");
    }
    bool is_extern = false;
    Space space = space_from(word);
    if (word == "extern") {
      is_extern = true;
      space = space_from(cursor_.directive());
    }
    if (space == Space::none || space == Space::sreg || space == Space::reg) {
      cursor_.fail("'." + std::string(word) + "' is not a directive that may stand in a function");
    }
    for (Variable& variable : read_variables(cursor_, space, &scopes, budget_)) {
      variable.is_extern = is_extern;
      function.variables.push_back(std::move(variable));
    }
  }

  void registers(Function& function, Scopes& scopes) {
    RegisterDeclaration common;
    std::size_t components = 1;
    while (cursor_.peek() == '.') {
      const std::string_view word = cursor_.directive();
      if (word == "v2" || word == "v4" || word == "v8") {
        components = static_cast<std::size_t>(word[1] - '0');
      } else if (word == "align") {
        cursor_.number();
      } else {
        common.type = type_from(word);
        if (common.type == Type::none) cursor_.fail("'." + std::string(word) + "' is not a type");
      }
    }
    if (common.type == Type::none) cursor_.fail("a register has no type before " + cursor_.describe_next());
    if (components != 1) cursor_.fail("vector registers are not known; declare the components one by one");
    do {
      RegisterDeclaration declaration = common;
      const std::string_view name = cursor_.name();
      if (name.empty()) cursor_.fail("expected the name of a register, found " + cursor_.describe_next());
      if (cursor_.accept('<')) {
        declaration.count = cursor_.small_integer("the number of registers");
        cursor_.expect('>', "after the number of registers");
        if (declaration.count == 0) continue;  // declares nothing
      }
      if (declaration.count > kMostRegisters - registers_)
        cursor_.fail("a function declares too many registers");
      registers_ += declaration.count;
      declaration.name = scopes.declare(name, declaration.count, true, cursor_);
      function.registers.push_back(std::move(declaration));
    } while (cursor_.accept(','));
    cursor_.expect(';', "after registers");
  }

  // label: | label: .branchtargets ... | [@[!]p] opcode.modifiers operands;
  void statement(Function& function, Scopes& scopes) {
    Instruction instruction;
    instruction.ptx_line = cursor_.line();
    if (cursor_.accept('@')) {
      instruction.guard_negated = cursor_.accept('!');
      const std::string_view guard = cursor_.name();
      if (guard.empty()) cursor_.fail("expected a predicate after '@', found " + cursor_.describe_next());
      instruction.guard = scopes.look_up(guard).name;
    }
    const std::string_view word = cursor_.name();
    if (word.empty()) cursor_.fail("expected an instruction, found " + cursor_.describe_next());
    if (cursor_.here() != '.' && cursor_.peek() == ':' && instruction.guard.empty()) {
      cursor_.accept(':');
      if (cursor_.peek() == '.' && named_list(word, function, scopes)) return;
      function.labels.push_back({scopes.declare_label(word, cursor_), function.instructions.size()});
      return;
    }
    instruction.opcode = word;
    instruction.location.file = location_;  // settled in finish()
    instruction.no_unroll = std::exchange(no_unroll_, false);
    while (cursor_.here() == '.') {
      cursor_.accept('.');
      instruction.modifiers.emplace_back(cursor_.modifier());
    }
    const bool in_call = instruction.opcode == "call";
    if (cursor_.peek() != ';') {
      do instruction.operands.push_back(read_operand(cursor_, scopes, in_call));
      while (cursor_.accept(','));
    }
    cursor_.expect(';', "after the operands of '" + instruction.opcode + "'");
    function.instructions.push_back(std::move(instruction));
    scope_of_instruction_.push_back(scopes.current());
  }

  // What follows `label:` if it is a list and not code. @return false if it is something else, e.g. `.loc`.
  bool named_list(std::string_view label, Function& function, Scopes& scopes) {
    Cursor before = cursor_;
    NamedList list;
    list.directive = cursor_.directive();
    if (list.directive == "callprototype") {
      parameters(list.results, nullptr);
      cursor_.name();  // `_`, or a name that means nothing
      parameters(list.parameters, nullptr);
      Function unused;
      tuning(unused);
    } else if (list.directive == "branchtargets" || list.directive == "calltargets") {
      do {
        const std::string_view name = cursor_.name();
        if (name.empty()) cursor_.fail("expected a target, found " + cursor_.describe_next());
        if (cursor_.accept('<')) {  // `L<4>` stands for L0, L1, L2, L3
          const std::uint32_t count = cursor_.small_integer("the number of targets");
          cursor_.expect('>', "after the number of targets");
          if (count > targets_) cursor_.fail("lists have too many targets");
          targets_ -= count;
          for (std::uint32_t i = 0; i < count; ++i)
            list.names.push_back(std::string(name) + std::to_string(i));
        } else {
          list.names.emplace_back(name);
        }
      } while (cursor_.accept(','));
    } else {
      cursor_ = before;
      return false;
    }
    cursor_.expect(';', "after ." + list.directive);
    list.label = scopes.declare_label(label, cursor_);
    function.lists.push_back(std::move(list));
    scope_of_list_.push_back(scopes.current());
    return true;
  }

  // --- the end

  void finish() {
    const std::vector<SourceLocation> settled = locations_.settle(module_);
    std::unordered_set<std::string_view> defined;
    for (Function& function : module_.functions) {
      for (Instruction& instruction : function.instructions)
        instruction.location = settled[instruction.location.file];
      if (function.has_body && !defined.insert(function.name).second) {
        throw Failure{{function.ptx_line, 1, "function '" + function.name + "' is defined twice"}};
      }
    }
    // A prototype says nothing that the function itself, or an earlier prototype, does not.
    std::unordered_set<std::string> kept;
    for (const std::string_view name : defined) kept.emplace(name);
    std::erase_if(module_.functions, [&](const Function& function) {
      return !function.has_body && !kept.insert(function.name).second;
    });
  }

  Cursor cursor_;
  Module module_;
  Locations locations_;
  std::uint32_t location_ = 0;  // number of the last .loc, 0 before the first
  bool no_unroll_ = false;      // of the next instruction
  std::uint32_t registers_ = 0;
  std::size_t budget_ = kMostInitialized;
  std::uint32_t targets_ = kMostTargets;  // that runs of labels may still name
  std::vector<std::uint32_t> scope_of_instruction_, scope_of_list_;
};

ParseResult failed(ParseError error) {
  ParseResult result;
  result.error = std::move(error);
  return result;
}

}  // namespace

ParseResult parse(std::string_view text) {
  // Containers end a text with NULs.
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  if (text.size() > kMostText) return failed({1, 1, "the PTX text is too large"});
  try {
    ParseResult result;
    result.module = Parser(text).run();
    return result;
  } catch (Failure& failure) {
    return failed(std::move(failure.error));
  } catch (const std::exception&) {  // out of memory
    return failed({1, 1, "there is not enough memory to read this PTX text"});
  }
}

}  // namespace simgpu::ptx
