"""Long texts made short for a judge, saying how much is left out."""


def cut_middle(text: str, limit: int) -> str:
    r"""The beginning and the end of a text, with a note in the middle of what is left out.

    Parameters
    ----------
    text : str
        Any text.
    limit : int
        Most characters of the text to keep; the note comes on top.

    Examples
    --------
    >>> cut_middle("abcdefghij", 4)
    'ab\n[… 6 characters left out …]\nij'
    >>> cut_middle("abcd", 4)
    'abcd'
    """
    if len(text) <= limit:
        return text
    tail = limit // 2
    head = limit - tail
    return f"{text[:head]}{_note(len(text) - limit)}{text[len(text) - tail :]}"


def cut_around(text: str, value: str, limit: int) -> str:
    r"""The passage around the first place where a value stands; `cut_middle` where it doesn't.

    Parameters
    ----------
    text, value : str
        Any texts.
    limit : int
        Most characters of the text to keep; the notes come on top.

    Examples
    --------
    >>> cut_around("abcdefghij", "e", 3)
    '[… 3 characters left out …]\ndef\n[… 4 characters left out …]'
    """
    place = text.find(value)
    if len(text) <= limit or place < 0:
        return cut_middle(text, limit)
    middle = place + len(value) // 2
    start = min(max(middle - limit // 2, 0), len(text) - limit)
    end = start + limit
    before = _note(start).lstrip("\n") if start else ""
    after = _note(len(text) - end).rstrip("\n") if end < len(text) else ""
    return f"{before}{text[start:end]}{after}"


def _note(count: int) -> str:
    return f"\n[… {count:,} characters left out …]\n"
