# SPDX-License-Identifier: Apache-2.0
"""The same work by one process and by two.

With ``--cpu``, ``accelerate launch`` of version 1.15 starts one process whatever ``--num_processes`` says (several need
MPI), so PyTorch's own launcher is used, which Accelerate works under alike; that two processes ran is asserted.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from euroglue.predictions import read_predictions

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
"""


def launch(processes: int, folder: Path, *arguments: object) -> None:
    script = folder / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    launcher = [sys.executable, "-m", "torch.distributed.run", "--nproc_per_node", str(processes), "--standalone"]
    command = [*launcher, str(script), str(Path(__file__).parent.parent.parent), *map(str, arguments)]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    environment |= {"ACCELERATE_USE_CPU": "true", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]


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
