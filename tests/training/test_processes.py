# SPDX-License-Identifier: Apache-2.0
"""The same work by one process and by two, started by ``accelerate launch`` and by PyTorch's own launcher.

With ``--cpu``, ``accelerate launch`` starts several processes through MPI only (``--mpirun_hostfile``) and silently one
without it; that two processes ran is asserted.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from euroglue.predictions import read_predictions
from euroglue.training import predict, train

SCRIPT = """
import json, sys
sys.path.insert(0, sys.argv[1])
from tests.training.made_tasks import make_number_splits, make_task, make_token_splits
from euroglue.task import Kind
from euroglue.training import predict, train

kind = Kind(sys.argv[2])
task = make_task(kind)
splits = make_token_splits(task) if kind is Kind.TOKEN_CLASSIFICATION else make_number_splits()
if sys.argv[3] == "train":
    train(task, sys.argv[4], sys.argv[5], splits=splits, epochs=4, **json.loads(sys.argv[6]))
else:
    predict(task, sys.argv[4], sys.argv[5], splits=splits, batch_size=int(sys.argv[6]))
    if len(sys.argv) > 7:
        from pathlib import Path
        from accelerate import PartialState

        state = PartialState()
        Path(sys.argv[7]).mkdir(exist_ok=True)
        (Path(sys.argv[7]) / f"process {state.process_index} of {state.num_processes}").touch()
"""


SAMPLE = """
import json, sys
sys.path.insert(0, sys.argv[1])
from euroglue.registry import find_task
from euroglue.training import predict, train

task = find_task("dumb", sys.argv[2])
if sys.argv[3] == "train":
    train(task, sys.argv[4], sys.argv[5], edition="sample", **json.loads(sys.argv[6]))
else:
    predict(task, sys.argv[4], sys.argv[5], edition="sample", batch_size=int(sys.argv[6]))
"""


def launch(processes: int, folder: Path, *arguments: object, by: str = "torchrun", code: str = SCRIPT) -> None:
    script, hosts = folder / "script.py", folder / "hosts"
    script.write_text(code, encoding="utf-8")
    hosts.write_text(f"localhost slots={processes}\n", encoding="utf-8")
    launcher = [sys.executable, "-m", "torch.distributed.run", "--nproc_per_node", str(processes), "--standalone"]
    if by == "accelerate":
        launcher = [sys.executable, "-m", "accelerate.commands.launch", "--cpu", "--num_machines", "1"]
        launcher += ["--num_processes", str(processes), "--mpirun_hostfile", str(hosts), "--mixed_precision", "no"]
    command = [*launcher, str(script), str(Path(__file__).parent.parent.parent), *map(str, arguments)]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    environment |= {"ACCELERATE_USE_CPU": "true", "OMP_NUM_THREADS": "1"}
    environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    environment |= {"OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_plm_rsh_agent": "/bin/false"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]


def test_two_processes_of_accelerate_launch_predict_what_one_does(tmp_path, encoder, token_task, token_splits):
    if not shutil.which("mpirun"):
        pytest.skip("accelerate launch starts several processes on CPU by MPI only: install openmpi-bin")
    train(token_task, str(encoder), tmp_path / "run", splits=token_splits, epochs=1)
    predict(token_task, tmp_path / "run/best", tmp_path / "by-1", splits=token_splits, batch_size=5)
    kind = token_task.kind.value
    launch(
        2, tmp_path, kind, "predict", tmp_path / "run/best", tmp_path / "by-2", 5, tmp_path / "said", by="accelerate"
    )
    assert sorted(path.name for path in (tmp_path / "said").iterdir()) == ["process 0 of 2", "process 1 of 2"]
    for split in ("validation", "test"):
        one, two = (tmp_path / f"by-{processes}/predictions/{split}.jsonl" for processes in (1, 2))
        assert one.read_bytes() == two.read_bytes()


@pytest.mark.slow
@pytest.mark.issue("accelerate#19")
@pytest.mark.issue("accelerate#350")
@pytest.mark.issue("accelerate#575")
@pytest.mark.issue("transformers#16865")
@pytest.mark.parametrize("kind", ["token_classification", "regression"])
def test_two_processes_predict_what_one_does_and_train_as_well(tmp_path, request, encoder, kind):
    tokens = kind == "token_classification"
    task = request.getfixturevalue("token_task" if tokens else "number_task")
    splits = request.getfixturevalue("token_splits" if tokens else "number_splits")
    runs = {"one": (1, 1), "other": (1, 2), "two": (2, 1)}
    scores = {}
    for name, (processes, seed) in runs.items():
        options = {"seed": seed, "gradient_accumulation": processes}
        launch(processes, tmp_path, kind, "train", encoder, tmp_path / name, json.dumps(options))
        machine = json.loads((tmp_path / name / "environment.json").read_text(encoding="utf-8"))
        assert machine["processes"] == processes
        metrics = json.loads((tmp_path / name / "metrics.json").read_text(encoding="utf-8"))
        scores[name] = metrics["splits"]["validation"]["scores"]["f1" if tokens else "pearson_spearman"]
    assert min(scores.values()) > 0.8, scores
    assert max(scores.values()) - min(scores.values()) < 0.1, scores
    steps = [
        [json.loads(line)["step"] for line in (tmp_path / name / "log.jsonl").read_text("utf-8").splitlines()]
        for name in runs
    ]
    assert all(one == steps[0] for one in steps), "the number of processes does not change the number of steps"
    for processes in (1, 2):
        launch(processes, tmp_path, kind, "predict", tmp_path / "one/best", tmp_path / f"by-{processes}", 5)
    for split in ("validation", "test"):
        one, two = (tmp_path / f"by-{processes}/predictions/{split}.jsonl" for processes in (1, 2))
        assert one.read_bytes() == two.read_bytes()
        assert list(read_predictions(one, task)) == list(splits[split]["id"])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["copanl", "squadnl"])
def test_choices_and_questions_are_predicted_alike_by_one_process_and_two(tmp_path, home, encoder, name):
    options = json.dumps({"epochs": 2, "max_length": 48, "stride": 8, "batch_size": 8, "gradient_accumulation": 2})
    for processes in (1, 2):
        launch(processes, tmp_path, name, "train", encoder, tmp_path / f"run-{processes}", options, code=SAMPLE)
    losses = [(tmp_path / f"run-{processes}/log.jsonl").read_text(encoding="utf-8") for processes in (1, 2)]
    first = [json.loads(text.splitlines()[0])["loss"] for text in losses]
    assert first[0] == pytest.approx(first[1], rel=0.05), "dropout is drawn anew by each process"
    for processes in (1, 2):
        launch(
            processes, tmp_path, name, "predict", tmp_path / "run-1/best", tmp_path / f"by-{processes}", 5, code=SAMPLE
        )
    for split in ("validation", "test"):
        one, two = (tmp_path / f"by-{processes}/predictions/{split}.jsonl" for processes in (1, 2))
        assert one.read_bytes() == two.read_bytes() != b""
