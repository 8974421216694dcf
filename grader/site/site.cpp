#include "site/site.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "records/files.hpp"
#include "site/boxes.hpp"
#include "site/figure_tables.hpp"
#include "site/highlight.hpp"
#include "site/html.hpp"
#include "site/markdown.hpp"
#include "site/pages.hpp"
#include "site/search.hpp"

namespace course::site {
namespace {

namespace fs = std::filesystem;

/// A page on its way to the site.
struct page {
  entry from;
  page_body body;
};

/// A link that was met, to be looked after when all pages are known.
struct met_link {
  fs::path page;    ///< on which it stands
  fs::path target;  ///< page that it leads to
  std::string anchor;
};

bool is_picture(const fs::path& file) {
  const std::string kind = file.extension().string();
  return kind == ".svg" || kind == ".png" || kind == ".jpg" || kind == ".webp";
}

bool leaves_the_site(const std::string& target) {
  const std::size_t colon = target.find(':');
  return target.starts_with("//") || (colon != std::string::npos && target.find('/') > colon);
}

/// Without what stands between `<!-- predict -->` and `<!-- end predict -->`, and likewise for a quiz: the box takes its place.
std::string without_boxed_text(std::string text) {
  for (const char* box : {"predict", "quiz"}) {
    const std::string begin = fmt::format("\n<!-- {} -->\n", box),
                      end = fmt::format("\n<!-- end {} -->", box);
    const std::size_t from = text.find(begin), to = text.find(end);
    if (from != std::string::npos && to != std::string::npos && from < to)
      text.replace(from + begin.size(), to - from - begin.size(), "\n\n");
  }
  return text;
}

/// Without the numbered list of the section "Predict first": the boxes ask the same.
std::string without_predict_list(const std::string& text) {
  std::istringstream lines(text);
  std::string out;
  bool in_section = false, in_list = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) in_section = slug(line.substr(3)) == "predict-first";
    if (in_section) {
      const std::size_t digits = line.find_first_not_of("0123456789");
      const bool item = digits != std::string::npos && digits > 0 && line.compare(digits, 2, ". ") == 0;
      in_list = item || (in_list && line.starts_with(" "));
    }
    if (!in_section || !in_list) out += line + "\n";
  }
  return out;
}

/// The text of a page with `insert` at the end of the section called `title`. Without such a section: as it was.
std::string at_end_of_section(const std::string& text, const std::string& title, const std::string& insert) {
  std::istringstream lines(text);
  std::string out;
  bool in_fence = false, inside = false, done = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) in_fence = !in_fence;
    if (!in_fence && (line.starts_with("## ") || line.starts_with("# "))) {
      if (inside && !done) {
        out += insert;
        done = true;
      }
      inside = slug(line.substr(line.find(' ') + 1)) == title;
    }
    out += line + "\n";
  }
  if (inside && !done) out += "\n" + insert;
  return out;
}

bool has_section(const std::string& text, const std::string& title) {
  return at_end_of_section(text, title, "\1").find('\1') != std::string::npos;
}

std::string fill(std::string text, const std::map<std::string, std::string>& values) {
  std::string out;
  for (std::size_t open; (open = text.find("{{")) != std::string::npos;) {
    const std::size_t close = text.find("}}", open);
    const auto value = values.find(text.substr(open + 2, close - open - 2));
    out += text.substr(0, open) + (value != values.end() ? value->second : "");
    text.erase(0, close + 2);
  }
  return out + text;
}

/// Does the work of build_site().
class builder {
 public:
  builder(fs::path source, fs::path assets, fs::path out)
      : source_(std::move(source)), assets_(std::move(assets)), out_(std::move(out)) {}

