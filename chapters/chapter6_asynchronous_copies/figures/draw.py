#!/usr/bin/env python3
"""Draws the figures of lesson 6. Measured values are those of ../measured.json. Run it in this folder: python3 draw.py"""
import json
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
os.chdir(here)
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(here, "..", "..", "figures"))
from picture import Picture  # noqa: E402

# Share of the best plain copy: rows of table "bulk_shapes" of ../measured.json.
SHARES = [("8 KB", 0.498), ("16 KB", 0.686), ("32 KB", 0.827), ("64 KB", 0.912), ("4 x 16 KB", 0.910),
          ("many blocks", 0.978)]
if os.path.exists("../measured.json"):
    rows = json.load(open("../measured.json", encoding="utf-8"))["tables"]["bulk_shapes"]["rows"]
    assert all(share in [row["share"] for row in rows] for _, share in SHARES), "not what measured.json says"


def ways():
    p = Picture("ways", 236, "Three ways from memory to shared memory",
                "A plain load and store goes through registers. cp.async goes past them, 16 bytes a lane. A bulk copy is one "
                "instruction of one thread; the copy engine does the rest.")
    for k, (name, words, through) in enumerate((("load, then store", "all lanes work, and registers hold it", "registers"),
                                                ("cp.async", "all lanes ask, nobody holds it", None),
                                                ("bulk copy", "one thread asks", "copy engine"))):
        y = 12 + 76 * k
        p.text(8, y + 8, name, 12, bold=True)
        p.text(392, y + 8, words, 12, "end", "faint")
        p.box(8, y + 18, 84, 30, "grey")
        p.text(50, y + 38, "memory", 12, "middle")
        p.box(296, y + 18, 96, 30, "green")
        p.text(344, y + 38, "shared", 12, "middle")
        if through:
            p.line(92, y + 33, 144, y + 33, "ink", 2, arrow=True)
            p.box(146, y + 18, 100, 30, "orange" if k == 0 else "blue")
            p.text(196, y + 38, through, 12, "middle")
            p.line(246, y + 33, 294, y + 33, "ink", 2, arrow=True)
        else:
            p.line(92, y + 33, 294, y + 33, "ink", 2, arrow=True)
    p.save()


def phases():
    """The four steps of a turn, and the next turn's first: what the barrier of one buffer holds."""
    steps = (("issue", "arrive.expect_tx 4096, then the copy", 0, 0, 4096, "empty", "thread 0 has arrived: none is missing"),
             ("bytes come", "the copy engine counts them off", 0, 0, 1024, "part", "the buffer is not to be read yet"),
             ("arrived: the phase flips", "arrivals 0 and bytes 0: complete", 1, 1, 0, "full", "all by itself: phase 1 begins"),
             ("wait(parity 0) returns", "phase 0 lies behind us", 1, 1, 0, "full", "now read the buffer"),
             ("the next turn", "the same barrier, and now wait(parity 1)", 1, 0, 4096, "empty",
              "wait(parity 0) would return at once"))
    for k, (title, words, phase, arrivals, missing, state, remark) in enumerate(steps, 1):
        p = Picture(f"phase_{k}", 178, f"{k}. {title}",
                    f"{words}. The barrier is in phase {phase}, {arrivals} arrivals and {missing} bytes are missing. {remark}.")
        p.text(8, 18, f"{k}. {title}", 13, bold=True)
        p.text(8, 36, words, 12, fill="faint")
        p.text(8, 64, "mbarrier", 12, bold=True)
        for i, (name, value, fill) in enumerate((("phase parity", phase, "orange" if phase else "blue"),
                                                 ("arrivals missing", arrivals, "grey"), ("bytes missing", missing, "grey"))):
            x = 8 + 130 * i
            p.box(x, 72, 122, 40, fill)
            p.text(x + 61, 88, name, 12, "middle")
            p.text(x + 61, 105, f"{value:,}", 13, "middle", bold=True)
        p.text(8, 140, "buffer", 12, bold=True)
        p.box(64, 126, 328, 22, "paper")
        filled = {"empty": 0, "part": 0.75, "full": 1}[state]
        if filled:
            p.box(64, 126, 328 * filled, 22, "green")
        p.text(8, 170, remark, 12, fill="strong" if state != "full" else "cool")
        p.save()


