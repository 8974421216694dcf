#!/usr/bin/env bash
# Builds and runs the ladders of chapter 2 (ladder.cu) and, where ncu is found, counts what each variant does.
#
#   run_ladders.sh build DIR        needs nvcc, no GPU: plugins of every variant, ladder and the CUDA runtime into DIR
#   run_ladders.sh OUT [DIR]        needs a GPU: results into OUT; takes DIR as built before, or builds OUT/build
#
# Environment: LADDER_SAMPLES (51), LADDER_EXERCISES (all three), LADDER_PROFILE=0 (leave ncu out),
# LADDER_PROFILE_LABELS (which variants ncu looks at; default: all but candidates), NVCC, NCU.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
chapter=chapter2_shared_memory
exercises=${LADDER_EXERCISES:-block_reduction stencil_1d transpose_banks}
samples=${LADDER_SAMPLES:-51}

find_nvcc() {
  local candidate
  for candidate in "${NVCC:-}" "${CUDACXX:-}" "${CUDA_PATH:-/usr/local/cuda}/bin/nvcc" "$(command -v nvcc || true)"; do
    if [ -n "$candidate" ] && [ -x "$candidate" ]; then
      echo "$candidate"
      return
    fi
  done
  echo "run_ladders.sh: no nvcc found: install the CUDA Toolkit, set NVCC, or name a folder built elsewhere" >&2
  exit 2
}

# Prints "label|source|flags" of every variant of an exercise that may be timed. Variants that race or write out of
# bounds are left out: only those whose first line expects too_slow or wasteful take part.
variants_of() {
  local exercise=$1 solution=$root/solutions/$chapter/$1 file label source flags
  echo "starter|$root/exercises/$chapter/$exercise/$exercise.cu|"
  echo "plain|$solution/plain.cu|"
  echo "reference|$solution/$exercise.cu|"
  for file in "$solution"/wrong/*.cu; do
    if head -n 1 "$file" | grep -q -E 'too_slow|wasteful'; then echo "$(basename "$file" .cu)|$file|"; fi
  done
  if [ -f "$solution/candidates/variants.txt" ]; then
    grep -v '^#' "$solution/candidates/variants.txt" | while read -r label source flags; do
      echo "$label|$solution/candidates/$source|$flags"
    done
  fi
}

build() {
  local dir=$1 nvcc exercise label source flags libdir target
  nvcc=$(find_nvcc)
  mkdir -p "$dir"
  dir=$(cd "$dir" && pwd)
  local gencode='arch=compute_90,code=[compute_90,sm_90]'
  if ! [ "$dir/ladder" -nt "$here/ladder.cu" ]; then
    echo "building ladder"
    "$nvcc" -O3 -std=c++17 -gencode "$gencode" -cudart shared -Xlinker -rpath -Xlinker '$ORIGIN' \
      -o "$dir/ladder" "$here/ladder.cu" -ldl
  fi
  libdir=$(dirname "$nvcc")/../lib64
  cp -L "$libdir"/libcudart.so.1? "$dir/"
  for exercise in $exercises; do
    mkdir -p "$dir/$exercise"
    : > "$dir/$exercise/labels.txt"
    while IFS='|' read -r label source flags; do
      echo "$label" >> "$dir/$exercise/labels.txt"
      target=$dir/$exercise/$label.so
      if [ "$target" -nt "$source" ] && [ "$target" -nt "$root/exercises/$chapter/$exercise/$exercise.cuh" ] &&
        { [ -z "$flags" ] || [ "$target" -nt "$root/solutions/$chapter/$exercise/candidates/variants.txt" ]; }; then
        continue
      fi
      echo "building $exercise $label"
      # shellcheck disable=SC2086  # flags are several words
      "$nvcc" -shared -Xcompiler -fPIC -cudart none -O3 -std=c++17 -lineinfo --no-compress -gencode "$gencode" \
        -Xptxas -v -I "$root/exercises/$chapter/$exercise" $flags -o "$target" "$source" \
        2> "$dir/$exercise/$label.resources.txt" || { cat "$dir/$exercise/$label.resources.txt" >&2; exit 1; }
    done < <(variants_of "$exercise")
  done
}

metrics=(
  l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum l1tex__t_requests_pipe_lsu_mem_global_op_st.sum
  l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
  l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum l1tex__t_requests_pipe_lsu_mem_global_op_red.sum
  smsp__inst_executed_op_shared_ld.sum smsp__inst_executed_op_shared_st.sum
  l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum
  l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum
  l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum
  lts__t_sectors_op_read.sum lts__t_sectors_op_write.sum dram__bytes_read.sum dram__bytes_write.sum
  smsp__inst_executed.sum gpu__time_duration.sum
)

# profile DIR OUT SUFFIX ladder-options... : one launch of each variant under ncu, one CSV each
profile() {
  local dir=$1 out=$2 suffix=$3 exercise label joined
  shift 3
  joined=$(IFS=,; echo "${metrics[*]}")
  mkdir -p "$out/ncu"
  for exercise in $exercises; do
    while read -r label; do
      if [ -n "${LADDER_PROFILE_LABELS:-}" ]; then
        case " $LADDER_PROFILE_LABELS " in *" $label "*) ;; *) continue ;; esac
      else
        case $label in c_*) continue ;; esac
      fi
      "$ncu" --csv --page raw --print-units base --clock-control none --cache-control none --profile-from-start off \
        --metrics "$joined" --log-file "$out/ncu/$exercise.$label.$suffix.csv" \
        "$dir/ladder" --once "$@" "$exercise" "$label=$dir/$exercise/$label.so" \
        > "$out/ncu/$exercise.$label.$suffix.txt" 2>&1 ||
        echo "ncu failed for $exercise $label, see $out/ncu/$exercise.$label.$suffix.csv"
    done < "$dir/$exercise/labels.txt"
  done
}

if [ "${1:-}" = build ] && [ -n "${2:-}" ]; then
  build "$2"
  exit 0
fi
if [ -z "${1:-}" ] || [ "${1#-}" != "$1" ]; then
  sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
  exit 2
fi

out=$1
mkdir -p "$out"
out=$(cd "$out" && pwd)
dir=${2:-$out/build}
[ -x "$dir/ladder" ] || build "$dir"
dir=$(cd "$dir" && pwd)

arguments=()
for exercise in $exercises; do
  arguments+=("$exercise")
  while read -r label; do arguments+=("$label=$dir/$exercise/$label.so"); done < "$dir/$exercise/labels.txt"
done

nvidia-smi > "$out/nvidia-smi.txt" 2>&1 || true
# Four launches between two events, as the judge measures; then single launches, as the course's first figures were.
"$dir/ladder" --samples "$samples" --json "$out/ladder.json" "${arguments[@]}" | tee "$out/ladder.txt"
"$dir/ladder" --samples "$samples" --batch 1 --json "$out/ladder_single.json" "${arguments[@]}" > "$out/ladder_single.txt"

ncu=${NCU:-$(command -v ncu || true)}
if [ "${LADDER_PROFILE:-1}" = 0 ]; then
  echo "counters: left out"
elif [ -z "$ncu" ]; then
  echo "counters: no ncu on PATH"
else
  profile "$dir" "$out" full
  # A size that the simulated GPU interprets in seconds, so that counters can be compared one by one.
  profile "$dir" "$out" small --elements 1048573 --rows 1200 --cols 2288
  echo "counters: $(find "$out/ncu" -name '*.csv' | wc -l) files in $out/ncu"
fi
