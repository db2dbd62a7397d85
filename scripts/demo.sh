#!/bin/sh
# usage: demo.sh RFNN FOLDER
# The paper's multiscale example from data to frequencies. Its settings, but 2000 iterations per block instead of 20000.
set -eu
rfnn=$1 folder=$2
iterations=${RFNN_DEMO_ITERATIONS:-2000}
mkdir -p "$folder"

run() {
  echo "\$ $*"
  "$@"
}

echo "The multiscale function holds the frequencies 4, 70 and 150: a smooth wave with small fast ones on it."
run "$rfnn" generate multiscale --rows 2000 --seed 1 --out "$folder/train.csv"
run "$rfnn" generate multiscale --rows 10000 --seed 2 --out "$folder/test.csv"
echo
echo "Training: 10 blocks of 6 features per branch, $iterations iterations each."
run "$rfnn" fit "$folder/train.csv" --target y --out "$folder/model.rfnn" --run-dir "$folder/run" \
  --width 6 --blocks 10 --iterations "$iterations" --ridge 1e-4 --seed 1
echo
echo "Error on rows the network has not seen:"
run "$rfnn" evaluate "$folder/model.rfnn" "$folder/test.csv"
echo
echo "What it learnt (the largest lines of the spectrum, those closer than 0.5 taken together):"
"$rfnn" inspect "$folder/model.rfnn" --json | tr -d ' \n' | grep -oE '"(frequency|amplitude)":\[[^]]*\]' | awk -F '[][]' '
  # Lines come largest first, each with its frequency and its amplitude, in either order.
  /frequency/ { frequency = $2; seen++ }
  /amplitude/ { amplitude = $2; seen++ }
  seen == 2 {
    seen = 0
    for (i = 1; i <= lines; i++) if ((frequency - at[i]) ^ 2 < 0.25) next
    at[++lines] = frequency
    size[lines] = amplitude
  }
  END {
    printf "  true frequency   nearest of the six largest   off by   amplitude\n"
    split("4 70 150", truth, " ")
    for (t = 1; t <= 3; t++) {
      best = 0
      for (i = 1; i <= lines && i <= 6; i++)
        if (!best || (at[i] - truth[t]) ^ 2 < (at[best] - truth[t]) ^ 2) best = i
      if (best) printf "  %14d   %26.3f   %+6.3f   %9.4f\n", truth[t], at[best], at[best] - truth[t], size[best]
    }
  }'
echo
echo "The model is $folder/model.rfnn and the record of the run is in $folder/run/. Next:"
echo "  $rfnn inspect $folder/model.rfnn"
echo "  $rfnn predict $folder/model.rfnn $folder/test.csv --out $folder/predictions.csv"
