#!/usr/bin/env python3
"""Draws the figures of lesson 1. What they show is computed here from the rules that the lesson states; measured values
are those of ../measured.json. Run it in this folder: python3 draw.py
"""
import json
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
os.chdir(here)
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(here, "..", "..", "figures"))
from picture import Picture  # noqa: E402

LANES = 32
# Occupancy, one float a thread, four float4 a thread: table "occupancy" of ../measured.json.
OCCUPANCY = [(1.0, 0.634, 0.958), (0.5, 0.349, 0.967), (0.25, 0.197, 0.928), (0.125, 0.105, 0.781)]
if os.path.exists("../measured.json"):
    rows = json.load(open("../measured.json", encoding="utf-8"))["tables"]["occupancy"]["rows"]
    assert OCCUPANCY == [(row["occupancy"], row["thin"], row["thick"]) for row in rows], "not what measured.json says"


def in_turn_or_together():
    p = Picture("in_turn_or_together", 206, "Four elements of a thread: in turn, and loads first",
                "In turn: load, wait, store, four times, so four waits. Together: four loads, one wait, four stores.")
    wait, load, store = 58, 14, 14
    p.text(8, 18, "in turn: the next load stands behind a store", 12, bold=True)
    x = 8
    for _ in range(4):
        p.box(x, 30, load, 26, "blue")
        p.box(x + load, 30, wait, 26, "grey")
        p.text(x + load + wait / 2, 47, "waits", 12, "middle")
        p.box(x + load + wait, 30, store, 26, "green")
        x += load + wait + store + 8
    p.line(8, 68, x - 8, 68, "strong", 1.5, arrow=True)
    p.text(8, 84, "four waits; never more than one element in flight", 12, fill="strong")
    p.text(8, 116, "together: all loads, then all stores", 12, bold=True)
    x = 8
    for _ in range(4):
        p.box(x, 128, load, 26, "blue")
        x += load
    p.box(x, 128, wait, 26, "grey")
    p.text(x + wait / 2, 145, "waits", 12, "middle")
    x += wait
    for _ in range(4):
        p.box(x, 128, store, 26, "green")
        x += store
    p.line(8, 166, x, 166, "cool", 1.5, arrow=True)
    p.text(8, 182, "one wait; four elements in flight", 12, fill="cool")
    for k, (fill, words) in enumerate((("blue", "load"), ("grey", "nothing to do"), ("green", "store"))):
        p.box(270, 122 + 22 * k, 14, 14, fill)
        p.text(290, 134 + 22 * k, words, 12)
    p.save()


def array_or_registers():
    p = Picture("array_or_registers", 262, "An array of eight counters: in registers, and in local memory",
                "With constant indices each element is a register. With an index known only at run time the array needs "
                "addresses, and lies in local memory behind L1, L2 and DRAM.")
    p.text(8, 18, "constant indices: each element is a register", 12, bold=True)
    for k in range(8):
        p.box(8 + 48 * k, 28, 44, 26, "green")
        p.text(30 + 48 * k, 45, f"R{8 + k}", 12, "middle", mono=True)
        p.text(30 + 48 * k, 70, f"[{k}]", 12, "middle", "faint", mono=True)
    p.text(8, 88, "the number of the register is part of the instruction", 12)
    p.text(8, 124, "run-time index: an address is needed", 12, bold=True)
    p.box(8, 136, 92, 40, "orange")
    p.text(54, 153, "mine[grade]", 12, "middle", mono=True)
    p.text(54, 168, "which one?", 12, "middle")
    p.line(100, 156, 126, 156, "strong", 1.5, arrow=True)
    for k, (name, fill) in enumerate((("L1", "grey"), ("L2", "grey"), ("DRAM", "grey"))):
        p.box(128 + 90 * k, 136, 66, 40, fill)
        p.text(161 + 90 * k, 160, name, 12, "middle")
        if k < 2:
            p.line(194 + 90 * k, 156, 216 + 90 * k, 156, "faint", 1.5, arrow=True)
    for k in range(8):
        p.box(8 + 48 * k, 194, 44, 22, "red")
        p.text(30 + 48 * k, 209, f"+{4 * k}", 12, "middle", mono=True)
    p.text(8, 234, "32 bytes of local memory for each thread:", 12)
    p.text(8, 251, "device memory, at the addresses +0 to +28", 12)
    p.save()


def occupancy_curve():
    rows = [dict(zip(("occupancy", "thin", "thick"), row)) for row in sorted(OCCUPANCY)]
    left, top, w, h = 42, 30, 344, 170

    def at(occupancy, share):
        return left + occupancy * w, top + h - share / 1.1 * h

    p = Picture("occupancy_curve", 262, "Occupancy matters for thin threads, hardly for thick ones",
                "; ".join(f"occupancy {row['occupancy']:.1%}: one float a thread {row['thin']}, four float4 {row['thick']}"
                          for row in rows))
    p.text(8, 18, "share of the copy ceiling", 12, bold=True)
    p.box(left, top, w, h, "paper")
    for share in (0, 0.25, 0.5, 0.75, 1):
        _, y = at(0, share)
        p.line(left, y, left + w, y, "grey")
        p.text(left - 6, y + 4, f"{share:g}", 12, "end")
    for row in rows:
        x, _ = at(row["occupancy"], 0)
        p.text(min(x, left + w - 12), top + h + 17, f"{row['occupancy'] * 100:g}", 12, "middle")
    for key, colour, words, dy in (("thick", "cool", "four float4 a thread: 64 bytes", -12),
                                   ("thin", "strong", "one float a thread: 4 bytes", 0)):
        points = [at(row["occupancy"], row[key]) for row in rows]
        p.path(points, colour, 2.5)
        for x, y in points:
            p.dot(x, y, colour, 4)
        if key == "thick":
            p.text(left + w / 2 + 20, top + 14 + 32, words, 12, "middle", colour)
        else:
            p.text(left + w - 8, top + h - 34, words, 12, "end", colour)
    p.text(left + w, top + h + 40, "occupancy, %", 12, "end", bold=True)
    p.save()


