"use strict";
// Figures that compute. Counts of sectors and wavefronts are looked up in tables.js, which the simulated GPU's own functions wrote; what is
// computed here is only where to draw. Each figure says its result in words, in a live region, and its controls are the browser's own.

const kLanes = 32;

function svg(name, attributes = {}, text = null) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== null) made.textContent = text;
  return made;
}

let controls_made = 0;

/** A slider with its number beside it. */
function slider(label, low, high, value, changed) {
  const id = "control-" + ++controls_made;
  const output = element("output", {for: id}, String(value));
  const input = element("input", {type: "range", id, min: low, max: high, step: 1, value});
  input.addEventListener("input", () => {
    output.textContent = input.value;
    changed();
  });
  return {box: element("p", {class: "control"}, element("label", {for: id}, label + " "), output, input), get: () => Number(input.value)};
}

function choice(label, texts, value, changed) {
  const id = "control-" + ++controls_made;
  const select = element("select", {id}, ...texts.map((text, i) => element("option", {value: i}, text)));
  select.value = value;
  select.addEventListener("change", changed);
  return {box: element("p", {class: "control"}, element("label", {for: id}, label + " "), select), get: () => Number(select.value)};
}

/** The entry of a table of tables.js: widths, choices of lanes, offsets, strides; the last one runs fastest. */
function entry(table, name, width, lanes, offset, stride) {
  const index = ((table.widths.indexOf(width) * course_tables.lanes.length + lanes) * table.offsets + offset) * table.strides + stride;
  return table[name][index];
}

const takes_part = (lanes, lane) => ((course_tables.lanes[lanes].mask >>> lane) & 1) === 1;
const lanes_texts = () => course_tables.lanes.map((one) => one.text);
const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
const type_of = (width) => ({1: "char", 2: "short", 4: "float", 8: "double", 16: "float4"})[width];

/** Result as numbers that stand out, sentence for all, and the drawing. */
function stage(box, title) {
  const numbers = element("dl", {class: "numbers"});
  const sentence = element("p", {role: "status", class: "result"});
  const drawing = element("div", {class: "wide drawing", "data-what": "drawing"});
  const controls = element("div", {class: "controls", role: "group", "aria-label": title});
  const code = element("pre", {class: "wide", "data-what": "code"}, element("code"));
  box.append(element("div", {class: "live"}, element("p", {class: "figure-title"}, title), controls, code, numbers, sentence, drawing));
  return {
    controls,
    show(statement, values, text, picture) {
      code.firstChild.textContent = statement;
      numbers.replaceChildren(...values.map(([name, value, kind]) =>
        element("div", {class: kind ?? null}, element("dt", {}, name), element("dd", {}, String(value)))));
      sentence.textContent = text;
      picture.setAttribute("role", "img");
      picture.setAttribute("aria-label", text);
      drawing.replaceChildren(picture);
      scrollers();
    },
  };
}

function index_text(stride, offset) {
  const term = stride === 0 ? "" : stride === 1 ? "lane" : `${stride} * lane`;
  if (term === "") return String(offset);
  return offset === 0 ? term : `${term} + ${offset}`;
}

// --- Coalescing -----------------------------------------------------------------------------------------------------

