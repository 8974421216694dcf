#!/usr/bin/env python3
"""Draws the figures of lesson 5. Time lines are computed here from the rule that the lesson states: an engine does one thing at
a time, and a chunk's steps come one after the other. Measured values are those of ../measured.json and of
the recorded run in results/. Run it in this folder: python3 draw.py
"""
import json
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
os.chdir(here)
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(here, "..", "..", "figures"))
from picture import Picture  # noqa: E402

# Chunks of MB, ms of up, kernel and down; then both copies at once: table "pipeline" of the recorded run.
PIPELINE = [(1, 7.01), (2, 6.20), (4, 5.79), (8, 5.69), (16, 5.74), (32, 5.99), (64, 6.49)]
BOTH_AT_ONCE = 5.34
# ms for 256 MB: cudaHostAlloc, register, unregister, uploads from ordinary and from page-locked memory: table "pinning".
ALLOCATE, REGISTER, LET_GO, ORDINARY, LOCKED = 110.0, 15.7, 4.3, 33.0, 4.88


def times(path, table):
    """ms by version, from a file of measured tables; nothing if this folder was copied elsewhere."""
    if not os.path.exists(path):
        return None
    rows = json.load(open(path, encoding="utf-8"))["tables"][table]["rows"]
    return [round(1e3 * row["time"], 2) for row in rows if "mapped" not in str(row)]


recorded = times("../../../results/nvidia-h200-2026-11/standalone_kernels.json", "pipeline")
assert recorded is None or recorded[1:] == [ms for _, ms in PIPELINE] + [BOTH_AT_ONCE], recorded
recorded = times("../measured.json", "pinning")
assert recorded is None or recorded == [ALLOCATE, REGISTER, LET_GO, ORDINARY, LOCKED], recorded

ENGINES = ("up", "work", "down")
FILLS = ("blue", "orange", "green", "grey")


def way():
    p = Picture("way", 236, "The way up from ordinary memory, and from page-locked memory",
                "From ordinary memory the CPU copies each piece to a page-locked buffer of the driver, and the copy engine takes "
                "it from there. From page-locked memory the copy engine takes it directly.")
    for k, (title, staged) in enumerate((("from ordinary memory", True), ("from page-locked memory", False))):
        y = 8 + 112 * k
        p.text(8, y + 12, title, 12, bold=True)
        p.box(8, y + 22, 96, 52, "grey" if staged else "green")
        p.text(56, y + 45, "your array", 12, "middle")
        p.text(56, y + 61, "may move" if staged else "stays put", 12, "middle")
        if staged:
            p.box(178, y + 30, 76, 36, "green")
            p.text(216, y + 45, "driver's", 12, "middle")
            p.text(216, y + 60, "buffer", 12, "middle")
            p.line(104, y + 48, 176, y + 48, "strong", 2, arrow=True)
            p.text(140, y + 40, "CPU", 12, "middle", "strong", bold=True)
            p.line(254, y + 48, 310, y + 48, "cool", 2, arrow=True)
            p.text(282, y + 40, "engine", 12, "middle", "cool")
        else:
            p.line(104, y + 48, 310, y + 48, "cool", 2, arrow=True)
            p.text(207, y + 40, "copy engine", 12, "middle", "cool", bold=True)
        p.box(312, y + 22, 80, 52, "blue")
        p.text(352, y + 45, "GPU", 12, "middle")
        p.text(352, y + 61, "memory", 12, "middle")
        p.text(8, y + 94, "each byte is moved twice, once by a CPU core" if staged else "each byte is moved once, and no core is busy", 12,
               fill="strong" if staged else "cool")
    p.save()


def schedule(chunks, order):
    """Start of each step. `order` says when a step may begin: 'serial' one thing at a time, 'free' an engine each."""
    step, starts = 1.0 / chunks, {}
    free = {engine: 0.0 for engine in ENGINES}
    last = 0.0
    for c in range(chunks):
        ready = 0.0
        for engine in ENGINES:
            begin = max(free[engine], ready, last if order == "serial" else 0.0)
            starts[engine, c] = begin
            ready = free[engine] = last = begin + step
    return starts, max(starts.values()) + step


