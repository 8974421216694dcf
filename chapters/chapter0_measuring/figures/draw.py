#!/usr/bin/env python3
"""Draws the figures of lesson 0. What they show is computed here from the rules and figures that the lesson states. Run it
in this folder: python3 draw.py
"""
import math
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
os.chdir(here)
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(here, "..", "..", "figures"))
from picture import Picture  # noqa: E402


def host_and_device():
    p = Picture("host_and_device", 214, "Host and device, two machines with a narrow bridge",
                "The host has its own memory, the device its own. The six steps of a first program: 1 allocate on the "
                "device, 2 copy up, 3 launch, 4 ask for errors, 5 copy back, 6 free.")
    p.box(8, 26, 132, 180, "grey", round=6)
    p.box(260, 26, 132, 180, "grey", round=6)
    p.text(74, 18, "host", 13, "middle", bold=True)
    p.text(326, 18, "device", 13, "middle", bold=True)
    p.box(20, 38, 108, 40, "blue")
    p.text(74, 55, "CPU", 12, "middle")
    p.text(74, 70, "runs main()", 12, "middle")
    p.box(272, 38, 108, 40, "orange")
    p.text(326, 55, "GPU", 12, "middle")
    p.text(326, 70, "runs kernels", 12, "middle")
    p.box(20, 142, 108, 52, "paper")
    p.text(74, 164, "fahrenheit[]", 12, "middle", mono=True)
    p.text(74, 182, "celsius[]", 12, "middle", mono=True)
    p.box(272, 142, 108, 52, "paper")
    p.text(326, 164, "device_in[]", 12, "middle", mono=True)
    p.text(326, 182, "device_out[]", 12, "middle", mono=True)
    p.line(128, 50, 270, 50, "cool", 1.5, arrow=True)
    p.text(200, 45, "3 launch", 12, "middle")
    p.line(270, 68, 130, 68, "faint", 1.5, "4 3", arrow=True)
    p.text(200, 82, "4 did it start?", 12, "middle")
    p.line(128, 160, 270, 160, "cool", 1.5, arrow=True)
    p.text(200, 155, "2 copy up", 12, "middle")
    p.line(270, 178, 130, 178, "cool", 1.5, arrow=True)
    p.text(200, 192, "5 copy back", 12, "middle")
    p.text(326, 106, "1 allocate", 12, "middle")
    p.text(326, 122, "6 free", 12, "middle")
    p.save()


def index_and_guard():
    n, block, blocks = 10, 4, 3
    cell, left = 31, 14
    p = Picture("index_and_guard", 172, "Ten elements, three blocks of four threads",
                "Each thread computes its element as block number times block size plus thread number. Threads 10 and 11 "
                "have no element: the guard sends them home.")
    for b in range(blocks):
        x = left + b * block * cell
        p.text(x + block * cell / 2 - 2, 16, f"blockIdx.x = {b}", 12, "middle", mono=True)
        for t in range(block):
            i = b * block + t
            inside = i < n
            p.box(x + t * cell, 24, cell - 4, 26, "blue" if inside else "red")
            p.text(x + t * cell + (cell - 4) / 2, 42, t, 12, "middle")
            centre = x + t * cell + (cell - 4) / 2
            if inside:
                p.line(centre, 52, centre, 94, "ink", 1, arrow=True)
                p.box(x + t * cell, 96, cell - 4, 26, "green")
            else:
                p.line(centre, 52, centre, 78, "strong", 1.5)
                p.text(centre, 92, "?", 13, "middle", "strong", bold=True)
                p.box(x + t * cell, 96, cell - 4, 26, "paper")
            p.text(centre, 114, i, 12, "middle", "ink" if inside else "strong")
    p.text(left, 142, "i = blockIdx.x * blockDim.x + threadIdx.x", 12, mono=True)
    p.text(left, 161, "n = 10: threads 10 and 11 must not touch anything", 12, fill="strong")
    p.save()


