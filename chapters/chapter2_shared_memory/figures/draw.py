#!/usr/bin/env python3
"""Draws the figures of lesson 2. What they show is computed here by the rules that the lesson states (32-byte sectors, 32
banks of 4 bytes), so a figure cannot disagree with them.

    python3 draw.py

writes the SVG files beside this program; a test compares them.
"""
import json
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
os.chdir(HERE)
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parents[1] / "figures"))
from picture import WIDTH, Column as Picture  # noqa: E402

SECTOR_FLOATS = 8
BANKS = 32
LANES = 32


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
    picture.heading("one table a block, added up once" if in_blocks else "one table for all threads")
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
        "Two SMs. Each has the registers of its blocks and one fast memory: a part of it is L1 cache, the rest is shared memory, "
        "with a share for each block. Below them L2 cache and DRAM, which all SMs use.")
    picture.heading("each block has a share of its SM's memory")
    y = picture.y
    for sm in range(2):
        x = 8 + sm * 196
        picture.box(x, y, 188, 132, "grey", round=4)
        picture.text(x + 8, y + 16, "SM 0" if sm == 0 else "SM 1, and so on")
        for block in range(2):
            picture.box(x + 8 + block * 88, y + 24, 84, 34, "blue")
            picture.text(x + 50 + block * 88, y + 38, f"block {2 * sm + block}", "middle")
            picture.text(x + 50 + block * 88, y + 53, "registers", "middle")
            picture.line(x + 50 + block * 88, y + 59, x + (38 if block == 0 else 94), y + 77, "ink", 1.5, arrow=True)
            picture.box(x + 8 + block * 60, y + 80, 60, 42, "green", "ink", 1.5)
            picture.text(x + 38 + block * 60, y + 97, "shared", "middle")
            picture.text(x + 38 + block * 60, y + 113, f"of {2 * sm + block}", "middle")
        picture.box(x + 128, y + 80, 52, 42, "orange", "ink", 1.5)
        picture.text(x + 154, y + 105, "L1", "middle")
    for row, (fill, words) in enumerate((("orange", "L2 cache, for all SMs"), ("red", "DRAM"))):
        picture.box(8, y + 142 + row * 34, 384, 26, fill, round=4)
        picture.text(200, y + 159 + row * 34, words, "middle")
    picture.y = y + 204
    picture.note("Shared memory and L1 are one memory; the border between them can be moved.", "faint")
    return picture


def race(number):
    """Three courses of one program; from step 2 to step 3 nothing changes but the barrier."""
    title, description = (
        ("warp 0 happens to run first: right",
         "Warp 0 writes tile 31, then warp 1 reads it. The difference is right."),
        ("warp 1 happens to run first: wrong",
         "Warp 1 reads tile 31 before warp 0 has written it. The difference is wrong."),
        ("the same order, with a barrier: right",
         "Warp 1 waits at the barrier until warp 0 has written tile 31. The difference is right in any order."),
    )[number - 1]
    picture = Picture(f"race_{number}", title, description)
    left, right, w = 8, 206, 186

    def event(warp, words, fill):
        x = left if warp == 0 else right
        picture.box(x, picture.y, w, 20, fill, round=3)
        picture.text(x + w / 2, picture.y + 14, words, "middle", kind="code")
        picture.y += 24

    picture.heading(title, number)
    picture.text(left + w / 2, picture.y + 6, "warp 0", "middle", "faint")
    picture.text(right + w / 2, picture.y + 6, "warp 1", "middle", "faint")
    picture.y += 12
    if number == 1:
        event(0, "tile[31] = 7", "blue")
        event(1, "tile[32] = 9", "blue")
        event(1, "9 - tile[31] = 2", "green")
        picture.note("Time runs downwards.", "faint")
    elif number == 2:
        event(1, "tile[32] = 9", "blue")
        event(1, "9 - tile[31] = ???", "red")
        event(0, "tile[31] = 7", "blue")
        picture.note("Same program, same input. Nothing in it says who goes first.", "bad")
    else:
        event(1, "tile[32] = 9", "blue")
        waiting = picture.y
        event(1, "waits", "paper")
        event(0, "tile[31] = 7", "blue")
        picture.box(left, picture.y, WIDTH - 16, 20, "orange", "hot", 1.5, 3)
        picture.text(WIDTH / 2, picture.y + 14, "__syncthreads()", "middle", kind="code")
        picture.line(right + w / 2, waiting + 21, right + w / 2, picture.y - 1, "ink", 1.5, arrow=True)
        picture.y += 24
        event(1, "9 - tile[31] = 2", "green")
        picture.note("Whoever comes first waits for the other.", "good")
    return picture