def time_line(name, title, chunks, order, words):
    starts, end = schedule(chunks, order)
    p = Picture(name, 168, f"{title}: done after {end:g} T", f"{title}. Three engines: up, work, down. All is done after {end:g} T. {words}")
    p.text(8, 18, title, 12, bold=True)
    left, unit = 52, 108
    for e, engine in enumerate(ENGINES):
        y = 30 + 30 * e
        p.text(8, y + 16, engine, 12)
        p.line(left, y + 24, left + 3 * unit + 8, y + 24, "faint", 0.6)
        for c in range(chunks):
            w = unit / chunks
            p.box(left + starts[engine, c] * unit, y, w - 1, 22, FILLS[c % len(FILLS)], "faint", 0.8, 1)
            if w >= 12:
                p.text(left + starts[engine, c] * unit + w / 2, y + 16, c + 1, 12, "middle")
    for t in range(4):
        p.line(left + t * unit, 120, left + t * unit, 126, "ink", 1)
        p.text(left + t * unit, 139, f"{t} T" if t else "0", 12, "middle")
    p.line(left + end * unit, 28, left + end * unit, 126, "strong", 2)
    p.text(8, 160, f"done after {end:g} T. {words}", 12, fill="strong")
    p.save()


def time_lines():
    time_line("overlap_1", "One after the other", 1, "serial", "Two engines always wait.")
    time_line("overlap_2", "Four chunks, all on one stream", 4, "serial", "Chunks alone gain nothing.")
    time_line("overlap_3", "Four chunks, a stream for each in turn", 4, "free", "Chunk 2 goes up while 1 works.")
    time_line("overlap_4", "Sixteen chunks", 16, "free", "Only the ends are alone.")


def race():
    """C's listing: two streams and nothing between them, in two orders; then with events."""
    for number, title, rows, words, fine in (
            (1, "Lucky: up ends before the kernel begins", ((("up", 0.0, 1.0), ("down", 2.0, 1.0)), (("kernel", 1.0, 1.0),)),
             "right by luck: the kernel found the new values", True),
            (2, "Unlucky: all begin at once", ((("up", 0.0, 1.0), ("down", 1.0, 1.0)), (("kernel", 0.2, 1.0),)),
             "wrong: the kernel reads what is still on its way", False),
            (3, "Two events: each waits for what it needs", ((("up", 0.0, 1.0), ("down", 2.1, 0.85)), (("kernel", 1.05, 1.0),)),
             "right: the order is in the program", True)):
        p = Picture(f"race_{number}", 142, title, f"{title}. Stream 1 copies up and down, stream 2 runs the kernel; {words}.")
        p.text(8, 18, title, 12, bold=True)
        left, unit = 70, 106
        for r, row in enumerate(rows):
            y = 34 + 44 * r
            p.text(8, y + 17, f"stream {r + 1}", 12)
            p.line(left, y + 27, 394, y + 27, "faint", 0.6)
            for what, begin, length in row:
                p.box(left + begin * unit, y, length * unit - 2, 24, {"up": "blue", "down": "green", "kernel": "orange"}[what])
                p.text(left + (begin + length / 2) * unit, y + 17, what, 12, "middle")
        if number == 3:
            p.line(left + unit, 60, left + 1.06 * unit, 78, "cool", 2, arrow=True)
            p.line(left + 2.04 * unit, 77, left + 2.1 * unit, 60, "cool", 2, arrow=True)
        p.text(8, 134, words, 12, fill="cool" if fine else "strong")
        p.save()


def pays():
    """How much time has gone by after k uploads of 256 MB: ordinary, registered, allocated page-locked."""
    ways = (("ordinary", 0.0, ORDINARY, "strong"), ("registered, then let go", REGISTER + LET_GO, LOCKED, "cool"),
            ("cudaHostAlloc", ALLOCATE, LOCKED, "ink"))
    p = Picture("pays", 244, "Time after 1 to 8 uploads of 256 MB",
                "; ".join(f"{name}: {first:.1f} ms once, {each:.1f} ms an upload" for name, first, each, _ in ways))
    left, bottom, w, h, most = 48, 196, 300, 166, 270.0
    p.text(8, 18, "ms gone by", 12, bold=True)
    for ms in (0, 100, 200):
        y = bottom - h * ms / most
        p.line(left, y, left + w, y, "faint", 0.6)
        p.text(left - 6, y + 4, ms, 12, "end")
    for k in range(9):
        p.text(left + w * k / 8, bottom + 16, k, 12, "middle")
    p.text(left + w, bottom + 34, "uploads of 256 MB", 12, "end")
    for name, first, each, colour in ways:
        p.path([(left + w * k / 8, bottom - h * (first + k * each) / most) for k in (0, 8)], colour, 2.5,
               "6 4" if colour == "ink" else "")
    p.text(222, 56, "ordinary", 12, "end", "strong", bold=True)
    p.text(100, 106, "cudaHostAlloc", 12, "start", "ink", bold=True)
    p.text(200, 182, "registered", 12, "start", "cool", bold=True)
    p.save()


