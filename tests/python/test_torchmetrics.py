"""The torchmetrics Metric, with a stand-in for its base class, and with the real class if it is installed."""

from __future__ import annotations

import copy
import functools
import importlib.util
import pickle
import sys
import types

import corefeval
import pytest
from conftest import optional

numpy = optional("numpy")

REAL = all(importlib.util.find_spec(name) for name in ("torch", "torchmetrics"))

KEY = {"a": [[(0, 1), (4, 4), (7, 9)], [(2, 2), (5, 6)]], "b": [["x", "y", "z"]], "c": [[(1, 1), (2, 2)]]}
RESPONSE = {"a": [[(0, 1), (4, 4)], [(2, 2), (5, 6), (7, 9)]], "b": [["x", "y"], ["z", "w"]], "c": []}
WHOLE = functools.partial(corefeval.score, key=KEY, response=RESPONSE, quiet=True, metrics="muc,b_cubed,ceaf_e,conll,lea")


class Tensor(numpy.ndarray):
    """An array with the used methods of a tensor."""

    device = "here"

    def to(self, device):
        assert device == "here"
        return self

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return self.view(numpy.ndarray)


class StandIn:
    """The documented behaviour of torchmetrics.Metric: states with defaults, a cache of the computed value, reset, and
    gathering lists from all processes after joining the list of each process."""

    device = "here"

    def __init__(self, **keywords):
        assert not keywords
        self._defaults, self._reductions, self._computed = {}, {}, None
        self._wrap()

    def _wrap(self):
        update, compute = type(self).update, type(self).compute

        def updated(*arguments, **keywords):
            self._computed = None
            update(self, *arguments, **keywords)

        def computed():
            if self._computed is None:
                self._computed = compute(self)
            return self._computed

        self.update, self.compute = updated, computed

    def add_state(self, name, default, dist_reduce_fx=None):
        assert default == [] and dist_reduce_fx == "cat"
        self._defaults[name], self._reductions[name] = default, dist_reduce_fx
        setattr(self, name, list(default))

    def reset(self):
        self._computed = None
        for name, default in self._defaults.items():
            setattr(self, name, list(default))

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name not in ("update", "compute")}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._wrap()

    def sync(self, others):
        """Adopts the states of other processes, as gathering does."""
        assert all(isinstance(part, Tensor) and part.dtype == numpy.uint8 for part in self.documents)
        joined = [numpy.concatenate(metric.documents) for metric in (self, *others) if metric.documents]
        self.documents = numpy.concatenate(joined).view(Tensor)
        self._computed = None


@pytest.fixture
def stood_in(monkeypatch):
    """The module, with stand-ins for torch and torchmetrics."""
    torch, torchmetrics = types.ModuleType("torch"), types.ModuleType("torchmetrics")
    torch.uint8, torch.float64 = numpy.uint8, numpy.float64
    torch.frombuffer = lambda buffer, dtype: numpy.frombuffer(buffer, dtype).view(Tensor)
    torch.zeros = lambda count, dtype, device: numpy.zeros(count, dtype).view(Tensor)
    torch.tensor = lambda figure, dtype: numpy.array(figure, dtype).view(Tensor)
    torchmetrics.Metric = StandIn
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "torchmetrics", torchmetrics)
    monkeypatch.delitem(sys.modules, "corefeval.torchmetrics", raising=False)
    module = importlib.import_module("corefeval.torchmetrics")
    yield module
    del sys.modules["corefeval.torchmetrics"]
    vars(corefeval).pop("torchmetrics", None)


@pytest.fixture
def real():
    """The module, with the real torch and torchmetrics."""
    if not REAL:
        pytest.skip("torch and torchmetrics are not installed: a wheel of torch takes gigabytes")
    sys.modules.pop("corefeval.torchmetrics", None)
    return importlib.import_module("corefeval.torchmetrics")


@pytest.fixture(params=["stood_in", "real"])
def module(request):
    return request.getfixturevalue(request.param)


def filled(module, names, **options):
    metric = module.Coreference(**options)
    for name in names:
        metric.update(RESPONSE[name], KEY[name], doc_id=name)
    return metric


