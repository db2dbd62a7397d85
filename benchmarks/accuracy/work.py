"""The fits of a run: what there is to do, what is known from earlier, and doing the rest on all cores. Every fit has one
thread and one line in a file that is only ever appended to, so a run that was stopped goes on where it was."""
import concurrent.futures
import concurrent.futures.process
import hashlib
import json
import multiprocessing
import os
import signal
import sys
import tempfile
import time
from dataclasses import dataclass

import numpy as np

import peers
import program
import sets

FORMAT = 1  # of a line; another number forgets everything before


@dataclass(frozen=True)
class Job:
    set_name: str
    split: int
    learner: object  # a program.Program, or the name of a peer
    most_rows: int

    @property
    def label(self):
        return self.learner if isinstance(self.learner, str) else self.learner.label

    def key(self, fingerprint, identity):
        """Under which the result is kept: data and learner, nothing else."""
        described = {"format": FORMAT, "set": self.set_name, "split": self.split, "data": fingerprint, **identity}
        return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()[:24]


def read_cache(path):
    """Lines by key. A torn last line, of a run that was killed while writing it, is as good as none."""
    known = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                record = json.loads(line)
                known[record["key"]] = record
            except (json.JSONDecodeError, KeyError):
                continue
    return known


def append(path, record):
    """One line, complete even where the file ended in half of one."""
    with open(path, "ab+") as file:
        torn = file.tell() > 0 and (file.seek(-1, os.SEEK_END), file.read(1))[1] != b"\n"
        file.write((b"\n" if torn else b"") + json.dumps(record).encode() + b"\n")


def error_of(draw, predicted):
    """Mean squared error on the test rows, and as a share of their variance (1 − R²)."""
    if predicted.shape != draw.exact.shape or not np.isfinite(predicted).all():
        raise program.Failed("predictions are missing or not finite")
    mse = float(np.mean((predicted - draw.exact) ** 2))
    return mse, mse / float(draw.exact.var())


def measure(job, key):
    """One fit, in a process of its own."""
    draw = sets.BY_NAME[job.set_name].draw(job.split, job.most_rows)
    record = {"key": key, "set": job.set_name, "split": job.split, "learner": job.label, "rows": len(draw.y),
              "inputs": draw.x.shape[1], "test_rows": len(draw.exact), "noise": draw.noise}
    seed = job.split + 1
    try:
        if isinstance(job.learner, str):
            peers.load(job.learner)
            began, used = time.monotonic(), time.process_time()
            predict = peers.PEERS[job.learner][0](draw.x, draw.y, seed)
            record.update(seconds=time.monotonic() - began, cpu_seconds=time.process_time() - used)
            predicted = np.asarray(predict(draw.fresh), float).ravel()
        else:
            with tempfile.TemporaryDirectory(prefix="rfnn-accuracy-") as folder:
                predicted, facts = program.fit_and_predict(job.learner, draw, seed, folder)
            record.update(facts)
        record["mse"], record["error"] = error_of(draw, predicted)
    except Exception as error:  # a learner that fails is a result, and the others go on
        record.update(failed=f"{type(error).__name__}: {error}"[:400], error=1.0, mse=float(draw.exact.var()))
        record.setdefault("seconds", 0.0)
        record.setdefault("cpu_seconds", 0.0)
    return record


def prepare_worker():
    """Ctrl-C is the parent's business. The end of a worker is that of the program it runs."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


def warm_up(jobs):
    """Before NumPy is loaded in the workers: one thread each."""
    for library in ("OMP", "OPENBLAS", "MKL"):
        os.environ[f"{library}_NUM_THREADS"] = "1"
    return concurrent.futures.ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), prepare_worker)


def keyed(jobs):
    """(job, key) of all jobs whose data can be had; words for the sets that cannot."""
    identities, fingerprints, missing = {}, {}, {}
    result = []
    for job in jobs:
        if job.learner not in identities:
            identities[job.learner] = (peers.identity(job.learner) if isinstance(job.learner, str)
                                       else job.learner.identity())
        place = (job.set_name, job.split)
        if job.set_name not in missing and place not in fingerprints:
            try:
                fingerprints[place] = sets.BY_NAME[job.set_name].draw(job.split, job.most_rows).fingerprint()
            except (ImportError, OSError, ValueError, KeyError) as error:
                missing[job.set_name] = f"{type(error).__name__}: {error}"
        if place in fingerprints:
            result.append((job, job.key(fingerprints[place], identities[job.learner])))
    return result, missing


def labelled(record, job):
    """A line of the cache under the name that its learner has in this run."""
    return {**record, "learner": job.label}


def run(jobs, cache, workers, say=print):
    """Records of all jobs, from the cache or from a fit now; whether all are there; words for sets left out. Ctrl-C once
    waits for the fits that are under way, twice drops them."""
    jobs, missing = keyed(jobs)
    known = read_cache(cache)
    records = [labelled(known[key], job) for job, key in jobs if key in known]
    to_do = [(job, key) for job, key in jobs if key not in known]
    say(f"{len(jobs)} fits, {len(records)} of them known from earlier; {workers} at a time")
    if not to_do:
        return records, True, missing
    cache.parent.mkdir(parents=True, exist_ok=True)
    pool = warm_up(workers)
    waiting = {pool.submit(measure, job, key): job for job, key in to_do}
    taken = set()

    def take(future):
        job = waiting[future]
        record = labelled(future.result(), job)
        if "failed" not in record:  # a failure is tried again next time
            append(cache, record)
        records.append(record)
        taken.add(future)
        say(f"{len(taken):4}/{len(to_do)}  {job.set_name:<16} split {job.split + 1}  {job.label:<12} "
            + (record.get("failed") or f"{record['error']:.3e}  {record['cpu_seconds']:7.1f} s"))

    def take_all(futures):
        for future in concurrent.futures.as_completed(futures):
            take(future)

    try:
        take_all(waiting)
    except KeyboardInterrupt:
        say("\nStopping: the fits under way are waited for and kept. Ctrl-C again drops them.")
        under_way = [future for future in waiting if future not in taken and not future.cancel()]
        try:
            take_all(under_way)
        except KeyboardInterrupt:
            for child in multiprocessing.active_children():
                child.terminate()
    except concurrent.futures.process.BrokenProcessPool:
        say("A fit was killed from outside, for want of memory perhaps. What was done is kept: run again, with --jobs 1.")
    pool.shutdown(wait=True, cancel_futures=True)
    return records, len(taken) == len(to_do), missing
