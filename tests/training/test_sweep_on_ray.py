# SPDX-License-Identifier: Apache-2.0
"""Sweeps on a Ray cluster: a worker, a driver or a whole node dies, and the results are those of a quiet machine."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from euroglue.results import ResultStore

pytestmark = pytest.mark.slow
RAY = pytest.importorskip("ray")
PSUTIL = pytest.importorskip("psutil")


@pytest.fixture
def models(tmp_path, encoder):
    file = tmp_path / "models.txt"
    file.write_text(f"{encoder}\n", encoding="utf-8")
    return file


@pytest.fixture
def environment(home):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    return {**kept, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "EUROGLUE_HOME": str(home)}


def command(models, out, *more):
    """A sweep of four runs long enough to be killed in, and two more."""
    start = [sys.executable, "-m", "euroglue.cli", "sweep", "bgglue", "cinexio", "--edition", "sample", "--models"]
    options = ["--recipe", "bgglue", "--seeds", "2", "--set", "epochs=40", "--set", "max_length=32", "--no-probe"]
    return [str(part) for part in (*start, models, *options, "--out", out, *more)]


def started(driver, out: Path) -> None:
    """Wait until a run has saved a state."""
    until(lambda: list((out / "runs").glob("*/*/*/checkpoints/step-*[0-9]")) or driver.poll() is not None)


def runs_under(process) -> list:
    """The workers below a process that are busy with a run."""

    def said(one) -> list[str]:
        try:
            return one.cmdline()
        except PSUTIL.NoSuchProcess:  # ended in the meantime, or a zombie
            return []

    return [one for one in process.children(recursive=True) if "ray::run_trial" in " ".join(said(one))]


def records(store: Path) -> list[dict]:
    return [record.to_dict() for record in ResultStore(store / "results")]


@pytest.mark.parametrize("victim", ["worker", "driver"])
def test_a_sweep_survives_the_death_of_a_worker_and_of_its_driver(tmp_path, models, environment, victim):
    plain = command(models, tmp_path / "here")
    done = subprocess.run(plain, env=environment, timeout=500, capture_output=True)
    assert done.returncode == 0, done.stderr[-2000:]
    half = (os.cpu_count() or 2) / 2
    on_ray = command(models, tmp_path / "ray", "--ray", "local", "--cpus-per-run", half)
    driver = subprocess.Popen(on_ray, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    started(driver, tmp_path / "ray")
    workers = runs_under(PSUTIL.Process(driver.pid))
    assert len(workers) == 2, "two runs at once"
    if victim == "worker":
        workers[0].kill()
    else:
        driver.kill()
        driver.wait()
        driver = subprocess.Popen(on_ray, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said, _ = driver.communicate(timeout=500)
    assert driver.returncode == 0, said[-2000:]
    assert records(tmp_path / "here") == records(tmp_path / "ray")
    assert len(records(tmp_path / "ray")) == 4


@contextmanager
def node(environment, *options):
    """A node of a cluster on this machine, ended with all its processes."""
    start = [str(Path(sys.executable).with_name("ray")), "start", "--block", "--num-cpus", "1", "--num-gpus", "1"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
    process = subprocess.Popen([*start, "--node-ip-address", "127.0.0.1", *options], env=environment, **quiet)
    try:
        yield PSUTIL.Process(process.pid)
    finally:
        for one in [*PSUTIL.Process(process.pid).children(recursive=True), process] if process.poll() is None else []:
            with suppress(PSUTIL.NoSuchProcess):
                one.kill()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def gpus(environment) -> str:
    """How many GPUs the nodes of a cluster count, nothing if there is no cluster yet."""
    ask = "import ray; ray.init('auto', log_to_driver=False); print(ray.cluster_resources()['GPU'])"
    asked = subprocess.run([sys.executable, "-c", ask], env=environment, capture_output=True, text=True)
    return asked.stdout.strip()


def until(true, seconds=300):
    deadline = time.time() + seconds
    while not true():
        assert time.time() < deadline
        time.sleep(0.1)


def test_a_sweep_over_two_nodes_shares_their_gpus_and_survives_the_death_of_one(tmp_path, models, environment):
    """The GPUs are only counted, no run touches one: halves of two let four runs go on at once."""
    address, folder = f"127.0.0.1:{free_port()}", str(tmp_path / "ray")
    head = ("--head", "--port", address.partition(":")[2], "--include-dashboard", "false")
    token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    there = {**environment, **token, "RAY_ADDRESS": address, "RAY_USAGE_STATS_ENABLED": "0"}
    with node(there, *head) as first:
        until(lambda: gpus(there) == "1.0")
        with node(there, "--address", address) as second:
            until(lambda: gpus(there) == "2.0")
            shares = ("--cpus-per-run", 0.5, "--gpus-per-run", 0.5)
            on_ray = command(models, folder, "--ray", "auto", *shares)
            driver = subprocess.Popen(on_ray, env=there, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            until(lambda: [len(runs_under(one)) for one in (first, second)] == [2, 2])
            started(driver, Path(folder))
        said, _ = driver.communicate(timeout=500)
        assert driver.returncode == 0, said[-2000:]
        assert len(records(Path(folder))) == 4


def test_no_cluster_to_join_is_told_in_a_line(tmp_path, models, environment):
    there = {**environment, "RAY_ADDRESS": "127.0.0.1:9"}
    done = subprocess.run(command(models, tmp_path / "ray", "--ray", "auto"), env=there, capture_output=True, text=True)
    assert done.returncode == 2
    assert "no Ray cluster that can be joined" in done.stderr
