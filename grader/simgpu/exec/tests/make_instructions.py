#!/usr/bin/env python3
"""Writes instructions.txt: for every PTX spelling of lower/opcodes.def a line with inputs and the results that the PTX
manual's definition gives, computed here a second time, exactly, in Python integers and fractions.

    python3 make_instructions.py ../../lower/opcodes.def > instructions.txt

Line: spelling signature case..., a case is "in,in,in>out" in hexadecimal. A predicate is 0 or 1. A carry (K, k, B in the
signature) is an extra input (k, B) and an extra output (K, B).
"""
import math
import random
import re
import struct
import sys
from fractions import Fraction

M = {8: 0xFF, 16: 0xFFFF, 32: 0xFFFFFFFF, 64: 0xFFFFFFFFFFFFFFFF}


def signed(v, n):
    v &= M[n]
    return v - (1 << n) if v >> (n - 1) else v


def f32(b):
    return struct.unpack("<f", struct.pack("<I", b & M[32]))[0]


def f64(b):
    return struct.unpack("<d", struct.pack("<Q", b))[0]


def b32(x):
    if x != x:
        return 0x7FFFFFFF
    try:
        return struct.unpack("<I", struct.pack("<f", x))[0]
    except OverflowError:
        return 0x7F800000 if x > 0 else 0xFF800000


def b64(x):
    return 0x7FF8000000000000 if x != x else struct.unpack("<Q", struct.pack("<d", x))[0]


def f16(b):
    return struct.unpack("<e", struct.pack("<H", b & 0xFFFF))[0]


def b16(x):
    if x != x:
        return 0x7FFF
    try:
        return struct.unpack("<H", struct.pack("<e", x))[0]
    except OverflowError:
        return 0x7C00 if x > 0 else 0xFC00


def bf16(b):
    return f32((b & 0xFFFF) << 16)


def bbf16(x):
    if x != x:
        return 0x7FFF
    v = b32(x)  # inputs are chosen so that this first rounding is exact or harmless
    return ((v + 0x7FFF + (v >> 16 & 1)) >> 16) & 0xFFFF


FLOATS = {"f32": (f32, b32), "f64": (f64, b64), "f16": (f16, b16), "bf16": (bf16, bbf16)}


