"""The tables of a run as Markdown and as lines for a terminal."""
import math

import summary

BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"
BETTER = {-1: "better", 0: "", 1: "worse"}


def short(value):
    if value is None or math.isnan(value):
        return "–"
    if value == 0 or 1e-3 <= abs(value) < 1e4:
        return f"{value:.3g}"
    return f"{value:.1e}"


def with_error(each):
    """0.81 ± 0.03: the standard error is that of the ratio, from that of its logarithm."""
    if each is None:
        return "–"
    if each.se is None:
        return short(each.value)
    return f"{short(each.value)} ± {each.value * each.se:.1g}"


def markdown(header, rows):
    lines = [f"| {' | '.join(header)} |", f"|{'---|' * len(header)}"]
    return "\n".join(lines + [f"| {' | '.join(map(str, row))} |" for row in rows]) + "\n"


def set_rows(results, programs):
    header = ["set", "kind", "rows × inputs", "best peer", "its error", "its CPU s"]
    for label in programs:
        header += [f"{label}: error", "ratio", "CPU s"]
    rows = []
    for result in results:
        peer = result.best_peer
        row = [result.name, result.kind, f"{result.rows} × {result.inputs}", peer or "–",
               short(result.error(peer)) if peer else "–", short(result.cpu[peer]) if peer else "–"]
        for label in programs:
            if label in result.errors:
                note = " (failed)" if label in result.failed else ""
                row += [short(result.error(label)) + note, with_error(result.against_best(label)), short(result.cpu[label])]
            else:
                row += ["–"] * 3
        rows.append(row)
    return header, rows


def group_rows(results, programs):
    rows = []
    for label in programs:
        for kind, ratios in summary.groups(results, label):
            if ratios:
                rows.append([label, kind, len(ratios), with_error(summary.mean_of(ratios)),
                             sum(each.value < 1 for each in ratios), sum(each.verdict < 0 for each in ratios),
                             sum(each.verdict > 0 for each in ratios)])
    return ["program", "kind", "sets", "geometric mean of the ratios", "ahead on", "surely ahead", "surely behind"], rows


def standing_rows(results, learners):
    rows = [[row["learner"], short(row["over_best"]), row["best_on"], short(row["cpu_seconds"])]
            for row in summary.standings(results, learners)]
    return ["learner", "error over that of the best", "best on", "CPU s of a fit"], rows


def honesty_rows(records, programs):
    rows = []
    for label in programs:
        found = summary.honesty(records, label)
        fits = sum(record["learner"] == label for record in records)
        if found:
            ratios = sorted(ratio for _, ratio, _ in found)
            rows.append([label, fits, fits - len(found), short(summary.geometric(ratios)),
                         short(ratios[len(ratios) // 10]), short(ratios[-1 - len(ratios) // 10])])
    return ["program", "fits", "without one", "geometric mean", "tenth", "ninth tenth"], rows


def document(run):
    """All tables; `run` is what run.py gathered."""
    parts = [f"{' '.join([run['what'], *run['cautions']])}\n"]
    for role, words in (("report", "Sets that report"), ("choose", "Sets that constants may be chosen by: no results")):
        results = [result for result in run["sets"] if result.role == role]
        if not results:
            continue
        parts += [f"**{words}**\n", markdown(*group_rows(results, run["programs"])),
                  markdown(*set_rows(results, run["programs"])), markdown(*standing_rows(results, run["learners"]))]
        names = {result.name for result in results}
        honest = honesty_rows([record for record in run["records"] if record["set"] in names], run["programs"])
        if honest[1]:
            parts += ["Held-out error that the program reported over the true one, noise included:\n", markdown(*honest)]
    if run["missing"]:
        parts.append("Left out: " + "; ".join(f"{name} ({words})" for name, words in run["missing"].items()) + ".\n")
    return "\n".join(parts)


def aligned(header, rows):
    """A table for a terminal."""
    table = [[str(cell) for cell in row] for row in (header, *rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(header))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in table)


def comparison(results, ours, theirs):
    """Lines that set two programs side by side: error of the first over that of the second."""
    rows, ratios, times = [], [], []
    for result in results:
        each = summary.ratio(result.errors.get(ours, {}), result.errors.get(theirs, {}), result.overlap)
        if each is None:
            continue
        ratios.append(each)
        times.append(max(result.cpu[ours], 1e-3) / max(result.cpu[theirs], 1e-3))
        rows.append([result.name, result.kind, result.role, short(result.error(theirs, ours)), short(result.error(ours, theirs)),
                     with_error(each), each.splits, BETTER[each.verdict], short(times[-1])])
    if ratios:
        mean = summary.mean_of(ratios, 1 / summary.FLOOR)  # neither side counts for more
        rows.append(["all", "", "", "", "", with_error(mean), "",
                     f"{sum(r.verdict < 0 for r in ratios)} better, {sum(r.verdict > 0 for r in ratios)} worse",
                     short(summary.geometric(times))])
    return ["set", "kind", "role", "error before", "error now", "ratio", "splits", "surely", "CPU ratio"], rows