def chunk_sizes():
    rows, floor = [(f"{mb} MB", ms) for mb, ms in PIPELINE], BOTH_AT_ONCE
    p = Picture("chunk_sizes", 40 + 26 * len(rows) + 28, "Time of the pipeline by chunk size",
                "; ".join(f"{name}: {t:.2f} ms" for name, t in rows))
    p.text(8, 18, "chunk", 12, bold=True)
    p.text(392, 18, "up, kernel and down, ms", 12, "end", bold=True)
    scale = 270 / max(t for _, t in rows)
    for k, (name, t) in enumerate(rows):
        y = 30 + 26 * k
        p.text(56, y + 14, name, 12, "end")
        p.box(64, y, t * scale, 19, "blue" if t <= 1.15 * floor else "orange")
        p.text(64 + t * scale + 6, y + 14, f"{t:.2f}", 12)
    y = 30 + 26 * len(rows)
    p.line(64 + floor * scale, 26, 64 + floor * scale, y, "strong", 2, dash="4 3")
    p.text(64 + floor * scale, y + 16, f"both copies at once: {floor:.2f}", 12, "end", "strong")
    p.save()


def pages():
    """Managed memory: who touches first, faults, prefetch."""
    for number, title, host, device, words, colour in (
            (1, "Just allocated: pages are nowhere yet", "........", "........", "cudaMallocManaged gives addresses, no memory", "faint"),
            (2, "The host has filled it: all pages at the host", "HHHHHHHH", "........", "first touch decides where a page begins its life", "cool"),
            (3, "A kernel touches: pages come one batch at a time", "...HHHHH", "DDD.....", "each batch stops the threads that wait for it", "strong"),
            (4, "Prefetched: all pages come before the kernel", "........", "DDDDDDDD", "nobody waits for a page", "cool")):
        p = Picture(f"pages_{number}", 148, title, f"{title}: {words}.")
        p.text(8, 18, title, 12, bold=True)
        for r, (name, row) in enumerate((("host", host), ("GPU", device))):
            y = 32 + 46 * r
            p.text(8, y + 18, name, 12)
            for k, page in enumerate(row):
                p.box(56 + 42 * k, y, 38, 28, {"H": "green", "D": "blue", ".": "paper"}[page])
                if page != ".":
                    p.text(75 + 42 * k, y + 18, k, 12, "middle")
        if number in (3, 4):
            for k in range(8):
                if device[k] == "D":
                    p.line(75 + 42 * k, 60, 75 + 42 * k, 76, colour, 2, arrow=True)
        p.text(8, 140, words, 12, fill=colour)
        p.save()


def sparse():
    p = Picture("sparse", 208, "A few entries of a large table: copy it all, or read where it lies",
                "Copying moves the whole table. Reading mapped memory moves one sector of 32 bytes for each float that is wanted.")
    wanted = (5, 19, 30, 42)
    for k, (title, words, colour) in enumerate((("copy all, then read", "48 sectors cross the link", "strong"),
                                                ("zero copy", f"{len(wanted)} sectors cross the link", "cool"))):
        y = 8 + 98 * k
        p.text(8, y + 12, title, 12, bold=True)
        for s in range(48):
            moved = k == 0 or s in wanted
            p.box(8 + 8 * s, y + 22, 7, 30, "red" if moved else "paper", "faint", 0.6, 1)
            if s in wanted:
                p.box(8 + 8 * s, y + 22, 7, 30 / 8, "blue", "faint", 0.4, 0)
        p.text(8, y + 72, words, 12, fill=colour)
    p.box(200, 190, 12, 12, "blue")
    p.text(218, 200, "wanted", 12)
    p.box(280, 190, 12, 12, "red")
    p.text(298, 200, "only moved", 12)
    p.save()


for draw in (way, time_lines, race, pays, chunk_sizes, pages, sparse):
    draw()
