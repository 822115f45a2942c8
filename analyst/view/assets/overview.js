// The overview: what was on the wire, what rules found in it, who talked to whom, and what nobody saw.

import { bars, map } from "./charts.js";
import { bytes, count, el, moment, severity, sheet, table, text, when } from "./dom.js";
import { get, link, quoted } from "./state.js";

/// Puts a part of the page there when its answer comes; the others do not wait.
function part(title, width, answer, show) {
  const body = el("div", {}, el("p", { class: "note" }, "…"));
  const section = sheet(title, width, body);
  answer.then(found => body.replaceChildren(...[show(found, section)].flat(Infinity).filter(Boolean)))
    .catch(error => error.name !== "AbortError" && body.replaceChildren(el("p", { class: "error" }, error.message)));
  return section;
}

function tiles(about, traffic, alerts) {
  const tile = (value, name, href) => el(href ? "a" : "div", { class: "tile", href }, el("b", {}, value), el("span", {}, name));
  const sum = (found, field) => found.series.reduce((all, line) => all + line[field].reduce((a, b) => a + b, 0), 0);
  const row = el("div", { class: "tiles w12", "aria-label": "In numbers" });
  const numbers = { connections: "…", bytes: "…", alerts: "…", rules: "…" };
  const records = about.tables.reduce((all, listed) => all + listed.rows, 0);
  const show = () => row.replaceChildren(
    tile(numbers.connections, "connections", numbers.table && link("search", { table: numbers.table })),
    tile(numbers.bytes, "on the wire"),
    tile(numbers.alerts, "alerts", link("alerts")),
    tile(numbers.rules, "rules fired", link("alerts")),
    tile(count(records), `records of ${about.tables.length} types`, link("search")),
    tile(numbers.first ?? "…", "first, UTC"), tile(numbers.last ?? "…", "last, UTC"));
  show();
  traffic.then(found => {
    const bars = found.series[0]?.connections.length ?? 0;
    Object.assign(numbers, { connections: count(sum(found, "connections")), bytes: bytes(sum(found, "bytes")), table: found.table,
      first: bars ? when(found.from, 0) : "–", last: bars ? when(found.from + bars * found.step, 0) : "–" });
    show();
  }).catch(() => {});
  alerts.then(found => {
    numbers.alerts = count(found.groups.reduce((all, group) => all + group.alerts, 0));
    numbers.rules = count(found.groups.length) + (found.more ? "+" : "");
    show();
  }).catch(() => {});
  return row;
}

function trafficPart(answer, words) {
  let unit = words.by === "bytes" ? "bytes" : "connections";
  const choice = el("span", { class: "choice right", role: "group", "aria-label": "What bars count" });
  return part(el("h2", {}, "Traffic"), "w12", answer, (found, section) => {
    if (!found.series.length) return el("p", { class: "note" }, "No record tells of connections: EVE's flow or Zeek's conn.");
    const body = el("div");
    const to = (bar, line) => {
      const conditions = [];
      if (bar !== null) {
        const from = found.from + bar * found.step;
        conditions.push(`${found.time}>=${quoted(moment(from))}`, `${found.time}<${quoted(moment(from + found.step))}`);
      }
      if (line && line.name !== "other") {
        const zeek = found.table.startsWith("zeek.");
        conditions.push(`(${zeek ? "service" : "app_proto"}:${quoted(line.name)} or proto:${quoted(zeek ? line.name : line.name.toUpperCase())})`);
      }
      return link("search", { table: found.table, q: conditions.join(" and ") });
    };
    const draw = () => {
      const series = found.series.map(line => ({ name: line.name, values: line[unit] }));
      body.replaceChildren(...bars({ from: found.from, step: found.step, series }, unit, to));
      choice.replaceChildren(...["connections", "bytes"].map(name => el("button", { type: "button", "aria-pressed": String(name === unit),
        onclick: () => { unit = name; history.replaceState(null, "", link("overview", { ...words, by: name })); draw(); } }, name)));
    };
    draw();
    section.querySelector(".head").append(choice);
    return body;
  });
}

