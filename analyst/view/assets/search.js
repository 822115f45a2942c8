// Searches: what was found, the newest first, and what it has in common.

import { count, el, sheet, table, text, when } from "./dom.js";
import { connection, end, ends, kind, page, summary } from "./records.js";
import { address, also, get, go, link, quoted } from "./state.js";

const PAGE = 100;

function results(found, words) {
  const offset = Number(words.offset ?? 0);
  if (!found.rows.length) return [el("p", { class: "note" }, offset ? "There are no more records." : "No record is like this. A field is named as in the logs, as src_ip or id.orig_h; ? shows how to search.")];
  const rows = found.rows.map(row => {
    const { from, fromPort, to, toPort } = ends(row.record);
    return { href: page(row), cells: [when(row.time), kind(row.table), end(from, fromPort), end(to, toPort), text(summary(row.table, row.record), 400),
      connection(row) ? el("a", { href: connection(row), title: "All of its connection", "aria-label": "All of its connection" }, "⋯") : ""] };
  });
  const step = (label, to) => to === null ? el("span", { class: "soft" }, label) : el("a", { href: link("search", { ...words, offset: to || undefined }) }, label);
  const form = (name, title) => name === "json" || words.table
    ? el("a", { href: address("export", { q: words.q, table: words.table, from: words.from, to: words.to, form: name }), download: `records.${name}` }, title)
    : el("span", { class: "soft", title: "Choose one type of records on the left" }, title);
  return [
    el("div", { class: "scroll results" }, table("Records", [["Time (UTC)", "when"], ["Type", ""], ["From", "end"], ["To", "end"], ["What", "what"], ["", ""]], rows)),
    el("div", { class: "pager" },
      step("‹ Newer", offset > 0 ? Math.max(0, offset - PAGE) : null), el("span", { class: "soft" }, `${count(offset + 1)} – ${count(offset + found.rows.length)}`),
      step("Older ›", found.more ? offset + PAGE : null),
      found.cut && el("span", { class: "soft" }, "Some records were too long for this list."),
      el("span", { class: "right" }, el("span", { class: "soft" }, "Export"), form("csv", "CSV"), form("json", "JSON"), form("parquet", "Parquet"))),
  ];
}

function facets(found, words) {
  const line = (label, number, href, current) => el("a", { href, "aria-current": current ? "true" : undefined }, el("span", {}, label), el("span", { class: "num soft" }, count(number)));
  const all = found.tables.reduce((sum, listed) => sum + listed.records, 0);
  const fields = el("datalist", { id: "fields" }, found.fields.slice(0, 2000).map(field => el("option", { value: field })));
  const field = el("input", { list: "fields", value: words.field ?? "src_ip", placeholder: "field", spellcheck: "false", "aria-label": "Field whose values are counted" });
  field.addEventListener("change", () => go("search", { ...words, field: field.value, offset: undefined }));
  return [
    el("h2", {}, "Types"),
    line("all", all, link("search", { ...words, table: undefined, offset: undefined }), !words.table),
    [...found.tables].sort((a, b) => b.records - a.records).map(listed => line(text(listed.name, 60), listed.records,
      link("search", { ...words, table: listed.name, offset: undefined }), words.table === listed.name)),
    el("h2", {}, "Values of"), field, fields,
    found.values.length ? found.values.map(value => line(text(value.name, 100), value.records,
      link("search", { ...words, q: also(words.q, `${words.field ?? "src_ip"}:${quoted(value.name)}`), offset: undefined })))
      : el("p", { class: "note" }, "None of these records has it."),
    found.more && el("p", { class: "note" }, "There are more."),
  ];
}

export async function search(main, words) {
  const asked = { q: words.q, table: words.table, from: words.from, to: words.to };
  const list = el("div", {}, el("p", { class: "note" }, "Searching…"));
  const common = el("div", { class: "facets" }, el("p", { class: "note" }, "Counting…"));
  main.replaceChildren(el("h1", {}, words.q ? text(words.q, 300) : words.table ? text(words.table) : "All records"),
    el("div", { class: "two" }, sheet("In common", "", common), sheet("Records", "", list)));
  const put = async (place, answer, show) => {
    try {
      place.replaceChildren(...show(await answer, words).flat(Infinity).filter(Boolean));
    } catch (error) {
      if (error.name !== "AbortError") place.replaceChildren(el("p", { class: "error" }, text(error.message)));
    }
  };
  // What was found comes first; counting takes longer.
  const rows = get("search", { ...asked, offset: words.offset, limit: PAGE });
  await put(list, rows, results);
  await put(common, get("facets", { ...asked, field: words.field ?? "src_ip" }), facets);
}
