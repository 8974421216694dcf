#include "site/markdown.hpp"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <fmt/format.h>

#include <map>
#include <memory>
#include <regex>

#include "site/highlight.hpp"
#include "site/html.hpp"
#include "site/picture.hpp"
#include "site/tables.hpp"

namespace course::site {
namespace {

constexpr int kOptions = CMARK_OPT_UNSAFE | CMARK_OPT_FOOTNOTES | CMARK_OPT_VALIDATE_UTF8;

/// A parsed page.
class document {
 public:
  explicit document(std::string_view text)
      : parser_(cmark_parser_new(kOptions), cmark_parser_free), root_(nullptr, cmark_node_free) {
    cmark_gfm_core_extensions_ensure_registered();
    for (const char* name : {"table", "strikethrough", "autolink"})
      cmark_parser_attach_syntax_extension(parser_.get(), cmark_find_syntax_extension(name));
    cmark_parser_feed(parser_.get(), text.data(), text.size());
    root_.reset(cmark_parser_finish(parser_.get()));
  }

  std::string html() const {
    const std::unique_ptr<char, decltype(&std::free)> text(
        cmark_render_html(root_.get(), kOptions, cmark_parser_get_syntax_extensions(parser_.get())),
        std::free);
    return text.get();
  }

  /// All nodes in the order of the page, taken before anything is changed.
  std::vector<cmark_node*> nodes() const {
    std::vector<cmark_node*> all;
    const std::unique_ptr<cmark_iter, decltype(&cmark_iter_free)> walk(cmark_iter_new(root_.get()),
                                                                       cmark_iter_free);
    for (cmark_event_type event; (event = cmark_iter_next(walk.get())) != CMARK_EVENT_DONE;) {
      if (event == CMARK_EVENT_ENTER) all.push_back(cmark_iter_get_node(walk.get()));
    }
    return all;
  }

 private:
  std::unique_ptr<cmark_parser, decltype(&cmark_parser_free)> parser_;
  std::unique_ptr<cmark_node, decltype(&cmark_node_free)> root_;
};

std::string literal_of(cmark_node* node) {
  const char* text = cmark_node_get_literal(node);
  return text != nullptr ? text : "";
}

std::string plain_text(cmark_node* node) {
  std::string text = literal_of(node);
  if (cmark_node_get_type(node) == CMARK_NODE_SOFTBREAK) text = " ";
  for (cmark_node* child = cmark_node_first_child(node); child != nullptr; child = cmark_node_next(child))
    text += plain_text(child);
  return text;
}

/// A node that is written as it is.
cmark_node* raw(cmark_node_type type, const std::string& html) {
  cmark_node* node = cmark_node_new(type);
  if (type == CMARK_NODE_CUSTOM_BLOCK || type == CMARK_NODE_CUSTOM_INLINE) {
    cmark_node_set_on_enter(node, html.c_str());
  } else {
    cmark_node_set_literal(node, html.c_str());
  }
  return node;
}

void replace(cmark_node* old, cmark_node* with) {
  cmark_node_replace(old, with);
  cmark_node_free(old);
}

/// Does the work of render() on one page.
class renderer {
 public:
  renderer(std::string_view text, const surroundings& around, const std::string& id_prefix)
      : document_(text), around_(around), id_prefix_(id_prefix) {}

  page_body run() {
    for (cmark_node* node : document_.nodes()) {
      const cmark_node_type type = cmark_node_get_type(node);
      if (type == CMARK_NODE_TEXT || type == CMARK_NODE_CODE) body_.text += literal_of(node) + " ";
      if (type == CMARK_NODE_HEADING) name(node);
      if (type == CMARK_NODE_LINK) cmark_node_set_url(node, around_.link(cmark_node_get_url(node)).c_str());
      if (type == CMARK_NODE_IMAGE) show_picture(node);
      if (type == CMARK_NODE_CODE_BLOCK) colour(node);
      if (type == CMARK_NODE_CODE) choose_line_ends(node);
      if (type == CMARK_NODE_HTML_BLOCK || type == CMARK_NODE_HTML_INLINE) own_html(node);
      if (std::string_view(cmark_node_get_type_string(node)) == "table") {
        cmark_node_insert_before(node,
                                 raw(CMARK_NODE_HTML_BLOCK, "<div class=\"wide\" data-what=\"table\">"));
        cmark_node_insert_after(node, raw(CMARK_NODE_HTML_BLOCK, "</div>"));
      }
    }
    body_.html = with_stacking_tables(document_.html());
    return std::move(body_);
  }

 private:
  void name(cmark_node* node) {
    const int level = cmark_node_get_heading_level(node);
    const std::string text = plain_text(node);
    if (level == 1 && body_.title.empty()) body_.title = text;
    std::string id = slug(text);
    if (const int before = uses_[id]++; before > 0) id += fmt::format("-{}", before);
    id = id_prefix_ + id;
    body_.headings.push_back({level, id, text});
    cmark_node* named = raw(CMARK_NODE_CUSTOM_BLOCK, fmt::format("<h{} id=\"{}\">", level, escape(id)));
    const std::string anchor =
        level == 1
            ? ""
            : fmt::format(" <a class=\"anchor\" href=\"#{}\" aria-label=\"Link to the section {}\">#</a>",
                          escape(id), escape(text));
    cmark_node_set_on_exit(named, fmt::format("{}</h{}>", anchor, level).c_str());
    while (cmark_node* child = cmark_node_first_child(node)) {
      cmark_node_unlink(child);
      cmark_node_append_child(named, child);
    }
    replace(node, named);
  }

