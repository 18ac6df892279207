import { navigationStyle } from './navigation.ts';

/** The stylesheet: system fonts, both colour schemes, from 360 pixels up. */
export const css = `
:root {
  --ground: #f6f7f9; --card: #fff; --ink: #1b1f27; --quiet: #5a6372; --line: #dfe3e9; --link: #0b57c2;
  --good: #1a7f45; --good-ground: #def3e5; --bad: #b3261e; --bad-ground: #fbe3e1;
  --open: #7a5200; --open-ground: #fdefcf; --off: #525b69; --off-ground: #e8ebef;
  --press: #0b57c2; --press-ink: #fff; --room: #f0f2f5;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12151b; --card: #1b2029; --ink: #e8ebf0; --quiet: #a3adbc; --line: #303845; --link: #8ab8ff;
    --good: #6fd699; --good-ground: #16341f; --bad: #ff9d95; --bad-ground: #431b19;
    --open: #f0c568; --open-ground: #3b2d0d; --off: #b4bdca; --off-ground: #2a313d;
    --press: #8ab8ff; --press-ink: #0c1422; --room: #222935;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; -webkit-text-size-adjust: 100%;
}
header {
  display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between;
  padding: 0 1rem; background: var(--card); border-bottom: 1px solid var(--line);
}
header form { padding: .4rem 0; display: flex; gap: .75rem; align-items: center; min-width: 0; }
main { max-width: 68rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.4rem; margin: .5rem 0 1rem; }
h2 { font-size: 1.15rem; margin: 2rem 0 .75rem; }
h3 { font-size: 1rem; margin: 0 0 .25rem; }
h4 { font-size: .9rem; margin: 1rem 0 .25rem; }
p { margin: .4rem 0; }
a { color: var(--link); }
.quiet { color: var(--quiet); font-size: .9rem; }
.text, pre, code { overflow-wrap: anywhere; unicode-bidi: isolate; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .875rem; }
abbr { text-decoration: none; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem; margin: 0 0 1rem; }
.narrow { max-width: 26rem; margin: 2rem auto; }
.cards { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); }
.cards .card { margin: 0; display: flex; flex-direction: column; }
.cards .row { margin-top: auto; padding-top: .5rem; }
.row { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; justify-content: space-between; }
.stack { display: grid; gap: .5rem; margin: 1rem 0; }
.badge {
  display: inline-block; padding: .05rem .5rem; border-radius: 1rem; font-size: .8rem; font-weight: 600; white-space: nowrap;
}
.badge.good { color: var(--good); background: var(--good-ground); }
.badge.bad { color: var(--bad); background: var(--bad-ground); }
.badge.open { color: var(--open); background: var(--open-ground); }
.badge.off { color: var(--off); background: var(--off-ground); }
.error { color: var(--bad); background: var(--bad-ground); padding: .5rem .75rem; border-radius: .4rem; }
button, input, select { font: inherit; color: inherit; }
button {
  padding: .4rem .9rem; border: 1px solid var(--press); border-radius: .4rem; cursor: pointer;
  background: var(--press); color: var(--press-ink); font-weight: 600;
}
button.plain { background: transparent; color: var(--link); }
input:not([type=hidden]), select {
  width: 100%; padding: .4rem .6rem; background: var(--card); border: 1px solid var(--quiet); border-radius: .4rem;
}
:focus-visible, input[type=date]:focus-within { outline: 3px solid var(--link); outline-offset: 2px; }
.filter { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; margin: 0 0 1rem; }
.filter label { flex: 1 1 10rem; font-size: .85rem; color: var(--quiet); }
.filter select { color: var(--ink); font-size: 1rem; }
.chart { margin: .5rem 0; }
.chart svg { display: block; width: 100%; height: 4.5rem; }
.chart .room { fill: var(--room); }
.chart .good { fill: var(--good); }
.chart .bad { fill: var(--bad); }
.chart line { stroke: var(--quiet); stroke-width: 1; vector-effect: non-scaling-stroke; }
.chart figcaption { font-size: .85rem; color: var(--quiet); }
.log { list-style: none; margin: 0 0 1rem; padding: 0; background: var(--card); border: 1px solid var(--line); border-radius: .6rem; }
.log li {
  display: grid; gap: .1rem 1rem; padding: .6rem 1rem; align-items: baseline;
  grid-template-columns: minmax(0, 3fr) minmax(0, 3fr) 6rem minmax(0, 3fr) 12.5rem;
}
.log li + li { border-top: 1px solid var(--line); }
.log a { font-weight: 600; overflow-wrap: anywhere; }
.when { text-align: right; }
@media (max-width: 52rem) {
  .log li { grid-template-columns: minmax(0, 1fr) auto; }
  .log li > :nth-child(2) { grid-row: 2; }
  .log li > :nth-child(3) { grid-row: 1; grid-column: 2; text-align: right; }
  .log li > :nth-child(n + 4) { grid-column: 1 / -1; text-align: left; }
}
dl { margin: .5rem 0; display: grid; gap: .25rem; }
dl > div { display: grid; grid-template-columns: 8rem minmax(0, 1fr); gap: .75rem; }
dl.headers > div { grid-template-columns: minmax(0, 1fr) minmax(0, 2fr); font-size: .875rem; }
dt { color: var(--quiet); overflow-wrap: anywhere; }
dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.names { display: flex; flex-wrap: wrap; gap: .25rem .75rem; margin: .25rem 0; padding: 0; list-style: none; }
pre { margin: .25rem 0; padding: .75rem; background: var(--room); border-radius: .4rem; max-height: 24rem; overflow: auto; white-space: pre-wrap; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.notice { color: var(--open); background: var(--open-ground); padding: .5rem .75rem; border-radius: .4rem; }
.links { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: .75rem 0; padding: 0; list-style: none; }
.links a[aria-current], details a[aria-current] { color: inherit; font-weight: 600; text-decoration: none; }
.path { display: flex; flex-wrap: wrap; gap: .25rem .5rem; margin: 0 0 .75rem; padding: 0; list-style: none; }
.path li + li::before { content: '› '; color: var(--quiet); }
summary { cursor: pointer; color: var(--link); }
details { margin: .5rem 0; }
.filter input { color: var(--ink); font-size: 1rem; }
.filter label { max-width: 14rem; }
.totals { grid-template-columns: repeat(auto-fit, minmax(min(100%, 9.5rem), 1fr)); gap: 1rem; margin: 1rem 0 .5rem; }
.totals > .card { display: block; margin: 0; }
.figure { font-size: clamp(1rem, 5vw, 1.5rem); font-variant-numeric: tabular-nums; }
.spend { margin: 1.5rem 0; }
.spend svg { display: block; width: 100%; height: auto; max-height: 16rem; }
.spend figcaption { font-size: .9rem; color: var(--quiet); }
.spend .final, .hatch-line { fill: var(--press); }
.hatch-ground { fill: var(--card); }
.spend .provisional { stroke: var(--press); stroke-width: 1; }
.spend .gap rect { fill: var(--off-ground); }
.spend .gap text { fill: var(--off); font-size: 12px; }
.spend .zero { stroke: var(--quiet); stroke-width: 1; vector-effect: non-scaling-stroke; }
.spend table { margin: .5rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .4rem .6rem; text-align: left; vertical-align: middle; border-bottom: 1px solid var(--line); }
th { font-weight: 600; }
.number { text-align: right; white-space: nowrap; }
.wide { position: relative; overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: .6rem; }
.figures { width: 100%; }
.figures thead th { color: var(--quiet); font-size: .85rem; }
.figures thead .number { white-space: normal; }
.figures tbody th { min-width: 10rem; }
.figures tfoot th, .figures tfoot td { border-bottom: 0; font-weight: 600; }
.spark { display: block; width: 100px; height: 24px; }
.spark polyline { fill: none; stroke: var(--press); stroke-width: 1.5; stroke-linecap: round; stroke-linejoin: round; }

${navigationStyle}
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
`;
