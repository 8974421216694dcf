#!/usr/bin/env python3
"""Holds the simulator's counters of chapter 2's kernels against Nsight Compute's on an H200, launch by launch.

usage: compare_with_profiler.py LADDERS DROPIN
  LADDERS  folder made by `run_ladders.sh build LADDERS`
  DROPIN   folder of the simulator's libcudart.so.13 (build/default/bin/simgpu-dropin)

Reads ../simgpu/tests/fixtures/h200_chapter2.csv. Runs each variant on a whole simulated card (SIMGPU_SLICE=1), because some grids
depend on the number of SMs. Fails if a request, sector or wavefront differs in a way that is not one of these two:

- arbitration: on hardware, warps that meet at the shared memory's pipe cost a few wavefronts more, and the profiler counts each
  of them as a conflict as well. So wavefronts minus conflicts must be equal, and the conflicts may only be more.
- predication: the profiler counts shared-memory instructions that ptxas predicated off for all lanes; PTX has a branch there.

Not compared: L2 and DRAM, because these launches fit the L2; SASS instructions, because the simulator executes PTX.
"""
import csv, json, os, pathlib, subprocess, sys, tempfile

EXACT = [f"l1tex__t_{what}_pipe_lsu_mem_{space}_op_{op}.sum"
         for what, space, ops in (("requests", "global", ("ld", "st", "atom", "red")), ("sectors", "global", ("ld", "st")),
                                  ("sectors", "local", ("ld", "st"))) for op in ops]


def main(ladders, dropin):
    here = pathlib.Path(__file__).resolve().parent
    with open(here / "../simgpu/tests/fixtures/h200_chapter2.csv") as f:
        readings = [r for r in csv.DictReader(line for line in f if not line.startswith("#")) if r["size"] == "small"]
    variants = {}
    for r in readings:
        variants.setdefault((r["exercise"], r["variant"]), []).append(r)
    wrong = compared = noise = requests = 0
    for (exercise, variant), rows in variants.items():
        if not pathlib.Path(f"{ladders}/{exercise}/{variant}.so").exists():
            continue  # a program that the course no longer has
        shape = ["--rows", "1200", "--cols", "2288"] if exercise == "transpose_banks" else ["--elements", "1048573"]
        with tempfile.NamedTemporaryFile(suffix=".json") as report:
            env = dict(os.environ, SIMGPU_SLICE="1", LD_LIBRARY_PATH=dropin, SIMGPU_REPORT="json:" + report.name)
            subprocess.run([f"{ladders}/ladder", "--once", *shape, exercise, f"{variant}={ladders}/{exercise}/{variant}.so"],
                           env=env, capture_output=True)
            launches = json.load(open(report.name))["launches"]
        mine = [l for l in launches if any(l["kernel"].startswith(r["kernel"]) for r in rows)]
        for row, launch in zip(rows, mine):
            counters, odd = launch["counters"], []
            for name in EXACT:
                if name in row:
                    compared += 1
                    if int(row[name]) != counters[name]:
                        odd.append((name, int(row[name]), counters[name]))
            for op in ("ld", "st"):
                waves = f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum"
                conflicts = f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum"
                extra = int(row[conflicts]) - counters[conflicts]
                compared += 1
                noise += max(extra, 0)
                requests += counters[f"smsp__inst_executed_op_shared_{op}.sum"]
                if extra < 0 or int(row[waves]) - extra != counters[waves]:
                    odd.append((waves, int(row[waves]), counters[waves]))
                executed = f"smsp__inst_executed_op_shared_{op}.sum"
                if int(row[executed]) < counters[executed]:
                    odd.append((executed, int(row[executed]), counters[executed]))
            print(f"{exercise:16} {variant:28} {launch['kernel'].split('(')[0]:26} {'equal' if not odd else odd}")
            wrong += len(odd)
        if len(mine) < len(rows):
            print(f"{exercise} {variant}: {len(mine)} launches of {len(rows)}")
            wrong += 1
    print(f"{compared} readings compared, {wrong} differ; arbitration adds {100 * noise / max(1, requests):.1f} conflicts per hundred requests")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
