#!/usr/bin/env python3
"""Draws the figures of lesson 3. Sectors are computed here from the rule that the lesson states; measured values are those of
../measured.json. Run it in this folder: python3 draw.py
"""
import json
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
os.chdir(here)
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(here, "..", "..", "figures"))
from picture import Picture  # noqa: E402

LANES, SECTOR = 32, 32
# MB set aside, GB/s of a plain copy: table "limit" of ../measured.json.
LIMIT = [(0, 4184), (4, 4184), (8, 4185), (16, 3628), (24, 2908), (30, 2697), (37, 1408)]
if os.path.exists("../measured.json"):
    rows = json.load(open("../measured.json", encoding="utf-8"))["tables"]["limit"]["rows"]
    assert LIMIT == [(row["limit"], round(row["speed"] / 1e9)) for row in rows], "not what measured.json says"


def sectors(stride, width=4, offset=0):
    """The sectors of one request, lane l at offset + l * stride bytes: sector -> bytes asked for in it."""
    used = {}
    for lane in range(LANES):
        for byte in range(width):
            where = (offset + lane * stride + byte) // SECTOR
            used[where] = used.get(where, 0) + 1
    return used


def strip(p, x, y, w, used, count, h=18, wasted="red"):
    """`count` sectors side by side; what the request asks for is blue, the rest of a touched sector red."""
    for k in range(count):
        p.box(x + k * w, y, w - 1, h, wasted if k in used else "paper", "faint", 0.6, 1)
        if k in used:
            p.box(x + k * w, y, (w - 1) * used[k] / SECTOR, h, "blue", "faint", 0.6, 1)


def key(p, y, pairs):
    x = 8
    for fill, words in pairs:
        p.box(x, y, 12, 12, fill)
        p.text(x + 18, y + 10, words, 12)
        x += 30 + 7 * len(words)


def walks():
    """Two pictures of the same 32 lanes: each with a chunk of its own, and side by side."""
    for number, title, words, far in ((1, "Each lane in a chunk of its own", "32 addresses, 512 bytes apart: 32 sectors", True),
                                      (2, "The lanes side by side", "32 addresses, 4 bytes apart: 4 sectors", False)):
        asked = len(sectors(512 if far else 4))
        assert words.endswith(f"{asked} sectors")
        p = Picture(f"walk_{number}", 170, f"{title}: {asked} sectors",
                    f"The first two turns of a warp. In each turn its 32 lanes ask for {words}.")
        p.text(8, 18, title, 12, bold=True)
        left, w, n = 8, 12, 32
        if far:
            for k, lane in enumerate(("lane 0", "lane 1", "lane 2", "... 31")):
                x = left + k * 98
                p.text(x, 40, lane, 12)
                for i in range(9):
                    p.box(x + i * 10, 48, 9, 18, "blue" if i == 0 else ("orange" if i == 1 else "paper"), "faint", 0.6, 1)
                p.text(x, 84, "128 floats", 12, fill="faint")
        else:
            p.text(left, 40, "lanes 0 to 31", 12)
            for i in range(n):
                p.box(left + i * 6, 48, 5.4, 18, "blue", "faint", 0.5, 1)
                p.box(left + n * 6 + i * 6, 48, 5.4, 18, "orange", "faint", 0.5, 1)
            p.text(left, 84, "32 floats", 12, fill="faint")
            p.text(left + n * 6, 84, "the next 32", 12, fill="faint")
        key(p, 96, (("blue", "first turn"), ("orange", "second turn")))
        p.text(8, 130, words, 12, fill="strong" if far else "cool")
        strip(p, left, 140, w, {k: 4 for k in range(n)} if far else {k: 32 for k in range(4)}, n if far else 4)
        p.save()


def three_sizes():
    p = Picture("three_sizes", 188, "A line of 128 bytes, two pieces of 64, four sectors of 32, 32 floats",
                "The line is how caches are labelled, 64 bytes are what DRAM hands out, the sector is what a request is "
                "answered in.")
    left, w = 152, 236
    for k, (name, what, count, fill) in enumerate((("line, 128 bytes", "how caches label", 1, "grey"),
                                                   ("64 bytes", "what DRAM hands out", 2, "orange"),
                                                   ("sector, 32 bytes", "what a request takes", 4, "green"),
                                                   ("float, 4 bytes", "what a lane wants", 32, "blue"))):
        y = 12 + 44 * k
        p.text(8, y + 14, name, 12, bold=True)
        p.text(8, y + 30, what, 12, fill="faint")
        for i in range(count):
            p.box(left + i * w / count, y + 4, w / count - 1, 28, fill, "faint", 0.8, 1)
    p.save()


