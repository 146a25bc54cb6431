"""The laboratory: the planner, the models and the simulation. Arguments are plain numbers, results plain dicts."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Mapping, Optional, Union

from . import _everbloom

Number = Union[int, float, str]


def _request(**members: Any) -> str:
    given = {name: value for name, value in members.items() if value is not None}
    try:
        return json.dumps(given, allow_nan=False)
    except TypeError:
        pass
    # Numbers of numpy are not known to json.
    return json.dumps(given, allow_nan=False, default=lambda value: value.item())


def kinds() -> Dict[str, Dict[str, Any]]:
    """All kinds of filters by name: summary, capabilities, parameters.

    >>> "erase" in kinds()["blocked"]["capabilities"]
    False
    """
    made: Dict[str, Dict[str, Any]] = {}
    for kind in json.loads(_everbloom.kinds()):
        made[kind["name"]] = kind
    return made


def plan(
    capacity: Number,
    fpr: Number = 0.001,
    *,
    removed: Optional[Number] = None,
    churn: Optional[Number] = None,
    growth: Optional[Number] = None,
    may_refuse: Optional[bool] = None,
    deletable: Optional[Number] = None,
    negatives: Optional[Number] = None,
    memory_bytes: Optional[Number] = None,
) -> Dict[str, Any]:
    """Ranks the kinds for a workload: 'candidates', best first, and 'dropped', with the reasons.

    `removed` and `churn` (removals, as multiples of the capacity), `growth` (the largest factor) and `may_refuse` tell
    what will happen; without any of them everything may. Numbers may be written as on the command line, "10k" or "1%".

    >>> plan("1M", "1%", removed=0)["candidates"][0]["bits_per_key"] < 12
    True
    """
    if may_refuse is None and not (removed is churn is growth is None):
        may_refuse = False
    wanted = _request(
        capacity=capacity,
        fpr=fpr,
        removed=removed,
        churn=churn,
        growth=growth,
        may_refuse=may_refuse,
        deletable=deletable,
        negatives=negatives,
        memory_bytes=memory_bytes,
    )
    answer: Dict[str, Any] = json.loads(_everbloom.plan(wanted))
    return answer


def model(
    kind: str,
    geometry: Optional[Mapping[str, Any]] = None,
    life: Union[None, Number, Mapping[str, Any]] = None,
    *,
    capacity: Optional[Number] = None,
    fpr: Optional[Number] = None,
) -> Dict[str, Any]:
    """What the model of a kind predicts, without making a filter.

    `geometry` has the parameters of the kind, {"bits": 65536, "hashes": 4}; without it, or for those it lacks, the model plans
    for `capacity` and `fpr`. `life` is the number of keys, or a mapping with "items" and, if they matter, "removed",
    "churn" and "negatives".

    >>> found = model("bloom", {"bits": 65536, "hashes": 4}, 6000)
    >>> round(found["fpr"], 4), found["bytes"]
    (0.0088, 8192)
    """
    lived = dict(life) if isinstance(life, Mapping) else {"items": life}
    unknown = set(lived) - {"items", "removed", "churn", "negatives"}
    if unknown:
        raise ValueError(f"life has {sorted(unknown)[0]!r}; it may have items, removed, churn and negatives")
    wanted = _request(kind=kind, parameters=dict(geometry or {}), capacity=capacity, fpr=fpr, **lived)
    answer: Dict[str, Any] = json.loads(_everbloom.model(wanted))
    return answer


def fpr(
    kind: str, geometry: Optional[Mapping[str, Any]] = None, life: Union[None, Number, Mapping[str, Any]] = None
) -> Optional[float]:
    """The false positive rate that the model predicts; None where it has no answer.

    >>> round(fpr("bloom", {"bits": 65536, "hashes": 4}, 6000), 4)
    0.0088
    """
    found: Optional[float] = model(kind, geometry, life)["fpr"]
    return found


def deletability(
    kind: str, geometry: Optional[Mapping[str, Any]] = None, life: Union[None, Number, Mapping[str, Any]] = None
) -> Optional[float]:
    """The share of the keys that can be removed, as the model predicts it; None where it has no answer."""
    found: Optional[float] = model(kind, geometry, life)["deletability"]
    return found


def refusal(
    kind: str, geometry: Optional[Mapping[str, Any]] = None, life: Union[None, Number, Mapping[str, Any]] = None
) -> Optional[float]:
    """The chance that a key is refused, as the model predicts it; None where it has no answer."""
    found: Optional[float] = model(kind, geometry, life)["refusal"]
    return found


def simulate(
    kind: str,
    geometry: Optional[Mapping[str, Any]] = None,
    *,
    items: Optional[Number] = None,
    capacity: Optional[Number] = None,
    fpr: Optional[Number] = None,
    removed: Optional[Number] = None,
    churn_steps: Optional[Number] = None,
    queries: Optional[Number] = None,
    trials: Optional[Number] = None,
    seed: Optional[Number] = None,
    threads: Optional[int] = None,
) -> Dict[str, Any]:
    """Fills filters with random keys, runs a workload, and measures what the model predicts.

    The document is that of `everbloom simulate --json`: "fpr" with its confidence interval, "fpr_model", outcomes, and so
    on. The same arguments give the same document, whatever the number of threads (None: one per processor).

    >>> found = simulate("bloom", {"bits": 4096, "hashes": 4}, items=400, trials=3, queries=10000, seed=1)
    >>> found["fpr"]["low"] < found["fpr_model"] < found["fpr"]["high"]
    True
    """
    wanted = _request(
        kind=kind,
        parameters=dict(geometry or {}),
        items=items,
        capacity=capacity,
        fpr=fpr,
        removed=removed,
        churn_steps=churn_steps,
        queries=queries,
        trials=trials,
        seed=seed,
        threads=threads if threads is not None else min(os.cpu_count() or 1, 64),
    )
    answer: Dict[str, Any] = json.loads(_everbloom.simulate(wanted))
    return answer
