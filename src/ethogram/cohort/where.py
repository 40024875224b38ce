"""``--where 'system == "x" and success'``: a filter over runs, read without executing it.

The expression is Python's syntax for comparisons, ``and``, ``or``, ``not`` and ``in`` over the
columns of runs, systems and tasks. It is parsed, never evaluated as code. A bare column means "is
true"; a comparison with a missing value is not true, and ``success is None`` finds the missing
ones.
"""

import ast
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

import polars as pl

from ethogram.errors import UnknownNameError, UsageError

_COMPARE: Final[Mapping[type[ast.cmpop], Callable[[pl.Expr, Any], pl.Expr]]] = {
    ast.Eq: lambda left, right: left == right,
    ast.NotEq: lambda left, right: left != right,
    ast.Lt: lambda left, right: left < right,
    ast.LtE: lambda left, right: left <= right,
    ast.Gt: lambda left, right: left > right,
    ast.GtE: lambda left, right: left >= right,
    ast.Is: lambda left, right: left.eq_missing(right),
    ast.IsNot: lambda left, right: left.ne_missing(right),
    ast.In: lambda left, right: left.is_in(right),
    ast.NotIn: lambda left, right: ~left.is_in(right),
}
_ALLOWED: Final = "columns, constants, comparisons, in [...], and, or, not"


def parse_where(text: str, columns: Collection[str]) -> pl.Expr:
    """Turn a filter's text into an expression over the given columns.

    Parameters
    ----------
    text : str
        For example ``system == "x" and not success`` or ``task_id in ["a", "b"]``.
    columns : collection of str
        Names that may be used.

    Raises
    ------
    UsageError
        If the text is not such an expression.
    UnknownNameError
        If it uses a name that is not a column.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as err:
        raise UsageError(f"where: can't read {text!r}; allowed: {_ALLOWED}") from err
    try:
        return _truth(tree.body, columns)
    except RecursionError as err:
        raise UsageError("where: nested too deeply") from err


def _truth(node: ast.expr, columns: Collection[str]) -> pl.Expr:
    """Build a boolean expression in which a missing value counts as not true."""
    if isinstance(node, ast.BoolOp):
        parts = [_truth(value, columns) for value in node.values]
        combine = pl.all_horizontal if isinstance(node.op, ast.And) else pl.any_horizontal
        return combine(*parts)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return ~_truth(node.operand, columns)
    if isinstance(node, ast.Compare):
        return _comparison(node, columns)
    if isinstance(node, ast.Name):
        return _column(node, columns).cast(pl.Boolean).fill_null(value=False)
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return pl.lit(node.value)
    raise _refusal(node)


def _comparison(node: ast.Compare, columns: Collection[str]) -> pl.Expr:
    terms = [node.left, *node.comparators]
    parts = []
    for left, operator, right in zip(terms, node.ops, terms[1:], strict=False):
        compare = _COMPARE[type(operator)]
        parts.append(compare(_value(left, columns), _value(right, columns)))
    return pl.all_horizontal(*(part.fill_null(value=False) for part in parts))


def _value(node: ast.expr, columns: Collection[str]) -> Any:
    if isinstance(node, ast.Name):
        return _column(node, columns)
    try:
        constant = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError) as err:
        raise _refusal(node) from err
    return list(constant) if isinstance(constant, list | tuple | set) else pl.lit(constant)


def _column(node: ast.Name, columns: Collection[str]) -> pl.Expr:
    if node.id not in columns:
        raise UnknownNameError("column", node.id, list(columns))
    column = pl.col(node.id)
    return column.cast(pl.String) if node.id in {"ending", "cost_origin"} else column


def _refusal(node: ast.AST) -> UsageError:
    return UsageError(f"where: {ast.unparse(node)!r} is not allowed; allowed: {_ALLOWED}")