/** One row for each touched line of 128 bytes; the lanes' bytes in their sectors. */
function draw_lines(width, lanes, offset, stride) {
  const byte = 4.25, left = 70, row = 26, sector = 32;
  const rows = new Map(), touched = new Set();
  for (let lane = 0; lane < kLanes; ++lane) {
    if (!takes_part(lanes, lane)) continue;
    const first = (offset + lane * stride) * width;
    for (let b = first; b < first + width; b += Math.min(width, 16)) {
      const line = Math.floor(b / 128);
      if (!rows.has(line)) rows.set(line, []);
      rows.get(line).push({lane, at: b % 128});
    }
    for (let b = first; b < first + width; ++b) touched.add(Math.floor(b / sector));
  }
  const order = [...rows.keys()].sort((a, b) => a - b);
  const picture = svg("svg", {width: left + 128 * byte + 6, height: order.length * row + 20, "data-sectors": touched.size, "data-lines": order.length});
  for (let s = 0; s < 4; ++s) picture.append(svg("text", {x: left + s * sector * byte + 2, y: 12}, `sector ${s}`));
  order.forEach((line, r) => {
    const y = 18 + r * row;
    picture.append(svg("text", {x: 0, y: y + 15}, `line ${line}`));
    for (let s = 0; s < 4; ++s) {
      const busy = touched.has(line * 4 + s);
      picture.append(svg("rect", {x: left + s * sector * byte, y, width: sector * byte, height: row - 4, class: busy ? "touched" : "idle"}));
    }
    const drawn = new Map();
    for (const {lane, at} of rows.get(line)) {
      if (drawn.has(at)) continue;
      drawn.set(at, lane);
      const x = left + at * byte;
      picture.append(svg("rect", {x: x + 0.5, y: y + 3, width: Math.min(width, 16) * byte - 1, height: row - 10, class: "lane"}));
      if (width >= 4) picture.append(svg("text", {x: x + Math.min(width, 16) * byte / 2, y: y + 15, class: "on-lane"}, String(lane)));
    }
  });
  return picture;
}

function coalescing(box) {
  const table = course_tables.coalescing;
  const out = stage(box, "Try it: one load of a warp, and the sectors it touches");
  const start = box.dataset;
  const show = () => {
    const w = table.widths[width.get()], l = lanes.get(), o = offset.get(), s = stride.get();
    const sectors = entry(table, "sectors", w, l, o, s), ideal = entry(table, "ideal", w, l, o, s), lines = entry(table, "lines", w, l, o, s);
    const condition = l === 0 ? "" : `if (${["", "lane < 16", "lane % 2 == 0", "lane % 4 == 0", "lane == 0"][l]}) `;
    out.show(`${type_of(w)}* a;  // a[0] at the start of a line\n${condition}x = a[${index_text(s, o)}];`,
      [["requests", 1], ["sectors", sectors, sectors > ideal ? "costly" : "fine"], ["fewest possible", ideal], ["lines", lines]],
      `One request touches ${plural(sectors, "sector")} of 32 bytes in ${plural(lines, "line")}. The bytes asked for would fit into ${ideal}.`,
      draw_lines(w, l, o, s));
  };
  const stride = slider("Stride (elements):", 0, table.strides - 1, start.stride ?? 1, show);
  const offset = slider("Offset (elements):", 0, table.offsets - 1, start.offset ?? 0, show);
  const width = choice("Bytes a lane:", table.widths.map((w) => `${w} (${type_of(w)})`), Math.max(0, table.widths.indexOf(Number(start.width ?? 4))), show);
  const lanes = choice("Who takes part:", lanes_texts(), start.lanes ?? 0, show);
  out.controls.append(stride.box, offset.box, width.box, lanes.box);
  show();
}

// --- Banks ----------------------------------------------------------------------------------------------------------

/** 32 columns, one a bank; in each the distinct words that it must deliver, group by group of lanes. */
function draw_banks(width, lanes, offset, stride) {
  const cell = 18, left = 4, words = width / 4, group = kLanes / words;
  const picture = svg("svg", {width: left + kLanes * cell + 4});
  for (let bank = 0; bank < kLanes; ++bank) picture.append(svg("text", {x: left + bank * cell + cell / 2, y: 12, class: "centred"}, String(bank)));
  let y = 18, drawn = 0;
  for (let first = 0; first < kLanes; first += group) {
    const stacks = Array.from({length: kLanes}, () => new Map());
    for (let lane = first; lane < first + group; ++lane) {
      if (!takes_part(lanes, lane)) continue;
      for (let part = 0; part < words; ++part) {
        const word = (offset + lane * stride) * words + part, stack = stacks[word % kLanes];
        stack.set(word, [...(stack.get(word) ?? []), lane]);
      }
    }
    const deepest = Math.max(...stacks.map((stack) => stack.size));
    stacks.forEach((stack, bank) => {
      [...stack.values()].forEach((of, i) => {
        const x = left + bank * cell;
        picture.append(svg("rect", {x: x + 0.5, y: y + i * cell + 0.5, width: cell - 1, height: cell - 1, class: i === 0 ? "lane" : "busy"}));
        picture.append(svg("text", {x: x + cell / 2, y: y + i * cell + 13, class: "on-lane"}, of.length > 1 ? "*" : String(of[0])));
      });
      if (stack.size === 0 && deepest > 0) picture.append(svg("rect", {x: left + bank * cell + 0.5, y: y + 0.5, width: cell - 1, height: cell - 1, class: "idle"}));
    });
    drawn += deepest;
    y += deepest * cell + (deepest > 0 ? 6 : 0);
  }
  picture.setAttribute("height", y);
  picture.setAttribute("data-rows", drawn);
  return picture;
}