def timelines():
    p = Picture("timelines", 252, "One buffer waits, two buffers overlap, many blocks overlap too",
                "With one buffer memory is idle while a tile is used. With two, the next tile comes meanwhile. With several blocks "
                "on an SM, one block's tile comes while another block works.")
    unit = 46

    def row(y, name, parts):
        p.text(8, y + 14, name, 12)
        for start, length, fill in parts:
            p.box(84 + start * unit, y, length * unit - 2, 18, fill)

    p.text(8, 18, "one block, one buffer", 12, bold=True)
    row(26, "buffer", [(0, 2, "blue"), (2, 1, "green"), (3, 2, "blue"), (5, 1, "green")])
    p.text(8, 72, "one block, a ring of two", 12, bold=True)
    row(80, "buffer 0", [(0, 2, "blue"), (2, 1, "green"), (3, 2, "blue"), (5, 1, "green")])
    row(102, "buffer 1", [(0, 2, "blue"), (3, 1, "green"), (4, 2, "blue")])
    p.text(8, 148, "three blocks, one buffer each", 12, bold=True)
    for b in range(3):
        parts = [(0, 2, "blue"), (2 + 0.5 * b, 1, "green"), (3 + 0.5 * b, 2, "blue")]
        if b < 2:
            parts.append((5 + 0.5 * b, 0.98 if b == 0 else 0.5, "green"))
        row(156 + 22 * b, f"block {b}", parts)
    for x, fill, words in ((8, "blue", "a tile is under way"), (170, "green", "it is used")):
        p.box(x, 232, 12, 12, fill)
        p.text(x + 18, 242, words, 12)
    p.save()


def shares():
    p = Picture("shares", 34 + 26 * len(SHARES) + 22, "Bulk copies: what is in flight on an SM decides",
                "; ".join(f"{name}: {share:.3f} of the best plain copy" for name, share in SHARES))
    p.text(8, 18, "one block an SM, with", 12, bold=True)
    p.text(392, 18, "share of a plain copy", 12, "end", bold=True)
    for k, (name, share) in enumerate(SHARES):
        y = 30 + 26 * k
        p.text(94, y + 14, name, 12, "end")
        p.box(102, y, 240 * share, 19, "green" if k == len(SHARES) - 1 else "blue")
        p.text(108 + 240 * share, y + 14, f"{share:.3f}", 12)
    p.text(8, 30 + 26 * len(SHARES) + 16, "Many blocks: each has one tile of 4 KB.", 12, fill="faint")
    p.save()


def swizzle():
    for number, title, swizzled in ((1, "no swizzle: chunk c of each row at place c", False),
                                    (2, "128-byte swizzle: chunk c at place c XOR (row mod 8)", True)):
        places = [2 ^ (r % 8) if swizzled else 2 for r in range(32)]
        ways_ = max(places.count(k) for k in range(8))
        assert ways_ == (4 if swizzled else 32)
        p = Picture(f"swizzle_{number}", 300, f"{title}: {ways_} wavefronts",
                    f"32 lanes read the same word of chunk 2, each in its own row of 128 bytes. The most that meet in one bank are {ways_}.")
        p.text(8, 18, title, 12, bold=True)
        p.text(8, 36, "lane r wants a word of chunk 2 of row r", 12, fill="faint")
        for r in range(32):
            y = 46 + 7 * r
            for c in range(8):
                p.box(64 + 34 * c, y, 33, 6.2, "orange" if c == places[r] else "grey", "faint", 0.4, 1)
            if r % 8 == 0:
                p.text(8, y + 9, f"row {r}", 12)
        p.text(64, 290, f"{ways_} lanes in one bank: {ways_} wavefronts", 12, fill="cool" if swizzled else "strong")
        p.save()


def boxes():
    p = Picture("boxes", 226, "An image of 150 x 70, in boxes of 64 x 32",
                "Three boxes across and three down. What sticks out of the image is filled with zeros, and the padding behind each "
                "row is never read.")
    s = 1.8
    for by in range(3):
        for bx in range(3):
            p.box(12 + bx * 64 * s, 30 + by * 32 * s, 64 * s, 32 * s, "paper", "faint", 1, 0)
    p.box(12, 30, 150 * s, 70 * s, "blue", "ink", 1.5, 0)
    for b in range(1, 3):
        p.line(12 + b * 64 * s, 30, 12 + b * 64 * s, 30 + 96 * s, "faint", 1, dash="4 3")
        p.line(12, 30 + b * 32 * s, 12 + 192 * s, 30 + b * 32 * s, "faint", 1, dash="4 3")
    p.text(8, 18, "nine boxes over an image of 150 x 70", 12, bold=True)
    p.text(12 + 64 * s, 30 + 48 * s, "the image", 12, "middle")
    p.text(12 + 171 * s, 30 + 20 * s, "zeros", 12, "middle", "faint")
    p.text(12 + 96 * s, 30 + 87 * s, "zeros", 12, "middle", "faint")
    p.text(8, 222, "The kernel has no bounds test.", 12, fill="faint")
    p.save()


