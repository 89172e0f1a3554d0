"""Calls operations of the Python SDK for a test: one JSON call on each line of the input, one answer on each line."""

import datetime
import importlib
import json
import pkgutil
import sys
import typing

import loop_streaming.api
from loop_streaming.loop import LoopProblem, connect

client = connect()
modules = {
    name.rsplit(".", 1)[-1]: name
    for _, name, is_package in pkgutil.walk_packages(loop_streaming.api.__path__, "loop_streaming.api.")
    if not is_package
}


def plain(name):
    return name.replace("_", "").replace("-", "").lower()


def converted(value, hint):
    """The value as the type of an argument: models from objects, times from texts."""
    options = typing.get_args(hint) or (hint,)
    if isinstance(value, dict):
        model = next(each for each in options if hasattr(each, "from_dict"))
        return model.from_dict(value)
    if isinstance(value, str):
        for kind in (datetime.datetime, datetime.date):
            if kind in options:
                return kind.fromisoformat(value.replace("Z", "+00:00"))
    return value


for line in sys.stdin:
    call = json.loads(line)
    module = importlib.import_module(modules[call["name"]])
    hints = typing.get_type_hints(module.sync_detailed)
    by_plain = {plain(name): name for name in hints}
    given = dict(call["arguments"])
    if call["body"] is not None:
        given["body"] = call["body"]
    if call["key"] is not None:
        given["idempotency_key"] = call["key"]
    arguments = {by_plain[plain(name)]: value for name, value in given.items()}
    arguments = {name: converted(value, hints[name]) for name, value in arguments.items()}
    try:
        answer = module.sync_detailed(client=client, **arguments)
        status, text = int(answer.status_code), answer.content.decode()
        parsed = answer.parsed is not None or text == "" or status == 302
        print(json.dumps({"status": status, "text": "" if status == 302 else text, "parsed": parsed}), flush=True)
    except LoopProblem as problem:
        print(json.dumps({"status": problem.status, "problem": problem.document}), flush=True)