def strides():
    p = Picture("strides", 268, "Sectors of one request: 4 bytes a lane, at six distances",
                "; ".join(f"every {s}. float: {len(sectors(4 * s))} sectors" for s in (1, 2, 3, 4, 8, 16)))
    p.text(8, 18, "lane l reads in[stride * l]", 12, mono=True)
    y = 32
    for s in (1, 2, 3, 4, 8, 16):
        used = sectors(4 * s)
        order = {k: used[where] for k, where in enumerate(sorted(used))}
        p.text(8, y + 14, f"stride {s}", 12)
        strip(p, 68, y, 8.6, order, len(order))
        p.text(350, y + 14, f"{len(order)}", 12, "start", bold=True)
        y += 33
    p.text(392, 18, "sectors", 12, "end")
    key(p, y + 6, (("blue", "asked for"), ("red", "moved in vain")))
    p.save()


def directions():
    p = Picture("directions", 262, "A warp on a matrix of rows: along a row, and down a column",
                "Along a row the lanes are neighbours: 4 sectors. Down a column each lane is in another row: 32 sectors.")
    cell, cols, shown = 11, 32, 8
    for k, (title, words, fill) in enumerate((("lanes along a row", "4 sectors", "cool"), ("lanes down a column", "32 sectors", "strong"))):
        y = 12 + 124 * k
        p.text(8, y + 8, title, 12, bold=True)
        for r in range(shown):
            for c in range(cols):
                hit = r == 2 if k == 0 else c == 4
                waste = k == 1 and c < 8 and not hit
                p.box(8 + c * cell, y + 16 + r * cell, cell - 1, cell - 1, "blue" if hit else ("red" if waste else "paper"), "faint", 0.5, 1)
        p.text(366, y + 64, words.split()[0], 12, "start", fill, bold=True)
    p.text(392, 18, "sectors", 12, "end")
    p.text(8, 256, "Eight of the 32 rows are drawn.", 12, fill="faint")
    p.save()


def records():
    aos, soa = sectors(24), sectors(4)
    assert len(aos) == 24 and len(soa) == 4
    p = Picture("records_1", 128, "Field x of 32 records: 24 sectors",
                "Records of 24 bytes lie one after the other. The field x of 32 records lies in 24 sectors, of which one sixth "
                "is asked for.")
    p.text(8, 18, "records of six floats: x y z vx vy vz", 12, bold=True)
    for k in range(36):
        p.box(8 + k * 10.6, 28, 9.8, 20, "blue" if k % 6 == 0 else "grey", "faint", 0.6, 1)
    for k in range(4):
        p.text(13 + k * 63.6, 66, f"x{k}", 12, "middle", mono=True)
    p.text(8, 90, "32 lanes ask for x: 24 sectors, one sixth used", 12, fill="strong")
    w = 384 / 24
    for k in range(24):
        p.box(8 + k * w, 98, w - 1, 18, "red", "faint", 0.6, 1)
    for lane in range(LANES):
        p.box(8 + lane * 24 / 32 * w, 98, w / 8, 18, "blue", "faint", 0.4, 0)
    p.save()

    p = Picture("records_2", 128, "Field x in an array of its own: 4 sectors",
                "In an array for each field, the x of 32 records lies in 4 sectors, and all of it is asked for.")
    p.text(8, 18, "an array for each field", 12, bold=True)
    for k in range(36):
        p.box(8 + k * 10.6, 28, 9.8, 20, "blue" if k < 32 else "grey", "faint", 0.6, 1)
    p.text(8, 66, "x0", 12, mono=True)
    p.text(8 + 32 * 10.6, 66, "x31", 12, "end", mono=True)
    p.text(8, 90, "32 lanes ask for x: 4 sectors, all used", 12, fill="cool")
    for k in range(4):
        p.box(8 + k * w, 98, w - 1, 18, "blue", "faint", 0.6, 1)
    p.save()


