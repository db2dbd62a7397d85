#!/bin/sh
# usage: demo.sh RFNN FOLDER
# The paper's multiscale example, from data to frequencies: by the default preset, in seconds, then by the published
# algorithm with the published settings, about a minute. RFNN_DEMO_ITERATIONS shortens the latter.
set -eu
rfnn=$1 folder=$2
iterations=${RFNN_DEMO_ITERATIONS:-20000}
mkdir -p "$folder"

run() {
  echo "\$ $*"
  "$@"
}

# The frequencies of the function, and beside each the lines learnt within pi/2 of it, taken together: over a range of 2
# they differ by half a turn at the most and are one wave to the data.
frequencies() {
  "$rfnn" inspect "$1" | awk -v near=1.57 '
    /^Frequencies of / { inside = 1; next }
    /^$/ { inside = 0 }
    inside && $1 + 0 > 0 { a[++lines] = $1; f[lines] = $2 }
    END {
      split("4 70 150", truth, " ")
      split("1 0.3 0.05", size, " ")
      print "  in the function: frequency, amplitude     learnt: frequency, amplitude (near lines together)"
      for (t = 1; t <= 3; t++) {
        sum = mean = 0
        for (i = 1; i <= lines; i++)
          if ((f[i] - truth[t]) ^ 2 < near ^ 2) { sum += a[i]; mean += a[i] * f[i] }
        printf "  %27d  %9.4f     %17.2f  %9.4f\n", truth[t], size[t], (sum > 0 ? mean / sum : 0), sum
      }
    }'
}

echo "The multiscale function is a slow wave with two small fast ones on it: frequencies 4, 70 and 150."
run "$rfnn" generate multiscale --rows 2000 --seed 1 --out "$folder/train.csv"
run "$rfnn" generate multiscale --rows 10000 --seed 2 --out "$folder/test.csv"
echo
echo "The default preset chooses width, depth and ridge by itself; a bound on the width makes the network easy to read."
run "$rfnn" fit "$folder/train.csv" --target y --width 6 --members 1 --out "$folder/auto.rfnn"
echo
echo "Error on rows the network has not seen:"
run "$rfnn" evaluate "$folder/auto.rfnn" "$folder/test.csv"
echo
echo "Frequencies learnt, in radians per unit of x:"
frequencies "$folder/auto.rfnn"
echo
echo "Now the published algorithm with the published settings: 10 blocks, 6 features per branch, $iterations iterations; of"
echo "every block the best state of its chain is kept (the paper keeps the last)."
run "$rfnn" fit "$folder/train.csv" --target y --preset paper \
  --out "$folder/model.rfnn" --run-dir "$folder/run" --seed 1 \
  --width 6 --blocks 10 --iterations "$iterations" --gamma 10 --gamma-state 10 --delta auto --delta-state auto \
  --ridge 1e-4 --keep best
echo
echo "Error on rows the network has not seen:"
run "$rfnn" evaluate "$folder/model.rfnn" "$folder/test.csv"
echo
echo "Frequencies learnt, in radians per unit of x:"
frequencies "$folder/model.rfnn"
echo
run "$rfnn" report "$folder/run" --data "$folder/test.csv" --out "$folder/report.html"
echo
echo "The report of the run is $folder/report.html: open it in a browser."
echo "The models are $folder/auto.rfnn and $folder/model.rfnn, the record of the run is in $folder/run/. To go on:"
echo "  $rfnn inspect $folder/auto.rfnn"
echo "  $rfnn predict $folder/auto.rfnn $folder/test.csv --out $folder/predictions.csv"