  std::vector<std::string> run() {
    template_ = required(assets_ / "page.html");
    groups_ = find_pages(source_);
    for (const group& one : groups_) {
      for (const entry& e : one.entries) {
        pages_[e.source].from = e;
        order_.push_back(e.source);
      }
    }
    for (const fs::path& source : order_) pages_[source].body = body_of(pages_[source].from);
    check_anchors();
    for (const fs::path& source : order_) write_page(pages_[source]);
    for (const fs::path& file : shown_files_) write_source_page(file);
    for (const fs::path& folder : shown_folders_) write_folder_page(folder);
    for (const fs::path& picture : pictures_) copy(source_ / picture, out_ / picture);
    for (const auto& item : fs::directory_iterator(assets_)) {
      if (item.is_regular_file() && item.path().filename() != "page.html" &&
          item.path().extension() != ".json")
        copy(item.path(), out_ / "site" / item.path().filename());
    }
    write_file_atomically(out_ / "site/search_index.js", search_script(searched_pages()));
    write_file_atomically(
        out_ / "site/tables.js",
        figure_tables_script(required(assets_ / "tiers.json"),
                             read_file(source_ / "chapters/chapter0_measuring/measured.json").value_or("")));
    return std::move(faults_);
  }

 private:
  static std::string required(const fs::path& file) {
    auto text = read_file(file);
    if (!text) throw environment_error(fmt::format("{} cannot be read.", file.string()));
    return std::move(*text);
  }

  static void copy(const fs::path& from, const fs::path& to) { write_file_atomically(to, required(from)); }

  /// Address of a file of the site, seen from a page of it.
  static std::string way(const fs::path& from_page, const fs::path& to) {
    return to.lexically_relative(from_page.parent_path()).generic_string();
  }

  void fault(const fs::path& page, const std::string& what) {
    faults_.push_back(fmt::format("{}: {}", page.string(), what));
  }

  // --- Links -----------------------------------------------------------------------------------------------------

  /// @param page whose folder a relative target starts from.
  /// @param at page of the site on which the link will stand.
  std::string link(const fs::path& page, const fs::path& at, const std::string& target) {
    if (target.empty() || leaves_the_site(target)) return target;
    const std::size_t hash = target.find('#');
    const std::string anchor = hash == std::string::npos ? "" : target.substr(hash + 1);
    if (hash == 0) {
      links_.push_back({page, page, anchor});
      return target;
    }
    const std::string tail = hash == std::string::npos ? "" : target.substr(hash);
    fs::path file = (page.parent_path() / target.substr(0, hash)).lexically_normal();
    if (!file.has_filename()) file = file.parent_path();
    if (file.empty()) file = ".";
    if (file.begin()->string() == ".." || !fs::exists(source_ / file)) {
      fault(page, fmt::format("the link to {} leads nowhere", target));
      return target;
    }
    if (fs::is_directory(source_ / file)) {
      for (const char* front : {"README.md", "lesson.md"}) {
        if (pages_.contains((file / front).lexically_normal()))
          return link_to_page(page, at, (file / front).lexically_normal(), anchor);
      }
      shown_folders_.insert(file);
      return way(at, file / "index.html");
    }
    if (pages_.contains(file)) return link_to_page(page, at, file, anchor);
    if (file.filename() == "hints.md" && pages_.contains(file.parent_path() / "README.md"))
      return link_to_page(page, at, file.parent_path() / "README.md", "hints");
    if (is_picture(file)) {
      pictures_.insert(file);
      return way(at, file);
    }
    shown_files_.insert(file);
    return way(at, file.string() + ".html") + (tail.starts_with("#L") ? tail : "");
  }

  std::string link_to_page(const fs::path& page, const fs::path& at, const fs::path& target,
                           const std::string& anchor) {
    links_.push_back({page, target, anchor});
    return way(at, address_of(target)) + (anchor.empty() ? "" : "#" + anchor);
  }

  void check_anchors() {
    for (const met_link& one : links_) {
      if (one.anchor.empty()) continue;
      const page_body& body = pages_[one.target].body;
      const bool named = std::any_of(body.headings.begin(), body.headings.end(),
                                     [&](const heading& h) { return h.id == one.anchor; });
      if (!named && body.html.find(fmt::format("id=\"{}\"", one.anchor)) == std::string::npos)
        fault(one.page, fmt::format("there is no section #{} on {}", one.anchor, one.target.string()));
    }
  }