function alertsPart(answer) {
  return part("Alerts", "w6", answer, found => {
    if (!found.groups.length) return el("p", { class: "note" }, found.table ? "No rule fired." : "There are no records of alerts.");
    const levels = new Map();
    for (const group of found.groups) levels.set(group.severity, (levels.get(group.severity) ?? 0) + group.alerts);
    return [
      el("p", { class: "legend" }, [...levels].map(([level, number]) => el("a", { href: link("search", { table: found.table, q: `alert.severity:${level}` }) },
        severity(level), ` ${count(number)} alerts`))),
      table("Alerts by rule", [["", ""], ["Rule", ""], ["Alerts", "num"]], found.groups.slice(0, 10).map(group => ({
        href: link("search", { table: found.table, q: `alert.signature_id:${group.sid}` }),
        cells: [severity(group.severity), text(group.signature ?? String(group.sid), 200), count(group.alerts)],
      }))),
      found.groups.length > 10 && el("p", { class: "note" }, el("a", { href: link("alerts") }, `All ${count(found.groups.length)} rules`)),
    ];
  });
}

function talkersPart(answer) {
  return part("Who talks to whom", "w6", answer, found => {
    if (!found.pairs.length) return el("p", { class: "note" }, "No record tells of connections.");
    const [one, other] = found.ends;
    const both = pair => link("search", { table: found.table,
      q: `(${one}:${quoted(pair.one)} and ${other}:${quoted(pair.other)}) or (${one}:${quoted(pair.other)} and ${other}:${quoted(pair.one)})` });
    const host = name => link("search", { table: found.table, q: `${one}:${quoted(name)} or ${other}:${quoted(name)}` });
    const drawn = found.pairs.slice(0, 40);
    return [
      map(drawn, both, host),
      el("p", { class: "note" }, found.more ? `The ${drawn.length} pairs of hosts that sent most; there are more.` : `${drawn.length} ${drawn.length === 1 ? "pair" : "pairs"} of hosts.`),
      el("details", {}, el("summary", {}, "As a table"), el("div", { class: "talk" }, table("Pairs of hosts", [["Host", "end"], ["Host", "end"], ["Connections", "num"], ["Bytes", "num"]],
        found.pairs.map(pair => ({ href: both(pair), cells: [text(pair.one), text(pair.other), count(pair.connections), bytes(pair.bytes)] }))))),
    ];
  });
}

function lostPart(answer) {
  return part("What was lost", "w6", answer, found => [
    table("Losses", [["What", ""], ["Number", "num"], ["Of", "num"], ["Source", "soft"]], found.map(loss => ({
      cells: [loss.name, loss.value === null ? el("span", { class: "soft" }, "not known") : count(loss.value),
        loss.of ? `${count(loss.of)} (${(100 * loss.value / loss.of).toFixed(2)} %)` : "", loss.source],
    }))),
    el("p", { class: "note" }, "“Not known”: no record tells. It does not mean nothing."),
  ]);
}

function recordsPart(about) {
  const most = Math.max(1, ...about.tables.map(listed => listed.rows));
  const rows = [...about.tables].sort((a, b) => b.rows - a.rows).slice(0, 14).map(listed => {
    const name = `${listed.schema}.${listed.table}`;
    const bar = el("i");
    bar.style.width = `${100 * listed.rows / most}%`;
    return { href: link("search", { table: name }), cells: [text(name), el("div", { class: "meter" }, count(listed.rows), bar)] };
  });
  return sheet("Records", "w6", table("Records by type", [["Type", "mono"], ["Records", "num"]], rows));
}

export async function overview(main, words) {
  const span = { from: words.from, to: words.to };
  const [traffic, alerts] = [get("traffic", span), get("alerts", span)];
  const [talkers, lost] = [get("talkers", span), get("lost", span)];
  for (const answer of [traffic, alerts, talkers, lost]) answer.catch(() => {});
  const about = await get("about");
  main.replaceChildren(el("h1", { class: "skip" }, "Overview"), el("div", { class: "grid" },
    tiles(about, traffic, alerts), trafficPart(traffic, words), alertsPart(alerts), talkersPart(talkers), lostPart(lost), recordsPart(about),
    about.remarks.length > 0 && sheet("What could not be read", "w12", about.remarks.map(remark => el("p", { class: "error" }, text(remark))))));
}