def trunc_div(a, b):
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def int_op(root, words, t, x):
    """The integer and logic family. x: raw inputs. Returns the raw result, or (result, carry)."""
    n = int(t[1:]) if t[1:].isdigit() else 32
    s = t[0] == "s"
    v = [signed(q, n) if s else q & M[n] for q in x]
    a = v[0]
    b = v[1] if len(v) > 1 else None
    c = v[2] if len(v) > 2 else None
    if root in ("add", "sub", "addc", "subc"):
        u = [q & M[n] for q in x]
        if "sat" in words:
            r = a + b if root == "add" else a - b
            return max(-(1 << (n - 1)), min((1 << (n - 1)) - 1, r)) & M[n]
        carry = x[2] if root in ("addc", "subc") else 0
        r = u[0] + u[1] + carry if root in ("add", "addc") else u[0] - u[1] - carry
        return (r & M[n], int(r >> n != 0))
    if root == "mul" or root == "mad" or root == "madc":
        p = a * b
        add = x[2] if root != "mul" else 0
        carry = x[3] if root == "madc" else 0
        if "wide" in words:
            return (p + add) & M[2 * n]
        part = (p >> n if "hi" in words else p) & M[n]
        if "sat" in words:
            r = signed(part, n) + signed(add, n)
            return max(-(1 << (n - 1)), min((1 << (n - 1)) - 1, r)) & M[n]
        r = part + (add & M[n]) + carry
        return (r & M[n], r >> n)
    if root in ("mul24", "mad24"):
        a24, b24 = ((signed(q << 8, 32) >> 8) if s else q & 0xFFFFFF for q in x[:2])
        p = a24 * b24
        if "sat" in words:
            return max(-(1 << 31), min((1 << 31) - 1, (p >> 16) + signed(x[2], 32))) & M[32]
        r = (p >> 16 if "hi" in words else p) + (x[2] if root == "mad24" else 0)
        return r & M[32]
    if root == "sad":
        return (c + abs(a - b)) & M[n]
    if root == "div":
        return M[n] if b == 0 else trunc_div(a, b) & M[n]
    if root == "rem":
        return M[n] if b == 0 else (a - b * trunc_div(a, b)) & M[n]
    if root == "min":
        return (max(min(a, b), 0) if "relu" in words else min(a, b)) & M[n]
    if root == "max":
        return (max(a, b, 0) if "relu" in words else max(a, b)) & M[n]
    if root == "abs":
        return abs(a) & M[n]
    if root == "neg":
        return -a & M[n]
    if root in ("and", "or", "xor"):
        return {"and": a & b, "or": a | b, "xor": a ^ b}[root]
    if root == "not":
        return ~a & M[n]
    if root == "cnot":
        return int(a == 0)
    if root == "shl":
        k = x[1] & M[32]
        return a << k & M[n] if k < n else 0
    if root == "shr":
        k = x[1] & M[32]
        return a >> min(k, n) & M[n]
    if root == "shf":
        k = x[2] & 31 if "wrap" in words else min(x[2], 32)
        both = x[1] << 32 | x[0]
        return (both << k >> 32 if "l" in words else both >> k) & M[32]
    if root == "popc":
        return bin(a).count("1")
    if root == "clz":
        return n - a.bit_length()
    if root == "bfind":
        w = ~a if s and a < 0 else a
        if w == 0:
            return M[32]
        at = w.bit_length() - 1
        return n - 1 - at if "shiftamt" in words else at
    if root == "brev":
        return int(format(a, "0%db" % n)[::-1], 2)
    if root == "bfe":
        pos, length = x[1] & 255, x[2] & 255
        sign = (x[0] >> min(pos + length - 1, n - 1)) & 1 if s and length else 0
        r = 0
        for k in range(n):
            bit = x[0] >> (pos + k) & 1 if k < length and pos + k < n else sign
            r |= bit << k
        return r
    if root == "bfi":
        pos, length, r = x[2] & 255, x[3] & 255, x[1]
        for k in range(length):
            if pos + k < n:
                r = r & ~(1 << (pos + k)) | (x[0] >> k & 1) << (pos + k)
        return r
    if root == "lop3":
        r = 0
        for k in range(32):
            i = (x[0] >> k & 1) << 2 | (x[1] >> k & 1) << 1 | (x[2] >> k & 1)
            r |= (x[3] >> i & 1) << k
        return r
    if root == "bmsk":
        p, w = (x[0], x[1]) if "clamp" in words else (x[0] & 31, x[1] & 31)
        return 0 if p > 31 else ((1 << min(w, 32)) - 1) << p & M[32]
    if root == "szext":
        k = x[1] & 31 if "wrap" in words else min(x[1], 32)
        if k == 0:
            return 0
        r = x[0] & ((1 << k) - 1)
        return (r - (1 << k) if s and r >> (k - 1) else r) & M[32]
    if root == "fns":
        mask, base, off = x[0], x[1], signed(x[2], 32)
        if base > 31:
            return M[32]
        if off == 0:
            return base if mask >> base & 1 else M[32]
        count, k = abs(off), base
        while 0 <= k < 32:
            if mask >> k & 1:
                count -= 1
                if count == 0:
                    return k
            k += 1 if off > 0 else -1
        return M[32]
    if root == "prmt":
        sel = x[2]
        mode = words[-1]
        k = x[2] & 3
        table = {
            "f4e": [[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5], [3, 4, 5, 6]],
            "b4e": [[0, 7, 6, 5], [1, 0, 7, 6], [2, 1, 0, 7], [3, 2, 1, 0]],
            "rc8": [[i] * 4 for i in range(4)],
            "ecl": [[0, 1, 2, 3], [1, 1, 2, 3], [2, 2, 2, 3], [3, 3, 3, 3]],
            "ecr": [[0, 0, 0, 0], [0, 1, 1, 1], [0, 1, 2, 2], [0, 1, 2, 3]],
            "rc16": [[0, 1, 0, 1], [2, 3, 2, 3], [0, 1, 0, 1], [2, 3, 2, 3]],
        }
        source = (x[1] << 32 | x[0]).to_bytes(8, "little")
        if mode in table:
            return int.from_bytes(bytes(source[i] for i in table[mode][k]), "little")
        out = []
        for i in range(4):
            q = sel >> 4 * i & 15
            byte = source[q & 7]
            out.append((255 if byte >> 7 else 0) if q & 8 else byte)
        return int.from_bytes(bytes(out), "little")
    if root in ("dp4a", "dp2a"):
        ta, tb = words[-2], words[-1]
        r = x[2]
        half = 2 if "hi" in words else 0
        for k in range(4 if root == "dp4a" else 2):
            if root == "dp4a":
                p = x[0] >> 8 * k & 255
                p = signed(p, 8) if ta[0] == "s" else p
                q = x[1] >> 8 * k & 255
            else:
                p = x[0] >> 16 * k & 0xFFFF
                p = signed(p, 16) if ta[0] == "s" else p
                q = x[1] >> 8 * (k + half) & 255
            q = signed(q, 8) if tb[0] == "s" else q
            r += p * q
        return r & M[32]
    return None


