#!/usr/bin/env bash
# `course claims` where there is no GPU: what is counted is shown, what is measured is refused in a sentence, and every kernel runs without
# a finding on the simulated GPU. Records are kept, and the first one says what is expected.
#
#   claims.sh COURSE
set -u
export LC_ALL=C CUDA_VISIBLE_DEVICES=-1 # no card, on any machine
course=$1
# shellcheck source=../../tests/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../tests/expect.sh"
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

# What cannot be done is said in one sentence.
expect_code 2 "$course" claims strided_copi
expect_words 'There is no claim called strided_copi; did you mean strided_copy?'
expect_code 2 "$course" claims strided_copy
expect_words 'strided_copy is measured, and there is no GPU here' 'docs/pages/source_texts.md'
expect_code 2 "$course" claims --device gpu
expect_words 'asked to be measured on a GPU, but there is no'

# Counts: 12 bytes for one addition, 20 times fewer sectors, one sector for four bytes.
expect_code 0 "$course" claims
expect_words 'more are measured, and there is no GPU here' '[4/4]' '0.0833 FLOP/B' '20 times' '32 B' 'no, less'
expect_no_words 'strided_copy' '->'
expect_code 0 "$course" claims tile_accesses --json
expect_words '"schema": "course.claims/1"' '"ratio": 20.0' '"reproduced": false'

# A record: the first run's ratio stays what later ones are compared with.
expect_code 0 "$course" claims tile_accesses --out "$scratch"
expect_words "$scratch/claims.json"
expect_code 0 "$course" claims tile_accesses line_from_l2 --out "$scratch"
expect_words 'expected 18 to 22'
grep -q '"claim": "line_from_l2"' "$scratch/claims.json" || complain 'the second claim was not added to the record'
sed -i 's/"first_ratio": 20.0/"first_ratio": 30.0/' "$scratch/claims.json"
expect_code 0 "$course" claims tile_accesses --out "$scratch"
expect_words 'expected 27 to 33: this run is outside'
grep -q '"claim": "line_from_l2"' "$scratch/claims.json" || complain 'a claim that was not measured again was lost'

# All kernels, with the simulated GPU's checks for races and bounds; times are modelled.
expect_code 0 "$course" claims --device sim
expect_words 'all times are modelled, and nothing is recorded' 'strided_copy' 'bank_conflicts_alone' 'of 21 claims are reproduced'
expect_no_words 'not measured:' 'Not all claims'

exit $((failures > 0))
