"""The page of a run, described for bench_page (page.cpp), which draws it in the format of the program's own reports."""
import math

import summary
import text

# Red is ours on every page; the others keep their colour from run to run.
COLOURS = {"XGBoost": "blue", "CatBoost": "cyan", "LightGBM": "green", "HistGB": "purple", "MLP": "orange", "GP": "black",
           "RFF ridge": "grey", "linear": "grey"}
TONES = {-1: "good", 0: "plain", 1: "bad"}


def table(caption, header, rows, **more):
    return {"table": {"caption": caption, "header": header, "rows": [[cell if isinstance(cell, list) else str(cell)
                                                                      for cell in row] for row in rows], **more}}


def main_table(results, programs):
    """Sets by kind; ratios that are no chance in colour."""
    header, rows = text.set_rows(results, programs)
    for row, result in zip(rows, results):
        for number, label in enumerate(programs):
            each = result.against_best(label)
            if each is not None:
                row[7 + 3 * number] = [row[7 + 3 * number], TONES[each.verdict]]
    return table("Errors are 1 − R² on test rows, geometric means over the splits; the ratio is our error over that of "
                 "the best peer, with its standard error over the splits. Coloured: more than chance.", header, rows)


def ratio_figure(results, label, role):
    """Ratios in order, with twice their standard errors."""
    found = sorted(((result.name, result.against_best(label)) for result in results
                    if result.against_best(label) is not None), key=lambda pair: pair[1].value)
    if not found:
        return []
    places = list(range(1, len(found) + 1))
    values = [each.value for _, each in found]
    spread = [math.exp(2 * (each.se or 0.0)) for _, each in found]
    ahead = sum(value < 1 for value in values)
    return [{"figure": {
        "id": f"ratios-{role}", "title": "Our error over that of the best peer, set by set",
        "caption": f"{label}, sets in order of the ratio; below 1 is ahead. The band is two standard errors over the "
                   "splits. Point at a dot to see its set.",
        "alternative": f"{len(found)} sets, {ahead} of them below 1; from {text.short(values[0])} ({found[0][0]}) to "
                       f"{text.short(values[-1])} ({found[-1][0]}).",
        "x": {"label": "sets, in order"}, "y": {"label": "ratio of errors", "logarithmic": True}, "size": "half",
        "series": [
            {"name": "two standard errors", "mark": "band", "colour": "red", "x": places,
             "y": [value * factor for value, factor in zip(values, spread)],
             "low": [value / factor for value, factor in zip(values, spread)]},
            {"name": "best peer", "mark": "line", "colour": "grey", "dashed": True, "x": [places[0], places[-1]],
             "y": [1.0, 1.0]},
            {"name": label, "colour": "red", "x": places, "y": values,
             "notes": [f"{name}: {text.with_error(each)}" for name, each in found]}]}}]


def time_figure(results, learners, role):
    """Where every learner stands between error and time."""
    rows = summary.standings(results, learners)
    if not rows or not rows[0]["sets"]:
        return []
    series = [{"name": row["learner"], "colour": COLOURS.get(row["learner"], "red"), "x": [row["cpu_seconds"]],
               "y": [row["over_best"]], "notes": [f"{row['learner']}: best on {row['best_on']} of {row['sets']} sets"]}
              for row in rows]
    return [{"figure": {
        "id": f"time-{role}", "title": "Error and time of every learner",
        "caption": "Means over the sets: error over that of the best learner on the set (at most ten each), and seconds of "
                   "processor time of a fit, with the choice of its settings. One thread each.",
        "alternative": "; ".join(f"{row['learner']} {text.short(row['over_best'])} in {text.short(row['cpu_seconds'])} s"
                                 for row in rows) + ".",
        "x": {"label": "CPU seconds of a fit", "logarithmic": True},
        "y": {"label": "error over the best", "logarithmic": True}, "size": "half", "series": series}}]


def honesty_figure(records, label, role):
    found = summary.honesty(records, label)
    if not found:
        return []
    ratios = [ratio for _, ratio, _ in found]
    return [{"figure": {
        "id": f"honesty-{role}", "title": "What the program says about its error",
        "caption": f"{label}: mean squared error on held-out rows as reported by the fit, over the error on the test rows "
                   "(noise included), a dot for every fit. 1 is honest, below 1 promises too much.",
        "alternative": f"{len(found)} fits, geometric mean {text.short(summary.geometric(ratios))}, from "
                       f"{text.short(min(ratios))} to {text.short(max(ratios))}.",
        "x": {"label": "test error, 1 − R²", "logarithmic": True},
        "y": {"label": "reported over true", "logarithmic": True}, "size": "half",
        "series": [{"name": "as it should be", "mark": "line", "colour": "grey", "dashed": True,
                    "x": [min(error for _, _, error in found), max(error for _, _, error in found)], "y": [1.0, 1.0]},
                   {"name": label, "colour": "red", "x": [error for _, _, error in found], "y": ratios,
                    "notes": [name for name, _, _ in found]}]}}]


def highlights(results, label):
    everything = dict(summary.groups(results, label))["all"]
    if not everything:
        return []
    mean = summary.mean_of(everything)
    return [{"highlights": [
        [text.with_error(mean), f"geometric mean of the ratios to the best peer of each set, {label}"],
        [f"{sum(each.value < 1 for each in everything)} of {len(everything)}", "sets with an error below the best peer's"],
        [f"{sum(each.verdict > 0 for each in everything)}", "sets on which it is surely behind"]]}]


def part(run, role, title, words):
    results = [result for result in run["sets"] if result.role == role]
    if not results:
        return []
    names = {result.name for result in results}
    records = [record for record in run["records"] if record["set"] in names]
    programs, learners = run["programs"], run["learners"]
    items = [{"paragraph": words}]
    if role == "report":
        items += highlights(results, programs[0])
    items += ratio_figure(results, programs[0], role) + time_figure(results, learners, role)
    items += honesty_figure(records, programs[0], role)
    items.append(table("By kind of data. Ratios below 0.1 count as 0.1 here.", *text.group_rows(results, programs)))
    items.append(main_table(results, programs))
    items.append(table("All learners", *text.standing_rows(results, learners)))
    rows = [[result.name, *(text.short(result.error(each)) if each in result.errors else "–" for each in learners)]
            for result in results]
    items.append(table("Errors of all learners, 1 − R²", ["set", *learners], rows, folded=True))
    return [{"id": role, "title": title, "items": items}]


def described(run):
    """The page as JSON."""
    about = [{"notice": [f"{learner} failed on {result.name}: {words}", "bad"]}
              for result in run["sets"] for learner, words in result.failed.items()]
    about += [{"notice": [f"Left out: {name} ({words})", "caution"]} for name, words in run["missing"].items()]
    about += [{"paragraph": run["what"]}, {"facts": list(map(list, run["facts"].items()))}]
    sections = part(run, "report", "Sets that report", "No constant of the program was chosen by these sets.")
    sections += part(run, "choose", "Sets that constants may be chosen by",
                     "The program's constants were, or may be, chosen by errors on these sets: they say how a choice was "
                     "made and are no result.")
    if sections:
        sections[0]["items"][:0] = [{"notice": [words, "caution"]} for words in run["cautions"]]
    return {"title": "Accuracy", "subtitle": run["facts"]["Processor"],
            "sections": [*sections, {"id": "run", "title": "This run", "items": about}]}