def float_op(root, words, t, x):
    to, back = FLOATS[t]
    v = [to(q) for q in x]
    nan = any(q != q for q in v)
    if t == "f64":  # a NaN that no operand brings along is negative
        positive = back

        def back(r):
            return positive(r) if r == r or nan else 0xFFF8000000000000
    a, b, c = (v + [None, None])[:3]

    def mul(p, q):
        return p * q

    if root in ("add", "sub", "mul"):
        return back(math.nan if nan else a + b if root == "add" else a - b if root == "sub" else mul(a, b))
    if root in ("fma", "mad"):
        if nan or any(math.isinf(q) for q in v):
            try:
                r = a * b + c
            except OverflowError:
                r = math.inf
        else:
            exact = Fraction(a) * Fraction(b) + Fraction(c)
            r = float(exact)
            if exact == 0:
                r = 0.0 if not (math.copysign(1, a) * math.copysign(1, b) < 0 and math.copysign(1, c) < 0) else -0.0
        return back(max(r, 0.0) if "relu" in words and not r != r else r)
    if root == "div":
        if nan or (b == 0 and a == 0):
            return back(math.nan)
        if b == 0:
            return back(math.copysign(math.inf, a) * math.copysign(1, b))
        return back(a / b)
    if root == "sqrt":
        return back(math.nan if nan or a < 0 else math.sqrt(a))
    if root == "rcp":
        return back(math.nan if nan else math.copysign(math.inf, a) if a == 0 else 1 / a)
    if root == "rsqrt":
        return back(math.nan if nan or a < 0 else math.copysign(math.inf, a) if a == 0 else 1 / math.sqrt(a))
    if root in ("min", "max"):
        if a != a:
            return back(b)
        if b != b:
            return back(a)
        if a == b == 0:
            neg = math.copysign(1, a) < 0 or math.copysign(1, b) < 0
            both = math.copysign(1, a) < 0 and math.copysign(1, b) < 0
            return back(-0.0 if (neg if root == "min" else both) else 0.0)
        return back(min(a, b) if root == "min" else max(a, b))
    if root == "copysign":
        n = 32 if t == "f32" else 64
        return x[1] & (M[n] >> 1) | x[0] & (1 << (n - 1))
    if root == "testp":
        kind = words[0]
        tiny = 2.0**-126 if t == "f32" else 2.0**-1022
        return int({"finite": not nan and not math.isinf(a), "infinite": not nan and math.isinf(a), "number": not nan,
                    "notanumber": nan, "normal": not nan and not math.isinf(a) and (a == 0 or abs(a) >= tiny),
                    "subnormal": not nan and 0 < abs(a) < tiny}[kind])
    f = {"sin": lambda q: math.sin(angle(q)), "cos": lambda q: math.cos(angle(q)), "lg2": math.log2, "ex2": lambda q: 2.0**q, "tanh": math.tanh}.get(root)
    if f:
        try:
            return back(math.nan if nan else f(a))
        except (ValueError, OverflowError):
            return None
    return None


def sign_op(root, t, x):
    n = 64 if t == "f64" else 32 if t in ("f32", "f16x2", "bf16x2") else 16
    bits = 0x80008000 if t.endswith("x2") else 1 << (n - 1)
    r = (x[0] ^ bits if root == "neg" else x[0] & ~bits) & M[n]
    if n == 64 or t == "f32":
        return r
    low = FLOATS[t.replace("x2", "")][0]
    parts = [0x7FFF if low(x[0] >> k & 0xFFFF) != low(x[0] >> k & 0xFFFF) else r >> k & 0xFFFF for k in range(0, n, 16)]
    return sum(p << 16 * k for k, p in enumerate(parts))


def angle(x):
    """sin.approx and cos.approx: x in full turns, rounded to zero, of which only the fraction counts."""
    p = x * 0.15915493667125702
    t = f32(b32(p))
    if abs(t) > abs(p):
        t = f32(b32(t) - 1)
    return (t - math.floor(t)) * math.tau if t != math.floor(t) else 0.0 * t


