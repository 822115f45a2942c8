// A record with all that is in it; of an alert also its rule, its payload and its connection.

import { copying, count, el, severity, sheet, text, when } from "./dom.js";
import { timeline } from "./connection.js";
import { decoded, hex, letters } from "./hex.js";
import { connection, end, ends, kind, summary } from "./records.js";
import { get, link, quoted } from "./state.js";

const IN_BASE64 = new Set(["payload", "packet"]);

function fields(row) {
  const value = (name, value) => {
    if (typeof value === "object") return text(JSON.stringify(value, null, 1), 20000);
    const href = String(value).length < 200 ? link("search", { q: `${name}:${quoted(value)}`, table: row.table }) : undefined;
    return href ? el("a", { href, title: "Search for this" }, text(String(value))) : text(String(value), 20000);
  };
  return el("table", { class: "fields" }, el("caption", { class: "skip" }, "Fields"),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Field"), el("th", { scope: "col" }, "Value"))),
    el("tbody", {}, Object.entries(row.record).map(([name, found]) => el("tr", {}, el("td", {}, text(name)), el("td", {}, value(name, found))))));
}

function bytesOf(payload, open) {
  const data = decoded(payload.bytes);
  const body = el("div");
  const choice = el("span", { class: "choice right", role: "group", "aria-label": "Form of the bytes" });
  let form = "hex";
  const show = () => {
    body.replaceChildren(form === "hex" ? hex(data, payload.marks) : el("pre", { class: "hex" }, letters(data)));
    choice.replaceChildren(...["hex", "text"].map(name => el("button", { type: "button", "aria-pressed": String(name === form), onclick: () => { form = name; show(); } }, name)));
  };
  show();
  const found = new Set(payload.marks.map(mark => mark.content)).size;
  return sheet([el("h2", {}, payload.field === "payload" ? "Payload" : payload.field), choice], "", body,
    el("p", { class: "note" }, `${count(data.length)} bytes${payload.more ? `, ${count(payload.more)} more are not shown` : ""}. `,
      payload.marks.length ? `${found} contents of the rule are marked, in ${payload.marks.length} places; offsets, distances and patterns of the rule are not looked at here.`
        : open ? "No plain content of the rule is in them." : "The rule's text is not known, so nothing is marked: --rules names files of rules."));
}

export async function record(main, words) {
  const found = await get("record", words);
  const [row] = found.rows;
  const { from, fromPort, to, toPort } = ends(row.record);
  const alert = row.record["alert.signature_id"] !== undefined;
  const whole = connection(row);
  const facts = el("dl", { class: "facts" },
    el("dt", {}, "Time"), el("dd", { class: "when" }, when(row.time), " UTC"),
    from !== undefined && [el("dt", {}, "Ends"), el("dd", { class: "end" }, end(from, fromPort), " → ", end(to, toPort), " ", text(row.record.proto ?? ""))],
    alert && [el("dt", {}, "Rule"), el("dd", {}, severity(row.record["alert.severity"]), ` sid ${row.record["alert.signature_id"]}, `, text(row.record["alert.category"] ?? ""), ", ", text(row.record["alert.action"] ?? ""))],
    whole && [el("dt", {}, "Connection"), el("dd", {}, el("a", { href: whole }, "All that records tell of it"))]);
  const left = el("div", { class: "stack" }, sheet(kind(row.table), "", facts));
  if (alert) {
    left.append(sheet("Rule", "", found.rule ? el("pre", { class: "rule" }, text(found.rule)) : el("p", { class: "note" },
      "Its text is not known: outputs write it with metadata.rule.raw, and --rules names files of rules."),
      el("p", { class: "note" }, "Why it fires in this capture, step by step:"), copying(found.explain)));
    left.append(...found.payloads.map(payload => bytesOf(payload, Boolean(found.rule))));
    if (!found.payloads.length) left.append(sheet("Payload", "", el("p", { class: "note" }, "The record has no payload: outputs write it with payload: yes.")));
  }
  const shown = { ...row, record: Object.fromEntries(Object.entries(row.record).filter(([name]) => !alert || !IN_BASE64.has(name))) };
  left.append(sheet("All fields", "", el("div", { class: "scroll" }, fields(shown))));
  for (const other of found.rows.slice(1)) left.append(sheet(el("h2", {}, "Another one of the same moment"), "", fields(other)));
  const beside = el("div", { class: "stack" });
  main.replaceChildren(el("h1", {}, text(summary(row.table, row.record) || row.table, 400)), el("div", { class: whole ? "beside" : "" }, left, whole && beside));
  if (!whole) return;
  beside.append(sheet("Its connection", "", el("p", { class: "note" }, "…")));
  try {
    const rest = await get("connection", { id: row.record.flow_id ?? row.record.uid ?? row.record.zeek_uid, time: row.time });
    beside.replaceChildren(sheet(el("h2", {}, el("a", { href: whole }, "Its connection")), "", timeline(rest, row)));
  } catch (error) {
    if (error.name !== "AbortError") beside.replaceChildren(sheet("Its connection", "", el("p", { class: "error" }, text(error.message))));
  }
}