  void show_picture(cmark_node* node) {
    const std::string target = cmark_node_get_url(node);
    const std::string html = picture_html(around_.link(target), plain_text(node), around_.picture(target));
    cmark_node* shown = raw(CMARK_NODE_HTML_INLINE, html);
    cmark_node* parent = cmark_node_parent(node);
    cmark_node_replace(node, shown);
    // A picture that is a whole paragraph scrolls by itself.
    if (cmark_node_get_type(parent) == CMARK_NODE_PARAGRAPH && cmark_node_first_child(parent) == shown &&
        cmark_node_next(shown) == nullptr) {
      cmark_node_insert_before(
          parent,
          raw(CMARK_NODE_HTML_BLOCK, "<figure class=\"wide\" data-what=\"figure\">" + html + "</figure>"));
      cmark_node_unlink(parent);
      emptied_.emplace_back(parent, cmark_node_free);
    }
    emptied_.emplace_back(node, cmark_node_free);
  }

  /// Where a line may end inside code: after the slash of a long path, and not after the dashes of `--csv`, which would be read as "-" and "-csv".
  static void choose_line_ends(cmark_node* node) {
    constexpr std::size_t kLong = 24;  // characters
    static const std::regex kOption(R"((^|[\s(\[])(--?[A-Za-z][\w-]*))"), kSlash("/(?=.)");
    const std::string literal = literal_of(node), code = escape(literal);
    std::string html = literal.size() < kLong ? code : std::regex_replace(code, kSlash, "/<wbr>");
    html = std::regex_replace(html, kOption, "$1<span class=\"whole\">$2</span>");
    if (html != code) replace(node, raw(CMARK_NODE_HTML_INLINE, "<code>" + html + "</code>"));
  }

  void colour(cmark_node* node) {
    const std::string language = cmark_node_get_fence_info(node);
    std::string caption;
    if (!listing_.empty()) caption = fmt::format("<figcaption>{}</figcaption>", listing_);
    replace(node, raw(CMARK_NODE_HTML_BLOCK, fmt::format("<figure class=\"code\">{}<pre class=\"wide\" "
                                                         "data-what=\"code\"><code>{}</code></pre></figure>",
                                                         caption, highlight(literal_of(node), language))));
    listing_.clear();
  }

  /// HTML in the page: markers, folds, links.
  void own_html(cmark_node* node) {
    std::string html = literal_of(node);
    static const std::regex kMarker(R"(^<!--\s*([^]*?)\s*-->\s*$)");
    if (std::smatch found; std::regex_match(html, found, kMarker)) {
      const std::string marker = found[1];
      if (marker.starts_with("listing ")) {
        const std::string file = marker.substr(8, marker.find(' ', 8) - 8);
        listing_ = fmt::format("<a href=\"{}\">{}</a>", escape(around_.link(file)), escape(file));
      }
      html = around_.box(marker);
    } else {
      html = with_links(html);
      // A fold that asks for a prediction gets a box to write it in.
      static const std::regex kPrediction(R"(<details>\s*<summary>\s*(?=(?:Predict|Look)\b))");
      html = std::regex_replace(html, kPrediction, "<details class=\"guess\"><summary>");
      if (html.find("<img") != std::string::npos && cmark_node_get_type(node) == CMARK_NODE_HTML_BLOCK)
        html = "<figure class=\"wide\" data-what=\"figure\">" + html + "</figure>";
    }
    cmark_node_set_literal(node, html.c_str());
  }

  std::string with_links(const std::string& html) const {
    static const std::regex kAddress(R"((href|src|srcset)=\"([^\"]*)\")");
    std::string out;
    std::size_t copied = 0;
    for (std::sregex_iterator it(html.begin(), html.end(), kAddress), end; it != end; ++it) {
      out += html.substr(copied, static_cast<std::size_t>(it->position()) - copied);
      out += fmt::format("{}=\"{}\"", it->str(1), escape(around_.link(it->str(2))));
      copied = static_cast<std::size_t>(it->position() + it->length());
    }
    return out + html.substr(copied);
  }

  document document_;
  const surroundings& around_;
  std::string id_prefix_;
  page_body body_;
  std::map<std::string, int> uses_;  ///< how often a heading's name occurred
  std::string listing_;              ///< caption of the next code block
  std::vector<std::unique_ptr<cmark_node, decltype(&cmark_node_free)>> emptied_;
};

}  // namespace

page_body render(std::string_view text, const surroundings& around, const std::string& id_prefix) {
  return renderer(text, around, id_prefix).run();
}

std::string render_inline(std::string_view text) {
  // "31. All words lie in one bank." is a sentence here, and no list that begins with 31.
  static const std::regex kLooksLikeBlock(R"(^(\d*)([.)#>+*-])(?=\s))");
  std::string html = document(std::regex_replace(std::string(text), kLooksLikeBlock, "$1\\$2")).html();
  if (html.starts_with("<p>") && html.find("<p>", 3) == std::string::npos) {
    html.erase(0, 3);
    if (const std::size_t end = html.rfind("</p>"); end != std::string::npos) html.erase(end);
  }
  return html;
}

}  // namespace course::site
