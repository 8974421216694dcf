#!/usr/bin/env python3
"""Draws the figures of lesson 2. What they show is computed here by the rules that the lesson states (32-byte sectors, 32
banks of 4 bytes), so a figure cannot disagree with them.

    python3 draw.py

writes the SVG files beside this program; a test compares them. All figures are 400 units wide and hold no text below 12
units: on a screen of 400 pixels that is still 11 pixels. Colours are CSS variables, with a second set for readers whose
system is dark.
"""
import pathlib
import textwrap

SECTOR_FLOATS = 8
BANKS = 32
LANES = 32
WIDTH = 400
SHOWN_WIDTH = 560  # pixels, where there is room

STYLE = """
.figure { --paper: #ffffff; --ink: #1f2933; --faint: #616e7c; --edge: #9aa5b1; --blue: #a9cfe8; --orange: #fbc57d;
  --green: #a8d8b0; --red: #f2a59d; --grey: #e4e7eb; --good: #1f6b33; --bad: #b3261e; --hot: #9a4d00; }
@media (prefers-color-scheme: dark) {
  .figure { --paper: #15191e; --ink: #e6e9ee; --faint: #a7b1bc; --edge: #66727f; --blue: #1f5b86; --orange: #85560f;
    --green: #2a683a; --red: #93362e; --grey: #2b323a; --good: #79d394; --bad: #ff8a7f; --hot: #ffb861; } }
.figure text { font-family: system-ui, "DejaVu Sans", sans-serif; font-size: 12px; fill: var(--ink); }
.figure text.code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; }
.figure text.title { font-weight: 600; font-size: 13px; }
"""


class Picture:
    """An SVG that grows downwards: `y` is where the next thing goes."""

    def __init__(self, name, title, description):
        self.name, self.title, self.description = name, title, description
        self.parts = []
        self.y = 8

    def box(self, x, y, w, h, fill="paper", stroke="edge", width=1, round=0):
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="{round:g}" style="fill:{colour(fill)};'
            f'stroke:{colour(stroke)};stroke-width:{width:g}"/>'
        )

    def text(self, x, y, words, anchor="start", fill="ink", kind=""):
        words = words.replace("&", "&amp;").replace("<", "&lt;")
        of_kind = f' class="{kind}"' if kind else ""
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{of_kind} style="fill:{colour(fill)}">{words}</text>'
        )

    def line(self, x1, y1, x2, y2, stroke="ink", width=1, dash="", arrow=False):
        dashes = f";stroke-dasharray:{dash}" if dash else ""
        end = ' marker-end="url(#tip)"' if arrow else ""
        self.parts.append(
            f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" style="stroke:{colour(stroke)};'
            f'stroke-width:{width:g}{dashes}"{end}/>'
        )

    def step(self, words, number=None):
        """A heading; with a number it is one of several steps."""
        assert len(words) <= (44 if number is None else 41), f"too long at 400 pixels: {words}"
        self.y += 16
        x = 8
        if number is not None:
            self.parts.append(f'<circle cx="16" cy="{self.y - 4:g}" r="9" style="fill:{colour("ink")}"/>')
            self.text(16, self.y, str(number), "middle", "paper", "title")
            x = 32
        self.text(x, self.y, words, kind="title")
        self.y += 12

    def note(self, words, fill="ink"):
        for line in textwrap.wrap(words, 52):
            self.y += 15
            self.text(8, self.y, line, fill=fill)
        self.y += 4

    def svg(self):
        height = self.y + 10
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="figure" width="{SHOWN_WIDTH}" '
            f'height="{round(height * SHOWN_WIDTH / WIDTH)}" viewBox="0 0 {WIDTH} {height:g}" role="img" '
            f'aria-labelledby="title description">\n<title id="title">{self.title}</title>\n'
            f'<desc id="description">{self.description}</desc>\n<style>{STYLE}</style>\n'
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto">'
            f'<path d="M0 0 L8 4 L0 8 z" style="fill:{colour("ink")}"/></marker></defs>\n'
            f'<rect width="100%" height="100%" style="fill:{colour("paper")}"/>\n' + "\n".join(self.parts) + "\n</svg>\n"
        )