def butterfly():
    """Which lanes' values each lane has summed up after each step of a xor shuffle."""
    cell, left, row_h = 10.2, 66, 34
    p = Picture("butterfly", 286, "A sum over 32 lanes in five shuffles",
                "After the steps with distances 16, 8, 4, 2 and 1 each lane holds the sum of 2, 4, 8, 16 and 32 lanes. The "
                "partners of lane 5 are lanes 21, 13, 1, 7 and 4.")
    p.text(8, 18, "which of the 32 values lane 5 has added up", 12, bold=True)
    have = {5}
    y = 34
    distances = [None, 16, 8, 4, 2, 1]
    for step, distance in enumerate(distances):
        before = set(have)
        partner = None
        if distance:
            partner = 5 ^ distance
            have = before | {lane ^ distance for lane in before}
        p.text(8, y + 14, "start" if distance is None else f"xor {distance}", 12, mono=True)
        for lane in range(LANES):
            fill = "blue" if lane in before else ("orange" if lane in have else "paper")
            p.box(left + lane * cell, y, cell - 1, 18, fill, "faint", 0.6, 1)
        if partner is not None:
            x = left + (partner + 0.5) * cell - 0.5
            p.line(x, y - 11, x, y - 2, "strong", 1.5, arrow=True)
            p.text(x + 5, y - 4, f"from lane {partner}", 12, "start" if partner < 22 else "start", "strong")
        y += row_h + 4
    for lane in (0, 8, 16, 24, 31):
        p.text(left + (lane + 0.5) * cell, y - 6, lane, 12, "middle", "faint")
    p.text(8, y - 6, "lane", 12, fill="faint")
    p.box(8, y + 6, 12, 12, "blue")
    p.text(26, y + 16, "had it already", 12)
    p.box(140, y + 6, 12, 12, "orange")
    p.text(158, y + 16, "came with this step", 12)
    p.save()


def row_in_registers():
    cols, cell, left = 200, 10.2, 66
    p = Picture("row_in_registers", 214, "A row of 200 columns in the registers of one warp",
                "Lane l holds columns l, l + 32, l + 64 and so on, in registers mine[0] to mine[7]. Places past column 199 "
                "hold zero.")
    p.text(8, 18, "32 lanes side by side, 8 registers each: room for 256", 12, bold=True)
    y = 32
    for k in range(8):
        p.text(8, y + 12, f"mine[{k}]", 12, mono=True)
        for lane in range(LANES):
            c = lane + 32 * k
            p.box(left + lane * cell, y, cell - 1, 15, "blue" if c < cols else "grey", "faint", 0.6, 1)
        y += 18
    for lane in (0, 8, 16, 24, 31):
        p.text(left + (lane + 0.5) * cell, y + 12, lane, 12, "middle", "faint")
    p.text(8, y + 12, "lane", 12, fill="faint")
    p.text(8, y + 31, "Each line is one load: 32 neighbours, 4 sectors.", 12)
    p.save()


def not_in_step():
    p = Picture("not_in_step", 226, "Two halves of one warp, not in step",
                "Lanes 0 to 15 write and read before lanes 16 to 31 have written: lane 15 reads the slot of lane 16 too early.")
    p.text(8, 18, "one warp, one possible order", 12, bold=True)
    p.text(92, 42, "lanes 0 to 15", 12, "middle")
    p.text(300, 42, "lanes 16 to 31", 12, "middle")
    rows = [("slot[lane] = in[lane]", None, "blue"), ("out = slot[lane + 1]", None, "red"), (None, "slot[lane] = in[lane]", "blue"),
            (None, "out = slot[lane + 1]", "green")]
    for k, (first, second, fill) in enumerate(rows):
        y = 54 + 36 * k
        if first:
            p.box(8, y, 170, 26, fill)
            p.text(93, y + 17, first, 12, "middle", mono=True)
        if second:
            p.box(216, y, 170, 26, fill)
            p.text(301, y + 17, second, 12, "middle", mono=True)
    p.line(180, 104, 214, 132, "strong", 1.5, "4 3")
    p.text(196, 90, "lane 15 reads slot 16", 12, "start", "strong")
    p.text(196, 106, "before it is written", 12, "start", "strong")
    p.line(392, 54, 392, 192, "faint", 1.5, arrow=True)
    p.text(8, 214, "__syncwarp() between the two makes all 32 wait.", 12)
    p.save()


for draw in (in_turn_or_together, array_or_registers, occupancy_curve, butterfly, row_in_registers, not_in_step):
    draw()