def launch_returns():
    p = Picture("launch_returns", 206, "A launch returns before the kernel has run",
                "The host's clock, read before and after the launch, sees a few microseconds. Two events on the device's "
                "own time line see the kernel.")
    p.text(8, 20, "host", 12, bold=True)
    p.line(8, 66, 392, 66, "faint")
    p.box(59, 40, 48, 26, "blue")
    p.text(83, 57, "launch", 12, "middle")
    p.line(58, 30, 58, 72, "strong", 1.5)
    p.line(108, 30, 108, 72, "strong", 1.5)
    p.text(114, 36, "host clock stopped here: it timed the launch", 12, fill="strong")
    p.box(290, 40, 96, 26, "grey")
    p.text(338, 57, "host waits", 12, "middle")
    p.text(8, 98, "device", 12, bold=True)
    p.line(8, 146, 392, 146, "faint")
    p.box(140, 118, 220, 28, "orange")
    p.text(250, 136, "the kernel runs", 12, "middle")
    p.line(96, 66, 138, 116, "faint", 1, arrow=True)
    for x, words, anchor in ((138, "event before", "start"), (362, "event after", "end")):
        p.line(x, 108, x, 156, "cool", 2)
    p.text(138, 172, "event before", 12, "middle", "cool")
    p.text(362, 172, "event after", 12, "end", "cool")
    p.line(140, 196, 360, 196, "cool", 1.5, arrow=True)
    p.text(250, 190, "the time you want", 12, "middle", "cool")
    p.save()


