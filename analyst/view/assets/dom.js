// Builds what is shown. Whatever comes from records becomes text, never markup: nothing here reads a text as HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

export const el = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
export const svg = (name, attributes, ...children) => fill(document.createElementNS(SVG, name), attributes, children);

// Letters that nobody sees, or that turn the direction of what follows.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;

const escaped = letter => "\\u" + letter.codePointAt(0).toString(16).padStart(4, "0");

/// A text of a record: letters that nobody sees are shown as escapes, and none changes what stands beside it.
export function text(value, most = 4000) {
  let all = typeof value === "string" ? value : JSON.stringify(value) ?? "";
  const cut = all.length > most;
  if (cut) all = all.slice(0, most);
  const node = el("bdi");
  let end = 0;
  for (const found of all.matchAll(HIDDEN)) {
    if (found.index > end) node.append(all.slice(end, found.index));
    node.append(el("span", { class: "ctl" }, escaped(found[0])));
    end = found.index + found[0].length;
  }
  node.append(all.slice(end) + (cut ? "…" : ""));
  return node;
}

/// The same as plain text, for titles.
export const plain = (value, most = 400) => String(value).slice(0, most).replace(HIDDEN, escaped);

export const count = number => number === null || number === undefined ? "" : Math.round(number).toLocaleString("en").replaceAll(",", "\u2009");

export function short(number) {
  for (const [unit, size] of [["G", 1e9], ["M", 1e6], ["k", 1e3]]) {
    if (number >= size) return (number / size).toFixed(number / size < 10 ? 1 : 0).replace(/\.0$/, "") + "\u2009" + unit;
  }
  return String(number);
}

export function bytes(number) {
  if (number === null || number === undefined) return "";
  for (const [unit, power] of [["TiB", 4], ["GiB", 3], ["MiB", 2], ["KiB", 1]]) {
    const size = 1024 ** power;
    if (number >= size) return (number / size).toFixed(number / size < 10 ? 1 : 0) + "\u2009" + unit;
  }
  return number + "\u2009B";
}

/// Microseconds since 1970 as a date of UTC.
export function when(micros, digits = 6) {
  if (micros === null || micros === undefined) return "";
  const date = new Date(Math.floor(micros / 1000));
  if (Number.isNaN(date.getTime())) return "";
  const [day, clock] = date.toISOString().slice(0, -1).split("T");
  const rest = String(((micros % 1e6) + 1e6) % 1e6).padStart(6, "0");
  return `${day} ${clock.slice(0, 8)}${digits ? "." + rest.slice(0, digits) : ""}`;
}

/// Microseconds as a moment for a search.
export const moment = micros => when(micros).replace(" ", "T") + "Z";

export function lasting(micros) {
  const seconds = micros / 1e6;
  if (seconds < 0.001) return `${Math.round(micros)}\u2009µs`;
  if (seconds < 1) return `${(seconds * 1000).toFixed(seconds < 0.1 ? 1 : 0)}\u2009ms`;
  if (seconds < 120) return `${seconds.toFixed(seconds < 10 ? 2 : 1)}\u2009s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)}\u2009min`;
  if (seconds < 172800) return `${(seconds / 3600).toFixed(1)}\u2009h`;
  return `${(seconds / 86400).toFixed(1)}\u2009days`;
}

/// Microseconds of a moment in a record.
export function micros(text) {
  const parts = /^(.*T\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/.exec(text ?? "");
  if (!parts) return null;
  const whole = Date.parse(parts[1] + "Z");
  return Number.isNaN(whole) ? null : whole * 1000 + Number((parts[2] ?? "").padEnd(6, "0").slice(0, 6));
}

/// A table: columns are [title, class], rows are { href, cells }.
export function table(caption, columns, rows, attributes) {
  return el("table", attributes,
    el("caption", { class: "skip" }, caption),
    el("thead", {}, el("tr", {}, columns.map(([title, kind]) => el("th", { scope: "col", class: kind }, title)))),
    el("tbody", {}, rows.map(({ href, cells, label }) => el("tr", { "data-href": href, tabindex: href ? "0" : undefined, "aria-label": label },
      cells.map((cell, place) => el("td", { class: columns[place]?.[1] }, cell))))));
}

export const sheet = (title, width, ...content) =>
  el("section", { class: `sheet ${width}` }, el("div", { class: "head" }, typeof title === "string" ? el("h2", {}, title) : title), content);

export function severity(level) {
  const words = { 1: "high", 2: "medium", 3: "low" };
  return el("span", { class: `severity s${level ?? 0}`, title: words[level] ? `Severity ${level}, ${words[level]}` : "Severity" }, level ?? "–");
}

/// A button that copies a text.
export function copying(words) {
  const button = el("button", { type: "button", onclick: async () => {
    await navigator.clipboard.writeText(words);
    button.textContent = "Copied";
  } }, "Copy");
  return el("div", { class: "copy" }, el("code", {}, text(words)), button);
}