def colour(name):
    return "none" if name == "none" else f"var(--{name})"


def wavefronts(words):
    """Of one request: the most different words that one bank has to deliver. The listing banks.cu has the same rule."""
    banks = {}
    for word in words:
        banks.setdefault(word % BANKS, set()).add(word)
    return max(len(of_bank) for of_bank in banks.values())


def sectors_of(shift):
    """Sectors that a warp touches which reads 32 floats side by side, `shift` floats from a sector's start."""
    return sorted({(lane + shift) // SECTOR_FLOATS for lane in range(LANES)})


def counts(in_blocks):
    """Where additions meet: at one table in L2, or first in a table of each block."""
    name = "counts_shared" if in_blocks else "counts_global"
    where = "each block adds to a table of its own, and then once to the one in L2" if in_blocks else \
        "the additions of all threads meet at one table in L2"
    picture = Picture(name, "A table a block" if in_blocks else "One table for all",
                      f"Three blocks of threads count bytes; {where}.")
    picture.step("one table a block, added up once" if in_blocks else "one table for all threads")
    y, table = picture.y, picture.y + 180
    for block in range(3):
        picture.box(8 + block * 130, y, 122, 108, "grey", round=4)
        picture.text(69 + block * 130, y + 17, f"block {block}", "middle")
    for block in range(3):
        x = 8 + block * 130
        for thread in range(8):
            picture.box(x + 9 + thread * 13, y + 26, 11, 11, "blue")
            if in_blocks:
                picture.line(x + 14.5 + thread * 13, y + 39, x + 26 + (thread * 5 % 8) * 10, y + 70, "hot")
            else:
                picture.line(x + 14.5 + thread * 13, y + 39, 158 + (thread * 5 % 8) * 12, table - 3, "hot", 0.8)
        if in_blocks:
            for place in range(8):
                picture.box(x + 21 + place * 10, y + 72, 10, 12, "green")
            picture.text(x + 61, y + 101, "shared memory", "middle")
            picture.line(x + 61, y + 109, 176 + block * 24, table - 3, "hot", 2, arrow=True)
    for place in range(8):
        picture.box(152 + place * 12, table, 12, 16, "red" if not in_blocks else "green")
    picture.text(142, table + 13, "counts in L2", "end")
    picture.y = table + 24
    if in_blocks:
        picture.note("An addition a byte stays inside the SM. L2 sees one addition a class and block.", "good")
    else:
        picture.note("Every addition travels to L2, and those to one address queue there.", "bad")
    return picture


def memories():
    picture = Picture(
        "memories", "Where shared memory is",
        "Two SMs, each with registers and one fast memory, a part of which is L1 cache and the rest shared memory, "
        "split between the blocks; below them L2 and DRAM, which all SMs use. Latencies in cycles: shared memory 29 to 33, "
        "L1 32 to 34, L2 264 to 280, DRAM 650 to 689.")
    picture.step("cycles until a value arrives")
    y = picture.y
    for sm in range(2):
        x = 8 + sm * 160
        picture.box(x, y, 150, 132, "grey", round=4)
        picture.text(x + 8, y + 16, f"SM {sm}" if sm == 0 else "SM 1 ...")
        for block in range(2):
            picture.box(x + 8 + block * 68, y + 24, 64, 34, "blue")
            picture.text(x + 40 + block * 68, y + 38, f"block {2 * sm + block}", "middle")
            picture.text(x + 40 + block * 68, y + 53, "registers", "middle")
            picture.line(x + 40 + block * 68, y + 59, x + (30 if block == 0 else 75), y + 77, "ink", 1.5, arrow=True)
        picture.box(x + 8, y + 80, 90, 42, "green", "ink", 1.5)
        picture.line(x + 53, y + 102, x + 53, y + 122, "ink", 1, "3 2")
        picture.box(x + 98, y + 80, 44, 42, "orange", "ink", 1.5)
        picture.text(x + 53, y + 96, "shared", "middle")
        picture.text(x + 30, y + 116, f"of {2 * sm}", "middle")
        picture.text(x + 76, y + 116, f"of {2 * sm + 1}", "middle")
        picture.text(x + 120, y + 105, "L1", "middle")
    picture.text(326, y + 97, "29 to 33")
    picture.text(326, y + 113, "L1: 32-34")
    picture.box(8, y + 148, 310, 28, "orange", round=4)
    picture.text(163, y + 166, "L2 cache, for all SMs", "middle")
    picture.text(326, y + 166, "264 to 280")
    picture.box(8, y + 186, 310, 28, "red", round=4)
    picture.text(163, y + 204, "DRAM", "middle")
    picture.text(326, y + 204, "650 to 689")
    picture.y = y + 216
    picture.note("The split between shared memory and L1 can be moved; it is the same memory.", "faint")
    return picture


def race():
    picture = Picture(
        "race", "A race of two warps, and the barrier that ends it",
        "Three courses of the same program. One: warp 0 writes tile 31, then warp 1 reads it, the difference is right. Two: warp "
        "1 runs first and reads tile 31 before warp 0 has written it, the difference is wrong. Three: with a barrier warp 1 waits "
        "until warp 0 has written, the difference is right in any order.")
    left, right, w = 8, 206, 186

    def row(side, words, fill="grey", height=20):
        x = left if side == 0 else right
        picture.box(x, picture.y, w, height, fill, round=3)
        picture.text(x + w / 2, picture.y + 14, words, "middle", kind="code")
        picture.y += height + 4

    def head(number, title):
        picture.step(title, number)
        picture.text(left + w / 2, picture.y + 6, "warp 0", "middle", "faint")
        picture.text(right + w / 2, picture.y + 6, "warp 1", "middle", "faint")
        picture.y += 12

    head(1, "warp 0 happens to run first: right")
    row(0, "tile[31] = 7", "blue")
    row(1, "tile[32] = 9", "blue")
    row(1, "9 - tile[31] = 2", "green")
    head(2, "warp 1 happens to run first: wrong")
    row(1, "tile[32] = 9", "blue")
    row(1, "9 - tile[31] = ???", "red")
    row(0, "tile[31] = 7", "blue")
    picture.note("Same program, same input. Nothing in it says who goes first.", "bad")
    head(3, "the same order, with a barrier: right")
    row(1, "tile[32] = 9", "blue")
    y = picture.y
    row(1, "waits", "paper")
    row(0, "tile[31] = 7", "blue")
    picture.box(left, picture.y, WIDTH - 16, 20, "orange", "hot", 1.5, 3)
    picture.text(WIDTH / 2, picture.y + 14, "__syncthreads()", "middle", kind="code")
    picture.line(right + w / 2, y + 21, right + w / 2, picture.y - 1, "ink", 1.5, arrow=True)
    picture.y += 24
    row(1, "9 - tile[31] = 2", "green")
    picture.note("Time runs downwards.", "faint")
    return picture


def tree():
    """Twelve values: six, three, two, one. The lesson's listing has 192 and eight steps."""
    values = [3, 1, 4, 1, 5, 9, 2, 6, 8, 3, 5, 7]
    cell, count = 30, len(values)
    picture = Picture(
        "tree", "A tree that looks for the largest of twelve values",
        "Twelve values in a tile. In each step the values of the upper half are compared with those of the lower half, and a "
        "barrier follows: six are left, then three, two and one, the largest. Where the number is odd, one waits.")
    picture.step("the largest of twelve, in four steps")
    x_of = lambda i: 20 + i * cell
    left, steps = count, 0
    while True:
        for i, value in enumerate(values):
            live = i < left
            picture.box(x_of(i), picture.y, cell - 4, 24, "blue" if live else "paper", "edge" if live else "grey", round=2)
            picture.text(x_of(i) + 13, picture.y + 17, str(value), "middle", "ink" if live else "faint")
        picture.y += 24
        if left == 1:
            break
        half = (left + 1) // 2
        for i in range(left - half):
            picture.line(x_of(i + half) + 13, picture.y + 1, x_of(i) + 15, picture.y + 32, "hot", 1.2, arrow=True)
            values[i] = max(values[i], values[i + half])
        if left % 2:
            picture.text(x_of(left) + 4, picture.y + 20, f"place {half - 1} has no partner and waits", fill="faint")
        picture.y += 36
        picture.line(14, picture.y, 384, picture.y, "hot", 1.5, "5 4")
        picture.text(384, picture.y - 5, "barrier", "end", "hot")
        picture.y += 8
        left, steps = half, steps + 1
    assert steps == 4 and values[0] == 9
    picture.note("A thread compares its value with one half the way up, and keeps the larger.", "faint")
    return picture


def halo():
    """A block of twelve threads with a halo of three on both sides."""
    radius, block, cell = 3, 12, 20
    count = block + 2 * radius
    picture = Picture(
        "halo", "A tile with its halo",
        "Step one: an output needs seven inputs. Step two: twelve outputs side by side need eighteen inputs, the outer three on "
        "each side belong to the neighbouring blocks. Step three: twelve threads bring the eighteen in two turns, each thread "
        "one and then the first six one more.")
    x_of = lambda k: 20 + k * cell

    def inputs(numbers=None, tinted=lambda k: "blue"):
        for k in range(count):
            picture.box(x_of(k), picture.y, cell - 2, 22, tinted(k), round=2)
            if numbers:
                picture.text(x_of(k) + 9, picture.y + 16, str(numbers(k)), "middle")

    picture.step("one output needs seven inputs", 1)
    inputs(tinted=lambda k: "blue" if 5 <= k <= 5 + 2 * radius else "paper")
    for k in range(5, 6 + 2 * radius):
        picture.line(x_of(k) + 9, picture.y + 23, x_of(5 + radius) + 9, picture.y + 51, "edge")
    picture.y += 52
    picture.box(x_of(5 + radius), picture.y, cell - 2, 22, "green", round=2)
    picture.text(x_of(5 + radius) + 26, picture.y + 16, "out[i]", kind="code")
    picture.y += 30

    picture.step("twelve outputs need eighteen", 2)
    is_halo = lambda k: k < radius or k >= radius + block
    inputs(tinted=lambda k: "orange" if is_halo(k) else "blue")
    picture.y += 36
    for k in range(block):
        picture.box(x_of(k + radius), picture.y, cell - 2, 22, "green", round=2)
    picture.line(x_of(radius), picture.y - 1, x_of(0), picture.y - 13, "edge")
    picture.line(x_of(radius + block) - 2, picture.y - 1, x_of(count) - 2, picture.y - 13, "edge")
    picture.text(20, picture.y + 16, "halo", fill="hot")
    picture.text(x_of(count) - 2, picture.y + 16, "halo", "end", "hot")
    picture.y += 30

    picture.step("who brings what: number of the thread", 3)
    inputs(lambda k: k % block, lambda k: "blue" if k < block else "orange")
    picture.y += 28
    picture.line(x_of(0), picture.y, x_of(block) - 2, picture.y, "ink", 1.5)
    picture.line(x_of(block), picture.y, x_of(count) - 2, picture.y, "hot", 1.5)
    picture.text((x_of(0) + x_of(block)) / 2, picture.y + 15, "first turn: everybody", "middle")
    picture.text((x_of(block) + x_of(count)) / 2, picture.y + 15, "second turn", "middle", "hot")
    picture.y += 20
    picture.note("Each value is fetched once by this block, and read up to seven times from the tile.", "faint")
    return picture


def sectors():
    cell, first, floats = 6.5, -8, 56
    total = sum(len(sectors_of(d)) for d in range(-3, 4))
    needed = len({s for d in range(-3, 4) for s in sectors_of(d)})
    picture = Picture(
        "sectors", "Sectors of one request",
        "32 lanes read 32 floats side by side. From a sector's start they touch four sectors of eight floats; moved by three "
        "floats to either side they touch five.")
    x_of = lambda element: 18 + (element - first) * cell
    picture.step("32 lanes ask for one float each")
    for shift, words in ((0, "in[i]"), (-3, "in[i - 3]"), (3, "in[i + 3]")):
        touched = sectors_of(shift)
        picture.y += 14
        picture.text(18, picture.y, words, kind="code")
        picture.text(382, picture.y, f"{len(touched)} sectors", "end", "good" if len(touched) == 4 else "hot")
        picture.y += 6
        for sector in range(first // SECTOR_FLOATS, (first + floats) // SECTOR_FLOATS):
            picture.box(x_of(sector * SECTOR_FLOATS), picture.y, SECTOR_FLOATS * cell, 34,
                        "orange" if sector in touched else "paper", "ink")
        for lane in range(LANES):
            picture.box(x_of(lane + shift) + 0.75, picture.y + 10, cell - 1.5, 14, "blue", "edge", 0.5)
        picture.y += 36
    picture.note("Blue: the 32 floats asked for. Orange: sectors brought, 8 floats each.", "faint")
    picture.note(f"All seven offsets: {total} sectors in seven requests. The values lie in {needed}.")
    return picture


def turn():
    """Rows in, columns out: once straight, once by way of a tile. 32 x 32 elements, one request of a warp marked."""
    side = 32
    picture = Picture(
        "turn", "A transpose, straight and by way of a tile",
        "Step one: a warp reads a row of 32 floats, four sectors, and writes them as a column of the output, 32 sectors. Step two: "
        "rows are read into a tile in shared memory. Step three: columns of the tile are written as rows of the output, four "
        "sectors each.")

    def grid(x, y, cell, row=None, col=None, fill="blue", name=""):
        picture.box(x, y, side * cell, side * cell, "paper")
        for k in range(1, side):
            picture.line(x + k * cell, y, x + k * cell, y + side * cell, "grey", 0.5)
            picture.line(x, y + k * cell, x + side * cell, y + k * cell, "grey", 0.5)
        if row is not None:
            picture.box(x, y + row * cell, side * cell, cell, fill, "ink", 0.75)
        if col is not None:
            picture.box(x + col * cell, y, cell, side * cell, fill, "ink", 0.75)
        picture.text(x + side * cell / 2, y + side * cell + 15, name, "middle")

    picture.step("straight: row read, column written", 1)
    grid(20, picture.y, 4.25, row=9, fill="blue", name="in: 4 sectors")
    grid(244, picture.y, 4.25, col=9, fill="red", name="out: 32 sectors")
    picture.line(160, picture.y + 68, 238, picture.y + 68, "ink", 1.5, arrow=True)
    picture.y += 158
    picture.step("by way of a tile: rows are read ...", 2)
    grid(20, picture.y, 3.25, row=9, fill="blue", name="in: 4 sectors")
    grid(148, picture.y, 3.25, row=9, fill="blue", name="tile")
    grid(276, picture.y, 3.25, name="out")
    picture.line(126, picture.y + 52, 146, picture.y + 52, "ink", 1.5, arrow=True)
    picture.y += 126
    picture.step("... barrier, columns written as rows", 3)
    grid(20, picture.y, 3.25, name="in")
    grid(148, picture.y, 3.25, col=20, fill="orange", name="tile")
    grid(276, picture.y, 3.25, row=20, fill="green", name="out: 4 sectors")
    picture.line(254, picture.y + 52, 274, picture.y + 52, "ink", 1.5, arrow=True)
    picture.y += 124
    picture.note("The turn happens in shared memory, where a column may cost no more than a row.", "faint")
    return picture


def banks():
    """Field 0 of 32 records of eight floats, in the three layouts of the listing banks.cu."""
    fields, cell, high = 8, 11, 9
    picture = Picture(
        "banks", "Which bank each of 32 lanes asks",
        "32 banks side by side; below each other the words that lie in the same bank. Records of 8 words: the 32 lanes ask 4 "
        "banks for 8 words each. Records 9 words apart: each lane another bank. Records of 8 words, each fourth lane beginning a "
        "field later: each lane another bank.")
    left = 24
    cases = (
        ("records 8 words apart: tile[8 * lane]", 8, lambda lane: 8 * lane),
        ("9 words apart: tile[9 * lane]", 9, lambda lane: 9 * lane),
        ("turned: tile[8 * lane + lane / 4]", 8, lambda lane: 8 * lane + lane // 4 % fields),
    )
    for number, (words, stride, word_of) in enumerate(cases, 1):
        asked = [word_of(lane) for lane in range(LANES)]
        rows = (32 * stride + BANKS - 1) // BANKS
        passes = wavefronts(asked)
        picture.step(words, number)
        picture.text(left, picture.y + 6, "bank 0", fill="faint")
        picture.text(left + BANKS * cell, picture.y + 6, "bank 31", "end", "faint")
        picture.y += 11
        of_bank = [len({w for w in asked if w % BANKS == b}) for b in range(BANKS)]
        for row in range(rows):
            for bank in range(BANKS):
                hit = row * BANKS + bank in asked
                picture.box(left + bank * cell, picture.y, cell, high,
                            ("red" if of_bank[bank] > 1 else "green") if hit else "paper", "edge" if not hit else "ink", 0.5)
            picture.y += high
        in_use = sum(1 for n in of_bank if n)
        picture.note(f"{in_use} banks are asked, for {max(of_bank)} {'word' if max(of_bank) == 1 else 'words'} each: "
                     f"{passes} {'wavefront' if passes == 1 else 'wavefronts'}.", "good" if passes == 1 else "bad")
        picture.y += 4
    picture.note("Marked: the word that each of the 32 lanes reads in the first turn of its loop.", "faint")
    return picture


def occupancy():
    """The lesson's worked example: 256 threads, 40 registers each, a tile of 48 KB, on an H200."""
    threads, registers, tile_kb = 256, 40, 48
    picture = Picture(
        "occupancy", "Three limits, and the smallest one counts",
        "How many blocks of 256 threads fit into an SM: by threads 8, by registers 6, by shared memory 4. So 4 are resident.")
    picture.step("how many blocks fit into one SM of an H200?")
    left, width = 8, 384
    limits = (
        ("threads", 2048, threads, "2048 a SM, 256 a block"),
        ("registers", 65536, registers * threads, "65,536 a SM, 10,240 a block"),
        ("shared memory", 228, tile_kb + 1, "228 KB a SM, 48 + 1 KB a block"),
    )
    fewest = min(capacity // each for _, capacity, each, _ in limits)
    for name, capacity, each, words in limits:
        fits = capacity // each
        picture.y += 14
        picture.text(left, picture.y, f"{name}: {words}")
        picture.text(left + width, picture.y, f"{fits} fit", "end", "hot" if fits == fewest else "ink", "title")
        picture.y += 6
        picture.box(left, picture.y, width, 22, "paper")
        for block in range(fits):
            picture.box(left + block * each / capacity * width, picture.y, each / capacity * width, 22,
                        "orange" if fits == fewest else "blue", "ink", 0.75)
        picture.y += 30
    warps = fewest * threads // 32
    picture.note(f"{fewest} blocks are resident: {warps} of 64 warps, {warps * 100 // 64} % occupancy.", "hot")
    return picture


def product():
    """Two turns of the loop over slices."""
    picture = Picture(
        "product", "A tiled matrix product, two slices",
        "A block makes one tile of C. In turn one it brings the first tile of its rows of A and the first tile of its columns of "
        "B and multiplies them. In turn two it moves one tile to the right in A and one tile down in B.")
    side, tiles, at_row, at_col = 21, 4, 2, 1

    def matrix(x, y, name, strip, now):
        for r in range(tiles):
            for c in range(tiles):
                fill = "orange" if (r, c) == now else "blue" if strip(r, c) else "paper"
                picture.box(x + c * side, y + r * side, side, side, fill, "edge")
        picture.text(x + tiles * side / 2, y + tiles * side / 2 + 4, name, "middle", kind="title")

    top = picture.y
    for turn_number in range(2):
        picture.y = top
        x = 8 + turn_number * 200
        picture.y += 16
        picture.text(x, picture.y, f"slice {turn_number}", kind="title")
        y = picture.y + 8
        matrix(x + 96, y, "B", lambda r, c: c == at_col, (turn_number, at_col))
        matrix(x, y + 92, "A", lambda r, c: r == at_row, (at_row, turn_number))
        matrix(x + 96, y + 92, "C", lambda r, c: False, (at_row, at_col))
        picture.y = y + 92 + tiles * side + 4
    picture.note("Orange: two tiles come into shared memory and add to one tile of C.", "faint")
    picture.note("The block fetches each float of a tile once, and uses it once in every row or column.", "faint")
    return picture


def grid_sum():
    """Three ways in which the results of blocks become one."""
    picture = Picture(
        "grid_sum", "Three ways from blocks to one result",
        "One: each block adds to one place with an atomic. Two: each block stores its result, and a second kernel adds them up. "
        "Three: each block stores its result and takes a ticket; the one that draws the last ticket adds all up.")

    def blocks(y, marked=None):
        for b in range(4):
            picture.box(8 + b * 66, y, 58, 22, "orange" if b == marked else "blue", round=3)
            picture.text(37 + b * 66, y + 15, f"block {b}", "middle")

    picture.step("an atomic a block", 1)
    blocks(picture.y)
    for b in range(4):
        picture.line(37 + b * 66, picture.y + 23, 286, picture.y + 50, "hot", 1.2, arrow=True)
    picture.box(288, picture.y + 38, 52, 22, "green", round=3)
    picture.text(314, picture.y + 53, "sum", "middle")
    picture.y += 62

    picture.step("a second kernel", 2)
    blocks(picture.y)
    for b in range(4):
        picture.line(37 + b * 66, picture.y + 23, 37 + b * 66, picture.y + 36, "ink", 1.2, arrow=True)
        picture.box(20 + b * 66, picture.y + 38, 34, 16, "paper")
    picture.line(8, picture.y + 62, 392, picture.y + 62, "hot", 1.5, "5 4")
    picture.text(392, picture.y + 57, "first kernel ends", "end", "hot")
    picture.box(8, picture.y + 70, 256, 22, "orange", round=3)
    picture.text(136, picture.y + 85, "one block adds them up", "middle")
    picture.line(265, picture.y + 81, 286, picture.y + 81, "ink", 1.2, arrow=True)
    picture.box(288, picture.y + 70, 52, 22, "green", round=3)
    picture.text(314, picture.y + 85, "sum", "middle")
    picture.y += 96

    picture.step("a ticket: whoever comes last adds up", 3)
    blocks(picture.y, marked=1)
    for b, ticket in enumerate((2, 4, 1, 3)):
        picture.line(37 + b * 66, picture.y + 23, 37 + b * 66, picture.y + 36, "ink", 1.2, arrow=True)
        picture.box(20 + b * 66, picture.y + 38, 34, 16, "paper")
        picture.text(37 + b * 66, picture.y + 70, f"no. {ticket}", "middle", "hot" if ticket == 4 else "ink",
                     "title" if ticket == 4 else "")
    picture.line(103, picture.y + 76, 286, picture.y + 90, "ink", 1.2, arrow=True)
    picture.box(288, picture.y + 80, 52, 22, "green", round=3)
    picture.text(314, picture.y + 95, "sum", "middle")
    picture.y += 104
    picture.note("Here block 1 draws the last ticket: all others have stored before it.", "faint")
    return picture


FIGURES = (lambda: counts(False), memories, race, tree, grid_sum, halo, sectors, turn, banks, occupancy, product,
           lambda: counts(True))


if __name__ == "__main__":
    for draw in FIGURES:
        picture = draw()
        (pathlib.Path(__file__).parent / (picture.name + ".svg")).write_text(picture.svg(), encoding="utf-8")
