// Alerts by rule.

import { count, el, severity, sheet, table, text, when } from "./dom.js";
import { get, link } from "./state.js";

export async function alerts(main, words) {
  const found = await get("alerts", { from: words.from, to: words.to });
  const body = el("div", { class: "scroll" });
  const most = Math.max(1, ...found.groups.map(group => group.alerts));
  const filter = el("input", { type: "search", placeholder: "Rules with…", "aria-label": "Show rules that have these words", value: words.rule ?? "" });
  const show = () => {
    const wanted = filter.value.toLowerCase();
    const groups = found.groups.filter(group => !wanted || `${group.signature} ${group.sid} ${group.category}`.toLowerCase().includes(wanted));
    const rows = groups.map(group => {
      const bar = el("i");
      bar.style.width = `${100 * group.alerts / most}%`;
      return {
        href: link("search", { table: found.table, q: `alert.signature_id:${group.sid}`, from: words.from, to: words.to }),
        cells: [severity(group.severity), el("div", { class: "meter" }, count(group.alerts), bar), text(group.signature ?? "", 300),
          String(group.sid ?? ""), text(group.category ?? "", 120), count(group.sources), count(group.targets), when(group.first, 3), when(group.last, 3)],
      };
    });
    body.replaceChildren(rows.length
      ? table("Alerts by rule", [["Sev", ""], ["Alerts", "num"], ["Signature", ""], ["Sid", "num"], ["Category", ""], ["From hosts", "num"], ["To hosts", "num"], ["First (UTC)", "when"], ["Last (UTC)", "when"]], rows)
      : el("p", { class: "note" }, found.table ? (found.groups.length ? "No rule has these words." : "No rule fired.") : "There are no records of alerts: the event type alert of EVE."));
  };
  filter.addEventListener("input", () => {
    history.replaceState(null, "", link("alerts", { ...words, rule: filter.value }));
    show();
  });
  show();
  const all = found.groups.reduce((sum, group) => sum + group.alerts, 0);
  main.replaceChildren(el("h1", {}, "Alerts"), sheet(el("h2", {}, `${count(all)} alerts of ${count(found.groups.length)}${found.more ? "+" : ""} rules`), "",
    el("p", {}, filter), body));
}