function banks(box) {
  const table = course_tables.banks;
  const out = stage(box, "Try it: one load from shared memory, and the banks it needs");
  const start = box.dataset;
  const show = () => {
    const w = table.widths[width.get()], l = lanes.get(), o = offset.get(), row = stride.get(), pad = padding.get(), s = row + pad;
    const taken = entry(table, "taken", w, l, o, s), ideal = entry(table, "ideal", w, l, o, s);
    const picture = draw_banks(w, l, o, s);
    const merged = Number(picture.getAttribute("data-rows")) > taken;
    const length = pad === 0 ? String(row) : `${row} + ${pad}`;
    out.show(`__shared__ ${type_of(w)} tile[32][${length}];\nx = tile[lane][${o}];  // element ${index_text(s, o)}`,
      [["requests", 1], ["wavefronts", taken, taken > ideal ? "costly" : "fine"], ["fewest possible", ideal], ["excess", taken - ideal]],
      (taken === ideal ? `No conflict: ${plural(taken, "wavefront")}, and fewer are not possible.`
        : `Bank conflict: ${plural(taken, "wavefront")} where ${ideal} would do, ${taken - ideal} too many.`) +
        (merged ? " Groups of lanes that ask for the same words share a wavefront." : ""),
      picture);
  };
  const stride = slider("Row length (elements):", 0, 64, start.stride ?? 32, show);
  const padding = slider("Padding (elements):", 0, 4, start.padding ?? 0, show);
  const offset = slider("Column:", 0, table.offsets - 1, start.offset ?? 0, show);
  const width = choice("Bytes a lane:", table.widths.map((w) => `${w} (${type_of(w)})`), Math.max(0, table.widths.indexOf(Number(start.width ?? 4))), show);
  const lanes = choice("Who takes part:", lanes_texts(), start.lanes ?? 0, show);
  out.controls.append(stride.box, padding.box, offset.box, width.box, lanes.box);
  out.controls.parentNode.append(element("p", {class: "note"},
    "A column is a bank, a box is a word that it must deliver; the number is the lane that asks, * are several lanes with the same word. " +
    "Loads of 8 and 16 bytes are served by half and quarter warps, one group of rows each."));
  show();
}

// --- The four tiers of memory ---------------------------------------------------------------------------------------

function tiers(box) {
  const latency = course_tiers.latency;
  if (!latency) return;
  const known = course_tiers.tiers.map((tier) => {
    const row = latency.rows.find((one) => one.level === tier.level);
    const measured = /^\d/.test(row.ours);
    return {...tier, cycles: parseFloat(measured ? row.ours : row.published), shown: measured ? `${row.ours} cycles` : `${row.published} cycles, published`,
      said: (measured ? `${row.ours} cycles on our ${latency.device}` : `not recorded on our ${latency.device} yet`) + `; published for H100 and GH200: ${row.published} cycles`};
  });
  const slowest = Math.max(...known.map((tier) => tier.cycles)), nearest = known[0];
  const said = element("div", {role: "status", class: "result"});
  const buttons = known.map((tier) => {
    const bar = element("span", {class: "bar", "aria-hidden": "true"});
    bar.style.width = `${Math.max(1, (tier.cycles / slowest) * 100)}%`;
    const button = element("button", {type: "button", class: "tier", "aria-pressed": "false"},
      element("span", {class: "tier-name"}, tier.name), element("span", {class: "tier-cycles"}, tier.shown), bar);
    button.addEventListener("click", () => {
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
      const times = Math.round(tier.cycles / nearest.cycles);
      said.replaceChildren(
        element("p", {}, element("strong", {}, tier.name + ". "), tier.tip),
        element("p", {}, `Latency: ${tier.said}.` + (times > 1 ? ` That is about ${times} times as long as shared memory takes.` : "")),
        element("p", {}, `Seen by ${tier.scope}. Holds ${tier.holds}.`));
    });
    return button;
  });
  box.append(element("div", {class: "live"},
    element("p", {class: "figure-title"}, "Try it: how long one load takes, tier by tier"),
    element("div", {class: "tiers", role: "group", "aria-label": "Tiers of memory"}, ...buttons), said,
    element("p", {class: "note"}, `${latency.device}, ${latency.date}. ${latency.command}. What is called published was measured by others.`)));
  buttons[0].click();
}

