"use strict";
// What every page does with scripts: the menu of narrow pages, scrolling by keyboard, pictures that step. Without scripts all is there and
// readable; nothing is loaded from elsewhere.

/** What this browser remembers; nothing where storage is forbidden. */
const memory = {
  get(key) {
    try {
      return JSON.parse(localStorage.getItem("course." + key));
    } catch {
      return null;
    }
  },
  set(key, value) {
    try {
      localStorage.setItem("course." + key, JSON.stringify(value));
    } catch {
      // Remembering is a kindness, not a need.
    }
  },
};

/** element("p", {class: "note"}, "text", child, ...) */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

function menu() {
  const link = document.querySelector("header .menu");
  const navigation = document.getElementById("navigation");
  const button = element("button", {class: "menu", "aria-expanded": "false", "aria-controls": "navigation"}, link.textContent);
  link.replaceWith(button);
  const show = (open) => {
    navigation.classList.toggle("open", open);
    button.setAttribute("aria-expanded", String(open));
  };
  button.addEventListener("click", () => show(!navigation.classList.contains("open")));
  navigation.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !navigation.classList.contains("open")) return;
    show(false);
    button.focus();
  });
}

/**
 * The pages and sections that a question names, best first: [title, address, where it stands]. A heading that is the question comes before one
 * that begins with it, this before one that has its words, and last come pages that have them in their text.
 */
function found(pages, question) {
  const asked = question.toLowerCase().trim(), words = asked.split(/[^a-z0-9_]+/).filter((word) => word !== "");
  if (words.length === 0) return [];
  const has = (text) => words.every((word) => text.includes(word));
  // "bank" means the bank, not what has "bank" in the middle of a word: a word that begins so counts.
  const begins = (text) => words.every((word) => text.startsWith(word) || text.includes(" " + word));
  const rank = (text) => (text === asked ? 0 : text.startsWith(asked) ? 1 : begins(text) ? 2 : has(text) ? 3 : 9);
  const list = [];
  pages.forEach((page, order) => {
    const own = rank(page.title.toLowerCase());
    if (own < 9) list.push({at: page.at, title: page.title, where: "", rank: own, order});
    let inside = false;
    for (const [title, id] of page.sections) {
      // A question may name a section and its page: "race stencil".
      const both = (title + " " + page.title).toLowerCase();
      const one = Math.min(rank(title.toLowerCase()), own === 9 && begins(both) ? 4 : 9);
      inside ||= one < 9;
      if (one < 9) list.push({at: page.at + "#" + id, title, where: page.title, rank: one + 0.5, order});
    }
    if (own === 9 && !inside && begins(page.words)) list.push({at: page.at, title: page.title, where: "in its text", rank: 6, order});
  });
  return list.sort((a, b) => a.rank - b.rank || a.order - b.order);
}

/** The box that searches; what it knows is loaded when somebody wants it. */
function search() {
  const form = document.querySelector("form.search");
  if (!form) return;
  const input = form.querySelector("input"), list = form.querySelector(".found"), said = form.querySelector("[role=status]");
  const root = new URL("..", document.querySelector("link[rel=stylesheet]").href);
  const most = 12;
  let asked_for = false;
  const show = () => {
    const all = typeof course_pages === "undefined" ? [] : found(course_pages, input.value);
    list.replaceChildren(...all.slice(0, most).map((one) =>
      element("li", {}, element("a", {href: new URL(one.at, root).href}, one.title, one.where ? element("span", {}, one.where) : null))));
    list.hidden = all.length === 0;
    said.textContent = input.value.trim() === "" ? "" : all.length === 0 ? "Nothing found." : all.length > most ? `The first ${most} of ${all.length}.` : "";
  };
  input.addEventListener("focus", () => {
    if (asked_for) return;
    asked_for = true;
    const script = element("script", {src: new URL("site/search_index.js", root).href});
    script.addEventListener("load", show);
    document.head.append(script);
  });
  input.addEventListener("input", show);
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || input.value === "") return;
    event.stopPropagation();  // the first Escape empties the box, the next one closes the menu
    event.preventDefault();
    input.value = "";
    show();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.click();
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    event.preventDefault();
    const menu = document.querySelector("button.menu");
    if (!input.checkVisibility()) menu?.click();
    input.focus();
  });
}

/** What scrolls can be reached by keyboard and has a name; what does not scroll is no stop on the way. */
function scrollers() {
  for (const one of document.querySelectorAll(".wide")) {
    if (one.scrollWidth > one.clientWidth + 1) {
      one.tabIndex = 0;
      one.setAttribute("role", "region");
      one.setAttribute("aria-label", one.dataset.what + ", scrolls sideways");
    } else if (one.tabIndex === 0) {
      one.removeAttribute("tabindex");
      one.removeAttribute("role");
      one.removeAttribute("aria-label");
    }
  }
}

/** Pictures between `steps` markers are shown one at a time. */
function steps(box) {
  const pictures = [...box.querySelectorAll("figure")];
  if (pictures.length < 2) return;
  let shown = 0;
  const count = element("span", {"aria-live": "polite"});
  const back = element("button", {type: "button"}, "Back");
  const on = element("button", {type: "button"}, "Next step");
  const show = (index) => {
    shown = index;
    pictures.forEach((picture, i) => (picture.hidden = i !== shown));
    const at_keyboard = box.contains(document.activeElement);
    back.disabled = shown === 0;
    on.disabled = shown === pictures.length - 1;
    // A disabled button loses the focus: the other one takes it.
    if (at_keyboard && (back.disabled || on.disabled)) (back.disabled ? on : back).focus();
    count.textContent = `Step ${shown + 1} of ${pictures.length}`;
    scrollers();
  };
  back.addEventListener("click", () => show(shown - 1));
  on.addEventListener("click", () => show(shown + 1));
  box.addEventListener("keydown", (event) => {
    const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    // A picture that scrolls sideways needs the keys itself.
    if (!step || event.target.closest(".wide") || !pictures[shown + step]) return;
    event.preventDefault();
    show(shown + step);
  });
  box.prepend(element("div", {class: "steps-line"}, back, on, count));
  show(0);
}

/** A link into a fold opens it: who follows a link wants to read what it names. */
function open_target() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  let closed = false;
  for (let fold = target.closest("main details"); fold; fold = fold.parentElement.closest("main details")) {
    closed ||= !fold.open;
    fold.open = true;
  }
  if (closed) target.scrollIntoView();
}

document.addEventListener("DOMContentLoaded", () => {
  menu();
  search();
  document.querySelectorAll(".steps").forEach(steps);
  scrollers();
  open_target();
  addEventListener("hashchange", open_target);
  addEventListener("resize", scrollers);
  document.addEventListener("toggle", scrollers, true);
});
