# SPDX-License-Identifier: Apache-2.0
"""The training loop that all kinds of task share. Of the task it knows only encode, collate, head and decode."""

from __future__ import annotations

import math
import pickle  # only for the name of an error
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from euroglue import strict_json
from euroglue.errors import EuroglueError
from euroglue.training.batching import shares, training_batches
from euroglue.training.faults import NotFiniteError, is_out_of_memory
from euroglue.training.features import Features
from euroglue.training.kinds import Feature, TaskKind
from euroglue.training.run_folder import RunFolder
from euroglue.training.settings import Settings

if TYPE_CHECKING:
    import torch
    from accelerate import Accelerator
    from transformers import PreTrainedModel

LOG_EVERY = 10
DAMAGE = (OSError, EOFError, ValueError, RuntimeError, KeyError, TypeError, AttributeError)
"""What comes of reading a state that is cut short or was changed."""
STATE, PROGRESS, WEIGHTS = "optimizer.pt", "progress.json", "model.safetensors"


def scheduled(step: int, total: int, warmup: float, falls: bool = True) -> float:
    """The factor on the learning rate of optimiser step ``step``, counted from 0: a rise from 0 to 1, then a fall to 0.

    Without ``falls`` it stays at 1 after the rise.

    >>> [scheduled(step, 10, 0.2) for step in (0, 1, 2, 6, 10)]
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    rising = math.ceil(total * warmup)
    if step < rising:
        return step / rising
    return max(0.0, (total - step) / max(1, total - rising)) if falls else 1.0


def make_optimizer(
    model: PreTrainedModel, learning_rate: float, weight_decay: float, name: str = "adamw"
) -> torch.optim.Optimizer:
    """AdamW or Adam, fused where the device has it; biases, normalisation weights and the vocabulary are not decayed.

    The two differ in the weight decay alone, which Adam adds to the gradient: without it they take the same steps.
    Were the vocabulary decayed, every word that the training data lacks would shrink, and training on the rows in use
    (``vocabulary``) would be another training. Papers decay it too: at bgGLUE's 1e-8 that moves no 32-bit float.
    """
    import torch

    from euroglue.training.vocabulary import input_embeddings

    embedding = input_embeddings(model)
    words = {id(one) for one in embedding.parameters()} if embedding is not None else set()
    trained = [one for one in model.parameters() if one.requires_grad]
    decayed = [one for one in trained if one.ndim > 1 and id(one) not in words]
    others = [one for one in trained if one.ndim <= 1 or id(one) in words]
    groups = [{"params": decayed, "weight_decay": weight_decay}, {"params": others, "weight_decay": 0.0}]
    fused = all(one.device.type in ("cpu", "cuda") for one in trained)
    chosen = torch.optim.Adam if name == "adam" else torch.optim.AdamW
    return chosen(groups, lr=learning_rate, fused=fused)


def sum_gradients(model: torch.nn.Module, accelerator: Accelerator, bucket: int = 2**24) -> None:
    """Replace each gradient by its sum over the processes, about ``bucket`` numbers at a time."""
    import torch

    rest = [one.grad for one in model.parameters() if one.grad is not None]
    while rest:
        ends = np.cumsum([one.numel() for one in rest])
        count = max(1, int(np.searchsorted(ends, bucket, side="right")))
        now, rest = rest[:count], rest[count:]
        summed = accelerator.reduce(torch.cat([one.reshape(-1) for one in now]), reduction="sum")
        for one, part in zip(now, summed.split([one.numel() for one in now]), strict=True):
            one.copy_(part.view_as(one))


class Trainer:
    """One model being trained: the state between two steps is ``step``, ``best``, ``stale``, the weights, the optimiser's.

    Batches and random draws are functions of the seed and the step, so that a resumed run takes the very steps that an
    uninterrupted one would have taken.
    """

    def __init__(
        self,
        accelerator: Accelerator,
        settings: Settings,
        kind: TaskKind,
        model: PreTrainedModel,
        features: Sequence[Feature],
        parts: int = 1,
    ):
        """Prepare to train ``model`` in place.

        Args:
            accelerator: the processes.
            settings: of the run.
            kind: how features become tensors.
            model: the model, the same on all processes.
            features: the training split's, the same on all processes; those without labels are left out.
            parts: in how many parts each process works off its share of a batch; doubled when the memory ends.

        Raises:
            EuroglueError: no feature has a label.
        """
        self.accelerator = accelerator
        self.settings = settings
        self.kind = kind
        self.features = Features.of(features)
        self.labelled = np.flatnonzero(self.features.weights)
        if not len(self.labelled):
            raise EuroglueError(f"{settings.task}: there is nothing to train on, the training split has no labels")
        model.to(accelerator.device)
        optimizer = make_optimizer(model, settings.learning_rate, settings.weight_decay, settings.optimizer)
        self.model = accelerator.prepare_model(model, evaluation_mode=True)  # not wrapped: gradients are summed here
        self.optimizer = accelerator.prepare_optimizer(optimizer)
        self.parts = parts
        self.lengths = self.features.lengths[self.labelled]
        self.steps_per_epoch = math.ceil(len(self.labelled) / settings.batch_size)
        self.total = settings.max_steps or self.steps_per_epoch * settings.epochs
        self.step = 0
        self.best: dict[str, Any] | None = None
        self.stale = 0
        self._losses: list[torch.Tensor] = []
        self._events: list[dict[str, Any]] = []
        self._tokens, self._since = 0, time.perf_counter()

    @property
    def bare_model(self) -> PreTrainedModel:
        """The model as it was given, without what preparing it may have wrapped around it."""
        return self.accelerator.unwrap_model(self.model)

    def fit(
        self,
        folder: RunFolder,
        evaluate: Callable[[], dict[str, float]],
        save_best: Callable[[Path], None],
        *,
        primary: str,
        sign: int,
        save_steps: int | None = None,
    ) -> dict[str, Any]:
        """Train to the last step, or until patience ends; evaluate as often as the settings say, keep the best weights.

        After each evaluation the state is saved.

        Args:
            folder: where log, checkpoints and the best model go.
            evaluate: scores of the present weights on the validation split.
            save_best: writes the present model into a folder.
            primary: the score by which checkpoints are compared.
            sign: 1 if more of it is better, -1 if less is.
            save_steps: also save the state every so many optimiser steps.

        Returns:
            The best epoch, its step and its scores.
        """
        from tqdm.auto import tqdm

        main = self.accelerator.is_main_process
        with tqdm(
            total=self.total, initial=self.step, desc="training", unit="step", disable=None if main else True
        ) as bar:
            while not self.finished:
                epoch, done = divmod(self.step, self.steps_per_epoch)
                batches = training_batches(self.lengths, self.settings.batch_size, seed=self.settings.seed, epoch=epoch)
                for batch in batches[done:]:
                    self.take_step(batch)
                    bar.update()
                    if len(self._losses) == LOG_EVERY:
                        bar.set_postfix(loss=f"{self.report(folder):.4f}")
                    if self._evaluation_is_due():
                        self.report(folder)
                        self._keep_if_best(folder, evaluate(), save_best, epoch + 1, primary, sign)
                        self.save(folder)
                    elif save_steps and self.step % save_steps == 0:
                        self.save(folder)
                    if self.finished:
                        break
        if self.best is None:
            raise RuntimeError("training ended without an evaluation")
        return self.best

    @property
    def finished(self) -> bool:
        """Whether the last step is taken, or as many evaluations as patience allows went by without a better one."""
        patience = self.settings.patience
        return self.step >= self.total or (patience is not None and self.stale >= patience)

    def _evaluation_is_due(self) -> bool:
        return self.step == self.total or self.step % (self.settings.eval_steps or self.steps_per_epoch) == 0

    def take_step(self, batch: Sequence[int]) -> None:
        """One optimiser step on a global batch; the loss is the mean over its labels, on whatever process they are.

        Where the memory ends on any process, all of them begin the step again in twice as many parts.

        Raises:
            EuroglueError: a single feature does not fit the memory.
        """
        accelerator, settings = self.accelerator, self.settings
        self.model.train()
        falls = settings.schedule == "linear"
        rate = settings.learning_rate * scheduled(self.step, self.total, settings.warmup, falls=falls)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        loss = self._gradients(batch)
        while loss is None:
            self._halve_parts(batch)
            loss = self._gradients(batch)
        if accelerator.num_processes > 1:
            sum_gradients(self.model, accelerator)
        accelerator.clip_grad_norm_(self.model.parameters(), settings.clip)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self._losses.append(loss)
        self._tokens += int(self.lengths[np.asarray(batch)].sum())
        self.step += 1

    def _gradients(self, batch: Sequence[int]) -> torch.Tensor | None:
        """This process's part of the loss and of its gradients, or None if the memory ended on any process."""
        import torch

        accelerator = self.accelerator
        seed = np.random.SeedSequence((self.settings.seed, self.step, accelerator.process_index)).generate_state(1)[0]
        torch.manual_seed(int(seed))
        chosen = self.labelled[np.asarray(batch)]
        labels = int(self.features.weights[chosen].sum())
        seen, ended = torch.zeros((), device=accelerator.device), False
        whole = {"processes": accelerator.num_processes, "process": accelerator.process_index, "steps": self.parts}
        try:
            for share in shares(chosen.tolist(), **whole):
                features = [self.features[i] for i in share or chosen[:1].tolist()]
                part = sum(feature.weight for feature in features) / labels if share else 0.0
                inputs = {
                    name: tensor.to(accelerator.device, non_blocking=True)
                    for name, tensor in self.kind.collate(features).items()
                }
                loss = self.kind.run(self.model, inputs).loss * part
                accelerator.backward(loss)
                seen += loss.detach()
        except Exception as error:
            if not is_out_of_memory(error):
                raise
            ended = True
        if accelerator.num_processes > 1:
            told = torch.tensor(float(ended), device=accelerator.device)
            ended = bool(accelerator.reduce(told, reduction="sum").item())
        return None if ended else seen

    def _halve_parts(self, batch: Sequence[int]) -> None:
        """Let go of what the step has made so far and go on with parts of half the size."""
        from accelerate.utils.memory import clear_device_cache

        self.optimizer.zero_grad()
        clear_device_cache()
        if self.parts * self.accelerator.num_processes >= len(batch):
            longest = max(self.lengths[i] for i in batch)
            raise EuroglueError(
                f"the memory of {self.accelerator.device} ended at step {self.step} with a single input of up to "
                f"{longest} sub-words at a time: lower the maximum length, take a smaller model or another device"
            )
        self.parts *= 2
        self._events.append({"event": "out of memory", "gradient_accumulation": self.parts})
        self.accelerator.print(
            f"out of memory at step {self.step}: going on in {self.parts} parts per process", file=sys.stderr
        )

    def report(self, folder: RunFolder) -> float:
        """Log the mean loss since the last report and return it.

        Raises:
            NotFiniteError: a loss was not a finite number; says at which step.
        """
        import torch

        if not self._losses:
            return math.nan
        losses = self.accelerator.reduce(torch.stack(self._losses), reduction="sum").tolist()
        first, rate = self.step - len(losses), self.optimizer.param_groups[0]["lr"]
        for step, loss in enumerate(losses, start=first):
            if not math.isfinite(loss):
                half = self.accelerator.mixed_precision != "no"
                raise NotFiniteError(
                    f"the loss of step {step} is {loss} (learning rate {rate:.3g}, mixed precision "
                    f"{self.accelerator.mixed_precision!r}): lower the learning rate or "
                    + ("train with --mixed-precision no" if half else "look for such numbers in the model's weights")
                )
        seconds, mean = time.perf_counter() - self._since, sum(losses) / len(losses)
        if self.accelerator.is_main_process:
            for event in self._events:
                folder.log(step=self.step, **event)
            speed = round(self._tokens / seconds, 1)
            folder.log(step=self.step, loss=mean, learning_rate=rate, tokens_per_second=speed)
        self.accelerator.log({"loss": mean, "learning_rate": rate}, step=self.step)
        self._losses, self._events, self._tokens, self._since = [], [], 0, time.perf_counter()
        return mean

    def _keep_if_best(
        self,
        folder: RunFolder,
        scores: dict[str, float],
        save_best: Callable[[Path], None],
        epoch: int,
        primary: str,
        sign: int,
    ) -> None:
        better = self.best is None or sign * scores[primary] > sign * self.best["scores"][primary]
        self.stale = 0 if better else self.stale + 1
        if better:
            self.best = {"epoch": epoch, "step": self.step, "scores": scores}
        if self.accelerator.is_main_process:
            folder.log(step=self.step, epoch=epoch, validation=scores, best=better)
            if better:
                folder.replace_best(save_best)
        self.accelerator.log({f"validation/{name}": score for name, score in scores.items()}, step=self.step)
        self.accelerator.wait_for_everyone()

    def save(self, folder: RunFolder) -> None:
        """Save all that the next step depends on: weights, optimiser, scaler, step, parts, best, patience left."""
        import torch
        from safetensors.torch import save_model

        self.report(folder)
        if self.accelerator.is_main_process:
            scaler = self.accelerator.scaler
            state = {"optimizer": self.optimizer.state_dict(), "scaler": scaler.state_dict() if scaler else {}}
            about = {"step": self.step, "parts": self.parts, "best": self.best, "stale": self.stale}

            def fill(target: Path) -> None:
                save_model(self.bare_model, str(target / WEIGHTS))
                torch.save(state, target / STATE)
                strict_json.write(target / PROGRESS, about)

            folder.save_checkpoint(self.step, fill)
        self.accelerator.wait_for_everyone()
        self._since = time.perf_counter()

    def restore(self, checkpoint: Path) -> None:
        """Go on from a saved state.

        Raises:
            EuroglueError: it is damaged.
        """
        import torch
        from safetensors import SafetensorError
        from safetensors.torch import load_model

        try:
            load_model(self.bare_model, str(checkpoint / WEIGHTS), device=str(self.accelerator.device))
            state = torch.load(checkpoint / STATE, map_location=self.accelerator.device, weights_only=True)
            self.optimizer.load_state_dict(state["optimizer"])
            if self.accelerator.scaler and state["scaler"]:
                self.accelerator.scaler.load_state_dict(state["scaler"])
            progress = strict_json.read(checkpoint / PROGRESS)
            self.step, self.best, self.stale = progress["step"], progress["best"], progress["stale"]
            self.parts = max(self.parts, progress["parts"])
        except (*DAMAGE, SafetensorError, pickle.UnpicklingError) as error:
            raise EuroglueError(
                f"{checkpoint}: the saved state is damaged ({type(error).__name__}): give the same command with --no-resume"
            ) from error
