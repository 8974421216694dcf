#!/usr/bin/env python3
"""Draws the figures of lesson 2. What they show is computed here by the rules the lesson states (32-byte sectors, 32
banks of 4 bytes), so a figure cannot disagree with them. Run it in this folder: python3 draw.py
"""

SECTOR = 32
BANKS = 32
INK, FAINT, PAPER = "#1f2933", "#9aa5b1", "#ffffff"
BLUE, ORANGE, GREEN, RED, GREY = "#9ecae1", "#fdbf6f", "#a6d8a8", "#f4978e", "#e4e7eb"


class Picture:
    def __init__(self, width, height, title):
        self.parts = []
        self.width, self.height, self.title = width, height, title

    def box(self, x, y, w, h, fill=PAPER, stroke=FAINT, width=1):
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" fill="{fill}" stroke="{stroke}" '
            f'stroke-width="{width}"/>'
        )

    def text(self, x, y, words, size=12, anchor="start", fill=INK, bold=False, mono=False):
        family = "monospace" if mono else "sans-serif"
        weight = ' font-weight="bold"' if bold else ""
        words = words.replace("&", "&amp;").replace("<", "&lt;")
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}" font-family="{family}" font-size="{size}" text-anchor="{anchor}" '
            f'fill="{fill}"{weight}>{words}</text>'
        )

    def line(self, x1, y1, x2, y2, stroke=INK, width=1, dash=""):
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(
            f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{stroke}" stroke-width="{width}"{dashes}/>'
        )

    def save(self, name):
        with open(name, "w", encoding="utf-8") as file:
            file.write(
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
                f'viewBox="0 0 {self.width} {self.height}" role="img">\n<title>{self.title}</title>\n'
                f'<rect width="100%" height="100%" fill="{PAPER}"/>\n' + "\n".join(self.parts) + "\n</svg>\n"
            )


def tree():
    """Sixteen threads, four steps; the course's blocks have 256 and eight."""
    count, cell = 16, 38
    values = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3]
    picture = Picture(90 + count * cell + 20, 420, "Tree reduction of sixteen values in shared memory")
    y, step = 40, 82
    left = 80
    picture.text(left, 22, "tile in shared memory: 16 values, then 4 steps with a barrier after each", 13, bold=True)
    active = count
    while True:
        label = "tile" if active == count else f"s = {active}"
        picture.text(10, y + 22, label, 13, mono=True)
        for i in range(count):
            live = i < active
            picture.box(left + i * cell, y, cell - 4, 32, BLUE if live else GREY)
            picture.text(left + i * cell + (cell - 4) / 2, y + 21, str(values[i]), 13, "middle", INK if live else FAINT)
        if active == 1:
            break
        half = active // 2
        for i in range(half):
            to = left + i * cell + (cell - 4) / 2
            picture.line(to, y + 32, to, y + step, INK)
            picture.line(left + (i + half) * cell + (cell - 4) / 2, y + 32, to + 3, y + step, RED)
        picture.line(left - 70, y + step - 12, left + count * cell, y + step - 12, ORANGE, 2, "6 4")
        picture.text(left + count * cell - 4, y + step - 17, "__syncthreads()", 11, "end", "#b35c00", mono=True)
        for i in range(half):
            values[i] += values[i + half]
        active = half
        y += step
    picture.save("tree.svg")


def halo():
    """A tile of 16 outputs with a halo of 3 on both sides; who fetches what."""
    radius, block, cell = 3, 16, 30
    count = block + 2 * radius
    picture = Picture(100 + count * cell + 30, 270, "A tile with its halo")
    left = 90
    picture.text(left, 22, "one block of 16 threads, radius 3: 22 inputs are fetched once, each used up to 7 times", 13, bold=True)
    rows = [("in (global)", 45), ("tile (shared)", 125), ("out (global)", 215)]
    for name, y in rows:
        picture.text(8, y + 19, name, 12)
    for k in range(count):
        is_halo = k < radius or k >= radius + block
        x = left + k * cell
        fill = ORANGE if is_halo else BLUE
        picture.box(x, 45, cell - 3, 28, fill)
        picture.box(x, 125, cell - 3, 28, fill)
        thread = k - radius if not is_halo else (k if k < radius else k - radius - block)
        picture.line(x + cell / 2 - 1, 73, x + cell / 2 - 1, 125, "#b35c00" if is_halo else FAINT)
        picture.text(x + cell / 2 - 1, 104, f"t{thread}", 11, "middle", "#b35c00" if is_halo else INK)
        picture.text(x + cell / 2 - 1, 144, str(k), 11, "middle", mono=True)
    picture.text(8, 104, "fetched by", 12, "start")
    for k in range(block):
        picture.box(left + (k + radius) * cell, 215, cell - 3, 28, GREEN if k == 5 else PAPER)
    out = left + (5 + radius) * cell + cell / 2 - 1
    for k in range(5, 5 + 2 * radius + 1):
        picture.line(left + k * cell + cell / 2 - 1, 153, out, 215, "#2b8a3e")
    picture.text(out, 234, "t5", 11, "middle")
    picture.text(left, 262, "threads t0, t1, t2 fetch three values each: their own, one of the left halo, one of the right halo", 12)
    picture.save("halo.svg")