def evaluate(spelling, x):
    root, *words = spelling.split(".")
    if words[-1] == "relu":
        words = ["relu"] + words[:-1]
    t = words[-1]
    if root == "mov":
        return x[0]
    if root == "selp":
        return x[0] if x[2] else x[1]
    if root == "slct":
        c = signed(x[2], 32) if t == "s32" else f32(x[2])
        return x[0] if c >= 0 else x[1]
    if root == "cvt":
        d, s = words
        v = signed(x[0], int(s[1:])) if s[0] == "s" else x[0] & M[int(s[1:])]
        return v & M[int(d[1:])]
    if t == "pred":
        a, b = x[0], x[1] if len(x) > 1 else 0
        return {"and": a & b, "or": a | b, "xor": a ^ b, "not": 1 - a}[root]
    if t in ("f32", "f64", "f16", "bf16", "f16x2", "bf16x2"):
        if root in ("neg", "abs"):
            return sign_op(root, t, x)
        if t.endswith("x2"):
            low = float_op(root, words, t[:-2], [q & 0xFFFF for q in x])
            high = float_op(root, words, t[:-2], [q >> 16 for q in x])
            return None if low is None or high is None else high << 16 | low
        return float_op(root, words, t, x)
    if t in ("u16x2", "s16x2"):
        half = [int_op(root, words, t[:3], [q >> k & 0xFFFF for q in x]) for k in (0, 16)]
        half = [h[0] if isinstance(h, tuple) else h for h in half]
        return half[1] << 16 | half[0]
    if root == "prmt" or root == "lop3":
        return int_op(root, words, "u32", x)
    return int_op(root, words, t, x)


INTS = [0, 1, 2, 3, 5, 7, 31, 32, 33, 63, 64, 100, 0x7FFF, 0x8000, 0xFFFF, 0x12345678, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,
        0xFFFFFFFFFFFFFFFF, 0x8000000000000000, 0x0123456789ABCDEF, 0xFFFFFFFF00000000]
REALS = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.0, 3.0, -2.75, 100.25, -7.125, 0.09375, 1000.0]
ODD = [math.inf, -math.inf, math.nan]


def inputs(signature, spelling, rng):
    root, *words = spelling.split(".")
    t = words[-1] if words else ""
    x = []
    for k, c in enumerate(signature[1:]):
        if c == "p":
            x.append(rng.randrange(2))
        elif c in "kB":
            x.append(rng.randrange(2))
        elif c == "K":
            continue
        elif c == "i":
            x.append(rng.choice([0x96, 0xE8, 0xCA, 0x1B]))
        elif c in "fg" or t in ("f16", "bf16", "f16x2", "bf16x2") and root not in ("mov", "selp", "slct"):
            pick = lambda: rng.choice(REALS + (ODD if rng.randrange(3) == 0 else []))
            if c == "f":
                x.append(b32(pick()))
            elif c == "g":
                x.append(b64(pick()))
            else:
                back = FLOATS[t.replace("x2", "")][1]
                x.append(back(pick()) | (back(pick()) << 16 if t.endswith("x2") else 0))
        else:
            small = root in ("shl", "shr", "bfe", "bfi", "bmsk", "szext", "shf", "fns") and k >= (2 if root in ("bfi", "shf") else 1)
            v = rng.choice([0, 1, 4, 8, 15, 16, 31, 32, 40, 63, 64, 70]) if small else rng.choice(INTS + [rng.getrandbits(64), rng.getrandbits(32), rng.getrandbits(16)])
            wide = 64 if c == "x" else 16 if (t.endswith("16") and "wide" not in words or t.endswith("16") and k < 2) and root not in ("cvt",) else 32
            if root == "slct" and k < 2:
                wide = int(words[0][1:])
            if spelling == "mov.b8":
                wide = 8
            if root in ("shl", "shr") and k == 1:
                wide = 32
            if root == "cvt":
                s = int(words[1][1:])
                wide = s
            x.append(v & M[wide])
    return x


def main():
    rng = random.Random(20)
    for line in open(sys.argv[1]):
        m = re.match(r'OP\((\w+), "([^"]*)", "([^"]*)", (\w+),', line)
        if not m or not m[2] or m[3] == "*":
            continue
        for spelling in m[2].split():
            signature = m[3]
            cases = []
            tries = 0
            while len(cases) < 6 and tries < 200:
                tries += 1
                x = inputs(signature, spelling, rng)
                if spelling == "mov.pred":
                    r = x[0]
                else:
                    r = evaluate(spelling, x)
                if r is None:
                    continue
                carry = None
                if isinstance(r, tuple):
                    r, carry = r
                out = "%x" % r + (",%x" % carry if any(k in signature for k in "KB") else "")
                cases.append(",".join("%x" % q for q in x) + ">" + out)
            print(spelling, signature, *cases)


main()
