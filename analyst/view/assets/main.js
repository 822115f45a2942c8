// Shows the page that the address names, and hears the keys.

import { alerts } from "./alerts.js";
import { connection } from "./connection.js";
import { el, text, when } from "./dom.js";
import { overview } from "./overview.js";
import { record } from "./record.js";
import { search } from "./search.js";
import { go, leave, link, state } from "./state.js";

const PAGES = { overview, alerts, search, record, connection };
const main = document.getElementById("main");
const query = document.getElementById("query");
let shown = 0;

async function show() {
  leave();
  shown += 1;
  const now = shown;
  const { page, words } = state();
  const draw = PAGES[page];
  for (const tab of document.querySelectorAll("nav a")) {
    tab.toggleAttribute("aria-current", tab.dataset.page === page);
    if (tab.dataset.page === page) tab.setAttribute("aria-current", "page");
  }
  query.value = page === "search" ? words.q ?? "" : "";
  const span = document.getElementById("span");
  span.replaceChildren();
  if (words.from || words.to) {
    span.append(`${words.from ? when(Number(words.from), 0) : "…"} – ${words.to ? when(Number(words.to), 0) : "…"} `,
      el("a", { href: link(page, { ...words, from: undefined, to: undefined }) }, "all time"));
  }
  document.title = `${page[0].toUpperCase()}${page.slice(1)} – Weir`;
  delete document.documentElement.dataset.ready;
  const body = el("div");
  main.replaceChildren(body);
  try {
    if (!draw) throw new Error("There is no such page.");
    await draw(body, words);
  } catch (error) {
    if (error.name === "AbortError") return;
    body.replaceChildren(el("p", { class: "error" }, text(error.message)));
  }
  if (now === shown) document.documentElement.dataset.ready = page;
}

const rows = () => [...main.querySelectorAll("tbody tr[data-href]")].filter(row => row.offsetParent !== null);

function step(by) {
  const all = rows();
  if (!all.length) return;
  const before = all.findIndex(row => row.classList.contains("current"));
  const next = Math.min(all.length - 1, Math.max(0, before < 0 ? (by > 0 ? 0 : all.length - 1) : before + by));
  all[before]?.classList.remove("current");
  all[next].classList.add("current");
  all[next].focus({ preventScroll: true });
  all[next].scrollIntoView({ block: "nearest" });
}

const HELP = [
  ["/", "Search"], ["j  k", "Next, previous row"], ["Enter", "Open the row"], ["o  a  s", "Overview, alerts, search"], ["b", "Back"], ["t", "Light or dark"], ["?", "This help"],
];
const SEARCHES = [
  ["evil.example", "anywhere in a text"], ["src_ip:10.0.0.0/8", "an address in a network"], ["http.hostname:*evil*", "* and ? stand for any letters"],
  ["dest_port>=1024", "numbers and times: = != < <= > >="], ["tls.sni:*", "the field is there"], ["a:1 and (b:2 or not c:\"x y\")", "and, or, not, brackets, quotes"],
];

function help() {
  const dialog = document.getElementById("keys");
  const list = pairs => el("dl", { class: "facts" }, pairs.map(([key, meaning]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, meaning)]));
  dialog.replaceChildren(el("h1", {}, "Keys"), list(HELP), el("h1", {}, "Searches"), list(SEARCHES),
    el("p", {}, el("button", { type: "button", onclick: () => dialog.close() }, "Close")));
  dialog.showModal();
}

function theme(next) {
  const kept = next ?? localStorage.getItem("theme");
  const dark = kept ? kept === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  if (next) localStorage.setItem("theme", next);
}
const turn = () => theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");

document.addEventListener("keydown", event => {
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (event.key === "Escape" && typing) event.target.blur();
  if (typing || event.ctrlKey || event.altKey || event.metaKey || document.getElementById("keys").open) return;
  const act = {
    "/": () => { query.focus(); query.select(); }, j: () => step(1), k: () => step(-1), o: () => go("overview"), a: () => go("alerts"), s: () => go("search"),
    b: () => history.back(), t: turn, "?": help,
    Enter: () => {
      const row = document.activeElement.matches?.("tr[data-href]") ? document.activeElement : main.querySelector("tr.current");
      if (!row || document.activeElement.matches?.("a, button, summary")) return false;
      location.hash = row.dataset.href;
      return true;
    },
  }[event.key];
  if (act && act() !== false) event.preventDefault();
});

main.addEventListener("click", event => {
  if (event.target.closest("a, button, input, summary") || String(getSelection())) return;
  const row = event.target.closest("tr[data-href]");
  if (row) location.hash = row.dataset.href;
});

document.getElementById("search").addEventListener("submit", event => {
  event.preventDefault();
  query.blur();
  const { page, words } = state();
  const kept = page === "search" ? { table: words.table, field: words.field } : {};
  go("search", { ...kept, from: words.from, to: words.to, q: query.value.trim() });
});
document.getElementById("theme").addEventListener("click", turn);
document.getElementById("help").addEventListener("click", help);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => theme());
addEventListener("hashchange", show);
theme();
show();
