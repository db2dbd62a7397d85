"""Peak memory of `rfnn fit` on ten million rows with four inputs, from NPY files of doubles and of floats and from CSV:
at most twice the data as doubles and 256 MiB. What `--dry-run` promises is compared with it."""

import array
import json
import pathlib
import random
import struct
import tempfile

from common import arguments, check, finish, output_of, program
from predict_memory import peak_megabytes

INPUTS = 4
WIDTH, BLOCKS = 8, 3
BATCH = 100_000  # rows made once and written over and over
MEBIBYTE = 1 << 20


def rows_of_a_batch():
    source = random.Random(1)
    numbers = []
    for _ in range(BATCH):
        inputs = [round(source.uniform(-1, 1), 6) for _ in range(INPUTS)]
        numbers += [*inputs, round(inputs[0] * inputs[1] + inputs[2] ** 2 - inputs[3], 6)]
    return numbers


def write_csv(path, rows, numbers):
    columns = INPUTS + 1
    lines = (",".join(map(repr, numbers[i:i + columns])) for i in range(0, len(numbers), columns))
    text = ("\n".join(lines) + "\n").encode()
    with open(path, "wb", buffering=0) as file:
        file.write((",".join(f"x{k + 1}" for k in range(INPUTS)) + ",y\n").encode())
        for _ in range(rows // BATCH):
            file.write(text)


def write_npy(path, rows, numbers, kind):
    cells = array.array({"f8": "d", "f4": "f"}[kind], numbers).tobytes()
    header = f"{{'descr': '<{kind}', 'fortran_order': False, 'shape': ({rows}, {INPUTS + 1}), }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    with open(path, "wb", buffering=0) as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
        for _ in range(rows // BATCH):
            file.write(cells)


KINDS = {"float64.npy": lambda path, rows, numbers: write_npy(path, rows, numbers, "f8"),
         "float32.npy": lambda path, rows, numbers: write_npy(path, rows, numbers, "f4"),
         "text.csv": write_csv}


def main():
    given = arguments(__doc__)
    rows = 1_000_000 if given.quick else 10_000_000
    rfnn = program(given.build, "rfnn")
    numbers = rows_of_a_batch()
    data_megabytes = rows * (INPUTS + 1) * 8 / MEBIBYTE
    bound = 2 * data_megabytes + 256
    result = {"rows": rows, "inputs": INPUTS, "width": WIDTH, "blocks": BLOCKS, "data_mebibytes": data_megabytes,
              "bound_mebibytes": bound, "peak_mebibytes": {}, "promised_mebibytes": {}, "checks": []}
    print(f"Peak memory of `rfnn fit`, {rows} rows, {INPUTS} inputs, W = {WIDTH}, {BLOCKS} blocks: "
          f"the data are {data_megabytes:.0f} MiB as doubles")
    with tempfile.TemporaryDirectory(prefix="rfnn-bench-") as name:
        folder = pathlib.Path(name)
        for kind, write in KINDS.items():
            table = folder / kind
            write(table, rows, numbers)
            command = [rfnn, "fit", table, "--target", INPUTS + 1, "--preset", "paper",
                       "--width", WIDTH, "--blocks", BLOCKS,
                       "--iterations", 2, "--quiet", "--out", folder / "model.rfnn"]
            promised = json.loads(output_of(*command, "--dry-run", "--json"))["memory_bytes"] / MEBIBYTE
            peak = peak_megabytes(command)
            table.unlink()
            result["peak_mebibytes"][kind] = peak
            result["promised_mebibytes"][kind] = promised
            print(f"  {kind}: {peak:.0f} MiB, promised {promised:.0f} MiB", flush=True)
            result["checks"].append(check(f"peak memory of fit, {kind}, {rows} rows / (2 × data + 256 MiB)",
                                          peak / bound, "≤ 1", peak <= bound))
            result["checks"].append(check(f"memory that --dry-run promises / peak, {kind}, {rows} rows",
                                          promised / peak, "within 25 % of 1", abs(promised / peak - 1) <= 0.25))
    finish(result, given.json)


if __name__ == "__main__":
    main()
