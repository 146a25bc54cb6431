// CSS of reports, in addition to that of the `reproduce` pages.
#pragma once

#include <string_view>

namespace everbloom::cli::html {

inline constexpr std::string_view report_style = R"css(
:root { --mark: #c2553d; --bar: #2b8196; --peer: #94a3b3; }
@media (prefers-color-scheme: dark) { :root { --mark: #ff9c83; --bar: #4fb0c6; --peer: #71808f; } }
h1, h2, h3, dd, td { overflow-wrap: anywhere; }
nav ol { margin: 1rem 0 0; padding-left: 1.3rem; }
section.part { border-top: 1px solid var(--line); padding-top: 1.6rem; margin-top: 2.2rem; }
section.part:first-child { border-top: 0; margin-top: 0; }
section.part > h2 { margin-top: 0.1rem; }
section.part > h3 { margin-top: 1.6rem; }
.counts { margin-bottom: 1.1rem; }
.facts { max-width: 52rem; margin: 0.8rem 0; font-size: 0.95rem; }
.facts div { display: grid; grid-template-columns: clamp(5.5rem, 26%, 11rem) 1fr; gap: 0.8rem; padding: 0.25rem 0;
  border-bottom: 1px solid var(--line); }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; font-variant-numeric: tabular-nums; }
.claim .facts { font-size: 0.9rem; }
.claim .facts div { border-bottom: 0; padding: 0; }
.beside { display: grid; gap: 1.6rem; grid-template-columns: minmax(0, 1fr) minmax(0, 1.2fr); align-items: start; }
.charts { display: grid; gap: 1.2rem 2rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr)); margin: 0.6rem 0; }
.charts svg, .beside svg { max-width: 44rem; }
.artefacts { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 30rem), 1fr)); align-items: start; }
.artefact { margin: 0; min-width: 0; }
@media (max-width: 56rem) { .beside { grid-template-columns: minmax(0, 1fr); } }
.wide { overflow-x: auto; margin: 1rem 0; }
.wide svg { min-width: 42rem; border-radius: 0.6rem; }
.worded td { text-align: left; white-space: normal; }
.worded th { text-align: left; }
.reasons td:last-child, .reasons th:last-child { text-align: left; white-space: normal; min-width: 14rem; }
figcaption { font-size: 0.85rem; margin-top: 0.3rem; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: 0.6rem; padding: 0.7rem 0.9rem; overflow-x: auto; }
.unknown { background: var(--line); color: var(--soft); }
.chart { font-family: inherit; }
.chart text { fill: var(--ink); font-size: 13px; }
.chart .tick { fill: var(--soft); font-size: 12.5px; }
.chart .label { paint-order: stroke; stroke: var(--paper); stroke-width: 3px; stroke-linejoin: round; }
.chart .heading { font-weight: 600; font-size: 14px; }
.chart .grid { stroke: var(--line); fill: none; }
.chart .axis { stroke: var(--soft); fill: none; }
.chart .curve { stroke: var(--bar); stroke-width: 2.5; fill: none; stroke-linejoin: round; }
.chart .bar { fill: var(--bar); }
.chart .bar.peer { fill: var(--peer); }
.mark-now path { stroke: var(--mark); stroke-dasharray: 3 3; }
.mark-now circle { fill: var(--mark); }
.mark-agreed path { stroke: var(--soft); stroke-dasharray: 3 3; }
.mark-agreed circle { fill: var(--card); stroke: var(--soft); stroke-width: 2; }
@media print { :root { --paper: #fff; } .scroll { max-height: none; overflow: visible; } section.part { break-inside: auto; }
  figure, .claim, .artefact { break-inside: avoid; } }
)css";

} // namespace everbloom::cli::html
