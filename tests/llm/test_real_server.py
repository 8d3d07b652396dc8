"""A real inference server: `transformers serve` with a tiny model, random weights and all."""

from __future__ import annotations

import importlib.util
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator

import pytest
from helpers.llm_runs import experiment, play

from arena.analysis.model_plays import model_plays
from arena.store import Run
from arena.tournament.conversations import RunConversations

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        importlib.util.find_spec("transformers") is None,
        reason="needs an inference server: pip install 'transformers[serving]'",
    ),
]

_MAKE = """
import sys
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

words = ["<s>", "</s>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
plain = Tokenizer(models.BPE(vocab={word: i for i, word in enumerate(words)}, merges=[]))
plain.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
plain.decoder = decoders.ByteLevel()
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=plain, bos_token="<s>", eos_token="</s>", pad_token="</s>"
)
tokenizer.chat_template = (
    "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }} {% endfor %}assistant: "
)
config = LlamaConfig(
    vocab_size=len(words), hidden_size=32, intermediate_size=64, num_hidden_layers=1,
    num_attention_heads=2, num_key_value_heads=2, max_position_embeddings=16384,
    bos_token_id=0, eos_token_id=1, pad_token_id=1,
)
LlamaForCausalLM(config).save_pretrained(sys.argv[1])
tokenizer.save_pretrained(sys.argv[1])
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of the server, and the name of the model."""
    folder = tmp_path_factory.mktemp("model")
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(folder / "hub")}
    made = str(folder / "tiny")
    subprocess.run([sys.executable, "-c", _MAKE, made], check=True, env=environment)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    code = "from transformers.cli.transformers import main; main()"
    words = ["serve", made, "--device", "cpu", "--host", "127.0.0.1", "--port", str(port)]
    log = (folder / "log.txt").open("w")
    process = subprocess.Popen(
        [sys.executable, "-c", code, *words], env=environment, stdout=log, stderr=log
    )
    try:
        for _ in range(600):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/health"):
                    break
            except OSError:
                assert process.poll() is None, (folder / "log.txt").read_text()
                time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/v1", made
    finally:
        process.kill()
        process.wait()
        log.close()


@pytest.mark.parametrize("stream", [False, True])
def test_a_model_that_knows_nothing_forfeits_and_all_it_said_is_kept(served, stream, tmp_path):
    url, name = served
    (tmp_path / "short.txt").write_text("$position\n$history\n$legal\n$answer")
    agents = {
        "tiny": {
            "family": "llm",
            "base_url": url,
            "model": name,
            "template": "./short.txt",
            "max_tokens": 16,
            "stream": stream,
            "prices": {"prompt_per_million": 1.0, "completion_per_million": 1.0},
            "max_cost": 1.0,
        },
        "random": {"family": "random"},
    }
    done = play(experiment(tmp_path, agents, deals=1, on_fault="forfeit"))
    assert done.code == 0, done.err
    with Run(tmp_path / "run") as run:
        (tiny,) = model_plays(run, RunConversations(run))
        assert len(run.faults()) == tiny.none == tiny.decisions == 2
        assert tiny.legal_at_once.value == 0.0
        # A token a byte: the prompt has at least as many as the position has letters.
        assert tiny.prompt_tokens > 3 * 500
        assert 0 < tiny.completion_tokens <= 3 * 16
        assert tiny.cost == pytest.approx(
            2 * (tiny.prompt_tokens + tiny.completion_tokens) / 1e6, rel=1e-9
        )
        assert json.dumps(tiny.served).count(name) == 1