def whole_sectors():
    p = Picture("whole_sectors", 226, "Six loads of a sector, and six stores to it",
                "Loads: the first brings the sector to L1, the other five find it there. Stores: each sends a part of the "
                "sector on to L2.")
    for k, (title, words, colour) in enumerate((("six loads, field after field", "the sector comes once, and stays", "cool"),
                                                ("six stores, field after field", "a part of the sector leaves, six times", "strong"))):
        x = 8 + 198 * k
        p.text(x, 18, title, 12, bold=True)
        p.box(x, 30, 180, 34, "grey")
        p.text(x + 90, 51, "a warp's registers", 12, "middle")
        p.box(x, 92, 180, 34, "green" if k == 0 else "paper")
        p.text(x + 90, 113, "L1: keeps it" if k == 0 else "L1: passes it on", 12, "middle")
        p.box(x, 154, 180, 34, "grey")
        p.text(x + 90, 175, "L2", 12, "middle")
        for i in range(6):
            at = x + 20 + 28 * i
            if k == 0:
                p.line(at, 92, at, 66, "cool", 1.5, arrow=True)
            else:
                p.line(at, 64, at, 90, "strong", 1.5, arrow=True)
                p.line(at, 126, at, 152, "strong", 1.5, arrow=True)
        if k == 0:
            p.line(x + 20, 154, x + 20, 128, "cool", 1.5, arrow=True)
        p.text(x, 208, words.split(",")[0], 12, fill=colour)
        if "," in words:
            p.text(x, 222, words.split(", ")[1], 12, fill=colour)
    p.save()


def row_starts():
    cols, pitch, w = 9, 16, 9.4
    p = Picture("row_starts", 232, "Rows of nine floats: dense, and with a pitch of 64 bytes",
                "Dense rows begin anywhere in a sector. With a pitch each row begins at a sector's start, and some bytes stay "
                "unused.")
    for k, (title, step) in enumerate((("dense: a row begins anywhere in a sector", cols), ("with a pitch: each begins at a sector's start", pitch))):
        y = 20 + 104 * k
        p.text(8, y, title, 12, bold=True)
        total = 40
        for i in range(total):
            row, at = divmod(i, step)
            fill = "paper" if at >= cols else ("blue", "orange", "green", "grey", "blue")[row]
            p.box(8 + i * w, y + 14, w - 0.8, 24, fill, "faint", 0.6, 1)
        for s in range(total // 8 + 1):
            p.line(8 + s * 8 * w - 0.4, y + 8, 8 + s * 8 * w - 0.4, y + 48, "ink", 1.6)
        for row in range(5):
            if row * step < total:
                p.line(8 + (row * step + 0.5) * w, y + 66, 8 + (row * step + 0.5) * w, y + 42, "strong", 1.5, arrow=True)
                p.text(8 + (row * step + 0.5) * w + 4, y + 64, f"row {row}" if row * step < 34 else "", 12, fill="strong")
    p.text(8, 226, "The thick lines are borders of sectors.", 12, fill="faint")
    p.save()


def passing_by():
    p = Picture("passing_by", 214, "A stream passes through L2 and pushes a table out",
                "Without a word, each part of the stream takes a place in L2, and parts of the table have to leave. With a hint "
                "or a window the table stays.")
    for k, (title, words, colour) in enumerate((("nothing said", "the table is fetched again", "strong"),
                                                ("a hint, or a window", "the table stays", "cool"))):
        x = 8 + 198 * k
        p.text(x, 18, title, 12, bold=True)
        p.box(x, 28, 186, 24, "orange")
        p.text(x + 93, 44, "the stream, read once", 12, "middle")
        for i in range(6):
            p.line(x + 16 + 30 * i, 52, x + 16 + 30 * i, 76, "faint", 1.5, arrow=True)
        for i in range(12):
            table = i in (1, 4, 6, 9) if k == 0 else i < 6
            p.box(x + i * 15.5, 80, 14.5, 40, "green" if table else "orange", "faint", 0.8, 1)
        p.text(x, 138, "L2", 12, bold=True)
        p.text(x, 156, words, 12, fill=colour)
    key(p, 178, (("green", "the table, read again and again"), ("orange", "the stream")))
    p.save()


def limit_bars():
    p = Picture("limit", 30 + 26 * len(LIMIT) + 30, "A plain copy, with a part of L2 set aside and not used",
                "; ".join(f"{mb} MB set aside: {speed} GB/s" for mb, speed in LIMIT))
    p.text(8, 18, "set aside, MB", 12, bold=True)
    p.text(392, 18, "speed of a plain copy, GB/s", 12, "end", bold=True)
    for k, (mb, speed) in enumerate(LIMIT):
        y = 30 + 26 * k
        p.text(40, y + 14, mb, 12, "end")
        w = 290 * speed / 4185
        p.box(52, y, w, 19, "red" if mb > 8 else "blue")
        p.text(52 + w + 6, y + 14, f"{speed:,}", 12)
    p.text(8, 30 + 26 * len(LIMIT) + 16, "No window, no kernel that asks for one.", 12, fill="faint")
    p.save()


for draw in (walks, three_sizes, strides, directions, records, whole_sectors, row_starts, passing_by, limit_bars):
    draw()
