"""``--where 'system == "x" and success'``: a filter over runs, read without executing it.

The expression is Python's syntax for comparisons, ``and``, ``or``, ``not`` and ``in`` over the
columns of runs, systems and tasks. It is parsed, never evaluated as code. A bare column means "is
true". What is not recorded is neither true nor false: ``not success`` finds the runs that failed,
not those without an outcome, and ``success is None`` finds the latter.
"""

import ast
import warnings
from collections.abc import Callable, Mapping
from typing import Final

import polars as pl

from ethogram.errors import UnknownNameError, UsageError

_COMPARE: Final[Mapping[type[ast.cmpop], Callable[[pl.Expr, pl.Expr], pl.Expr]]] = {
    ast.Eq: lambda left, right: left == right,
    ast.NotEq: lambda left, right: left != right,
    ast.Lt: lambda left, right: left < right,
    ast.LtE: lambda left, right: left <= right,
    ast.Gt: lambda left, right: left > right,
    ast.GtE: lambda left, right: left >= right,
    ast.Is: lambda left, right: left.eq_missing(right),
    ast.IsNot: lambda left, right: left.ne_missing(right),
}
_MEMBER: Final = (ast.In, ast.NotIn)
_ALLOWED: Final = (
    "columns, constants, comparisons, in [...], and, or, not, as in 'system == \"x\" and success'"
)
_MAX_DEPTH: Final = 50
_MAX_CHARS: Final = 100_000
_INT_LIMIT: Final = 2**63

Schema = Mapping[str, pl.DataType]


def parse_where(text: str, schema: Schema) -> pl.Expr:
    """Turn a filter's text into an expression over the given columns.

    Parameters
    ----------
    text : str
        For example ``system == "x" and not success`` or ``task_id in ["a", "b"]``.
    schema : mapping of str to polars.DataType
        Columns that may be used.

    Returns
    -------
    polars.Expr
        True or false for every row; a row for which the text is neither is left out.

    Raises
    ------
    UsageError
        If the text is not such an expression.
    UnknownNameError
        If it uses a name that is not a column.
    """
    return _truth(_tree(text), schema, 0).fill_null(value=False)


def _tree(text: str) -> ast.expr:
    if len(text) > _MAX_CHARS:
        raise UsageError(f"where: {len(text):,} characters; allowed: {_MAX_CHARS:,}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "\d" in a string is the user's business
            return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as err:
        raise UsageError(f"where: can't read {_cut(text)!r}; allowed: {_ALLOWED}") from err


def _truth(node: ast.expr, schema: Schema, depth: int) -> pl.Expr:
    """Build an expression that is true, false or missing (neither)."""
    if depth > _MAX_DEPTH:
        raise UsageError(f"where: nested more than {_MAX_DEPTH} deep")
    if isinstance(node, ast.BoolOp):
        parts = [_truth(value, schema, depth + 1) for value in node.values]
        combine = pl.all_horizontal if isinstance(node.op, ast.And) else pl.any_horizontal
        return combine(*parts)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return ~_truth(node.operand, schema, depth + 1)
    if isinstance(node, ast.Compare):
        return _comparison(node, schema)
    if isinstance(node, ast.Name):
        return _flag(node, schema)
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return pl.lit(node.value)
    raise _refusal(node)


def _flag(node: ast.Name, schema: Schema) -> pl.Expr:
    column = _column(node, schema)
    if schema[node.id] != pl.Boolean:
        raise UsageError(f"where: {node.id!r} is not true or false: compare it with a value")
    return column


def _comparison(node: ast.Compare, schema: Schema) -> pl.Expr:
    terms = [node.left, *node.comparators]
    parts = []
    for left, operator, right in zip(terms, node.ops, terms[1:], strict=False):
        if isinstance(operator, _MEMBER):
            found = _member(_value(left, schema), right)
            parts.append(~found if isinstance(operator, ast.NotIn) else found)
        else:
            _check_missing(left, operator, right)
            compare = _COMPARE[type(operator)]
            parts.append(compare(_value(left, schema), _value(right, schema)))
    return pl.all_horizontal(*parts)


def _check_missing(left: ast.expr, operator: ast.cmpop, right: ast.expr) -> None:
    """Refuse ``x == None``, which nothing satisfies."""
    if not isinstance(operator, ast.Is | ast.IsNot) and any(
        isinstance(side, ast.Constant) and side.value is None for side in (left, right)
    ):
        raise UsageError("where: what is not recorded is found with `is None` or `is not None`")


def _value(node: ast.expr, schema: Schema) -> pl.Expr:
    return _column(node, schema) if isinstance(node, ast.Name) else pl.lit(_constant(node))


def _constant(node: ast.expr) -> bool | float | str | None:
    try:
        value: object = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError) as err:
        raise _refusal(node) from err
    if value is None or isinstance(value, bool | float | str):
        return value
    if isinstance(value, int) and -_INT_LIMIT <= value < _INT_LIMIT:
        return value
    raise _refusal(node)


def _member(value: pl.Expr, choices: ast.expr) -> pl.Expr:
    if not isinstance(choices, ast.List | ast.Tuple | ast.Set):
        raise UsageError(
            f"where: right of `in` stands a list such as ['a', 'b'], not {_source(choices)}"
        )
    constants = [_constant(inner) for inner in choices.elts]
    return pl.any_horizontal(
        pl.lit(value=False), *(value.is_null() if c is None else value == c for c in constants)
    )


def _column(node: ast.Name, schema: Schema) -> pl.Expr:
    if node.id not in schema:
        raise UnknownNameError("column", node.id, list(schema))
    column = pl.col(node.id)
    return column.cast(pl.String) if isinstance(schema[node.id], pl.Enum) else column


def _refusal(node: ast.expr) -> UsageError:
    return UsageError(f"where: {_source(node)} is not allowed; allowed: {_ALLOWED}")


def _source(node: ast.expr) -> str:
    try:
        return repr(_cut(ast.unparse(node)))
    except (RecursionError, ValueError):
        return "a part of it"


def _cut(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"
