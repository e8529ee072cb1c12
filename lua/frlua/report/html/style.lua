--- How a page looks: on a screen of 400 pixels and of 1400, light and dark, and on paper.
return [[
:root {
  color-scheme: light dark;
  --ink: #1b1f24; --quiet: #57606a; --line: #d0d7de; --paper: #fff; --panel: #f6f8fa;
  --pass: #00674b; --fail: #a63d00; --withdrawn: #6b5200; --link: #00588a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e6e8eb; --quiet: #a4adb8; --line: #3a424c; --paper: #14171a; --panel: #1d2227;
    --pass: #35c49a; --fail: #ff9457; --withdrawn: #e5c04b; --link: #6fc0ee;
  }
  figure svg [stroke="#0072B2"] { stroke: #3b9ddb; }
  figure svg [fill="#0072B2"] { fill: #3b9ddb; }
  figure svg [color="#0072B2"] { color: #3b9ddb; }
  figure svg [stroke="#808080"] { stroke: #a8afb8; }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 84rem; padding: 1.5rem clamp(.8rem, 3vw, 2.5rem) 4rem;
  font: 1rem/1.55 system-ui, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif;
  color: var(--ink); background: var(--paper); overflow-wrap: break-word;
}
h1 { font-size: clamp(1.5rem, 4vw, 2.1rem); line-height: 1.2; margin: 0 0 .3rem; }
h2 { font-size: 1.3rem; line-height: 1.3; margin: 2.6rem 0 .8rem; padding-top: .6rem;
  border-top: 1px solid var(--line); }
h3 { font-size: 1.08rem; margin: 1.8rem 0 .6rem; }
p { margin: .5rem 0; max-width: 46rem; }
a { color: var(--link); }
.doc { font-size: 1.1rem; color: var(--quiet); margin: 0 0 1rem; }
.note { color: var(--quiet); font-size: .92rem; }
.warning { border-left: 4px solid var(--fail); padding: .4rem .8rem; background: var(--panel); }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr));
  gap: .55rem 1.6rem; margin: .8rem 0; }
.facts div { min-width: 0; }
dt { font-size: .8rem; color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
.verdicts { list-style: none; margin: .8rem 0; padding: 0; display: grid; gap: .6rem; }
.verdicts li { border: 1px solid var(--line); border-left-width: 5px; border-radius: 4px;
  padding: .5rem .8rem; background: var(--panel); }
.verdicts .pass { border-left-color: var(--pass); }
.verdicts .fail { border-left-color: var(--fail); }
.verdicts .withdrawn { border-left-color: var(--withdrawn); border-left-style: dashed; }
.verdicts b { font-size: .8rem; letter-spacing: .05em; margin-right: .6rem; }
.pass b { color: var(--pass); } .fail b { color: var(--fail); }
.withdrawn b { color: var(--withdrawn); }
.verdicts p { margin: .15rem 0 0; max-width: none; font-size: .92rem; color: var(--quiet);
  overflow-wrap: anywhere; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 25rem), 1fr));
  gap: 1.2rem 2rem; align-items: start; }
.beside { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 27rem), 1fr));
  gap: 1rem 2.5rem; align-items: start; }
figure { margin: 0; min-width: 0; max-width: 38rem; }
figure svg { display: block; width: 100%; height: auto; }
figure > :is(h3, h4) { margin: .3rem 0; font-size: 1rem; overflow-wrap: anywhere; }
figcaption { font-size: .88rem; line-height: 1.45; color: var(--quiet); margin-top: .2rem; }
.wide { overflow-x: auto; margin: .8rem 0; max-width: 100%; }
table { border-collapse: collapse; min-width: min(100%, 26rem); font-size: .9rem;
  font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--quiet); padding: .2rem 0 .4rem; }
th, td { padding: .28rem .7rem; border-bottom: 1px solid var(--line); text-align: right;
  vertical-align: baseline; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; padding-left: 0; white-space: normal;
  min-width: 7rem; overflow-wrap: anywhere; }
th:last-child, td:last-child { padding-right: 0; }
thead th { font-weight: 600; white-space: normal; }
tbody th { font-weight: 400; }
pre { overflow-x: auto; background: var(--panel); border: 1px solid var(--line);
  border-radius: 4px; padding: .8rem; font: .82rem/1.45 ui-monospace, "DejaVu Sans Mono",
  Menlo, Consolas, monospace; tab-size: 4; }
details { margin: .8rem 0; }
summary { cursor: pointer; font-weight: 600; }
button { font: inherit; padding: .4rem .9rem; margin: .2rem .6rem .2rem 0; border-radius: 4px;
  color: var(--ink); background: var(--panel); border: 1px solid var(--quiet); cursor: pointer; }
button:focus-visible, summary:focus-visible, a:focus-visible, [tabindex]:focus-visible {
  outline: 3px solid var(--link); outline-offset: 2px; }
@page { margin: 14mm; }
@media print {
  :root {
    color-scheme: light;
    --ink: #000; --quiet: #444; --line: #bbb; --paper: #fff; --panel: #fff;
    --pass: #00674b; --fail: #a63d00; --withdrawn: #6b5200; --link: #00588a;
  }
  body { font-size: 10pt; padding: 0; max-width: none; }
  button, .screen { display: none; }
  .plots { grid-template-columns: 1fr 1fr; }
  .beside { grid-template-columns: 1fr; }
  .facts, .plots figure, .verdicts li, tr { break-inside: avoid; }
  figure { break-inside: avoid; }
  h2, h3, h4, .note { break-after: avoid; }
  .wide { overflow: visible; }
  th, td { padding: .2rem .4rem; white-space: normal; }
  table { font-size: 8pt; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
}
]]
