#!/usr/bin/env python3
"""Records how wide the machine's loads and stores of each kernel are, from the text that `cuobjdump -sass` prints.

    nvcc -cubin -arch=sm_90 -O3 -std=c++17 -o joins.cubin grader/simgpu/lower/tests/kernels/joins.cu
    cuobjdump -sass joins.cubin | grader/calibrate/record_widths.py

One line a kernel, as in the comments of that file: "name: shared load 4x128 16x32; ...". The simulator reads no machine code:
this is for people who check, on a machine that has the tool, that lower/joins.cpp still does what ptxas does.
"""
import re
import sys
from collections import Counter

SPACES = {"LDG": "global load", "STG": "global store", "LDS": "shared load", "STS": "shared store",
          "LDL": "local load", "STL": "local store", "LD": "generic load", "ST": "generic store",
          "LDC": "constant load"}
FUNCTION = re.compile(r"Function\s*:\s*(\S+)")
INSTRUCTION = re.compile(r"/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+\s+)?([A-Z0-9]+)((?:\.\w+)*)\s+(.*);")


def bits(modifiers):
    for word in modifiers.split("."):
        if word in ("64", "128"):
            return int(word)
        if word in ("U8", "S8"):
            return 8
        if word in ("U16", "S16"):
            return 16
    return 32


def widths(lines):
    """Yields (function, Counter of (what, bits))."""
    name, counts = None, Counter()
    for line in lines:
        if found := FUNCTION.search(line):
            if name:
                yield name, counts
            name, counts = found.group(1), Counter()
        elif found := INSTRUCTION.search(line):
            opcode, modifiers, operands = found.groups()
            # What ptxas reads of kernel parameters and launch constants is in bank 0.
            if opcode in SPACES and not (opcode == "LDC" and "c[0x0]" in operands):
                counts[SPACES[opcode], bits(modifiers)] += 1
    if name:
        yield name, counts


def text(counts):
    parts = {}
    for (what, width), number in sorted(counts.items(), key=lambda item: (item[0][0], -item[0][1])):
        parts.setdefault(what, []).append(f"{number}x{width}")
    return "; ".join(f"{what} {' '.join(numbers)}" for what, numbers in parts.items())


def main():
    for name, counts in widths(sys.stdin):
        print(f"{name}: {text(counts)}")


if __name__ == "__main__":
    main()
