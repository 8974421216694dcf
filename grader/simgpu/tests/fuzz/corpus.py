#!/usr/bin/env python3
"""Packs and unpacks the fuzzers' corpora: one file with all inputs of a fuzzer, in which they can be read and searched,
instead of a thousand small ones.

usage: corpus.py unpack PACKED FOLDER      writes one file for each input
       corpus.py pack PACKED FOLDER...     the inputs of all folders, without doubles, short ones first
"""
import hashlib
import pathlib
import sys

MARK = b"\n//=== next input\n"


def main():
    command, packed, *folders = sys.argv[1:]
    packed = pathlib.Path(packed)
    if command == "unpack":
        folder = pathlib.Path(folders[0])
        folder.mkdir(parents=True, exist_ok=True)
        for data in packed.read_bytes().split(MARK):
            (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)
    elif command == "pack":
        inputs = {path.read_bytes() for folder in folders for path in pathlib.Path(folder).iterdir() if path.is_file()}
        inputs = [data for data in inputs if MARK not in data]
        packed.write_bytes(MARK.join(sorted(inputs, key=lambda data: (len(data), data))))
    else:
        sys.exit(__doc__)


main()