def tree():
    """Twelve values: six, three, two, one. The lesson's listing has 192 and eight steps."""
    values = [3, 1, 4, 1, 5, 9, 2, 6, 8, 3, 5, 7]
    cell, count = 30, len(values)
    picture = Picture(
        "tree", "A tree that looks for the largest of twelve values",
        "Twelve values in a tile. In each step the values of the upper half are compared with those of the lower half, and a "
        "barrier follows: six are left, then three, two and one, the largest. Where the number is odd, one waits.")
    picture.heading("the largest of twelve, in four steps")
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
    picture.note("A thread compares its value with its partner's, half the row further on, and keeps the larger.", "faint")
    return picture


def halo(number):
    """A block of twelve threads with a halo of three on both sides."""
    radius, block, cell = 3, 12, 20
    count = block + 2 * radius
    title, description = (
        ("one output needs seven inputs", "One output below, and the seven inputs above it that it needs."),
        ("twelve outputs need eighteen inputs",
         "Twelve outputs side by side need eighteen inputs; the outer three on each side are the halo."),
        ("who brings what: number of the thread",
         "Twelve threads bring eighteen values in two turns: each thread one, and then the first six one more."),
    )[number - 1]
    picture = Picture(f"halo_{number}", title, description)
    x_of = lambda k: 20 + k * cell
    is_halo = lambda k: k < radius or k >= radius + block

    def inputs(tint, words=lambda k: ""):
        for k in range(count):
            picture.box(x_of(k), picture.y, cell - 2, 22, tint(k), round=2)
            picture.text(x_of(k) + 9, picture.y + 16, str(words(k)), "middle")

    picture.heading(title, number)
    if number == 1:
        first, of_output = 5, 5 + radius
        inputs(lambda k: "blue" if first <= k <= first + 2 * radius else "paper")
        for k in range(first, first + 2 * radius + 1):
            picture.line(x_of(k) + 9, picture.y + 23, x_of(of_output) + 9, picture.y + 51, "edge")
        picture.y += 52
        picture.box(x_of(of_output), picture.y, cell - 2, 22, "green", round=2)
        picture.text(x_of(of_output) + 26, picture.y + 16, "out[i]", kind="code")
        picture.y += 24
    elif number == 2:
        inputs(lambda k: "orange" if is_halo(k) else "blue")
        picture.y += 36
        for k in range(block):
            picture.box(x_of(k + radius), picture.y, cell - 2, 22, "green", round=2)
        picture.line(x_of(radius), picture.y - 1, x_of(0), picture.y - 13, "edge")
        picture.line(x_of(radius + block) - 2, picture.y - 1, x_of(count) - 2, picture.y - 13, "edge")
        picture.text(20, picture.y + 16, "halo", fill="hot")
        picture.text(x_of(count) - 2, picture.y + 16, "halo", "end", "hot")
        picture.y += 24
        picture.note("The orange ones belong to outputs of the neighbouring blocks.", "faint")
    else:
        inputs(lambda k: "blue" if k < block else "orange", lambda k: k % block)
        picture.y += 28
        picture.line(x_of(0), picture.y, x_of(block) - 2, picture.y, "ink", 1.5)
        picture.line(x_of(block), picture.y, x_of(count) - 2, picture.y, "hot", 1.5)
        picture.text((x_of(0) + x_of(block)) / 2, picture.y + 15, "first turn: everybody", "middle")
        picture.text((x_of(block) + x_of(count)) / 2, picture.y + 15, "second turn", "middle", "hot")
        picture.y += 20
        picture.note("The block fetches each value once, and reads it up to seven times from the tile.", "faint")
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
    picture.heading("32 lanes ask for one float each")
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


