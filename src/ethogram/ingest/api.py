"""The public function that reads trajectories."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path

from ethogram.cohort import Cohort
from ethogram.ingest.label import default_labeler
from ethogram.ingest.read import Progress, Reading, run_reading


def read(  # noqa: PLR0913  what users may say about their files
    *paths: str | Path,
    out: str | Path | None = None,
    fresh: bool = False,
    format: str | None = None,  # noqa: A002  the word that users know
    mapping: str | Path | None = None,
    layout: str | None = None,
    system: str | None = None,
    model: str | None = None,
    benchmark: str | None = None,
    success_rule: str | None = None,
    aliases: str | Path | None = None,
    outcomes: str | Sequence[str] = (),
    outcome_columns: Mapping[str, str] | None = None,
    kinds: Sequence[str | Path] = (),
    effects: Sequence[str | Path] = (),
    texts: bool = True,
    executor: Executor | None = None,
    workers: int = 1,
    progress: Callable[[Progress], None] | None = None,
) -> Cohort:
    """Read trajectories into a cohort.

    Parameters
    ----------
    *paths : str or Path
        Files, folders, globs, archives (``.tar.*``, ``.zip``) or parts of one:
        ``a.tar.xz::folder/``.
    out : path, optional
        Folder of the cohort. One that exists is added to: files read before are skipped. Without it
        the cohort lies in a temporary folder that goes with the returned object.
    fresh : bool
        Replace what the folder holds instead of adding to it.
    format : str, optional
        Name of the format; found by content without it.
    mapping : path, optional
        TOML file that says where fields lie in somebody's own logs.
    layout : str, optional
        Path template such as ``{system}/{task_id}/run{trial}.traj.json``.
    system, model, benchmark : str, optional
        Names that the files don't carry.
    success_rule : str, optional
        What is a success in formats that record a reward (tau-bench): ``reward>=1``, the default,
        ``reward==1``, ``reward>0``, ``r_actions``.
    aliases : path, optional
        TOML file with tables ``[systems]``, ``[models]``, ``[benchmarks]``.
    outcomes : str or sequence of str
        ``[PART=]REPORT`` each: a SWE-bench report, a CSV or a template.
    outcome_columns : mapping, optional
        Headers of a CSV of outcomes: ``{"success": "resolved"}``.
    kinds, effects : sequence of path
        TOML files with the user's own labels for commands and tools.
    texts : bool
        Keep the texts of the trajectories.
    executor : concurrent.futures.Executor, optional
        Where files are read; the calling process without it.
    workers : int
        How many workers the executor has.
    progress : callable, optional
        Called with a `Progress` after every batch of files.

    Returns
    -------
    Cohort
        Runs, problems and everything else; ``cohort.problems`` lists what could not be read.

    Raises
    ------
    UsageError
        For an option that can't be taken.
    InputError
        For a path that doesn't exist or a folder without a file.
    OutcomeError
        If outcomes can't be joined without guessing.
    """
    return run_reading(
        Reading(
            paths=paths,
            out=out,
            fresh=fresh,
            format=format,
            mapping=mapping,
            layout=layout,
            system=system,
            model=model,
            benchmark=benchmark,
            success_rule=success_rule,
            aliases=aliases,
            outcomes=(outcomes,) if isinstance(outcomes, str) else tuple(outcomes),
            outcome_columns=dict(outcome_columns or {}),
            labeler=default_labeler(kinds=kinds, effects=effects),
            texts=texts,
            executor=executor,
            workers=workers,
            progress=progress,
        )
    ).cohort
