#!/usr/bin/env python3
"""Draws the figures of lesson 4. Passes, mixes and edges are computed here from the rules that the lesson states; measured
values are those of ../measured.json. Run it in this folder: python3 draw.py
"""
import json
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
os.chdir(here)
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(here, "..", "..", "figures"))
from picture import Picture  # noqa: E402

LANES, WORDS = 32, 64  # a table of 256 bytes has 64 words
# Shares of a copy, four loads by hand and four fetches a thread: table "resize_ratios" of ../measured.json.
RESIZE = [("twice as large", 0.319, 0.567), ("same size", 0.470, 0.771), ("halved", 0.951, 0.895)]
if os.path.exists("../measured.json"):
    rows = json.load(open("../measured.json", encoding="utf-8"))["tables"]["resize_ratios"]["rows"]
    assert [(r[1], r[2]) for r in RESIZE] == [(rows[0][k], rows[-1][k]) for k in ("double", "same", "half")]


def random_words():
    """The words that 32 lanes ask for, with pixels drawn as the listing draws them."""
    state, words = 1, []
    for _ in range(LANES):
        state = (state * 1664525 + 1013904223) % 2**32
        words.append((state >> 24) // 4)
    return words


def passes():
    for number, title, words in ((1, "All lanes ask for one word", [19] * LANES),
                                 (2, "Each lane asks for the tone of its own pixel", random_words())):
        count = len(set(words))
        said = "1 pass" if count == 1 else f"{count} passes, one after the other"
        p = Picture(f"passes_{number}", 178, f"{title}: {said}",
                    f"32 lanes above, the 64 words of a table of 256 bytes below. They ask for {count} different words: {said}.")
        p.text(8, 18, title, 12, bold=True)
        p.text(8, 38, "lanes 0 to 31", 12, fill="faint")
        for lane in range(LANES):
            p.box(8 + 12 * lane, 44, 11, 14, "blue", "faint", 0.6, 1)
            p.line(13.5 + 12 * lane, 60, 8 + 6 * words[lane] + 2.5, 104, "faint", 0.7)
        for word in range(WORDS):
            p.box(8 + 6 * word, 106, 5.2, 20, "orange" if word in words else "paper", "faint", 0.5, 1)
        p.text(8, 144, "the table's 64 words", 12, fill="faint")
        p.text(8, 168, said, 12, fill="cool" if count == 1 else "strong", bold=True)
        p.save()


def centres():
    """Where a texture's texels are, and what a fetch at x mixes."""
    texels = (10, 20, 30, 40)
    for number, x, title in ((1, 1.5, "x = 1.5, the centre of texel 1"), (2, 1.0, "x = 1.0, the edge of texel 1"),
                             (3, 2.25, "x = 2.25")):
        at = x - 0.5
        left, a = int(at), at - int(at)
        mix = texels[left] if a == 0 else (1 - a) * texels[left] + a * texels[left + 1]
        words = (f"all of texel {left}: {mix:g}" if a == 0 else
                 f"{1 - a:g} of texel {left}, {a:g} of texel {left + 1}: {mix:g}")
        p = Picture(f"centres_{number}", 150, f"A fetch at {title}", f"Four texels of 10, 20, 30 and 40. The fetch gives {words}.")
        p.text(8, 18, title, 12, bold=True)
        for k, value in enumerate(texels):
            mixed = k == left or (k == left + 1 and a > 0)
            p.box(40 + 80 * k, 34, 80, 44, "blue" if mixed else "paper", "faint", 1, 0)
            p.text(80 + 80 * k, 54, value, 12, "middle", bold=True)
            p.dot(80 + 80 * k, 66, "ink", 2.5)
        for k in range(5):
            p.text(40 + 80 * k - (10 if k == x else 0), 94, k, 12, "middle", fill="faint")  # beside the arrow
        p.line(40 + 80 * x, 118, 40 + 80 * x, 70, "strong", 2, arrow=True)
        p.text(8, 140, words, 12, fill="strong" if number == 2 else "cool", bold=True)
        p.save()


def edges():
    rules = (("clamp", lambda i: min(max(i, 0), 3)), ("border", lambda i: i if 0 <= i < 4 else None),
             ("wrap", lambda i: i % 4), ("mirror", lambda i: i % 4 if i // 4 % 2 == 0 else 3 - i % 4))
    p = Picture("edges", 212, "Beyond the edge: four address modes", "; ".join(
        f"{name}: {' '.join('0' if rule(i) is None else str(10 * rule(i) + 10) for i in range(-4, 8))}" for name, rule in rules))
    p.text(8, 18, "A row of four texels, and what lies beside it", 12, bold=True)
    for r, (name, rule) in enumerate(rules):
        y = 34 + 42 * r
        p.text(8, y + 19, name, 12)
        for k, i in enumerate(range(-4, 8)):
            inside = 0 <= i < 4
            p.box(60 + 28 * k, y, 27, 28, "blue" if inside else ("grey" if rule(i) is None else "orange"), "faint", 0.8, 1)
            p.text(73.5 + 28 * k, y + 19, 0 if rule(i) is None else 10 * rule(i) + 10, 12, "middle")
    p.text(8, 206, "Blue is the image.", 12, fill="faint")
    p.save()


def four_taps():
    a, b = 0.25, 0.5
    p = Picture("four_taps", 210, "One fetch mixes four texels",
                "A point a quarter of the way to the right and half of the way down takes 3/8, 1/8, 3/8 and 1/8 of its four texels.")
    p.text(8, 18, "One fetch, four texels", 12, bold=True)
    left, top, side = 24, 34, 76
    for r in range(2):
        for c in range(2):
            weight = (a if c else 1 - a) * (b if r else 1 - b)
            p.box(left + side * c, top + side * r, side, side, "blue" if weight > 0.2 else "grey", "faint", 1, 0)
            p.dot(left + side * (c + 0.5), top + side * (r + 0.5), "ink", 2.5)
            p.text(left + side * (c + 0.5), top + side * (r + 0.5) + (-12 if r == 0 else 22), f"{weight * 8:g}/8", 12, "middle", bold=True)
    p.dot(left + side * (0.5 + a), top + side * (0.5 + b), "strong", 5)
    for k, words in enumerate(("by hand:", "  4 loads", "  a look at the edges", "  the mix", "by the texture unit:", "  1 fetch")):
        p.text(192, 54 + 22 * k, words.strip(), 12, bold=words[0] != " ")
    p.save()


def resize_bars():
    p = Picture("resize", 214, "Bilinear resize, by hand and by the texture unit",
                "; ".join(f"{name}: by hand {hand:.3f}, four fetches a thread {unit:.3f} of a copy" for name, hand, unit in RESIZE))
    p.text(8, 18, "share of a copy's speed", 12, bold=True)
    for k, (name, hand, unit) in enumerate(RESIZE):
        y = 32 + 50 * k
        p.text(8, y + 22, name, 12)
        for j, (value, fill) in enumerate(((hand, "orange"), (unit, "blue"))):
            p.box(104, y + 19 * j, 240 * value, 17, fill)
            p.text(110 + 240 * value, y + 13 + 19 * j, f"{value:.3f}", 12)
    for k, (fill, words) in enumerate((("orange", "four loads by hand"), ("blue", "four fetches a thread"))):
        p.box(8 + 180 * k, 190, 12, 12, fill)
        p.text(26 + 180 * k, 200, words, 12)
    p.save()


for draw in (passes, centres, edges, four_taps, resize_bars):
    draw()
