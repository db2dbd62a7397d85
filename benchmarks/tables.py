"""Results as Markdown tables."""

BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"
BUSY = 0.1  # share of the machine others may use before figures are marked
TARGETS = ("multiscale", "stairstep", "sine")


def number(value, digits=3):
    """For people: 12,300 or 0.0123 rather than 1.23e+04."""
    if value is None:
        return "–"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        decimals = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2 if abs(value) >= 1 else 2 + (abs(value) < 0.1)
        return f"{float(f'{value:.{digits}g}'):,.{decimals}f}"
    return f"{value:.2g}"


def table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "".join("| " + " | ".join(map(str, line)) + " |\n" for line in lines) + "\n"


def power(rows):
    exponent = len(str(rows)) - 1
    superscript = str(exponent).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    lead = rows // 10**exponent
    return f"10{superscript}" if rows == 10**exponent else f"{lead}·10{superscript}" if rows == lead * 10**exponent else str(rows)


def busy_words(everything):
    """Which parts were not alone on the machine; empty when all were."""
    busy = {name: result["busy_before"] for name, result in everything["results"].items()
            if result.get("busy_before", 0) > BUSY}
    if not busy:
        return ""
    return ("Other work used much of the machine when these parts began, so that figures with two threads show nothing and "
            "the rest is less certain: " + ", ".join(f"{name} ({share:.0%})" for name, share in busy.items()) + ".")


def summary(everything):
    rows = [[line["what"], number(line["value"]), line["wanted"], {True: "yes", False: "**no**", None: "–"}[line["ok"]]]
            for line in everything["checks"]]
    return "### Figures and bounds\n\n" + table(["figure", "found", "wanted", "met"], rows)


def gibbs(found):
    text = "### Iterations per second on the paper's examples\n\n"
    rows = []
    for key, words in (("later_block", "later block"), ("first_block", "block 1"), ("later_block_qr", "later block, `solver qr`")):
        by_name = {example["example"]: example[key] for example in found["examples"]}
        rows.append([f"{words}: library / plain loop"] +
                    [f"{number(by_name[name]['ratio'])} ({by_name[name]['baseline']})" for name in TARGETS])
        rows.append([f"{words}: library / plain loop with vector cos/sin"] +
                    [f"{number(by_name[name]['fast_ratio'])} ({by_name[name]['fast_baseline'].split(', ')[1]})" for name in TARGETS])
    difference = {example["example"]: example["frequency_difference"]["largest"] for example in found["examples"]}
    rows.append(["largest difference of frequencies, `solver qr`, 50 iterations"] +
                [f"{difference[name]:.2g}" for name in TARGETS])
    return text + table(["", *TARGETS], rows)


def training(found):
    text = "### Iterations per second over the sizes\n\n"
    rows = []
    for size in found["sizes"]:
        two = size.get("per_second_two_threads")
        baseline = size.get("baseline")
        seconds = 1 / size["per_second"]
        rows.append([power(size["rows"]), size["inputs"], size["width"], number(size["per_second"]),
                     number(two / size["per_second"]) if two else "–",
                     *((number(baseline[way]["ratio"]) for way in ("plain", "vector")) if baseline else ("left out", "left out")),
                     number(size["share"]),
                     *(f"{100 * size['bound'][part] / seconds:.0f} %" for part in ("trig", "gram", "solve"))])
    left_out = [size for size in found["sizes"] if "baseline_left_out" in size]
    text += table(["N", "d", "W", "iterations/s, one thread", "two threads / one", "/ plain loop", "/ with vector cos/sin",
                   "share of the bound", "trig", "Gram", "solves"], rows)
    if left_out:
        text += ("Where the plain loop is left out it would take more than 3 s an iteration or 4 GB: " +
                 "; ".join(f"N = {power(size['rows'])}, W = {size['width']}: {size['baseline_left_out']}"
                           for size in left_out if size["inputs"] != 1) + ".\n\n")
    return text


