"""Accuracy of the program beside other learners, on data sets of many kinds and several splits.

    run.py                          the sets that report; tables, results and a page in build/accuracy
    run.py --quick                  fewer sets, rows and splits: minutes
    run.py --role choose            the sets that constants may be chosen by
    run.py --compare OTHER          two binaries side by side on the sets to choose by, without peers

Every fit is kept in build/accuracy/fits.jsonl: a run that was stopped goes on, and another binary runs only its own fits.
"""
import argparse
import json
import os
import pathlib
import platform
import shlex
import signal
import subprocess
import sys

import page
import peers
import sets
import summary
import text
import work
from program import Program

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benchmarks"))
from common import processor_name  # noqa: E402  (the folder above)

FULL = {"splits": 5, "max_times": (0.0, 10.0), "most_rows": 0}
QUICK = {"splits": 2, "max_times": (0.0, 2.0), "most_rows": 500}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rfnn", type=pathlib.Path, default=ROOT / "build" / "rfnn", help="the program [build/rfnn]")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "accuracy", help="[build/accuracy]")
    parser.add_argument("--role", choices=(*sets.ROLES, "all"), help="[report; choose with --compare]")
    parser.add_argument("--sets", metavar="NAME,...", help="these sets alone")
    parser.add_argument("--quick", action="store_true", help="fewer sets, 2 splits, at most 500 rows")
    parser.add_argument("--splits", type=int, help="splits of every set [5, quick 2]")
    parser.add_argument("--most-rows", type=int, help="training rows at most [as the sets have them, quick 500]")
    parser.add_argument("--max-time", metavar="SECONDS,...",
                        help="budgets of the program, 0 is none [0,10; quick 0,2; to compare 0]")
    parser.add_argument("--options", default="", metavar="WORDS", help="further options of `rfnn fit`")
    parser.add_argument("--compare", type=pathlib.Path, metavar="OTHER", help="another binary to compare with")
    parser.add_argument("--other-options", metavar="WORDS", help="options of the other one [those of --options]")
    parser.add_argument("--peers", metavar="NAME,...", help=f"these alone, '' for none: {', '.join(peers.PEERS)}")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="fits at a time [all cores]")
    parser.add_argument("--markdown", type=pathlib.Path, metavar="FILE", help="put the tables between its markers")
    parser.add_argument("--list", action="store_true", help="list the sets and end")
    return parser.parse_args()


def label(max_time):
    return f"rfnn, {max_time:g} s" if max_time else "rfnn"


def programs_of(given, max_times):
    """The program with each budget; with --compare also the other one."""
    def resolved(path):
        if not path.is_file():
            sys.exit(f"There is no program {path}. `make build` builds build/rfnn; --rfnn names another.")
        return str(path.resolve())

    options = tuple(shlex.split(given.options))
    if not given.compare:
        return [Program(label(limit), resolved(given.rfnn), limit, options) for limit in max_times]
    other = options if given.other_options is None else tuple(shlex.split(given.other_options))
    return [program for limit in max_times
            for program in (Program(f"now {label(limit)}", resolved(given.rfnn), limit, options),
                            Program(f"before {label(limit)}", resolved(given.compare), limit, other))]


def chosen_peers(given):
    there = peers.installed()
    if given.compare:
        return []
    if given.peers is None:
        return there
    names = [name for name in given.peers.split(",") if name]
    unknown = [name for name in names if name not in there]
    if unknown:
        sys.exit(f"No such peer, or not installed: {', '.join(unknown)}. There are {', '.join(there)}.")
    return names


def facts_of(program, given, plan):
    busy = os.getloadavg()[0]
    return {"Program": f"rfnn {program.version()}, {program.identity()['program']}",
            "Processor": processor_name(), "Cores": str(len(os.sched_getaffinity(0))), "System": platform.platform(),
            "Splits": str(plan["splits"]), "Fits at a time": f"{given.jobs}, one thread each",
            "Load at the end": f"{busy:.1f}", **peers.versions()}


def cautions_of(given, plan, whole):
    words = []
    if given.quick:
        words.append("A quick run: few sets, rows and splits. It shows that everything works and proves nothing.")
    if not whole:
        words.append("The run was stopped: some fits are missing. The same command goes on with them.")
    if plan["splits"] < 3:
        words.append("Standard errors of two splits are themselves very uncertain.")
    return words