def turn(number):
    """Rows in, columns out: once straight, once by way of a tile. 32 x 32 elements, one request of a warp marked."""
    side = 32
    title, description = (
        ("straight: row read, column written",
         "A warp reads a row of 32 floats, 4 sectors, and writes them as a column of the output, 32 sectors."),
        ("by way of a tile: rows are read ...", "A warp reads a row of 32 floats, 4 sectors, into a row of the tile."),
        ("... barrier, columns written as rows",
         "After a barrier a warp reads a column of the tile and writes it as a row of the output, 4 sectors."),
    )[number - 1]
    picture = Picture(f"turn_{number}", title, description)

    def grid(x, cell, name, row=None, col=None, fill="blue"):
        y = picture.y
        picture.box(x, y, side * cell, side * cell, "paper")
        for k in range(1, side):
            picture.line(x + k * cell, y, x + k * cell, y + side * cell, "grey", 0.5)
            picture.line(x, y + k * cell, x + side * cell, y + k * cell, "grey", 0.5)
        if row is not None:
            picture.box(x, y + row * cell, side * cell, cell, fill, "ink", 0.75)
        if col is not None:
            picture.box(x + col * cell, y, cell, side * cell, fill, "ink", 0.75)
        picture.text(x + side * cell / 2, y + side * cell + 15, name, "middle")

    picture.heading(title, number)
    if number == 1:
        grid(20, 4.25, "in: 4 sectors", row=9)
        grid(244, 4.25, "out: 32 sectors", col=9, fill="red")
        picture.line(160, picture.y + 68, 238, picture.y + 68, "ink", 1.5, arrow=True)
        picture.y += 156
    elif number == 2:
        grid(20, 3.25, "in: 4 sectors", row=9)
        grid(148, 3.25, "tile", row=9)
        grid(276, 3.25, "out")
        picture.line(126, picture.y + 52, 146, picture.y + 52, "ink", 1.5, arrow=True)
        picture.y += 122
    else:
        grid(20, 3.25, "in")
        grid(148, 3.25, "tile", col=20, fill="orange")
        grid(276, 3.25, "out: 4 sectors", row=20, fill="green")
        picture.line(254, picture.y + 52, 274, picture.y + 52, "ink", 1.5, arrow=True)
        picture.y += 122
    return picture