def merged():
    p = Picture("merged", 220, "Four SMs want the same lines: L2 answers nearly once either way",
                "Without multicast four requests go out, and the chip merges simultaneous ones. With multicast each block asks for a "
                "quarter, which goes to all four.")
    for k, (title, words) in enumerate((("each asks for all", "168 MB read from L2"), ("multicast, a quarter each", "132 MB read from L2"))):
        x = 8 + 198 * k
        p.text(x, 18, title, 12, bold=True)
        p.box(x, 30, 186, 30, "orange")
        p.text(x + 93, 50, "L2", 12, "middle")
        p.box(x + 30, 88, 126, 28, "green")
        p.text(x + 93, 106, "merged" if k == 0 else "sent to all", 12, "middle")
        p.line(x + 93, 60, x + 93, 86, "ink", 2, arrow=True)
        for i in range(4):
            at = x + 20 + 48 * i
            p.line(x + 93, 116, at, 146, "faint", 1.5, arrow=True)
            p.box(at - 19, 148, 40, 26, "blue")
            p.text(at + 1, 165, f"SM {i}", 12, "middle")
        p.text(x, 196, words, 12, fill="cool")
    p.text(8, 215, "528 MB delivered, a table of 4 MB.", 12, fill="faint")
    p.save()


def ring():
    """A producer and workers over a ring of two: who waits where, and in which phase each barrier is."""
    on_its_way, here = "blue", "green"
    steps = (
        ("round 0: nobody has used anything yet", "asks for tiles 0 and 1; waits at empty[0], parity 0",
         (("tile 0 is on its way", on_its_way, 0, 0), ("tile 1 is on its way", on_its_way, 0, 0)),
         "wait at full[0], parity 0"),
        ("tile 0 has come: full[0] flips", "still waits at empty[0], parity 0",
         (("tile 0 is here", here, 1, 0), ("tile 1 is on its way", on_its_way, 0, 0)), "use tile 0"),
        ("tile 0 has been used: empty[0] flips", "asks for tile 2; waits at empty[1], parity 0",
         (("tile 2 is on its way", on_its_way, 1, 1), ("tile 1 is here", here, 1, 0)), "use tile 1"),
        ("tile 1 has been used: empty[1] flips", "asks for tile 3; waits at empty[0], parity 1",
         (("tile 2 is on its way", on_its_way, 1, 1), ("tile 3 is on its way", on_its_way, 1, 1)),
         "wait at full[0], parity 1"))
    for k, (title, producer, buffers, workers) in enumerate(steps, 1):
        p = Picture(f"ring_{k}", 196, f"{k}. {title}",
                    f"The producer {producer}. " + " ".join(
                        f"Buffer {b}: {words}, full is in phase {full}, empty in phase {empty}."
                        for b, (words, _, full, empty) in enumerate(buffers)) + f" The workers {workers}.")
        p.text(8, 18, f"{k}. {title}", 13, bold=True)
        for y, name, words in ((42, "producer", producer), (186, "workers", workers)):
            p.text(8, y, name, 12, bold=True)
            p.text(76, y, words, 12, fill="strong" if "wait" in words else "cool")
        for b, (words, fill, full, empty) in enumerate(buffers):
            x = 8 + 196 * b
            p.text(x, 68, f"buffer {b}", 12, bold=True)
            p.box(x, 76, 188, 32, fill)
            p.text(x + 94, 97, words, 12, "middle")
            for i, (barrier, phase) in enumerate((("full", full), ("empty", empty))):
                p.box(x + 96 * i, 116, 92, 42, "orange" if phase else "grey")
                p.text(x + 96 * i + 46, 133, f"{barrier}[{b}]", 12, "middle", mono=True)
                p.text(x + 96 * i + 46, 150, f"phase {phase}", 12, "middle", bold=True)
        p.save()


for draw in (ways, phases, ring, timelines, shares, swizzle, boxes, merged):
    draw()
