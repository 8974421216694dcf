// What must hold on every page of the site, told as a list of {kind, what}. Run in a page by browser.py, at one width and one scheme.
const faults = [];
const told = new Map();
const fault = (kind, what) => {
  const count = (told.get(kind) ?? 0) + 1;
  told.set(kind, count);
  if (count <= 5) faults.push({kind, what});
};
const name = (node) => {
  const text = (node.textContent ?? "").trim().replace(/\s+/g, " ").slice(0, 50);
  return `<${node.localName}${node.className?.baseVal === undefined && node.className ? "." + node.className.split(" ")[0] : ""}> "${text}"`;
};

// --- Colours: every text against the ground it stands on ---
const parse = (colour) => {
  const numbers = colour.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0];
  return {r: numbers[0], g: numbers[1], b: numbers[2], a: numbers.length > 3 ? numbers[3] : 1};
};
const over = (top, ground) => ({
  r: top.r * top.a + ground.r * (1 - top.a), g: top.g * top.a + ground.g * (1 - top.a), b: top.b * top.a + ground.b * (1 - top.a), a: 1});
const luminance = ({r, g, b}) => {
  const part = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
};
const contrast = (one, other) => {
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
};
const canvas = () => parse(getComputedStyle(document.body).backgroundColor);
const grounds = new Map();
const ground_of = (node) => {
  if (node === null || node.nodeType !== Node.ELEMENT_NODE) return canvas();
  if (!grounds.has(node)) {
    const own = parse(getComputedStyle(node).backgroundColor);
    grounds.set(node, own.a === 1 ? own : over(own, ground_of(node.parentElement ?? node.getRootNode().host ?? null)));
  }
  return grounds.get(node);
};
const invisible = (node) => {
  for (let n = node; n !== null && n.nodeType === Node.ELEMENT_NODE; n = n.parentElement) {
    if (getComputedStyle(n).opacity === "0") return true;
  }
  return false;
};
/** The shape drawn last below the middle of a text of an SVG. */
const shape_below = (text) => {
  const svg = text.ownerSVGElement, box = text.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
  let below = null;
  for (const shape of svg.querySelectorAll("rect, circle, ellipse, polygon, text")) {
    if (shape === text) break;
    if (shape.localName === "text") continue;
    const area = shape.getBoundingClientRect();
    if (x >= area.left && x <= area.right && y >= area.top && y <= area.bottom && getComputedStyle(shape).fill !== "none") below = shape;
  }
  return below;
};
const check_svg_text = (text, ground, least) => {
  const style = getComputedStyle(text), below = shape_below(text);
  let under = ground;
  if (below) {
    const fill = parse(getComputedStyle(below).fill);
    fill.a *= Number(getComputedStyle(below).fillOpacity) * Number(getComputedStyle(below).opacity);
    under = over(fill, ground);
  }
  const got = contrast(over(parse(style.fill), under), under);
  if (got < least) fault("contrast", `${got.toFixed(2)} for ${name(text)} in a figure`);
};

// Everything folded is looked at too.
const folded = [...document.querySelectorAll("details:not([open])")];
folded.forEach((one) => (one.open = true));
const stepped = [...document.querySelectorAll(".steps [hidden]")];
stepped.forEach((one) => (one.hidden = false));

const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const seen = new Set();
while (walker.nextNode()) {
  const node = walker.currentNode.parentElement;
  if (seen.has(node) || walker.currentNode.data.trim() === "" || /^(script|style|noscript|option)$/.test(node.localName)) continue;
  seen.add(node);
  if (!node.checkVisibility?.() || invisible(node)) continue;
  if (node.ownerSVGElement) {
    if (node.localName === "text" || node.localName === "tspan") check_svg_text(node, ground_of(node.ownerSVGElement.parentElement), 4.5);
    continue;
  }
  const style = getComputedStyle(node), ground = ground_of(node);
  const got = contrast(over(parse(style.color), ground), ground);
  if (got < 4.5) fault("contrast", `${got.toFixed(2)} for ${name(node)}`);
  if (parseFloat(style.fontSize) < 11) fault("small_text", `${style.fontSize} for ${name(node)}`);
}

