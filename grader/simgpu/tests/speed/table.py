#!/usr/bin/env python3
"""Warp instructions a second of each kernel of speed.cu, with counters alone and with checks, for one or more builds of the
drop-in libcudart, run in turns: on a busy machine only their ratio means something. See speed.cu."""

import json
import os
import re
import subprocess
import sys
import tempfile


def run(program, library, kernel, scale, checks, more):
    """[(kernel, warp instructions, seconds)]"""
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        env = dict(os.environ, LD_LIBRARY_PATH=library, SIMGPU_CHECKS=checks, SIMGPU_REPORT="json:" + report.name)
        done = subprocess.run([program, kernel, scale, *more], env=env, capture_output=True, text=True, timeout=600)
        times = re.findall(r"TIME (\S+) (\S+)", done.stderr)
        if not times:
            sys.exit(done.stdout + done.stderr)
        of_each = int(more[0]) if more else 1
        launches = json.load(open(report.name))["launches"][1::of_each]  # the first loads the module
    return [(name, launch["warp_instructions"], float(t)) for (name, t), launch in zip(times, launches)]


def main():
    arguments = sys.argv[1:] + ["all", "1", "1"][max(0, len(sys.argv) - 3):]
    program, libraries, kernel, scale, repeats = arguments[:5]
    more = arguments[5:7]
    best = {}
    for _ in range(int(repeats)):
        for library in libraries.split(","):
            for checks in "10":
                for name, count, seconds in run(program, library, kernel, scale, checks, more):
                    kept = best.setdefault(name, {}).setdefault((library, checks), (count, seconds))
                    best[name][library, checks] = (count, min(seconds, kept[1]))
    for name, results in best.items():
        line = f"{name:18}"
        for library in libraries.split(","):
            (count, checked), (_, plain) = results[library, "1"], results[library, "0"]
            line += (f" | {count / 1e6:7.2f} M  counters {count / plain / 1e6:6.1f} M/s"
                     f"  checks {count / checked / 1e6:6.1f} M/s (x{checked / plain:.2f})")
        print(line)


if __name__ == "__main__":
    main()