def sectors():
    """32 lanes reading 4 bytes each, base aligned and moved by 3 elements."""
    cell, lanes = 17, 32
    first_float, floats = -8, 56
    picture = Picture(150 + floats * cell + 10, 250, "Sectors of one request of a warp")
    left = 140

    def x_of(element):
        return left + (element - first_float) * cell

    picture.text(10, 22, "one load of a warp, 4 bytes a lane; the memory system fetches whole sectors of 32 bytes (8 floats)", 13, bold=True)
    y = 50
    for shift, words in ((0, "in[i]"), (-3, "in[i - 3]"), (3, "in[i + 3]")):
        touched = sorted({(4 * (lane + shift)) // SECTOR for lane in range(lanes)})
        picture.text(10, y + 16, words, 13, mono=True)
        picture.text(10, y + 34, f"{len(touched)} sectors", 12)
        for sector in range(first_float * 4 // SECTOR, (first_float + floats) * 4 // SECTOR):
            x = x_of(sector * SECTOR // 4)
            picture.box(x, y, 8 * cell, 40, ORANGE if sector in touched else PAPER, INK)
        for lane in range(lanes):
            picture.box(x_of(lane + shift) + 1, y + 12, cell - 2, 16, BLUE)
        picture.text(x_of(shift) + cell / 2, y + 24, "0", 9, "middle")
        picture.text(x_of(31 + shift) + cell / 2, y + 24, "31", 9, "middle")
        y += 58
    total = sum(len({(4 * (lane + d)) // SECTOR for lane in range(lanes)}) for d in range(-3, 4))
    needed = len({(4 * (lane + d)) // SECTOR for lane in range(lanes) for d in range(-3, 4)})
    picture.text(10, y + 14, f"blue: what the lanes asked for; orange: sectors touched. All seven offsets together: {total} sectors in seven requests; the values lie in {needed}.", 12)
    picture.save("sectors.svg")


def banks():
    """Banks of tile[r][c] with rows of 32 and of 33 words; the column c = 2 is read. Eight of 32 rows and banks shown."""
    cell, shown = 30, 8
    colours = ["#9ecae1", "#fdbf6f", "#a6d8a8", "#f4978e", "#c5b0d5", "#e6d690", "#c7e9f1", "#d9b8a5"]
    column = 2
    width = 60 + (shown + 1) * cell
    picture = Picture(2 * width + 110, 450, "Banks of a column, rows of 32 and of 33 words")
    for side, row_length in enumerate((BANKS, BANKS + 1)):
        left = 50 + side * (width + 60)
        picture.text(left, 22, f"tile[32][{row_length}]", 14, bold=True, mono=True)
        picture.text(left, 42, "number = bank; bold frame = the column read", 11)
        for r in range(shown):
            picture.text(left - 34, 72 + r * cell, f"r = {r}", 11)
            for c in range(shown):
                bank = (r * row_length + c) % BANKS
                picture.box(left + c * cell, 52 + r * cell, cell - 2, cell - 2, colours[bank % len(colours)])
                picture.text(left + c * cell + cell / 2 - 1, 71 + r * cell, str(bank), 11, "middle", mono=True)
            picture.text(left + shown * cell + 4, 71 + r * cell, "...", 12)
        picture.text(left + 4, 66 + shown * cell, "...", 12)
        picture.box(left + column * cell - 1, 51, cell, shown * cell, "none", INK, 3)
        words = {}
        for r in range(BANKS):
            words.setdefault((r * row_length + column) % BANKS, []).append(r)
        passes = max(len(w) for w in words.values())
        y = 92 + shown * cell
        picture.text(left, y, f"column {column}, all 32 rows:", 12)
        picture.text(left, y + 20, f"{len(words)} bank{'s' if len(words) > 1 else ''} in use, {passes} wavefront{'s' if passes > 1 else ''}", 13, bold=True)
        for k in range(BANKS):
            height = 1.4 * len(words.get(k, []))
            picture.box(left + k * 8.4, y + 82 - height, 7, max(height, 0.5), RED if passes > 1 else GREEN, INK, 0.5)
        picture.text(left, y + 98, "words that each of the 32 banks must deliver", 10)
    picture.save("banks.svg")


if __name__ == "__main__":
    tree()
    halo()
    sectors()
    banks()
