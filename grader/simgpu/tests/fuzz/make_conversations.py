#!/usr/bin/env python3
"""Writes conversations with the device in which kernels run: seeds for the fuzzers of the queue.

usage: make_conversations.py FOLDER      writes one file for each

A mutator that knows no more than bytes finds neither the length of the module of drive_front.cpp, which a *load* has to say, nor
addresses. What the records hold stands in ../../runtime/queue.md.
"""
import pathlib
import re
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
MODULE = re.search(r'kModule = R"\((.*?)\)"', (HERE / "drive_front.cpp").read_text(), re.S).group(1)
NOTHING, READS, SETS, WAITS = range(4)  # its kernels
DEVICE, PINNED, MANAGED = range(3)  # kinds of memory
FIRST = {DEVICE: 0x400000001000, PINNED: 0x300000001000, MANAGED: 0x340000001000}  # addresses that the device gives
STREAM, OTHER, LOADED, CONDITION, EVENT, TOKEN = 1, 2, 5, 3, 6, 9
LEGACY = 0x80000000


def u32(*values):
    return struct.pack(f"<{len(values)}I", *values)


def u64(*values):
    return struct.pack(f"<{len(values)}Q", *values)


class Conversation:
    def __init__(self):
        self.records = []
        self.say(1, u32(1, 2, 12, 0))  # hello
        for stream in (STREAM, OTHER):
            self.say(7, u32(stream, 0, 1, 0))
        for kind in FIRST:
            self.say(2, u32(0, kind, 0, 0, 0, 0) + u64(4096, 256))
        self.say(9, u32(LOADED, 0) + u32(0) + u64(len(MODULE), 0), 1)

    def say(self, code, body=b"", flags=0):
        body += b"\0" * (-len(body) % 8)
        self.records.append(struct.pack("<IHHQQ", 24 + len(body), code, flags, len(self.records) + 1, 0) + body)

    def launch(self, kernel, *parameters, stream=STREAM, grid=2, block=32):
        self.say(11, u32(stream, LOADED, kernel, grid, 1, 1, block, 1, 1, 1, 1, 1, 0, 0) + u64(8 * len(parameters), *parameters))

    def set(self, address, value, stream=STREAM):
        self.say(13, u32(stream, 4, value, 0) + u64(address, 64, 1, 1, 64, 64, 64, 64))

    def copy(self, to, source, stream=STREAM, waits=True):
        """Of 64 bytes; a side is a kind of memory."""
        sides = b"".join(u32(0 if kind == DEVICE else 1, 0) + u64(FIRST[kind]) for kind in (to, source))
        self.say(12, u32(stream, 0) + sides + u64(64, 1, 1, 64, 64, 64, 64), 2 if waits else 0)

    def graph(self, step, node=0, after=(), stream=STREAM):
        self.say(23, u32(stream, step, node, len(after), *after))

    def condition(self, what, value=0):
        self.say(37, u32(CONDITION, what, value, 0))

    def wait_for_all(self, stream=STREAM):
        self.say(26, u32(0, stream, 1, 0))

    def bye(self):
        self.say(32)
        return b"".join(self.records)


def kernels_and_copies():
    c = Conversation()
    c.set(FIRST[DEVICE], 7)
    c.launch(READS, FIRST[DEVICE])
    c.say(14, u32(STREAM, EVENT))
    c.say(15, u32(OTHER, EVENT))
    c.copy(PINNED, DEVICE, stream=OTHER, waits=False)
    c.launch(READS, FIRST[MANAGED], stream=OTHER)
    c.say(19, u32(STREAM, 0) + u64(FIRST[MANAGED], 4096))
    c.launch(NOTHING, stream=OTHER)
    for stream in (STREAM, OTHER):
        c.wait_for_all(stream)
    return c.bye()


def a_kernel_that_waits():
    """Another stream, or a host that is not there, changes what it looks at; work stands in line behind it."""
    c = Conversation()
    c.set(FIRST[PINNED], 0)
    c.launch(WAITS, FIRST[PINNED], grid=1)
    c.launch(NOTHING)
    c.say(14, u32(STREAM, EVENT))
    c.say(25, u32(0, STREAM))
    c.say(15, u32(OTHER, EVENT))
    c.launch(NOTHING, stream=OTHER)
    c.set(FIRST[PINNED], 1, stream=LEGACY)
    for stream in (STREAM, OTHER):
        c.wait_for_all(stream)
    c.set(FIRST[PINNED], 0)
    c.launch(WAITS, FIRST[PINNED], grid=1)
    c.wait_for_all()
    c.say(31, u32(0, 0))  # reset
    return c.bye()


def a_graph_that_decides():
    c = Conversation()
    c.condition(0)
    c.graph(0, 2)
    c.graph(1, 0)
    c.graph(2, 0)
    c.launch(SETS, CONDITION)
    c.graph(3, 0)
    c.graph(1, 1, [0])
    c.graph(2, 1)
    c.condition(1)
    c.graph(0, 1)  # its body
    c.graph(1, 0)
    c.graph(2, 0)
    c.launch(READS, FIRST[MANAGED])
    c.graph(3, 0)
    c.graph(4)
    c.graph(3, 1)
    c.graph(4)
    c.wait_for_all()
    c.condition(2)
    c.launch(SETS, CONDITION)  # it is gone
    c.wait_for_all()
    return c.bye()


def a_marker_and_faults():
    c = Conversation()
    c.say(17, u32(STREAM, 0) + u64(TOKEN))
    c.launch(READS, 12, block=64)  # of nobody's memory
    c.say(18, u64(TOKEN))
    c.wait_for_all()
    c.say(31, u32(0, 0))  # reset: its memory is gone
    c.launch(READS, FIRST[DEVICE])
    c.wait_for_all()
    c.say(10, u32(LOADED, 0))
    return c.bye()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for make in (kernels_and_copies, a_kernel_that_waits, a_graph_that_decides, a_marker_and_faults):
        (folder / make.__name__).write_bytes(make())


main()
