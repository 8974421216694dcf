#!/usr/bin/env python3
"""Seeds for the fuzzers of the interpreter: small modules, cut from PTX that compilers wrote and from the table of
instructions.

usage: make_seeds.py OUT_FOLDER PTX_OR_INSTRUCTIONS_FILE...

A PTX file gives one module for each kernel, with the functions and variables that it names and without debugging
sections; `instructions.txt` gives modules of twenty instructions each. Modules of more than 12 kB are left out: a fuzzer
tries few of them in a second.
"""
import hashlib
import pathlib
import re
import sys

MOST_BYTES = 12000
HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"


def pieces(text):
    """Top-level statements of a module: (names that it declares, text, is it a kernel)."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    lines = [re.sub(r"//(?!@).*", "", line).rstrip() for line in text.split("\n")]
    lines = [line for line in lines if line.strip() and not re.match(r"\s*\.(loc|file)\b", line)]
    found, piece, depth = [], [], 0
    for line in lines:
        if re.match(r"\.(version|target|address_size)\b", line):
            continue
        piece.append(line.strip("\t") if depth == 0 else line)
        depth += line.count("{") - line.count("}")
        if depth == 0 and (line.rstrip().endswith(";") or line.strip() == "}"):
            body = "\n".join(piece)
            piece = []
            if body.lstrip().startswith(".section"):
                continue
            head = body.split("{")[0].split("=")[0]
            name = re.search(r"\.(?:entry|func)\s*(?:\([^)]*\)\s*)?([\w$]+)", head) or re.search(
                r"([\w$%]+)\s*(?:\[[^\]]*\]\s*)*;?\s*$", head)
            found.append((name.group(1) if name else "", body, ".entry" in head))
    return found


def modules_of(text):
    parts = pieces(text)
    by_name = {}
    for name, body, _ in parts:
        by_name.setdefault(name, []).append(body)
    for name, body, is_kernel in parts:
        if not is_kernel:
            continue
        wanted, queue = set(), [name]
        while queue:
            one = queue.pop()
            if one in wanted:
                continue
            wanted.add(one)
            for piece in by_name.get(one, []):
                queue += [word for word in set(re.findall(r"[\w$]+", piece)) if word in by_name and word not in wanted]
        yield HEAD + "\n".join(piece for n, piece, kernel in parts if n in wanted and (not kernel or n == name)) + "\n"


def modules_of_instructions(text):
    rows = [line.split()[:2] for line in text.splitlines() if line and not line.startswith("#")]
    for first in range(0, len(rows), 20):
        body = [".visible .entry k(.param .u64 p)", "{", ".reg .pred %p<4>;", ".reg .b16 %rs<8>;", ".reg .b32 %r<8>;",
                ".reg .b64 %rd<8>;", "ld.param.u64 %rd0, [p];", "mov.u32 %r0, %tid.x;", "mad.wide.u32 %rd1, %r0, 8, %rd0;",
                "ld.global.v2.u32 {%r1, %r2}, [%rd1];", "ld.global.u64 %rd2, [%rd1];", "setp.lt.u32 %p1, %r1, 9;"]
        for spelling, signature in rows[first:first + 20]:
            operands = []
            for n, kind in enumerate(signature):
                number = 3 + n % 4 if n == 0 else n % 4
                if kind in "Kk" or kind == "B":
                    continue
                operands.append("7" if kind == "i" else f"%p{number % 4}" if kind == "p" else
                                f"%rd{number}" if kind in "xg" else f"%r{number}")
            body.append(f"{spelling} {', '.join(operands)};")
        body += ["st.global.u32 [%rd1], %r3;", "st.global.u64 [%rd1], %rd3;", "ret;", "}"]
        yield HEAD + "\n".join(body) + "\n"


def launches(module):
    """Choices of a launch (run_ptx.cpp) that give the module what it works on: images of each rank, or none."""
    kind = 0x100 * (("tex." in module or "tld4" in module) + 2 * ("suld" in module or "sust" in module))
    if kind == 0:
        return ["0000", "0009"] if "cluster" in module else ["0000"]
    return [f"{kind + 0x400 * rank + swapped:04x}" for rank in range(6) for swapped in (0, 0x4000)]


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for path in map(pathlib.Path, sys.argv[2:]):
        text = path.read_text(errors="replace")
        make = modules_of_instructions if path.name == "instructions.txt" else modules_of
        for module in make(text):
            if len(module) <= MOST_BYTES:
                for launch in launches(module):
                    data = (f"//@ {launch}\n" + module).encode()
                    (out / hashlib.sha1(data).hexdigest()[:12]).write_bytes(data)


main()
