#!/usr/bin/env bash
# `course report` through the real door: hand-ins are graded by their judges on the simulated GPU, then the report is read, in the terminal
# and as a page.
#
#   report_door.sh COURSE PAGE_CHECK SOURCE_DIR
set -u
export LC_ALL=C
unset COURSE_TREE COURSE_DEVICE
course=$1 check=$2 sources=$3
root=$(mktemp -d "${TMPDIR:-/tmp}/report door XXXXXX") || exit 1
build=$(dirname "$(dirname "$course")")
# shellcheck source=../../tests/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../tests/expect.sh"
trap 'rm -rf "$root" "$build"/results/report-door-* "$build"/reports/report-door-* "$build"/plugins/records/report-door-*' EXIT

expect_words() { # FILE WORDS...
  local file=$1 words
  shift
  for words; do grep -qF -- "$words" "$file" || complain "no '$words' in"$'\n'"$(head -c 6000 "$file")"; done
}
expect_no_words() {
  local file=$1 words
  shift
  for words; do ! grep -qF -- "$words" "$file" || complain "'$words' in $file"; done
}

# A race, with a line that no page may run; a wasteful one; a pass; copies and kernels in streams.
tree="$root/report-door-$$"
hand_in() { # CHAPTER EXERCISE FROM
  mkdir -p "$tree/$1/$2"
  cp "$sources/$3" "$tree/$1/$2/$2.cu"
}
two=chapter2_shared_memory
hand_in $two stencil_race exercises/$two/stencil_race/stencil_race.cu
hand_in $two stencil_1d exercises/$two/stencil_1d/stencil_1d.cu
hand_in $two block_reduction solutions/$two/block_reduction/plain.cu
hand_in chapter5_pinned_and_unified overlap_pipeline solutions/chapter5_pinned_and_unified/overlap_pipeline/overlap_pipeline.cu
printf '// </code><script>alert(1)</script> ]]> \377 "quoted"\n' >>"$tree/$two/stencil_race/stencil_race.cu"
"$course" grade stencil_race stencil_1d block_reduction overlap_pipeline --tree "$tree" --device sim >"$root/graded" 2>&1
expect_words "$root/graded" race wasteful '2 of 4 pass'

# In the terminal: 80 columns, no colours, the line at fault marked, counts beside the fewest, each unit explained once.
for exercise in stencil_race stencil_1d block_reduction overlap_pipeline; do
  "$course" report $exercise --tree "$tree" >"$root/$exercise.txt" || complain "report $exercise failed"
  awk -v most=80 '!/^\// && length($0) > most { print FILENAME ": " $0; wide = 1 } END { exit wide }' "$root/$exercise.txt" || complain 'wider than 80 columns'
  expect_no_words "$root/$exercise.txt" $'\033'
done
expect_words "$root/stencil_race.txt" '^ race' 'the other access, which nothing orders with line'
grep -q '^> *[0-9]* | ' "$root/stencil_race.txt" || complain 'the line at fault is not marked'
grep -q '^o *[0-9]* | ' "$root/stencil_race.txt" || complain 'the other line is not marked'
expect_words "$root/stencil_1d.txt" '^ wasteful: repeated_loads' 'sectors each, where 4' 'fewest' 'load_sectors'
grep -qE '^bytes loaded .* 17$' "$root/stencil_1d.txt" || complain "bytes are not counted beside the fewest: $(cat "$root/stencil_1d.txt")"
expect_words "$root/block_reduction.txt" 'that move most' 'To the limit mark it lacks speed' 'modelled'
expect_words "$root/overlap_pipeline.txt" 'bytes copied to the device' copy_overlap
"$course" report chapter2 --tree "$tree" >"$root/all.txt"
[ "$(grep -c '^  sector  ' "$root/all.txt")" = 1 ] || complain 'sector is not explained once'

# The page: sound, self-contained, and with everything in it.
for exercise in stencil_race stencil_1d block_reduction overlap_pipeline; do
  output=$("$course" report $exercise --tree "$tree" --html "$root/$exercise.html") || complain "report $exercise --html failed"
  [ "$output" = "$root/$exercise.html" ] || complain "the path is not printed: $output"
  "$check" "$root/$exercise.html" || complain "$exercise.html is not sound"
  expect_no_words "$root/$exercise.html" '<script' 'http://' 'https://'
done
expect_words "$root/stencil_race.html" 'class="fault"' 'class="other"' '&lt;script&gt;alert(1)' ']]&gt;' '&quot;quoted&quot;' 'prefers-color-scheme'
expect_words "$root/stencil_1d.html" 'Speed under the roof' 'pass gate' 'limit mark' 'the memory&#39;s peak'
expect_words "$root/overlap_pipeline.html" 'Copies and kernels in time, modelled' '>stream 3<' 'copy to host'
expect_no_words "$root/block_reduction.html" 'Copies and kernels in time'

# A second attempt joins the first; a file that has changed is quoted as it was graded.
cp "$sources/solutions/$two/block_reduction/block_reduction.cu" "$tree/$two/block_reduction/block_reduction.cu"
"$course" grade block_reduction --tree "$tree" --device sim >"$root/graded" 2>&1 || complain 'the reference does not pass'
echo 'int changed;' >"$tree/$two/block_reduction/block_reduction.cu"
"$course" report --html block_reduction --tree "$tree" >"$root/path" || complain 'report --html EXERCISE failed'
page=$(cat "$root/path")
"$check" "$page" || complain 'the page of two attempts is not sound'
expect_words "$page" '<th scope="row">2</th>' 'pass, at the limit' 'The file has changed since'
expect_no_words "$page" 'int changed;'

# Doors that lead nowhere say so.
"$course" report stencil_race block_reduction --tree "$tree" --html "$root/one.html" >"$root/out" 2>&1
[ $? = 2 ] || complain 'two exercises in one file are no error'
expect_words "$root/out" 'name one exercise'
env -u DISPLAY -u WAYLAND_DISPLAY "$course" report stencil_race --tree "$tree" --open >"$root/out" || complain '--open without a display is an error'
expect_words "$root/out" 'no display' stencil_race.html
"$course" report transpose_banks --tree "$tree" --html >"$root/out" 2>&1
[ $? = 1 ] || complain 'a page of nothing is no 1'
expect_words "$root/out" 'was graded yet'

[ $failures = 0 ] && echo "all well"
exit $((failures > 0))
