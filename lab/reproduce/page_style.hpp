// CSS of the page: light and dark mode, from phone to desktop width.
#pragma once

#include <string_view>

namespace everbloom::cli {

inline constexpr std::string_view page_style = R"css(
:root { color-scheme: light dark; --paper: #fbfaf7; --card: #ffffff; --ink: #1f2733; --soft: #5b6675; --line: #dfdcd3;
  --good: #1d7f56; --good-soft: #e2f3ea; --odd: #94610a; --odd-soft: #fbefd6; --bad: #b3293e; --bad-soft: #fbe3e6; --link: #2b6aa8; }
@media (prefers-color-scheme: dark) { :root { --paper: #14181f; --card: #1b212b; --ink: #e4e8ee; --soft: #9aa6b5;
  --line: #303947; --good: #6fd3a3; --good-soft: #17372a; --odd: #f0c169; --odd-soft: #3a2d11; --bad: #ff8d9c;
  --bad-soft: #43191f; --link: #82b8ee; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); line-height: 1.55;
  font-family: system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif; }
main, header > div, footer { max-width: 76rem; margin: 0 auto; padding: 0 1.25rem; }
header { border-bottom: 1px solid var(--line); background: var(--card); padding: 2.2rem 0 1.6rem; }
h1 { font-size: clamp(1.5rem, 4vw, 2.3rem); line-height: 1.2; margin: 0.2rem 0; }
h2 { font-size: 1.35rem; margin: 2.6rem 0 0.8rem; }
h3 { font-size: 1.08rem; margin: 0 0 0.4rem; }
a { color: var(--link); }
code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 0.9em; }
.soft { color: var(--soft); }
.kicker { text-transform: uppercase; letter-spacing: 0.08em; font-size: 0.78rem; color: var(--soft); margin: 0; }
.counts { display: flex; flex-wrap: wrap; gap: 0.6rem; padding: 0; margin: 1.1rem 0 0; list-style: none; }
.counts li { border-radius: 0.6rem; padding: 0.45rem 0.9rem; font-weight: 600; }
.badge { display: inline-block; border-radius: 999px; padding: 0.08rem 0.65rem; font-size: 0.8rem; font-weight: 600; }
.reproduced { background: var(--good-soft); color: var(--good); }
.deviates { background: var(--odd-soft); color: var(--odd); }
.contradicted { background: var(--bad-soft); color: var(--bad); }
.not-tested, .not-comparable { background: var(--line); color: var(--soft); }
.contents { padding-left: 1.2rem; }
.links { display: flex; flex-wrap: wrap; gap: 0.35rem; margin: 0.35rem 0 0.7rem; font-size: 0.85rem; }
.links a { border-radius: 0.4rem; padding: 0.02rem 0.5rem; text-decoration: none; border: 1px solid var(--line); }
.claim:target, .artefact:target { outline: 2px solid var(--link); }
.claims { display: grid; gap: 0.9rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 23rem), 1fr)); }
.claim { background: var(--card); border: 1px solid var(--line); border-radius: 0.8rem; padding: 1rem 1.1rem;
  overflow-wrap: anywhere; }
.claim p { margin: 0.5rem 0 0; font-size: 0.92rem; }
.claim .top { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0.4rem; font-size: 0.85rem; margin: 0; }
blockquote { margin: 0.6rem 0 0; padding-left: 0.8rem; border-left: 3px solid var(--line); font-family: Georgia, "Noto Serif", serif; }
.numbers { display: flex; flex-wrap: wrap; gap: 0.2rem 1.4rem; margin: 0.6rem 0 0; font-size: 0.92rem; }
.numbers div { display: flex; gap: 0.4rem; }
.numbers dt { color: var(--soft); }
.numbers dd { margin: 0; font-weight: 600; font-variant-numeric: tabular-nums; }
.artefact { background: var(--card); border: 1px solid var(--line); border-radius: 0.8rem; padding: 1.2rem; margin: 0 0 1.2rem; }
.artefact .beside { display: grid; gap: 1.2rem; grid-template-columns: minmax(0, 2.3fr) minmax(0, 1fr); align-items: start; }
@media (max-width: 56rem) { .artefact .beside { grid-template-columns: minmax(0, 1fr); } }
figure { margin: 0; }
figure svg { display: block; width: 100%; height: auto; }
details { margin-top: 0.9rem; }
summary { cursor: pointer; color: var(--link); font-size: 0.92rem; }
.scroll { overflow-x: auto; max-height: 30rem; overflow-y: auto; margin-top: 0.6rem; }
table { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 0.2rem 0.7rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { color: var(--soft); font-weight: 600; }
th:first-child, td:first-child { text-align: left; }
.notes { margin: 0.4rem 0 0; padding-left: 1.1rem; font-size: 0.85rem; overflow-wrap: anywhere; }
.errata li { margin-bottom: 0.9rem; }
footer { color: var(--soft); font-size: 0.88rem; padding-top: 1.5rem; padding-bottom: 3rem; }
)css";

} // namespace everbloom::cli