// --- The bandwidth calculator: the questions of `course calc` --------------------------------------------------------

const calculate = ({gigabytes, microseconds, memory_mhz, bus_bits, latency_ns, sms}) => {
  const bandwidth = (gigabytes * 1e9) / (microseconds * 1e-6), peak = (2 * memory_mhz * 1e6 * bus_bits) / 8;
  return {bandwidth, peak, share: bandwidth / peak, in_flight: peak * latency_ns * 1e-9, per_sm: (peak * latency_ns * 1e-9) / sms};
};

function calculator(box) {
  const said = element("div", {role: "status", class: "result"});
  const fields = [
    ["gigabytes", "Bytes moved, read and written together (GB, 10^9):", course_tiers.calculator.gigabytes],
    ["microseconds", "Time (us):", course_tiers.calculator.microseconds],
    ["memory_mhz", "Memory clock (MHz):", course_tiers.calculator.memory_mhz],
    ["bus_bits", "Memory bus (bits):", course_tiers.calculator.bus_bits],
    ["latency_ns", "Latency of a load (ns):", course_tiers.calculator.latency_ns],
    ["sms", "SMs:", course_tiers.calculator.sms],
  ].map(([name, label, value]) => {
    const id = "control-" + ++controls_made;
    const input = element("input", {type: "number", id, step: "any", min: "0", value, "data-name": name});
    input.addEventListener("input", () => show());
    return {name, input, box: element("p", {class: "control"}, element("label", {for: id}, label), input)};
  });
  const show = () => {
    const given = Object.fromEntries(fields.map(({name, input}) => [name, Number(input.value)]));
    const missing = fields.find(({input}) => !(Number(input.value) > 0));
    if (missing) {
      said.replaceChildren(element("p", {}, "Every field needs a number above zero."));
      return;
    }
    const got = calculate(given);
    const rate = (value) => (value / 1e9).toFixed(1) + " GB/s";
    const rows = [
      ["bandwidth", rate(got.bandwidth), "bytes / time"],
      ["peak of the card", rate(got.peak), "2 x clock x bus / 8"],
      ["share of the peak", got.share.toFixed(3), got.share > 1 ? "more than the card can: the bytes came from a cache, or the time is wrong" : "bandwidth / peak"],
      ["bytes in flight for the peak", Math.round(got.in_flight).toLocaleString("en"), "peak x latency (Little's law)"],
      ["on each SM", Math.round(got.per_sm).toLocaleString("en"), "bytes in flight / SMs"],
    ];
    said.replaceChildren(element("div", {class: "wide", "data-what": "table"}, element("table", {}, element("tbody", {},
      ...rows.map(([name, value, why]) => element("tr", {}, element("th", {scope: "row"}, name), element("td", {}, value), element("td", {}, why)))))));
    scrollers();
  };
  box.append(element("div", {class: "live"}, element("p", {class: "figure-title"}, "Try it: the bandwidth calculator"),
    element("div", {class: "controls", role: "group", "aria-label": "Bandwidth calculator"}, ...fields.map((field) => field.box)), said,
    element("p", {class: "note"}, "It starts with an H200. In the terminal: ", element("code", {}, "./course calc --help"))));
  show();
}

document.addEventListener("DOMContentLoaded", () => {
  const figures = {banks, coalescing, tiers, calculator};
  for (const box of document.querySelectorAll("[data-figure]")) figures[box.dataset.figure]?.(box);
});