// --- Pictures: there, described, readable; the colours in them ---
for (const image of document.images) {
  if (!image.hasAttribute("alt")) fault("no_alternative", image.getAttribute("src"));
  if (image.complete && image.naturalWidth === 0) fault("dead_link", `the picture ${image.getAttribute("src")} does not load`);
}
for (const [source, text] of Object.entries(arguments[0])) {
  const image = [...document.images].find((one) => one.getAttribute("src") === source);
  if (!image) continue;
  const host = document.createElement("div");
  host.style.cssText = `position:absolute; left:0; top:0; width:${image.clientWidth}px; color-scheme:inherit`;
  document.body.append(host);
  // Styles of the picture stay in it; its :root is its own.
  host.attachShadow({mode: "open"}).innerHTML = text.replace(/<\?xml[^]*?\?>/, "").replaceAll(":root", ":host");
  const svg = host.shadowRoot.querySelector("svg");
  if (svg) {
    svg.setAttribute("width", image.clientWidth);
    svg.removeAttribute("height");
    const scale = image.clientWidth / (svg.viewBox.baseVal?.width || image.naturalWidth);
    for (const one of svg.querySelectorAll("text")) {
      check_svg_text(one, ground_of(image), 4.5);
      const size = parseFloat(getComputedStyle(one).fontSize) * scale;
      if (size < 10.9) fault("small_text", `${size.toFixed(1)} px for ${name(one)} in ${source}`);
    }
  }
  host.remove();
}

// --- Nothing is wider than the page ---
if (document.documentElement.scrollWidth > innerWidth) {
  const wide = [...document.querySelectorAll("main *, header *")].find((node) => node.getBoundingClientRect().right > innerWidth + 1 && !node.closest(".wide"));
  fault("overflow", `${document.documentElement.scrollWidth} px on a page of ${innerWidth}; ${wide ? name(wide) : ""}`);
}
for (const node of document.querySelectorAll("main :is(p, li, pre, table, svg, img)")) {
  if (node.closest(".wide, .contents") || !node.checkVisibility()) continue;
  if (node.getBoundingClientRect().right > innerWidth + 1) fault("overflow", name(node));
}

// --- Text that became a list ---
for (const list of document.querySelectorAll("main ol, main ul")) {
  if (list.localName === "ol" && list.start !== 1) fault("accidental_list", `a list that begins with ${list.start}: ${name(list)}`);
  const before = list.previousElementSibling;
  if (list.children.length === 1 && before?.localName === "p" && !/[.:!?)]$/.test(before.textContent.trim())) fault("accidental_list", name(list));
}
for (const heading of document.querySelectorAll("main :is(h1, h2, h3)")) {
  if (/\\ref|\\snippet|\{#/.test(heading.textContent)) fault("markup_shows", name(heading));
}
for (const paragraph of document.querySelectorAll("main :is(p, li, td, summary, label)")) {
  const text = [...paragraph.childNodes].filter((n) => n.nodeType === Node.TEXT_NODE).map((n) => n.data).join(" ");
  if (/[\\@](ref|snippet)\b|\{#\w|<!--|\]\([^)\s]|\*\*\w|`[^`]+`/.test(text)) fault("markup_shows", name(paragraph));
}

// --- Landmarks and names ---
for (const [selector, what] of [["main", "main"], ["h1", "h1"], ["header", "header"]]) {
  const count = document.querySelectorAll(selector).length;
  if (count !== 1) fault("landmark", `${count} of ${what}`);
}
for (const one of document.querySelectorAll("nav")) {
  if (!one.ariaLabel) fault("landmark", "a nav without a name");
}
for (const one of document.querySelectorAll("input, select")) {
  if (one.labels.length === 0 && !one.ariaLabel) fault("no_label", name(one));
}
for (const one of document.querySelectorAll("button, a[href]")) {
  if (one.checkVisibility() && one.textContent.trim() === "" && !one.ariaLabel && !one.querySelector("img[alt]")) fault("no_label", name(one));
}
const ids = new Set();
// Doxygen repeats a name where a type stands in a group and in its file.
if (!document.querySelector(".contents")) for (const one of document.querySelectorAll("[id]")) {
  if (ids.has(one.id)) fault("double_id", one.id);
  ids.add(one.id);
}
if (document.querySelector("a[href]")?.getAttribute("href") !== "#" + (document.querySelector("main")?.id ?? "")) fault("landmark", "the first link does not skip to the text");

folded.forEach((one) => (one.open = false));
stepped.forEach((one) => (one.hidden = true));
return faults;
