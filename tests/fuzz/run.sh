#!/bin/sh
# run.sh FUZZER CORPUS_SCRIPT SECONDS [CORPUS]: fuzzes for so long, from a few small files. What was
# found new is kept in the directory CORPUS, or else dropped. A finding is left in the directory
# that this is run in, and is the exit status.
set -eu
fuzzer=$1 script=$2 seconds=$3 corpus=${4:-}
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
python3 "$script" "$scratch/seeds"
mkdir -p "${corpus:=$scratch/new}"
# Headers and tables are small: longer inputs only cost time.
"$fuzzer" -max_total_time="$seconds" -max_len=8192 -rss_limit_mb=1024 -timeout=5 -verbosity=0 \
    -print_final_stats=1 "$corpus" "$scratch/seeds"