def threads(found):
    rows = [[power(size["rows"]), size["inputs"], size["width"], number(size["two_threads"]), number(size["two_processes"]),
             number(size["ratio"])] for size in found["sizes"]]
    return "### Two threads against two processes\n\n" + table(
        ["N", "d", "W", "iterations/s, two threads", "two processes together", "ratio"], rows)


def kernels(found):
    text = "### Kernels\n\n" + table(
        ["cos/sin pairs, million a second", "kernel", "SLEEF's own loop", "ratio"],
        [[row["level"], number(1e-6 * row["kernel_pairs_per_second"]), number(1e-6 * row["sleef_pairs_per_second"]),
          number(row["ratio"])] for row in found["trig"]])
    text += table(["Gram matrix, Gflop/s", "kernel", "Eigen", "OpenBLAS", "kernel / best"],
                  [[f"{'upper, ' if row['shape'] == 'upper' else ''}{row['p']} × {row['n']}", number(row["kernel_gflops"]),
                    number(row["eigen_gflops"]), number(row["openblas_gflops"]), number(row["ratio"])]
                   for row in found["gram"]])
    keys = {"features_d1_pairs_per_second": "features, d = 1", "features_d3_pairs_per_second": "features, d = 3",
            "gram_12x24_per_second": "Gram, 12 × 24", "gram_64x128_per_second": "Gram, 64 × 128",
            "combine_24_per_second": "combine, 24"}
    best = found["levels"][0]
    return text + table([f"speed by level, {best['level']} = 1", *keys.values()],
                        [[level["level"], *(number(level[key] / best[key]) for key in keys)] for level in found["levels"]])


def cholesky(found):
    rows = [[row["what"], row["precision"], row["n"], row["threads"], number(row["gflops"]), number(row["openblas_gflops"]),
             number(row["ratio"])] for row in found["rows"]]
    return "### Dense matrices\n\n" + table(["", "precision", "n", "threads", "Gflop/s", "OpenBLAS", "median of ratios"], rows)


def predict_speed(found):
    rows = [[way, number(1e-6 * rate)] for way, rate in found["rows_per_second"].items()]
    return (f"### Prediction, NumPy {found['numpy']}\n\n" +
            table([f"{power(found['rows'])} rows, W = {found['width']}, L = {found['blocks']}, one thread",
                   "million rows a second"], rows))


def peers(found):
    text = "### Seconds to a given test error\n\n"
    for target in TARGETS:
        some = [result for result in found["results"] if result["target"] == target]
        if not some:
            continue
        rows = [[result["name"], *("not reached" if took is None else number(took) for took in result["reached"]),
                 f"{result['best_error']:.1e}"] for result in some]
        text += table([target, *(f"{level:g}" for level in some[0]["levels"]), "best error tried"], rows)
    if found["versions"]:
        text += ", ".join(f"{name} {version}" for name, version in found["versions"].items()) + ".\n\n"
    else:
        text += "The Python peers could not be installed.\n\n"
    return text


def checks_only(title):
    def section(found):
        return f"### {title}\n\n" + table(["figure", "found", "wanted"],
                                          [[line["what"], number(line["value"]), line["wanted"]] for line in found["checks"]])
    return section


SECTIONS = {"gibbs": gibbs, "training": training, "threads": threads, "kernels": kernels, "cholesky": cholesky, "predict_speed": predict_speed,
            "predict_speed_debian": predict_speed, "peers": peers, "csv_speed": checks_only("Reading CSV"),
            "predict_memory": checks_only("Memory of `predict`"), "fit_memory": checks_only("Memory of `fit`"),
            "paper_figures": checks_only("Errors with the paper's settings")}


def document(everything):
    """All tables of a run, and where it was made."""
    text = (f"{everything['processor']}, {everything['cores']} cores, {everything['compiler']}, {everything['system']}"
            f"{'; a quick run: nothing proven' if everything['quick'] else ''}.\n\n")
    if busy_words(everything):
        text += f"**{busy_words(everything)}**\n\n"
    text += summary(everything)
    for name, section in SECTIONS.items():
        if name in everything["results"]:
            text += section(everything["results"][name])
    return text
