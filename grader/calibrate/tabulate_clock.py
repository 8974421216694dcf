#!/usr/bin/env python3
"""Writes the tables of timing/calibration.md from what the ladders print on the simulated GPU and the fixtures of the H200.

    for ladder in copy reduction stencil transpose walk held_out inside unseen; do
        LD_LIBRARY_PATH=build/default/bin/simgpu-dropin build/default/grader/simgpu/tests/ladders/$ladder > runs/$ladder.txt
    done
    grader/calibrate/tabulate_clock.py runs

The folder may also be that of the Clock tests, which run some classes. Everything between the two marks in calibration.md is
replaced.
"""
import csv
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent / "simgpu"
BEFORE = ROOT.parent / "calibrate/results/clock-2026-11-21.csv"
BEGIN, END = "<!-- tabulate_clock.py: begin -->", "<!-- tabulate_clock.py: end -->"
LADDERS = {
    "copy": "Copies",
    "reduction": "Reduction",
    "stencil": "Stencil and window sums",
    "transpose": "Transpose",
    "walk": "Walks, structs, strides",
    "held_out": "Kernels of other kinds",
    "inside": "Inside the SM (measured on kernels of the same description)",
    "unseen": "Unseen until 2026-11-22, looked at since (before: commit c06a84f)",
}


def read(*paths):
    """{(ladder, case): GB/s}"""
    found = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for row in csv.DictReader(line for line in file if not line.startswith("#")):
                found[row["ladder"], row["case"]] = float(row["gbytes_per_second"])
    return found


def read_unseen(column):
    """The same of the kernels that were measured once, and what the model said of them then."""
    with open(ROOT / "tests/fixtures/h200_unseen.csv", encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {("unseen", row["kernel"]): float(row[column]) for row in rows}


def blind():
    """The same of the blind set, [(kernel, card, model)]: nothing until both have run, each once."""
    def rates(name):
        path = ROOT / "tests/fixtures" / name
        if not path.exists():
            return {}
        with open(path, encoding="utf-8") as file:
            return {row["kernel"]: float(row["gbytes_per_second"]) for row in csv.DictReader(file)}

    card, model = rates("h200_blind.csv"), rates("model_blind.csv")
    return [(name, card[name], model[name]) for name in card if name in model]


def modelled(folder, ladder):
    """[(case, GB/s)], whatever was run."""
    found = {}
    for file in sorted(folder.glob(f"{ladder}_IsAsFarFromAnH200AsItSays*.txt")) + sorted(folder.glob(f"{ladder}.txt")):
        for line in file.read_text(encoding="utf-8").splitlines():
            if match := re.match(r"(.*?)\s+([\d.]+) GB/s", line):
                found[match.group(1)] = float(match.group(2))
    return list(found.items())


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    result = [0] * len(values)
    for rank, index in enumerate(order):
        result[index] = rank
    return result


def spearman(a, b):
    n = len(a)
    if n < 3:
        return float("nan")
    return 1 - 6 * sum((x - y) ** 2 for x, y in zip(ranks(a), ranks(b))) / (n * (n * n - 1))


def tables(folder):
    card = read(ROOT / "tests/fixtures/h200_dram_l2.csv", ROOT / "tests/fixtures/h200_inside.csv")
    card |= read_unseen("h200_gb_per_s")
    before = read(BEFORE) | read_unseen("model_c06a84f_gb_per_s")
    summary, details = [], []
    everything = []
    for ladder, title in LADDERS.items():
        cases = [(name, card[ladder, name], value) for name, value in modelled(folder, ladder)
                 if (ladder, name) in card]
        if not cases:
            continue
        everything += cases
        summary.append((title, cases))
        details += [f"### {title}", "", "| kernel | H200 GB/s | model GB/s | model / H200 | before |",
                    "|---|---:|---:|---:|---:|"]
        for name, real, model in cases:
            old = f"{before[ladder, name] / real:.2f}" if (ladder, name) in before else ""
            details.append(f"| {name} | {real:.1f} | {model:.1f} | {model / real:.2f} | {old} |")
        details.append("")
    if cases := blind():
        title = "Blind set, measured once and run once on the model that was frozen before"
        summary.append((title, cases))
        details += [f"### {title}", "", "| kernel | H200 GB/s | model GB/s | model / H200 |", "|---|---:|---:|---:|"]
        details += [f"| {name} | {real:.1f} | {model:.1f} | {model / real:.2f} |" for name, real, model in cases]
        details.append("")
    lines = ["| kernels | n | mean error | median | worst | above 35 % | rank correlation |", "|---|---:|---:|---:|---:|---:|---:|"]
    for title, cases in summary + [("all", everything)]:
        if not cases:
            continue
        errors = sorted(100 * abs(model / real - 1) for _, real, model in cases)
        lines.append(f"| {title} | {len(cases)} | {sum(errors) / len(errors):.1f} % | {errors[len(errors) // 2]:.1f} % | "
                     f"{errors[-1]:.0f} % | {sum(e > 35 for e in errors)} | "
                     f"{spearman([c[1] for c in cases], [c[2] for c in cases]):.3f} |")
    return "\n".join(lines + [""] + details)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    page = ROOT / "timing/calibration.md"
    text = page.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    page.write_text(f"{before}{BEGIN}\n\n{tables(pathlib.Path(sys.argv[1]))}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
