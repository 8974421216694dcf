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
  document.querySelectorAll(".steps").forEach(steps);
  scrollers();
  open_target();
  addEventListener("hashchange", open_target);
  addEventListener("resize", scrollers);
  document.addEventListener("toggle", scrollers, true);
});