def scores_of(report):
    parts = ("recall", "precision", "f1")
    return {f"{n}_{p}": f for n, s in report.items() for p, f in zip(parts, s) if f is not None}


def test_the_scores_of_score(module):
    metric = filled(module, "abc")
    found = metric.compute()
    assert {name: float(score) for name, score in found.items()} == scores_of(WHOLE())
    assert "conll_f1" in found and "conll_recall" not in found
    assert metric.report(by="document") == WHOLE(by="document")
    again = pickle.loads(pickle.dumps(metric))
    assert again.report() == metric.report() == copy.deepcopy(metric).report()


def test_batches_of_documents_and_settings(module):
    metric = module.Coreference(metrics=["lea", "blanc"], singletons="drop")
    metric.update(RESPONSE, KEY)
    expected = corefeval.score(key=KEY, response=RESPONSE, metrics="lea,blanc", singletons="drop", quiet=True)
    assert metric.report() == expected
    documents = [corefeval.Document(id="d", tokens="a b c".split(), entities=[[(0, 0), (2, 2)]])]
    metric.reset()
    metric.update(documents, documents)
    assert float(metric.compute()["lea_f1"]) == 1


def test_reset_and_empty_input(module):
    metric = filled(module, "a")
    metric.reset()
    with pytest.raises(corefeval.InputValueError, match="no document"):
        metric.report()
    metric.update(RESPONSE["a"], KEY["a"])
    metric.update(RESPONSE["a"], KEY["a"])
    assert len(metric.report(by="document").documents) == 2


def test_invalid_input(module):
    with pytest.raises(corefeval.SettingsError, match="did you mean `muc`"):
        module.Coreference(metrics="mucc")
    metric = filled(module, "a")
    with pytest.raises(corefeval.InputTypeError):
        metric.update(5, KEY["a"])
    assert len(metric.report(by="document").documents) == 1
    metric.update([["other"]], KEY["a"], doc_id="a")
    with pytest.raises(corefeval.InputValueError, match="have the document `a`, but differ"):
        metric.report()


@pytest.mark.parametrize("parts", [("ab", "c"), ("abc", ""), ("", "abc"), ("ab", "bc"), ("abc", "abc")])
def test_across_processes(stood_in, parts):
    """Any distribution over processes, with repeats as by samplers, gives the scores of one process."""
    metrics = [filled(stood_in, part) for part in parts]
    others = pickle.loads(pickle.dumps(metrics[1:]))
    metrics[0].sync(others)
    assert metrics[0].report(by="document") == WHOLE(by="document")
    found = metrics[0].compute()
    assert {name: float(score) for name, score in found.items()} == scores_of(WHOLE())


def test_across_real_processes(real):
    """The gathering of torchmetrics, with the data that other processes would have."""
    import torch

    metrics = [filled(real, part) for part in ("ab", "c")]
    theirs = torch.cat(metrics[1].documents)
    metrics[0].sync(dist_sync_fn=lambda tensor, group: [tensor, theirs], should_sync=True, distributed_available=lambda: True)
    assert metrics[0].report(by="document") == WHOLE(by="document")


@pytest.mark.parametrize(
    "change",
    ["set_dtype float16", "set_dtype float64", "half", "double", "to float16", "to cpu", "type float16", "module half"],
)
def test_bytes_stay_bytes(real, change):
    """Documents are never converted, regardless of the type of the scores."""
    import torch

    metric = filled(real, "ab")
    method, _, name = change.partition(" ")
    if method == "module":
        torch.nn.ModuleList([metric]).half()
    else:
        getattr(metric, method)(*([getattr(torch, name) if name.startswith("float") else name] if name else []))
    metric.update(RESPONSE["c"], KEY["c"], doc_id="c")
    assert all(part.dtype == torch.uint8 for part in metric.documents)
    assert metric.report(by="document") == WHOLE(by="document")
    found = {name: float(score) for name, score in metric.compute().items()}
    assert found == pytest.approx(scores_of(WHOLE()), abs=1e-3)
    metric.documents = torch.cat(metric.documents)
    metric.set_dtype(torch.float16)
    assert metric.report() == WHOLE()