  // --- Bodies ----------------------------------------------------------------------------------------------------

  /// Renders a text as if it stood in the file `from`, for the page of the site `at`.
  page_body rendered(const std::string& text, const fs::path& from, const fs::path& at,
                     const std::string& id_prefix = "") {
    surroundings around;
    around.link = [this, from, at](const std::string& target) { return link(from, at, target); };
    around.box = [this, from](const std::string& marker) { return box(from, marker); };
    around.picture = [this, from](const std::string& target) {
      return fs::path(target).extension() == ".svg"
                 ? read_file(source_ / from.parent_path() / target).value_or("")
                 : "";
    };
    return render(text, around, id_prefix);
  }

  std::string box(const fs::path& from, const std::string& marker) const {
    const auto beside = [&](const char* name) { return read_file(source_ / from.parent_path() / name); };
    const std::string where = (from.parent_path() / "").string();
    if (marker == "quiz") {
      if (const auto quiz = beside("quiz.json")) return quiz_box(*quiz, where + "quiz.json");
    } else if (marker == "predict") {
      if (const auto questions = beside("predict.json"))
        return predict_box(*questions, from.parent_path().filename().string(), where + "predict.json");
    } else if (marker.starts_with("figure ")) {
      return figure_box(marker);
    } else if (marker == "end figure") {
      return "</div>\n</div>\n";
    } else if (marker == "steps") {
      return "<div class=\"steps\">\n";
    } else if (marker == "end steps") {
      return "</div>\n";
    }
    return "";
  }

  page_body body_of(const entry& e) {
    std::string text = required(source_ / e.source);
    const fs::path folder = source_ / e.source.parent_path(), at = address_of(e.source);
    const auto lacks = [&](const char* marker) {
      return text.find(fmt::format("\n<!-- {} -->\n", marker)) == std::string::npos;
    };
    if (e.source.filename() == "lesson.md" && fs::exists(folder / "quiz.json") && lacks("quiz"))
      text = has_section(text, "quiz") ? at_end_of_section(text, "quiz", "<!-- quiz -->\n\n")
                                       : text + "\n## Quiz\n\n<!-- quiz -->\n";
    if (fs::exists(folder / "predict.json") && lacks("predict"))
      text = at_end_of_section(without_predict_list(text), "predict-first", "<!-- predict -->\n\n");
    page_body body = rendered(without_boxed_text(std::move(text)), e.source, at);
    if (e.spoiler) {
      add_solutions(body, e, at);
    } else if (e.source.filename() == "README.md" && e.source.has_parent_path()) {
      add_hints(body, e, at);
      add_explanation_link(body, e, at);
    }
    return body;
  }

