"""Embeddings of tokens by a language model, for BERTScore (the extra ``bertscore``).

::

    load_embedder(model, *, layer=-1, batch_size=16, device="cpu", download=False) -> WindowEmbedder

Models come from a local folder or from the cache of the transformers library. Nothing is
downloaded unless ``download=True`` says so, and no text leaves the machine in either case.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from ethogram.errors import UsageError
from ethogram.registry import require
from ethogram.stats.arrays import FloatArray, IntArray

EXTRA: Final = "bertscore"

MAX_TOKENS: Final = 512
"""Longest window, special tokens included: what the models of the paper can read. A model that
reads more gets no more, one that reads less gets less."""

Windows: TypeAlias = Mapping[str, IntArray]
"""Named arrays of shape (n_windows, n_tokens), and the text that each window is of (n_windows)."""

_TEXT: Final = "overflow_to_sample_mapping"
_SPECIAL: Final = "special_tokens_mask"
_REAL: Final = "attention_mask"


@dataclass(frozen=True)
class WindowEmbedder:
    """Embeds texts of any length window by window.

    A text longer than a window (`MAX_TOKENS`) is cut into several that don't overlap: the tokens of
    each are embedded in the context of their window, none is dropped. Tokens that only mark starts,
    ends and filling are left out, as the code of Zhang et al. (2020) gives them no weight.

    Attributes
    ----------
    tokenize : callable
        From texts to windows, one or more a text, in order.
    forward : callable
        From the model's input to embeddings of shape (n_windows, n_tokens, d).
    batch_size : int
        Windows that are embedded at once.
    """

    tokenize: Callable[[list[str]], Windows]
    forward: Callable[[Windows], FloatArray]
    batch_size: int = 16

    def __call__(self, texts: Sequence[str]) -> list[FloatArray]:
        """One array of shape (n_tokens, d) a text; no rows for a text without tokens."""
        if not texts:
            return []
        windows = dict(self.tokenize(list(texts)))
        owner, special = windows.pop(_TEXT), windows.pop(_SPECIAL)
        kept = (special == 0) & (windows[_REAL] == 1)
        found: list[list[FloatArray]] = [[] for _ in texts]
        for start in range(0, len(owner), self.batch_size):
            part = slice(start, start + self.batch_size)
            rows = self.forward({name: values[part] for name, values in windows.items()})
            for text, embedded, own in zip(owner[part], rows, kept[part], strict=True):
                found[text].append(embedded[own])
        return [np.concatenate(parts) for parts in found]


def load_embedder(
    model: str | Path,
    *,
    layer: int = -1,
    batch_size: int = 16,
    device: str = "cpu",
    download: bool = False,
) -> WindowEmbedder:
    """Load a model that embeds the tokens of texts, for `similarity`'s ``embedder``.

    Parameters
    ----------
    model : str or Path
        Folder of the model, or its name in the cache (``roberta-large``).
    layer : int
        Hidden layer to take, 0 for the input embeddings, -1 for the last. Zhang et al. (2020) chose
        17 of ``roberta-large`` and 9 of ``bert-base-uncased``.
    batch_size : int
        Windows of text that are embedded at once.
    device : str
        As torch names it: ``cpu``, ``cuda``.
    download : bool
        Whether a model that is not there may be fetched from its hub.

    Raises
    ------
    MissingDependencyError
        Without the extra ``bertscore``.
    UsageError
        If the model is not there, has no such layer, or has no fast tokenizer, or if ``batch_size``
        is less than 1.
    """
    if batch_size < 1:
        raise UsageError(f"batch_size must be 1 or more; got {batch_size}")
    transformers, torch = (require(name, extra=EXTRA) for name in ("transformers", "torch"))
    options = {"local_files_only": not download}
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(str(model), **options)
        network = transformers.AutoModel.from_pretrained(str(model), **options)
    except OSError as err:
        raise UsageError(
            f"no model {str(model)!r} in this folder or in the cache of transformers; "
            "download=True fetches it from its hub"
        ) from err
    network = network.to(device).eval()
    return WindowEmbedder(
        _tokenize_by(tokenizer, model), _forward_by(torch, network, layer, device), batch_size
    )


def _tokenize_by(tokenizer: Any, model: str | Path) -> Callable[[list[str]], Windows]:
    if not tokenizer.is_fast:  # the others don't say which windows belong to which text
        raise UsageError(f"the model {str(model)!r} has no fast tokenizer")
    longest = min(tokenizer.model_max_length, MAX_TOKENS)

    def tokenize(texts: list[str]) -> Windows:
        found: Windows = tokenizer(
            texts,
            truncation=True,
            max_length=longest,
            padding=True,
            return_overflowing_tokens=True,
            return_special_tokens_mask=True,
            return_tensors="np",
        )
        return found

    return tokenize


def _forward_by(
    torch: Any, network: Any, layer: int, device: str
) -> Callable[[Windows], FloatArray]:
    n_layers = network.config.num_hidden_layers
    if not -n_layers - 1 <= layer <= n_layers:
        raise UsageError(
            f"layer must be from 0 to {n_layers}, or negative from the end; got {layer}"
        )

    def forward(windows: Windows) -> FloatArray:
        inputs = {name: torch.as_tensor(values, device=device) for name, values in windows.items()}
        with torch.inference_mode():
            layers = network(**inputs, output_hidden_states=True).hidden_states
        return np.asarray(layers[layer].float().cpu().numpy(), dtype=np.float64)

    return forward
