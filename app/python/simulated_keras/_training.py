"""compile(), fit(), evaluate() and predict() of models."""
from __future__ import annotations

from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

import numpy

from . import _nest, _ops, _system, losses, metrics as _metrics, optimizers
from ._data import (ArraySource, Batch, Source, call_order, class_weights, source_of,
                    split_validation, stacked, unpack)
from ._ipu_options import IpuOptions
from ._job import keys_of, profile_path
from ._program import Program
from ._progress import ProgressBar
from ._recording import Recorded, key_of, record
from ._system import logger
from ._tensor import Tensor
from .callbacks import CallbackList, History

#: What models of TensorFlow may override, and those for IPUs may not.
_FIXED = ("train_step", "test_step", "predict_step", "make_train_function", "make_test_function",
          "make_predict_function")
_MODES = {"train": "train_function", "test": "test_function", "predict": "predict_function"}


class _Run(NamedTuple):
    """How a call goes through its data."""
    mode: str
    steps: int  #: of an epoch, each with a batch for every replica
    each: int  #: steps of an execution
    replicas: int
    accumulation: int


class Training(IpuOptions):
    """Base of models: what they do with data."""

    stop_training = False

    def _set_up_training(self) -> None:
        self._set_up_options()
        self.optimizer: Any = None
        self.loss: Any = None
        self._losses: List[Any] = []
        self._loss_weights: Any = None
        self._given_metrics: Any = None
        self._weighted_metrics: Any = None
        self._trackers: Dict[str, Any] = {}
        self._output_losses: List[Any] = []
        self._steps_per_execution = 1
        self._programs: Dict[str, Tuple[Program, Recorded]] = {}
        self.history: Any = None

    def compile(self, optimizer: Any = "rmsprop", loss: Any = None, metrics: Any = None,
                loss_weights: Any = None, weighted_metrics: Any = None, run_eagerly: Any = None,
                steps_per_execution: Any = None, **unused: Any) -> None:
        """Chooses optimizer, loss and metrics; weights stay, programs are compiled again."""
        if run_eagerly:
            raise RuntimeError("Keras models cannot run eagerly when using `IPUStrategy`. Set "
                               "`run_eagerly=False` when calling `compile`.")
        self._reset_programs()
        self.optimizer = optimizers.get(optimizer)
        self.loss, self._loss_weights, self._given_metrics = loss, loss_weights, metrics
        self._weighted_metrics = weighted_metrics
        self._trackers = {}
        self._steps_per_execution = int(steps_per_execution or 1)

    def _reset_programs(self) -> None:
        for program, _ in self._programs.values():
            program.retire()
        self._programs.clear()

    @property
    def metrics_names(self) -> List[str]:
        """The names in the logs."""
        return list(self._trackers)

    @property
    def metrics(self) -> List[Any]:
        """The means of the logs."""
        return list(self._trackers.values())

    # Recorded by _recording

    def _total_loss(self, labels: Any, results: Any, weights: Any) -> Any:
        if self.loss is None:
            raise ValueError("No loss found. You may have forgotten to provide a `loss` argument in "
                             "the `compile()` method.")
        outs, wanted = _nest.flatten(results), _nest.flatten(labels)
        given = self._per_output(self.loss, len(outs))
        shares = self._per_output(self._loss_weights, len(outs))
        weighed = _nest.flatten(weights) if weights is not None else [None] * len(outs)
        total, self._output_losses = None, []
        for out, label, loss, share, weight in zip(outs, wanted, given, shares, weighed):
            value = losses.get(loss)(label, out, losses.masked_weights(out, weight))
            if value.shape:
                value = _ops.reduce_mean(value)
            self._output_losses.append(value)
            value = value if share is None else _ops.multiply(value, float(share))
            total = value if total is None else _ops.add(total, value)
        return total

    def _per_output(self, given: Any, count: int) -> List[Any]:
        """One for each output, of a list, a dict by the outputs' names, or one for all."""
        if isinstance(given, dict):
            names = getattr(self, "output_names", list(given))
            return [given.get(name) for name in names]
        return list(given) if isinstance(given, (list, tuple)) else [given] * count

    def _metric_values(self, labels: Any, results: Any, weights: Any = None) -> Dict[str, Any]:
        outs, wanted = _nest.flatten(results), _nest.flatten(labels)
        weighed = _nest.flatten(weights) if weights is not None else [None] * len(outs)
        trackers: Dict[str, Any] = {"loss": _metrics.Mean("loss")}
        values = {}
        several = len(outs) > 1
        given = self._given_metrics
        count = len(outs)
        lists, by_weight = (self._lists_of_metrics(part, count) for part in (given, self._weighted_metrics))
        if several:
            for number, value in enumerate(self._output_losses):
                name = f"{self._output_name(number)}_loss"
                trackers[name], values[name] = _metrics.Mean(name), value
        for number, (out, label, weight) in enumerate(zip(outs, wanted, weighed)):
            lead = f"{self._output_name(number)}_" if several else ""
            for own, by in ((lists[number], None), (by_weight[number], weight)):
                by = losses.masked_weights(out, by)
                for metric in _metrics.get_all(own):
                    name = _other_name(lead + metric.name, trackers)
                    trackers[name] = metric if by is None else _metrics.Weighed(metric)
                    values[name] = metric.of_batch(label, out) if by is None else trackers[name].of_weighed(
                        label, out, by)
        self._trackers = trackers
        return values

    def _lists_of_metrics(self, given: Any, count: int) -> List[Any]:
        """The metrics of each output: of a dict, of a list with a list for each, or the same for all."""
        lists = isinstance(given, (list, tuple)) and any(isinstance(part, (list, tuple)) for part in given)
        return self._per_output(given, count) if lists or isinstance(given, dict) else [given] * count

    def _output_name(self, number: int) -> str:
        names = getattr(self, "output_names", [])
        return names[number] if number < len(names) else f"output_{number + 1}"

    # Programs

    def _program(self, mode: str, sample: Batch, iterations: int,
                 accumulation: int) -> Tuple[Program, Recorded]:
        """The program of such micro-batches, compiled at the first time."""
        key = f"{mode} {key_of(sample)} {iterations} {accumulation}"
        if key in self._programs:
            return self._programs[key]
        for other, (program, _) in list(self._programs.items()):
            if other.startswith("train") and mode == "train":
                program.retire()  # one at a time has the optimizer's moments
                del self._programs[other]
        known = self._trackers
        stages = self._known_stages(sample)
        share = self._loss_share(accumulation) if mode == "train" else 1.0
        recorded = record(self, mode, sample, stages - 1 if stages else None, share)
        if known and list(known) == list(self._trackers):
            self._trackers = known
        training = mode == "train"
        self._check_pipeline(accumulation if training else iterations, training)
        keys = keys_of(self, training, stages, iterations, _batch_of(sample), accumulation)
        program = Program(recorded.graph, self.name, keys, profile_path(_MODES[mode]),
                          self._trained() if training else None,
                          self.optimizer if training else None, made_at=self.made_at)
        self._programs[key] = program, recorded
        return program, recorded

    def _loss_share(self, accumulation: int) -> float:
        """Where a job adds up the gradients of micro-batches, it does so over replicas, too; Keras
        takes the mean of these."""
        adds = accumulation > 1 and self._gradient_accumulation_reduction_method == "sum"
        return 1 / self._replicas() if adds else 1.0

    def _trained(self) -> List[Any]:
        return list(self.trainable_variables)  # type: ignore[attr-defined]

    def _known_stages(self, sample: Batch) -> int:
        self._build_on(sample)  # type: ignore[attr-defined]
        return self._stages()

    # Steps

    def _plan(self, source: Source, steps: Optional[int], replicas: int) -> Tuple[int, int]:
        """Steps of an epoch and of an execution, each with a batch for every replica."""
        batches = steps if steps is not None else source.size
        if batches is None:
            raise ValueError("Could not infer the size of the data. You must specify the number of "
                             "steps to run.")
        if batches % replicas and source.size is not None:
            logger.warning("Dataset of length %d is being evenly distributed between %d replicas. "
                           "The remaining %d batches will be dropped.", source.size, replicas,
                           batches % replicas)
        steps = batches // replicas
        if not steps:
            raise ValueError(f"The provided dataset contains {batches} batches, too few for "
                             f"{replicas} replicas.")
        each = self._steps_per_execution
        if each > steps:
            logger.warning("`steps_per_execution` has been set to %d but the dataset provided only "
                           "contains %d batches. Using %d as `steps_per_execution`.", each, steps,
                           steps)
            each = steps
        if steps % each:
            raise ValueError(f"`steps_per_execution` ({each}) must be a divisor of the number of "
                             f"batches ({steps}) in the dataset provided, so that no batches are "
                             "dropped.")
        return steps, each

    def _executions(self, run: "_Run",
                    batches: Iterator[Batch]) -> Iterator[Tuple[int, List[numpy.ndarray]]]:
        """Runs an epoch: steps done so far, and the results of all micro-batches of an execution,
        in the order of the data."""
        mode, steps, each, replicas, accumulation = run
        order = call_order(each // accumulation, replicas, accumulation)
        back = list(numpy.argsort(order))
        for done in range(each, steps + 1, each):
            taken = [batch for _, batch in zip(range(each * replicas), batches)]
            if len(taken) < each * replicas:
                had = (done - each) * replicas + len(taken)
                raise ValueError(
                    "Your input does not have enough data. Make sure that your dataset or generator "
                    f"can generate at least {steps * replicas} batches (currently it can only "
                    f"generate {had} batches). You may need to use the repeat() function when "
                    "building your dataset.")
            program, recorded = self._program(mode, taken[0], each // accumulation, accumulation)
            arrays = stacked([_nest.flatten(_fed(batch, mode)) for batch in taken], order)
            results = program.run(dict(zip(recorded.inputs, arrays)), range(len(order)))
            if mode == "train":
                results[0] = results[0] / numpy.float32(self._loss_share(accumulation))
            yield done, [result[back] for result in results]

    def _measured(self, results: List[numpy.ndarray]) -> Dict[str, float]:
        """Takes an execution's values of all replicas; the running means."""
        for tracker, values in zip(self._trackers.values(), results):
            tracker.add(values)
        return {name: float(tracker.result()) for name, tracker in self._trackers.items()}

    def reset_metrics(self) -> None:
        """Begins new means."""
        for tracker in self._trackers.values():
            tracker.reset_state()

    def _check_compiled(self) -> None:
        _system.check_configured()
        for name in _FIXED:
            if hasattr(type(self), name):
                raise RuntimeError(f"The function `{name}` for the model {self.name} has been "
                                   "overridden. This is not supported when using Keras within an "
                                   "IPUStrategy.")
        if self.optimizer is None:
            raise RuntimeError("You must compile your model before training/testing. Use "
                               "`model.compile(optimizer, loss)`.")

    # fit

    def fit(self, x: Any = None, y: Any = None, batch_size: Optional[int] = None, epochs: int = 1,
            verbose: Any = "auto", callbacks: Any = None, validation_split: float = 0.0,
            validation_data: Any = None, shuffle: bool = True, class_weight: Any = None,
            sample_weight: Any = None, initial_epoch: int = 0,
            steps_per_epoch: Optional[int] = None, validation_steps: Optional[int] = None,
            validation_batch_size: Optional[int] = None, validation_freq: int = 1,
            **unused: Any) -> History:
        """Trains; the losses printed are means over an epoch's steps so far."""
        self._check_compiled()
        if validation_split:
            (x, y, sample_weight), validation_data = split_validation((x, y, sample_weight),
                                                                      validation_split)
        sample_weight = class_weights(class_weight, y, sample_weight)
        verbose = 1 if verbose == "auto" else int(verbose)
        source = source_of(x, y, sample_weight, batch_size, steps_per_epoch, shuffle)
        run = self._run_of("train", source, steps_per_epoch)
        self._log_fit(source, run)
        self.history = History()
        # Keras' own come last, so that they see what others add to the logs.
        hooks = CallbackList([*_listed(callbacks), ProgressBar(verbose, "train") if verbose else None,
                              self.history], self, epochs=epochs, steps=run.steps,
                             verbose=verbose)
        self.stop_training = False
        hooks.call("on_train_begin", None)
        logs: Dict[str, float] = {}
        for epoch in range(initial_epoch, epochs):
            logs = self._train_epoch(source, run, hooks, epoch)
            if validation_data is not None and (epoch + 1) % validation_freq == 0:
                size = validation_batch_size or batch_size
                logs = {**logs, **self._validate(validation_data, size, validation_steps)}
            hooks.call("on_epoch_end", epoch, logs)
            if self.stop_training:
                break
        hooks.call("on_train_end", logs)
        return self.history

    def _train_epoch(self, source: Source, run: "_Run", hooks: CallbackList,
                     epoch: int) -> Dict[str, float]:
        """The logs after an epoch's last execution."""
        self.reset_metrics()
        hooks.call("on_epoch_begin", epoch, None)
        hooks.call("on_train_batch_begin", 0, None)
        logs: Dict[str, float] = {}
        for done, results in self._executions(run, source.epoch()):
            for step, part in self._told(run, done, results):
                logs = self._measured(part)
                hooks.call("on_train_batch_end", step, logs)
            if self.stop_training:
                break
        return logs

    def _told(self, run: "_Run", done: int, results: List[numpy.ndarray]) -> Iterator[Any]:
        """What callbacks hear of an execution: its end, or each of its steps."""
        if not self._asynchronous_callbacks:
            yield done, results
            return
        for step in range(run.each):
            rows = slice(step * run.replicas, (step + 1) * run.replicas)
            yield done - run.each + step + 1, [result[rows] for result in results]

    def _run_of(self, mode: str, source: Source, steps: Optional[int]) -> "_Run":
        """How a call goes through the data; makes the weights if they are not there yet."""
        sample = self._first_batch(source)
        self._build_on(sample)  # type: ignore[attr-defined]
        replicas = self._replicas()
        steps, each = self._plan(source, steps, replicas)
        return _Run(mode, steps, each, replicas, self._accumulation(each) if mode == "train" else 1)

    @staticmethod
    def _first_batch(source: Source) -> Batch:
        if isinstance(source, ArraySource):
            kept, source._shuffle = source._shuffle, False
            sample = next(source.epoch())
            source._shuffle = kept
            return sample
        return _zeros_of(source._dataset.element_spec)  # type: ignore[attr-defined]

    def _log_fit(self, source: Source, run: "_Run") -> None:
        if run.each == 1:
            logger.info("The model `%s` has been configured with only 1 steps per execution. "
                        "Consider increasing the value for the `steps_per_execution` argument "
                        "passed to the `compile()` method to improve performance.", self.name)
        batches = run.accumulation * run.replicas
        if batches > 1:
            logger.info("Training is %sdistributed and accumulating %d batches per optimizer step "
                        "across %d replicas, your effective batch size is %d.",
                        "" if run.replicas > 1 else "not ", run.accumulation, run.replicas,
                        _batch_of(self._first_batch(source)) * batches)
            logger.info("Doing %d weight updates per execution per replica, which is %d per epoch "
                        "per replica.", run.each // run.accumulation,
                        run.steps // run.accumulation)

    def _validate(self, data: Any, batch_size: Optional[int],
                  steps: Optional[int]) -> Dict[str, float]:
        kept = {name: (t._total, t._count) for name, t in self._trackers.items()}
        batch = unpack(data) if isinstance(data, (tuple, list)) else Batch(data, None, None)
        found = self.evaluate(batch.x, batch.y, batch_size, 0, batch.weights, steps,
                              return_dict=True)
        for name, (total, count) in kept.items():
            self._trackers[name]._total, self._trackers[name]._count = total, count
        return {f"val_{name}": value for name, value in found.items()}

    # evaluate and predict

    def evaluate(self, x: Any = None, y: Any = None, batch_size: Optional[int] = None,
                 verbose: Any = 1, sample_weight: Any = None, steps: Optional[int] = None,
                 callbacks: Any = None, return_dict: bool = False, **unused: Any) -> Any:
        """Loss and metrics of data."""
        self._check_compiled()
        source = source_of(x, y, sample_weight, batch_size, steps, False)
        run = self._run_of("test", source, steps)
        bar = ProgressBar(int(verbose), "test") if verbose else None
        hooks = CallbackList([bar, *_listed(callbacks)], self, epochs=1, steps=run.steps)
        self.reset_metrics()
        hooks.call("on_test_begin", None)
        logs: Dict[str, float] = {}
        for done, results in self._executions(run, source.epoch()):
            logs = self._measured(results)
            hooks.call("on_test_batch_end", done, logs)
        hooks.call("on_test_end", logs)
        values = list(logs.values())
        return logs if return_dict else values[0] if len(values) == 1 else values

    def predict(self, x: Any, batch_size: Optional[int] = None, verbose: Any = 0,
                steps: Optional[int] = None, callbacks: Any = None, **unused: Any) -> Any:
        """The model's results for all samples."""
        _system.check_configured()
        source = source_of(x, None, None, batch_size, steps, False)
        run = self._run_of("predict", source, steps)
        bar = ProgressBar(int(verbose), "predict") if verbose else None
        hooks = CallbackList([bar, *_listed(callbacks)], self, epochs=1, steps=run.steps)
        hooks.call("on_predict_begin", None)
        parts: List[List[numpy.ndarray]] = []
        for done, results in self._executions(run, source.epoch()):
            parts.append([result.reshape(-1, *result.shape[2:]) for result in results])
            hooks.call("on_predict_batch_end", done, {})
        hooks.call("on_predict_end", {})
        joined = [numpy.concatenate(column) for column in zip(*parts)]
        recorded = list(self._programs.values())[-1][1]
        return _nest.pack(recorded.results, joined)

    # Single batches

    def _on_batch(self, mode: str, batch: Batch) -> List[numpy.ndarray]:
        _system.check_configured()
        sample = Batch(*[None if part is None else _nest.map_structure(_as_array, part)
                         for part in batch])
        self._build_on(sample)  # type: ignore[attr-defined]
        program, recorded = self._program(mode, sample, 1, 1)
        if program.micro_batches != 1:
            raise NotImplementedError("a single batch for several replicas is not simulated")
        arrays = stacked([_nest.flatten(_fed(sample, mode))], [0])
        return [result[0] for result in program.run(dict(zip(recorded.inputs, arrays)), [0])]

    def train_on_batch(self, x: Any, y: Any = None, sample_weight: Any = None,
                       class_weight: Any = None, reset_metrics: bool = True,
                       return_dict: bool = False) -> Any:
        """One weight update; loss and metrics of the batch."""
        self._check_compiled()
        sample_weight = class_weights(class_weight, y, sample_weight)
        results = self._on_batch("train", Batch(x, y, sample_weight))
        return self._batch_logs(results, return_dict)

    def test_on_batch(self, x: Any, y: Any = None, sample_weight: Any = None,
                      reset_metrics: bool = True, return_dict: bool = False) -> Any:
        """Loss and metrics of a batch."""
        self._check_compiled()
        return self._batch_logs(self._on_batch("test", Batch(x, y, sample_weight)), return_dict)

    def predict_on_batch(self, x: Any) -> Any:
        """The results for a batch."""
        results = self._on_batch("predict", Batch(x, None, None))
        return results[0] if len(results) == 1 else results

    def _batch_logs(self, results: List[numpy.ndarray], return_dict: bool) -> Any:
        logs = {name: tracker.value_of(value)
                for (name, tracker), value in zip(self._trackers.items(), results)}
        values = list(logs.values())
        return logs if return_dict else values[0] if len(values) == 1 else values


def _other_name(name: str, taken: Any) -> str:
    """The name, with a number if there is such a one."""
    made, number = name, 0
    while made in taken:
        number += 1
        made = f"{name}_{number}"
    return made


def _listed(callbacks: Any) -> List[Any]:
    return list(callbacks) if isinstance(callbacks, (list, tuple)) else [callbacks]


def _as_array(value: Any) -> numpy.ndarray:
    from ._data import array_of
    return array_of(value)


def _fed(batch: Batch, mode: str) -> List[Any]:
    """The parts of a batch that a program reads."""
    parts = [batch.x] if mode == "predict" else [batch.x, batch.y, batch.weights]
    return [part for part in parts if part is not None]


def _batch_of(sample: Batch) -> int:
    return int(_nest.flatten(sample.x)[0].shape[0])


def _zeros_of(spec: Any) -> Batch:
    """A batch as a data set has them, of zeros."""
    element = _nest.map_structure(
        lambda s: _as_array(Tensor(numpy.zeros(s.shape, s.dtype.as_numpy_dtype))), spec)
    return unpack(element)
