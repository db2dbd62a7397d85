#!/bin/sh
# usage: demo.sh RFNN FOLDER
# The paper's multiscale example, from data to frequencies, with the published settings: about a minute.
# RFNN_DEMO_ITERATIONS shortens it.
set -eu
rfnn=$1 folder=$2
iterations=${RFNN_DEMO_ITERATIONS:-20000}
mkdir -p "$folder"

run() {
  echo "\$ $*"
  "$@"
}

echo "The multiscale function is a slow wave with two small fast ones on it: frequencies 4, 70 and 150."
run "$rfnn" generate multiscale --rows 2000 --seed 1 --out "$folder/train.csv"
run "$rfnn" generate multiscale --rows 10000 --seed 2 --out "$folder/test.csv"
echo
echo "Training with the published settings: 10 blocks, 6 features per branch, $iterations iterations; of every block the best"
echo "state of its chain is kept (the paper keeps the last)."
run "$rfnn" fit "$folder/train.csv" --target y --preset paper \
  --out "$folder/model.rfnn" --run-dir "$folder/run" --seed 1 \
  --width 6 --blocks 10 --iterations "$iterations" --gamma 10 --gamma-state 10 --delta auto --delta-state auto \
  --ridge 1e-4 --keep best
echo
echo "Error on rows the network has not seen:"
run "$rfnn" evaluate "$folder/model.rfnn" "$folder/test.csv"
echo
echo "Frequencies learnt, in radians per unit of x:"
"$rfnn" inspect "$folder/model.rfnn" --json | tr -d ' \n' | sed 's/.*"spectrum":\[//' | tr '}' '\n' | awk '
  function number(key) {  # the first number of a list
    if (!match($0, "\"" key "\":\\[[^],]*")) return ""
    return substr($0, RSTART + length(key) + 4, RLENGTH - length(key) - 4) + 0
  }
  # Lines come largest first; one within 0.5 of a larger one is added to it, phases counting.
  /"branch":"input"/ {
    frequency = number("frequency"); amplitude = number("amplitude"); phase = number("phase")
    for (i = 1; i <= lines && (frequency - at[i]) ^ 2 >= 0.25; i++);
    if (i > lines) { lines = i; at[i] = frequency }
    re[i] += amplitude * cos(phase); im[i] += amplitude * sin(phase)
  }
  END {
    for (i = 1; i <= lines; i++) size[i] = sqrt(re[i] ^ 2 + im[i] ^ 2)
    split("4 70 150", truth, " ")
    for (rank = 1; rank <= 6 && rank <= lines; rank++) {
      for (i = best = 1; i <= lines; i++) if (size[i] > size[best]) best = i
      f[rank] = at[best]; a[rank] = size[best]; size[best] = -1
    }
    print "  in the function   nearest of the six largest lines   amplitude"
    for (t = 1; t <= 3; t++) {
      for (i = near = 1; i < rank; i++) if ((f[i] - truth[t]) ^ 2 < (f[near] - truth[t]) ^ 2) near = i
      printf "  %15d   %32.2f   %9.4f\n", truth[t], f[near], a[near]
    }
  }'
echo
run "$rfnn" report "$folder/run" --data "$folder/test.csv" --out "$folder/report.html"
echo
echo "The report of the run is $folder/report.html: open it in a browser."
echo "The model is $folder/model.rfnn, the record of the run is in $folder/run/. To go on:"
echo "  $rfnn inspect $folder/model.rfnn"
echo "  $rfnn predict $folder/model.rfnn $folder/test.csv --out $folder/predictions.csv"
