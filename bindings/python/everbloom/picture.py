"""Pictures: a filter as HTML for notebooks, with its numbers and an SVG of its cells."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Dict, List, Tuple

if TYPE_CHECKING:
    from .filter import Filter

_COLUMNS, _ROWS, _SIDE = 64, 8, 9


def rate_text(rate: float) -> str:
    """A rate as people write it: 0.98 %, < 1e-9."""
    if rate <= 0:
        return "0"
    if rate < 1e-9:
        return "&lt; 1e-9"
    return f"{100 * rate:.3g} %"


def bytes_text(count: float) -> str:
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            return f"{count:,.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1024
    return ""


def svg_of(shares: List[float]) -> str:
    """Each square is an equal part of the cells, the darker, the more of them are occupied."""
    width, height = _COLUMNS * _SIDE, _ROWS * _SIDE
    squares = []
    for index, share in enumerate(shares):
        x, y = index % _COLUMNS * _SIDE, index // _COLUMNS * _SIDE
        shade = min(1.0, max(0.0, share))
        squares.append(f'<rect x="{x}" y="{y}" width="{_SIDE - 1}" height="{_SIDE - 1}" fill-opacity="{shade:.3f}"/>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="share of occupied cells in {len(shares)} parts of the filter">'
        f'<rect width="{width}" height="{height}" fill="#eef2f5"/><g fill="#1f6f54">{"".join(squares)}</g></svg>'
    )


def rows_of(stats: Dict[str, Any], described: Dict[str, Any]) -> List[Tuple[str, str]]:
    about = "" if stats["keys_are_exact"] else "about "
    fill = "" if stats["fill"] is None else f" ({100 * stats['fill']:.1f} % of {stats['capacity']:,})"
    rows = [
        ("kind", escape(f"{described['kind']}: {described['summary']}")),
        ("keys", f"{about}{stats['keys']:,.0f}{fill}, {escape(described['key_type'])}"),
        ("current FPR", f"{rate_text(stats['fpr'])} (target {rate_text(stats['target_fpr'])})"),
        ("memory", bytes_text(stats["memory_bytes"]) + (", mapped" if described["mapped"] else "")),
        ("geometry", escape(", ".join(f"{name}={value}" for name, value in described["geometry"].items()))),
        ("hash", escape(described["hash"])),
    ]
    if stats["deletable_share"] is not None:
        rows.insert(3, ("deletable", f"{100 * stats['deletable_share']:.1f} % of the keys"))
    if described["exclusions"]:
        rows.append(("exclusion list", f"{described['exclusions']['bits']:,} bits"))
    return rows


def html_of(filter: "Filter") -> str:
    if filter.closed:
        return "<p>everbloom.Filter, closed</p>"
    stats, described = filter.stats(), filter.describe()
    shares = filter.census(slices=_COLUMNS * _ROWS)["occupied_shares"]
    table = "".join(
        f'<tr><th style="text-align:left">{name}</th><td style="text-align:left">{text}</td></tr>'
        for name, text in rows_of(stats, described)
    )
    return f"<div><table>{table}</table>{svg_of(shares)}</div>"
