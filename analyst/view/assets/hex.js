// Bytes as hexadecimal digits and as text, with marks.

import { count, el } from "./dom.js";

const LINES = 1024;

export function decoded(base64) {
  return Uint8Array.from(atob(base64), letter => letter.charCodeAt(0));
}

const shown = byte => byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "·";

/// Lines of 16 bytes.
export function hex(data, marks = [], lines = LINES) {
  const marked = new Map();
  for (const mark of marks) for (let at = mark.start; at < mark.end; at += 1) if (!marked.has(at)) marked.set(at, mark.content);
  const body = el("div", { class: "hex", tabindex: "0", role: "group", "aria-label": "Bytes" });
  const last = Math.min(data.length, lines * 16);
  for (let line = 0; line < last; line += 16) {
    body.append(el("span", { class: "at" }, line.toString(16).padStart(6, "0") + "  "));
    for (const form of [byte => byte.toString(16).padStart(2, "0") + " ", shown]) {
      let run = "";
      let inside = null;
      const flush = () => {
        if (run) body.append(inside === null ? run : el("mark", { title: `content:"${inside}"` }, run));
        run = "";
      };
      for (let at = line; at < line + 16; at += 1) {
        const mark = marked.get(at) ?? null;
        if (mark !== inside) {
          flush();
          inside = mark;
        }
        run += at < data.length ? form(data[at]) : form === shown ? "" : "   ";
        if (form !== shown && at === line + 7) run += " ";
      }
      flush();
      body.append(form === shown ? "\n" : " ");
    }
  }
  if (last < data.length) {
    const more = el("button", { type: "button", onclick: () => body.replaceWith(hex(data, marks, Infinity)) }, `Show all ${count(data.length)} bytes`);
    body.append(more);
  }
  return body;
}

/// Bytes as text: what is not printed is a dot.
export function letters(data) {
  let all = "";
  for (const byte of data) all += byte === 10 ? "\n" : byte === 13 ? "" : byte === 9 ? "\t" : shown(byte);
  return all;
}
