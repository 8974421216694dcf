#!/usr/bin/env bash
# `course grade --card`: the simulated GPU as another card. What the course's own solution is told there, what the starter is, and what cannot be asked.
#
#   cards.sh COURSE
set -u
export LC_ALL=C
course=$1
# shellcheck source=../../tests/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../tests/expect.sh"

expect_code 2 "$course" grade block_reduction --card b300
expect_words 'b300 not in' 't4'
expect_code 2 "$course" grade block_reduction --card t4 --device gpu
expect_words 'leave --card away'
expect_code 2 env COURSE_CARD=b300 "$course" grade block_reduction
expect_words 'COURSE_CARD=b300 is no card that can be simulated'

for card in t4 a100 rtx4090; do
  expect_code 0 "$course" grade block_reduction --tree solutions --card "$card"
  expect_words 'pass' 'compared with no real one'
  expect_code 1 "$course" grade block_reduction --card "$card"
  expect_words 'not_attempted'
done
# The same chip as the H200, with slower memory: measured, too.
expect_code 0 "$course" grade block_reduction --tree solutions --card h100
expect_words pass
# L2 of a sixteenth: what is sized by it must still be right.
expect_code 0 "$course" grade latency_ladder --tree solutions --card t4
# A file of known worth, with the card in the variable alone: the plugin is built for that card as well.
source=solutions/chapter2_shared_memory/block_reduction
expect_code 0 env COURSE_CARD=t4 "$course" check-variant --chapter chapter2_shared_memory --exercise block_reduction --source "$source/plain.cu" \
  --expect pass
expect_code 2 env COURSE_CARD=b300 "$course" check-variant --chapter chapter2_shared_memory --exercise block_reduction --source "$source/plain.cu" \
  --expect pass
expect_words 'COURSE_CARD=b300 is no card that can be simulated'
# What a card does not have: bulk copies need compute capability 9.0.
expect_code 1 "$course" grade bulk_copy --tree solutions --card a100
expect_words 'unsupported_device' 'device_lacks' 'grade it without --card'

exit $((failures > 0))
