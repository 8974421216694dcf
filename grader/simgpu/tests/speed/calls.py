#!/usr/bin/env python3
"""What calls cost beside the simulation, with the device in a process of its own: start-up, a launch, launch and synchronise, a round trip
through the rings. Prints a table; the kernel that is launched has one thread.

usage: calls.py BUILD [TIMES]

BUILD is a build folder, of the course or of the simulated GPU alone. It may have been carried from another machine: needed are Python, a
C library that is not older, and of the folder no more than

    door               grader/simgpu/process/tests/door             (target simgpu_process_test)
    simgpu_link_test   grader/simgpu/link/simgpu_link_test          (target simgpu_link_test)
    simgpu-dropin/     bin/simgpu-dropin                            (targets simcudart_dropin, simgpu_device_process)

found anywhere below it. No compiler, no nvcc and no GPU. Each program runs TIMES times (5), in turns; of each figure the table shows the least and the
middle one of those runs. On a machine that does something else at the same time the 99 % say how long others had the core."""

import os
import pathlib
import re
import statistics
import subprocess
import sys

KINDS = {"figures": "device memory", "figures_pinned": "and pinned memory beside", "figures_mapped": "mapped memory",
         "figures_managed": "managed memory"}
FIGURES = {"start-up": r"start-up: (\S+) ms", "launch": r"a launch returns: median (\S+) us, 99 % (\S+) us",
           "both": r"launch and synchronise: median (\S+) us, 99 % (\S+) us",
           "wait": r"nothing to wait for: median (\S+) us, 99 % (\S+) us", "trip": r"round trip: median (\S+) us, 99 % (\S+) us"}


def find(build, name):
    found = [path for path in pathlib.Path(build).rglob(name) if "CMakeFiles" not in path.parts and "install" not in path.parts]
    if not found:
        sys.exit(f"{name} is not below {build}: build it, or carry it along")
    return found[0]


def run(command, **variables):
    done = subprocess.run([str(each) for each in command], env=dict(os.environ, **variables), capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"{command[0]} {command[1]} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return {name: [float(each) for each in found.groups()]
            for name, pattern in FIGURES.items() if (found := re.search(pattern, done.stdout))}


def least_and_middle(all_runs, name, which):
    values = [each[name][which] for each in all_runs]
    return f"{min(values):8.1f} {statistics.median(values):8.1f}"


def main():
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    build, times = sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 5
    door, trips = find(build, "door"), find(build, "simgpu_link_test")
    library = str(find(build, "simgpu-dropin/simgpu-device").parent)
    seen = {(form, kind): [] for form in ("process", "inside") for kind in KINDS}
    links = []
    for _ in range(times):
        for form, kind in seen:
            seen[form, kind].append(run([door, kind], LD_LIBRARY_PATH=library, SIMGPU_DEVICE=form))
        links.append(run([trips, "--gtest_filter=*ARoundTripToAnotherProcess"]))
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; of {times} runs the least and the middle one; us, start-up in ms")
    titles = ("start-up", "launch: median", "launch: 99 %", "and wait: median", "and wait: 99 %", "wait alone")
    print(f"{'':34}" + "  ".join(f"{title:>17}" for title in titles))
    for (form, kind), runs in seen.items():
        cells = [least_and_middle(runs, *which) for which in
                 (("start-up", 0), ("launch", 0), ("launch", 1), ("both", 0), ("both", 1), ("wait", 0))]
        print(f"{form + ', ' + KINDS[kind]:34}" + "  ".join(cells))
    both = {form: statistics.median(each["both"][0] for each in seen[form, "figures"]) for form in ("process", "inside")}
    print(f"launch and synchronise, beside the simulation (process less inside, medians): {both['process'] - both['inside']:.1f} us")
    print(f"round trip through the rings: median {least_and_middle(links, 'trip', 0)}, 99 % {least_and_middle(links, 'trip', 1)}")


if __name__ == "__main__":
    main()
