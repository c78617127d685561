"""Serve one GGUF file with llama.cpp on this machine: `python llama_server.py WEIGHTS PORT NAME CONTEXT LONGEST_REPLY`.

A program of its own, so that a model under measurement neither shares a process with what measures it nor outlives it.
"""

from __future__ import annotations

import sys
import threading

import xllamacpp

__all__: list[str] = []


def _serve(weights: str, port: int, name: str, context: int, longest_reply: int) -> None:
    wanted = xllamacpp.CommonParams()
    wanted.model.path, wanted.model_alias = weights, {name}
    wanted.hostnames, wanted.port, wanted.ui = ["127.0.0.1"], port, False
    wanted.n_ctx, wanted.n_parallel, wanted.n_predict = context, 1, longest_reply
    # One thread: several wait for each other at every step, which takes many times as long where cores are shared.
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = 1
    wanted.sampling.temp = 0.0
    server = xllamacpp.Server(wanted)
    print(server.listening_address, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    _serve(sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