def banks(number):
    """Field 0 of 32 records of eight floats, in the three layouts of the listing banks.cu."""
    fields, cell, high, left = 8, 11, 9, 24
    title, stride, word_of = (
        ("records 8 words apart: tile[8 * lane]", 8, lambda lane: 8 * lane),
        ("9 words apart: tile[9 * lane]", 9, lambda lane: 9 * lane),
        ("turned: tile[8 * lane + lane / 4]", 8, lambda lane: 8 * lane + lane // 4 % fields),
    )[number - 1]
    asked = [word_of(lane) for lane in range(LANES)]
    of_bank = [len({word for word in asked if word % BANKS == bank}) for bank in range(BANKS)]
    in_use, most, passes = sum(1 for words in of_bank if words), max(of_bank), wavefronts(asked)
    assert passes == most
    result = (f"{in_use} banks are asked, for {most} {'word' if most == 1 else 'words'} each: "
              f"{passes} {'wavefront' if passes == 1 else 'wavefronts'}.")
    picture = Picture(f"banks_{number}", title, f"The 32 banks side by side, and below each other the words that lie in "
                                                f"the same bank. Marked are the words of the 32 lanes. {result}")
    picture.heading(title, number)
    picture.text(left, picture.y + 6, "bank 0", fill="faint")
    picture.text(left + BANKS * cell, picture.y + 6, "bank 31", "end", "faint")
    picture.y += 11
    for row in range((LANES * stride + BANKS - 1) // BANKS):
        for bank in range(BANKS):
            hit = row * BANKS + bank in asked
            fill = "paper" if not hit else "red" if of_bank[bank] > 1 else "green"
            picture.box(left + bank * cell, picture.y, cell, high, fill, "ink" if hit else "edge", 0.5)
        picture.y += high
    picture.note(result, "good" if passes == 1 else "bad")
    if number == 1:
        picture.note("Marked: the word that each of the 32 lanes reads in the first turn of its loop.", "faint")
    return picture


def window():
    """Recorded shares of a copy, from the table that the lesson shows beside it."""
    table = json.loads((HERE.parent / "measured.json").read_text(encoding="utf-8"))["tables"]["window"]
    loads, tile = table["rows"]
    radii = {column["key"]: column["head"] for column in table["columns"] if column["key"] in loads and "digits" in column}
    picture = Picture("window", "A tile against loads, by radius",
                      "; ".join(f"{head}: loads {loads[key]}, tile {tile[key]}" for key, head in radii.items()) +
                      ". Shares of a copy.")
    picture.heading("share of a copy, four outputs a thread")
    left, width = 78, 270
    for key, head in radii.items():
        picture.text(8, picture.y + 24, head)
        for row, fill in ((loads, "blue"), (tile, "green")):
            picture.box(left, picture.y, width * row[key], 16, fill)
            picture.text(left + width * row[key] - 6, picture.y + 12.5, f"{row[key]:.3f}", "end")
            picture.y += 18
        picture.y += 10
    picture.line(left + width, 34, left + width, picture.y - 6, "faint", 1, "4 3")
    picture.box(8, picture.y, 12, 12, "blue")
    picture.text(26, picture.y + 11, "loads from global memory")
    picture.box(210, picture.y, 12, 12, "green")
    picture.text(228, picture.y + 11, "a tile")
    picture.text(left + width, picture.y + 11, "a copy", "middle", "faint")
    picture.y += 16
    return picture


def occupancy():
    """The lesson's worked example: 256 threads, 40 registers each, a tile of 48 KB, on an H200."""
    threads, registers, tile_kb = 256, 40, 48
    picture = Picture(
        "occupancy", "Three limits, and the smallest one counts",
        "How many blocks of 256 threads fit into an SM: by threads 8, by registers 6, by shared memory 4. So 4 are resident.")
    picture.heading("how many blocks fit into one SM of an H200?")
    left, width = 8, 384
    limits = (
        ("threads", 2048, threads, "2048 an SM, 256 a block"),
        ("registers", 65536, registers * threads, "65,536 an SM, 10,240 a block"),
        ("shared memory", 228, tile_kb + 1, "228 KB an SM, 48 + 1 KB a block"),
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
    picture.note("The block fetches each float of the two tiles once, and uses it in a whole row or column of C.", "faint")
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

    picture.heading("an atomic a block", 1)
    blocks(picture.y)
    for b in range(4):
        picture.line(37 + b * 66, picture.y + 23, 286, picture.y + 50, "hot", 1.2, arrow=True)
    picture.box(288, picture.y + 38, 52, 22, "green", round=3)
    picture.text(314, picture.y + 53, "sum", "middle")
    picture.y += 62

    picture.heading("a second kernel", 2)
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

    picture.heading("a ticket: whoever comes last adds up", 3)
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


def figures():
    yield counts(in_blocks=False)
    yield counts(in_blocks=True)
    yield from (memories(), tree(), grid_sum(), sectors(), window(), occupancy(), product())
    for steps in (race, halo, turn, banks):
        yield from (steps(number) for number in (1, 2, 3))


if __name__ == "__main__":
    for picture in figures():
        picture.save()