def lanes_and_sectors():
    """One request of a warp, 4 bytes a lane: which sectors of 32 bytes it touches."""
    lanes, sector, cell = 32, 32, 5.36
    patterns = [
        ("a[lane]", 0, 1), ("a[lane + 3]", 3, 1), ("a[2 * lane]", 0, 2),
    ]
    first, floats = 0, 72
    left = 7
    p = Picture("lanes_and_sectors", 250, "Sectors of one request: 32 lanes of 4 bytes",
                "; ".join(f"{name}: {len({(4 * (base + step * lane)) // sector for lane in range(lanes)})} sectors"
                          for name, base, step in patterns))
    p.text(left, 16, "one square = 4 bytes, one frame = a sector of 32 bytes", 12)
    y = 46
    for name, base, step in patterns:
        wanted = {base + step * lane for lane in range(lanes)}
        touched = {4 * w // sector for w in wanted}
        p.text(left, y - 6, name, 12, mono=True, bold=True)
        p.text(393, y - 6, f"{len(touched)} sectors, {lanes * 4} of {len(touched) * sector} bytes used", 12, "end")
        for s in range(floats * 4 // sector):
            x = left + s * 8 * cell
            for k in range(8):
                fill = "blue" if 8 * s + k in wanted else ("orange" if s in touched else "paper")
                p.box(x + k * cell + 0.75, y + 4, cell - 1, 18, fill, "faint", 0.4, 0)
            if s in touched:
                p.box(x + 0.2, y + 1, 8 * cell - 0.4, 24, "none", "strong", 1.6, 2)
        y += 58
    p.box(left, y - 18, 12, 12, "blue")
    p.text(left + 18, y - 8, "a lane asks for it", 12)
    p.box(left + 140, y - 18, 12, 12, "orange")
    p.text(left + 158, y - 8, "comes along unasked", 12)
    p.text(left, y + 12, "Sector 0 begins at the left edge, at a multiple of 32 bytes.", 12)
    p.save()


def in_flight():
    p = Picture("in_flight", 236, "Loads one after another, and loads in flight together",
                "Above: four loads, each waiting for the one before, take four latencies. Below: four independent loads "
                "take one latency and a little.")
    wait, step = 88, 9
    p.text(8, 18, "a chain: each load needs the one before", 12, bold=True)
    for k in range(4):
        p.box(8 + k * (wait + 6), 28 + k * 4, wait, 20, "orange")
        p.text(8 + k * (wait + 6) + wait / 2, 42 + k * 4, "waiting", 12, "middle")
    p.line(8, 74, 8 + 4 * wait + 18, 74, "strong", 1.5, arrow=True)
    p.text(8 + 2 * wait, 90, "4 latencies for 4 values", 12, "middle", "strong")
    p.text(8, 118, "independent: all four addresses are known", 12, bold=True)
    for k in range(4):
        p.box(8 + k * step, 128 + k * 19, wait, 16, "green")
        p.text(8 + k * step + wait / 2, 140 + k * 19, "waiting", 12, "middle")
    p.line(8, 212, 8 + wait + 3 * step, 212, "cool", 1.5, arrow=True)
    p.text(8, 228, "1 latency and a little, for 4 values", 12, fill="cool")
    p.line(160, 126, 160, 204, "faint", 1, "4 3")
    p.text(170, 150, "Same latency.", 12)
    p.text(170, 168, "Four times the throughput.", 12)
    p.text(170, 186, "What changed: bytes in flight.", 12)
    p.save()


def ladder():
    rungs = [("register", 4, "about 4, not measured"), ("shared", 23, "23, measured"), ("L1", 36, "36, measured"),
             ("L2", 288, "288, measured"), ("DRAM", 697, "692 to 701, measured")]
    p = Picture("ladder", 226, "The latency ladder in cycles",
                "Bars to scale: " + "; ".join(f"{name} {words}" for name, _, words in rungs))
    p.text(8, 18, "cycles from asking to having, to scale", 12, bold=True)
    scale = 282 / 701
    for k, (name, cycles, words) in enumerate(rungs):
        y = 32 + k * 38
        p.text(8, y + 17, name, 12)
        p.box(86, y, max(2, cycles * scale), 24, "orange" if cycles > 100 else "green")
        if cycles > 500:
            p.text(86 + cycles * scale - 8, y + 17, words, 12, "end")
        else:
            p.text(86 + cycles * scale + 8, y + 17, words, 12)
    p.save()


def pipe():
    """Bytes in flight of an SM full of threads, against what Little's law asks."""
    idle = 4250e9 * 697 / 1.98e9 / 132  # read bandwidth x latency of an empty road, bytes an SM
    aimed = 48 * 1024
    kernels = [("copy, one float a thread", 4), ("sum, one float a thread", 8), ("copy, one float4 a thread", 16),
               ("sum, one float4 a thread", 32)]
    p = Picture("pipe", 236, "Bytes in flight of an SM with 2048 threads",
                "; ".join(f"{name}: {2048 * each // 1024} KB" for name, each in kernels)
                + f". Needed: at least {idle / 1000:.1f} KB, better 48 KB.")
    scale = 330 / 65536
    p.text(8, 18, "in flight on an SM, KB, with 2048 threads", 12, bold=True)
    for k, (name, each) in enumerate(kernels):
        y = 36 + 44 * k
        size = 2048 * each
        p.text(8, y + 10, f"{name}: 2048 x {each} B", 12)
        p.box(8, y + 16, size * scale, 18, "orange" if size < aimed / 2 else "green")
        for needed in (idle, aimed):
            p.line(8 + needed * scale, y + 14, 8 + needed * scale, y + 36, "strong", 2)
        p.text(8 + size * scale + (30 if size < idle else 8), y + 29, size // 1024, 12, bold=True)
    for needed, words in ((idle, f"at least {idle / 1000:.1f}"), (aimed, "aimed at: 48")):
        p.text(8 + needed * scale, 224, words, 12, "middle", "strong")
    p.save()


def where_things_live():
    p = Picture("where_things_live", 312, "Where the kinds of memory are",
                "Registers, shared memory and L1 lie in each SM. L2 and DRAM belong to all SMs; global, local, constant and "
                "texture memory lie in DRAM. Pageable and pinned memory lie in the host, over the bridge.")
    for k, name in enumerate(("SM 0", "SM 1", "SM 131")):
        x = 8 + 134 * k
        p.box(x, 10, 116, 104, "grey", round=5)
        p.text(x + 58, 27, name, 12, "middle", bold=True)
        p.box(x + 8, 34, 100, 22, "green")
        p.text(x + 58, 49, "registers", 12, "middle")
        p.box(x + 8, 62, 100, 22, "blue")
        p.text(x + 58, 77, "shared, L1", 12, "middle")
        p.box(x + 8, 90, 100, 18, "paper")
        p.text(x + 58, 103, "constant cache", 12, "middle")
        p.line(x + 58, 114, x + 58, 128, "faint", 1.5)
    p.text(262 + 5, 66, "...", 14, "middle")
    p.box(8, 128, 384, 28, "blue")
    p.text(200, 147, "L2 cache, one for all SMs", 12, "middle")
    p.line(200, 156, 200, 168, "faint", 1.5)
    p.box(8, 168, 384, 56, "orange", round=5)
    p.text(200, 185, "DRAM: device memory", 12, "middle", bold=True)
    for k, name in enumerate(("global", "local", "constant", "texture")):
        p.box(18 + 92 * k, 193, 86, 22, "paper")
        p.text(61 + 92 * k, 208, name, 12, "middle")
    p.line(200, 224, 200, 252, "strong", 3, "6 3")
    p.text(210, 243, "the bridge: 55 GB/s", 12, fill="strong")
    p.box(8, 252, 384, 52, "grey", round=5)
    p.text(200, 268, "the host's memory", 12, "middle", bold=True)
    for k, name in enumerate(("pageable", "pinned", "managed: on either side")):
        w = (86, 86, 178)[k]
        x = (18, 110, 202)[k]
        p.box(x, 275, w, 22, "paper")
        p.text(x + w / 2, 290, name, 12, "middle")
    p.save()


def roofline():
    """fp32 on our H200: 67 TFLOPS by the data sheet, 4184 GB/s copy measured."""
    peak, memory = 67e12, 4184e9
    left, top, w, h = 46, 26, 332, 190
    lo_x, hi_x, lo_y, hi_y = -4, 10, 37.0, 46.6  # powers of two: FLOP/B and FLOP/s

    def at(intensity, flops):
        return (left + (math.log2(intensity) - lo_x) / (hi_x - lo_x) * w,
                top + h - (math.log2(flops) - lo_y) / (hi_y - lo_y) * h)

    ridge = peak / memory
    p = Picture("roofline", 262, "Roofline of an H200 for single precision",
                f"The slope is the memory, {memory / 1e9:.0f} GB/s, the flat part the arithmetic, {peak / 1e12:.0f} TFLOPS. "
                f"They meet at {ridge:.0f} FLOP per byte. A vector add stands at 0.083, far down the slope.")
    p.box(left, top, w, h, "paper")
    for flops, words in ((1e12, "1"), (1e13, "10"), (67e12, "67")):
        x, y = at(2.0 ** lo_x, flops)
        p.line(left, y, left + w, y, "grey")
        p.text(left - 6, y + 4, words, 12, "end")
    for e in (-4, -2, 0, 2, 4, 6, 8, 10):
        x, _ = at(2.0 ** e, 1e12)
        p.line(x, top, x, top + h, "grey")
        p.text(x, top + h + 16, {-4: "1/16", -2: "1/4"}.get(e, str(2 ** max(e, 0))), 12, "middle")
    p.path([at(2.0 ** lo_x, memory * 2.0 ** lo_x), at(ridge, peak), at(2.0 ** hi_x, peak)], "cool", 2.5)
    x, y = at(1 / 12, memory / 12)
    p.dot(x, y, "strong", 5)
    p.text(x + 12, y + 12, "vector add: 1/12", 12, fill="strong")
    x, y = at(ridge, peak)
    p.dot(x, y, "cool", 5)
    p.text(x + 2, y + 20, f"ridge point: {ridge:.0f}", 12, fill="cool")
    p.text(left, 16, "TFLOPS at most", 12, bold=True)
    p.text(left + w, top + h + 36, "FLOP for each byte moved", 12, "end", bold=True)
    p.save()


def occupancy_limits():
    """An SM of an H200 and the four things that its blocks share: 256 threads, 40 registers, 48 KB a block."""
    threads, registers, shared = 256, 40, 48 * 1024
    per_warp = -(-32 * registers // 256) * 256
    rows = [
        ("threads", 2048, threads, "2048"),
        ("blocks", 32, 1, "32"),
        ("registers", 65536, per_warp * threads // 32, "65,536"),
        ("shared memory", 233472, shared + 1024, "228 KB"),
    ]
    fits = [total // each for _, total, each, _ in rows]
    least = min(fits)
    p = Picture("occupancy_limits", 232, "What an SM has, and what one block takes of it",
                "; ".join(f"{name}: room for {fit} blocks" for (name, *_), fit in zip(rows, fits)))
    p.text(8, 18, "A block: 256 threads, 40 registers each, 48 KB shared", 12, bold=True)
    width = 384
    for k, ((name, total, each, words), fit) in enumerate(zip(rows, fits)):
        y = 40 + k * 46
        p.text(8, y, f"{name}, {words} an SM", 12)
        p.text(392, y, f"room for {fit}", 12, "end", "strong" if fit == least else "ink", bold=fit == least)
        p.box(8, y + 6, width, 18, "paper")
        for b in range(fit):
            p.box(8 + b * width * each / total, y + 6, width * each / total, 18, "orange" if b < least else "grey", "faint", 0.8)
    p.text(8, 224, f"{least} blocks live there: {least * threads // 32} of 64 warps", 12, bold=True)
    p.save()


for draw in (host_and_device, index_and_guard, launch_returns, lanes_and_sectors, in_flight, ladder, pipe, where_things_live, roofline, occupancy_limits):
    draw()