def replace_section(document, new):
    before, _, rest = document.read_text(encoding="utf-8").partition(text.BEGIN)
    _, marker, after = rest.partition(text.END)
    if not marker:
        sys.exit(f"{document} has no lines\n{text.BEGIN}\n{text.END}\nto put the tables between.")
    document.write_text(f"{before}{text.BEGIN}\n{new}\n{text.END}{after}", encoding="utf-8")


def compare(given, programs, results, records):
    """Prints the table of two binaries for every budget and keeps it."""
    if any(result.role == "report" for result in results):
        print("\nSets that report are among these. A constant chosen by them would spoil them for good: look, do not "
              "choose.")
    tables = []
    for now, before in zip(programs[::2], programs[1::2]):
        header, rows = text.comparison(results, now.label, before.label)
        print(f"\n{now.label} ({now.identity()['program']}) over {before.label} ({before.identity()['program']}); below 1 "
              f"is better now\n\n{text.aligned(header, rows)}")
        tables.append(text.markdown(header, rows))
    for result in results:
        for learner, words in result.failed.items():
            print(f"{learner} failed on {result.name}: {words}")
    (given.out / "compare.json").write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")
    (given.out / "compare.md").write_text("\n".join(tables), encoding="utf-8")


def publish(given, run, role):
    """Tables on the terminal, files and the page in the folder."""
    results = run["sets"]
    for rows in (text.set_rows(results, run["programs"]), text.group_rows(results, run["programs"]),
                 text.standing_rows(results, run["learners"])):
        print(f"\n{text.aligned(*rows)}")
    stem = given.out / (f"{role}-quick" if given.quick else role)
    (stem.with_suffix(".json")).write_text(json.dumps({"facts": run["facts"], "records": run["records"]}, indent=1) + "\n",
                                           encoding="utf-8")
    document = text.document(run)
    stem.with_suffix(".md").write_text(document, encoding="utf-8")
    described = stem.with_name(stem.name + "-page.json")
    described.write_text(json.dumps(page.described(run)), encoding="utf-8")
    drawer = ROOT / "build" / "benchmarks" / "bench_page"
    if drawer.exists():
        subprocess.run([drawer, described, stem.with_suffix(".html")], check=True)
    else:
        print(f"\nNo page: {drawer} is not built (`make accuracy` does it).")
    if given.markdown:
        replace_section(given.markdown, document)
    print(f"\n{stem}.json, .md, .html")


def main():
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: fits under way are kept
    given = arguments()
    plan = dict(QUICK if given.quick else FULL)
    plan["splits"] = given.splits or plan["splits"]
    plan["most_rows"] = given.most_rows or plan["most_rows"]
    if given.compare:
        plan["max_times"] = (0.0,)  # a budget makes results depend on what else the machine does
    if given.max_time:
        plan["max_times"] = tuple(float(word) for word in given.max_time.split(","))
    role = given.role or ("choose" if given.compare else "report")
    try:
        chosen = sets.chosen(given.sets and given.sets.split(","), None if role == "all" else role, given.quick)
    except ValueError as error:
        sys.exit(str(error))
    if given.list:
        print(text.aligned(["set", "kind", "role", "rows at most", "seen by earlier choices"],
                           [[each.name, each.kind, each.role, each.rows, each.earlier] for each in sets.SETS]))
        return
    programs, names = programs_of(given, plan["max_times"]), chosen_peers(given)
    jobs = [work.Job(each.name, split, learner, plan["most_rows"])
            for split in range(plan["splits"]) for each in chosen for learner in (*programs, *names)]
    given.out.mkdir(parents=True, exist_ok=True)
    records, whole, missing = work.run(jobs, given.out / "fits.jsonl", given.jobs, lambda line: print(line, flush=True))
    results = summary.by_set(records, sets.BY_NAME, names)
    if given.compare:
        compare(given, programs, results, records)
    else:
        labels = [program.label for program in programs]
        facts = facts_of(programs[0], given, plan)
        cautions = cautions_of(given, plan, whole)
        what = (f"{facts['Program']} beside {', '.join(names) or 'no peers'}: {len(results)} sets, "
                f"{plan['splits']} splits, " + (f"at most {plan['most_rows']} training rows, " if plan["most_rows"] else "")
                + f"one thread a fit, {facts['Processor']}, {facts['Cores']} cores, load {facts['Load at the end']}.")
        publish(given, {"sets": results, "records": records, "programs": labels, "learners": labels + names,
                        "facts": facts, "cautions": cautions, "missing": missing, "what": what}, role)
    sys.exit(0 if whole else 4)


if __name__ == "__main__":
    main()