  /// The sections of hints.md, each folded.
  void add_hints(page_body& body, const entry& e, const fs::path& at) {
    const fs::path file = e.source.parent_path() / "hints.md";
    const auto text = read_file(source_ / file);
    if (!text || std::any_of(body.headings.begin(), body.headings.end(),
                             [](const heading& h) { return h.id == "hints"; }))
      return;
    body.headings.push_back({2, "hints", "Hints"});
    body.html += "<h2 id=\"hints\">Hints</h2>\n";
    std::istringstream lines(*text);
    std::string title, content;
    int count = 0;
    const auto finish = [&] {
      if (title.empty()) return;
      ++count;
      // "## if race, deadlock" is for who got one of these verdicts or causes.
      const std::string summary = title.starts_with("if ") ? "After the verdict " + title.substr(3)
                                                           : fmt::format("Hint {}: {}", count, title);
      body.html +=
          fmt::format("<details class=\"hint\"><summary>{}</summary>\n{}</details>\n", render_inline(summary),
                      rendered(content, file, at, fmt::format("hint-{}-", count)).html);
    };
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("## ")) {
        finish();
        const std::size_t name = line.find_first_not_of("0123456789. ", 3);
        title = name == std::string::npos ? line.substr(3) : line.substr(name);
        content.clear();
      } else {
        content += line + "\n";
      }
    }
    finish();
  }

  void add_explanation_link(page_body& body, const entry& e, const fs::path& at) {
    const fs::path explanation =
        fs::path("solutions") / e.source.parent_path().lexically_relative("exercises") / "EXPLANATION.md";
    if (!pages_.contains(explanation)) return;
    body.headings.push_back({2, "when-it-passes", "When it passes"});
    body.html += fmt::format(
        "<h2 id=\"when-it-passes\">When it passes</h2>\n<p>Read <a href=\"{}\">why the fast solutions are "
        "fast</a>. That page shows "
        "solutions, so solve it first.</p>\n",
        way(at, address_of(explanation)));
  }

  /// An explanation is folded as a whole, its solutions each by itself.
  void add_solutions(page_body& body, const entry& e, const fs::path& at) {
    const std::size_t end_of_title = body.html.find("</h1>");
    const std::size_t split = end_of_title == std::string::npos ? 0 : end_of_title + 5;
    const fs::path folder = e.source.parent_path();
    const fs::path task = fs::path("exercises") / folder.lexically_relative("solutions") / "README.md";
    std::string before = "\n<p>This page tells how the exercise is solved.";
    if (pages_.contains(task))
      before +=
          fmt::format(" Not tried it yet? <a href=\"{}\">Here is the task.</a>", way(at, address_of(task)));
    body.html.insert(split,
                     before + "</p>\n<details class=\"spoiler\"><summary>Show the explanation</summary>\n");
    const std::string name = folder.filename().string();
    const std::pair<std::string, std::string> solutions[] = {
        {"plain.cu", "the plain solution: the lesson's technique and nothing more"},
        {name + ".cu", "the reference, at the hardware's limit"}};
    for (const auto& [file, what] : solutions) {
      if (const auto code = read_file(source_ / folder / file))
        body.html += fmt::format(
            "<details class=\"spoiler\"><summary>{}: {}</summary>\n<figure class=\"code\"><pre "
            "class=\"wide\" data-what=\"code\"><code>{}</code></pre>"
            "</figure></details>\n",
            escape(file), what, highlight(*code, "cpp"));
    }
    body.html += "</details>\n";
  }

  // --- Pages -----------------------------------------------------------------------------------------------------

  std::string label_of(const entry& e) {
    if (!e.label.empty()) return escape(e.label);
    const std::string& title = pages_[e.source].body.title;
    return escape(title.empty() ? e.source.string() : title);
  }

  std::string navigation(const fs::path& at, const fs::path& current) {
    std::string html;
    for (const group& one : groups_) {
      const bool open =
          &one == &groups_.front() || std::any_of(one.entries.begin(), one.entries.end(),
                                                  [&](const entry& e) { return e.source == current; });
      html += fmt::format("<details{}><summary>{}</summary>\n<ul>\n", open ? " open" : "", escape(one.label));
      for (const entry& e : one.entries) {
        const bool here = e.source == current;
        html += fmt::format("<li{}><a href=\"{}\"{}>{}</a>", e.spoiler ? " class=\"after\"" : "",
                            way(at, address_of(e.source)), here ? " aria-current=\"page\"" : "", label_of(e));
        if (here && !e.spoiler) html += sections_of(pages_[e.source].body);
        html += "</li>\n";
      }
      if (&one == &groups_.back())
        html += fmt::format("<li><a href=\"{}\">Interfaces</a></li>\n", way(at, "api/index.html"));
      html += "</ul></details>\n";
    }
    return html;
  }

  static std::string sections_of(const page_body& body) {
    std::string html;
    for (const heading& h : body.headings) {
      if (h.level == 2)
        html += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", escape(h.id), escape(h.text));
    }
    return html.empty() ? "" : "\n<ul>\n" + html + "</ul>\n";
  }

  /// The pages before and after, for who reads them all.
  std::string neighbours(const fs::path& at, const fs::path& current) {
    std::vector<fs::path> way_through;
    for (const fs::path& source : order_) {
      if (source == current || !pages_[source].from.spoiler) way_through.push_back(source);
    }
    const auto here = std::find(way_through.begin(), way_through.end(), current);
    std::string html;
    const auto add = [&](const char* kind, const char* word, const fs::path& to) {
      html += fmt::format("<a rel=\"{}\" href=\"{}\"><span>{}</span> {}</a>\n", kind, way(at, address_of(to)),
                          word, escape(pages_[to].body.title));
    };
    if (here == way_through.end()) return html;
    if (here != way_through.begin()) add("prev", "Before", *(here - 1));
    if (here + 1 != way_through.end()) add("next", "Next", *(here + 1));
    return html;
  }

  void write(const fs::path& at, const fs::path& current, const std::string& title, const std::string& body) {
    std::string root = ".";
    for (const fs::path& folder : at.parent_path())
      root = folder.empty() ? root : root == "." ? ".." : root + "/..";
    std::string scripts;
    const auto script = [&](const char* name) {
      scripts += fmt::format("<script defer src=\"{}/site/{}\"></script>\n", root, name);
    };
    script("site.js");
    if (body.find("class=\"quiz\"") != std::string::npos ||
        body.find("class=\"predict\"") != std::string::npos ||
        body.find("class=\"guess\"") != std::string::npos)
      script("boxes.js");
    if (body.find("data-figure=") != std::string::npos) {
      script("tables.js");
      script("figures.js");
    }
    write_file_atomically(out_ / at, fill(template_, {{"title", escape(title)},
                                                      {"root", root},
                                                      {"scripts", scripts},
                                                      {"navigation", navigation(at, current)},
                                                      {"neighbours", neighbours(at, current)},
                                                      {"body", body}}));
  }

  void write_page(const page& one) {
    write(address_of(one.from.source), one.from.source, one.body.title, one.body.html);
  }

  std::vector<searched_page> searched_pages() {
    std::vector<searched_page> list;
    for (const fs::path& source : order_) {
      const page& one = pages_[source];
      // A task's title begins with its name, an explanation's may not.
      const std::string title = one.from.spoiler ? one.from.label : one.body.title;
      list.push_back({title, address_of(source).generic_string(), one.body.headings, one.body.text});
    }
    return list;
  }

  void write_source_page(const fs::path& file) {
    const fs::path at = file.string() + ".html";
    write(at, file, file.string(),
          fmt::format("<h1>{}</h1>\n<figure class=\"code\"><pre class=\"wide\" "
                      "data-what=\"code\"><code>{}</code></pre></figure>\n",
                      escape(file.filename().string()),
                      highlight(required(source_ / file), language_of(file.string()))));
  }

  /// What of a folder the site shows.
  void write_folder_page(const fs::path& folder) {
    const fs::path at = folder / "index.html";
    std::string body = fmt::format("<h1>{}</h1>\n<ul>\n", escape(folder.string()));
    for (const fs::path& source : order_) {
      const std::string inside = source.lexically_relative(folder).string();
      if (inside.starts_with("..")) continue;
      body += fmt::format("<li><a href=\"{}\">{}</a></li>\n", way(at, address_of(source)),
                          escape(pages_[source].body.title));
    }
    write(at, folder, folder.string(), body + "</ul>\n");
  }

  fs::path source_, assets_, out_;
  std::string template_;
  std::vector<group> groups_;
  std::map<fs::path, page> pages_;
  std::vector<fs::path> order_;
  std::vector<met_link> links_;
  std::set<fs::path> pictures_, shown_files_, shown_folders_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> build_site(const fs::path& source, const fs::path& assets, const fs::path& out) {
  return builder(source, assets, out).run();
}

}  // namespace course::site
