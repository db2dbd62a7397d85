"""A table as people have it, from check to a report that is looked at."""

import json


def test_the_commands_before_the_report(made):
    told = made.told("mixed")
    refused = {(problem["column"], problem["kind"]) for problem in json.loads(told["refused"])["problems"] if problem["refused"]}
    assert {("flow", "decimal-comma"), ("level", "decimal-comma"), ("site", "missing"), ("time", "missing")} <= refused
    assert json.loads(told["check"])["problems"] == []
    crossed = json.loads(told["cv"])
    assert crossed["rows"] == 400 and crossed["mse"] < 0.5 * min(crossed["baselines"].values())
    lines = told["predict"].splitlines()
    assert lines[0] == "id,time,site,level" and len(lines) == 151
    assert lines[1].startswith("301,2024-04-30T") and all(line.split(",")[-1] for line in lines)
    ranked = [entry["name"] for entry in json.loads(told["importance"])["inputs"]]
    assert ranked[0] == "time" and sorted(ranked) == ["flow", "site", "time", "valve"]


def test_the_report_says_how_far_off_and_speaks_of_dates_and_levels(page):
    report = page("mixed")
    opening = report.js("return document.querySelector('section').innerText")
    assert "On rows it has not seen" in opening and "of the variance" in opening
    titles = report.js("return [...document.querySelectorAll('[data-figure] h3')].map((h) => h.textContent)")
    assert titles[0] == "level: predicted against measured"
    assert "level by site" in titles and "Law of frequencies of time" in titles
    assert not any("site=" in title or "of valve" in title for title in titles), "no waves along levels"
    ticks = report.js("""
        const of = (title) => [...document.querySelectorAll('[data-figure]')]
            .find((f) => f.querySelector('h3').textContent === title).querySelector('canvas');
        return ['level along time', 'level by site'].map((title) =>
            Chart.getChart(of(title)).scales.x.ticks.map((tick) => String(tick.label)));""")
    assert all(label.startswith("2024-") for label in ticks[0]) and len(ticks[0]) > 1
    assert [label for label in ticks[1] if label] == ["harbour", "north", "south"]
