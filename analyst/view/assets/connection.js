// A connection: all that records tell of it, in the order of time, and its bytes.

import { bytes, count, el, lasting, plain, sheet, table, text, when } from "./dom.js";
import { decoded, hex, letters } from "./hex.js";
import { begin, kind, page, summary } from "./records.js";
import { address, get } from "./state.js";

const isWhole = row => ["flow", "conn"].includes(row.table.split(".")[1]);

/// All records in the order of time, with the time since the first one.
export function timeline(found, current) {
  const rows = found.rows.map(row => ({ row, at: begin(row) })).sort((a, b) => a.at - b.at);
  const start = rows[0]?.at ?? 0;
  const body = table("Records of the connection", [["After", "num"], ["Type", ""], ["What", ""]], rows.map(({ row, at }) => ({
    href: page(row),
    cells: [at === null ? "" : `+${lasting(at - start)}`, kind(row.table), text(summary(row.table, row.record), 300)],
  })));
  if (current) rows.forEach(({ row }, place) => page(row) === page(current) && body.tBodies[0].rows[place].classList.add("current"));
  return el("div", { class: "scroll" }, body, found.cut && el("p", { class: "note" }, "There are more records than are shown."));
}

function exchanges(rows) {
  const kinds = ["http", "http2", "dns", "mdns", "smtp", "ftp", "smb", "ssh", "krb5", "ldap", "mqtt", "sip", "rpc", "nfs", "tftp", "modbus", "dnp3", "pgsql", "rdp", "websocket"];
  const schema = rows.some(row => row.table.startsWith("eve.") && kinds.includes(row.table.slice(4))) ? "eve." : "zeek.";
  const found = rows.filter(row => row.table.startsWith(schema) && kinds.includes(row.table.split(".")[1]));
  return found.length > 0 && sheet("Exchanges", "", table("Exchanges", [["Time (UTC)", "when"], ["Type", ""], ["What", ""]],
    found.map(row => ({ href: page(row), cells: [when(row.time).slice(11), kind(row.table), text(summary(row.table, row.record), 600)] }))));
}

function files(rows) {
  const found = rows.filter(row => ["fileinfo", "files"].includes(row.table.split(".")[1]));
  const hash = record => ["sha256", "sha1", "md5"].flatMap(name => {
    const value = record[name] ?? record[`fileinfo.${name}`];
    return value === undefined ? [] : [`${name} ${value}`];
  });
  return found.length > 0 && sheet("Files", "", el("div", { class: "scroll" }, table("Files", [["Name", ""], ["Kind", ""], ["Size", "num"], ["Hashes", "mono"], ["Source", ""]], found.map(row => {
    const { record } = row;
    const hashes = hash(record);
    return { href: page(row), cells: [text(record["fileinfo.filename"] ?? record.filename ?? record.fuid ?? ""), text(record["fileinfo.magic"] ?? record.mime_type ?? ""),
      bytes(record["fileinfo.size"] ?? record.seen_bytes), hashes.length ? hashes.map(one => el("div", {}, text(one))) : el("span", { class: "soft" }, "none written"), kind(row.table)] };
  }))));
}

function certificates(rows) {
  const known = rows.filter(row => row.table.split(".")[1] === "x509").map(({ record }) => ({
    name: record["certificate.subject"], by: record["certificate.issuer"], from: record["certificate.not_valid_before"], to: record["certificate.not_valid_after"],
    key: [record["certificate.key_type"], record["certificate.key_length"]].filter(Boolean).join(" "), print: record.fingerprint ?? record.id, names: record["san.dns"],
  }));
  const chain = rows.find(row => Array.isArray(row.record.cert_chain_fps))?.record.cert_chain_fps ?? [];
  const places = new Map(chain.map((print, place) => [print, place]));
  known.sort((a, b) => (places.get(a.print) ?? -1) - (places.get(b.print) ?? -1));
  if (!known.length) {
    for (const { record } of rows.filter(row => row.record["tls.subject"] !== undefined).slice(0, 1)) {
      known.push({ name: record["tls.subject"], by: record["tls.issuerdn"], from: record["tls.notbefore"], to: record["tls.notafter"], print: record["tls.fingerprint"], names: record["tls.subjectaltname"] });
    }
  }
  return known.length > 0 && sheet("Certificates", "", el("ol", { class: "chain" }, known.map(one => el("li", {}, el("b", {}, text(one.name ?? "")), el("dl", { class: "facts" },
    el("dt", {}, "Issuer"), el("dd", {}, text(one.by ?? ""), one.by === one.name && el("span", { class: "severity s2", title: "It is signed by itself" }, "self-signed")),
    el("dt", {}, "Valid"), el("dd", { class: "when" }, text(String(one.from ?? "").slice(0, 10)), " – ", text(String(one.to ?? "").slice(0, 10))),
    one.names && [el("dt", {}, "Names"), el("dd", {}, text([one.names].flat().join(", ")))],
    one.key && [el("dt", {}, "Key"), el("dd", {}, text(one.key))],
    el("dt", {}, "Fingerprint"), el("dd", { class: "mono" }, text(one.print ?? "")))))));
}

function packets(found, captures) {
  if (!found.ends) return null;
  if (!captures) return sheet("Packets", "", el("p", { class: "note" }, "No capture was named: `weir view --captures FILE` gives its packets here."));
  const asked = { client: found.ends.client, client_port: found.ends.client_port, server: found.ends.server, server_port: found.ends.server_port,
    protocol: found.ends.protocol, from: found.from, to: found.to };
  const body = el("div");
  let form = "text";
  const say = answer => {
    const choice = el("p", {}, el("span", { class: "choice", role: "group", "aria-label": "Form of the bytes" }, ["text", "hex"].map(name => el("button", { type: "button", "aria-pressed": String(name === form), onclick: () => { form = name; say(answer); } }, name))),
      " ", el("span", { class: "soft" }, `${count(answer.packets)} packets${answer.cut ? "; no more than 256 KiB of each side are shown" : ""}. Blue is the client, orange the server.`));
    body.replaceChildren(choice, el("div", { class: "talk", tabindex: "0", role: "group", "aria-label": "What both sides said" }, answer.pieces.map(piece => {
      const data = decoded(piece.bytes);
      return el("div", { class: `said ${piece.from_client ? "client" : "server"}` }, piece.gap > 0 && el("div", { class: "soft" }, `${count(piece.gap)} bytes are missing`),
        form === "hex" ? hex(data) : letters(data));
    })), answer.remarks.map(remark => el("p", { class: "error" }, text(remark))));
  };
  const button = el("button", { type: "button", id: "said", onclick: async () => {
    button.disabled = true;
    try {
      say(await get("stream", asked));
    } catch (error) {
      body.replaceChildren(el("p", { class: "error" }, text(error.message)));
    }
    button.disabled = false;
  } }, "Show what both sides said");
  return sheet("Packets", "", el("p", {}, button, " ", el("a", { href: address("packets", asked), download: "connection.pcapng" }, "Download as pcapng")), body);
}

export async function connection(main, words) {
  const [found, about] = await Promise.all([get("connection", words), get("about")]);
  const { ends } = found;
  const name = (host, port) => host.includes(":") ? `[${host}]:${port ?? ""}` : `${host}${port === null ? "" : ":" + port}`;
  const whole = found.rows.filter(isWhole);
  const sum = (...names) => whole.map(({ record }) => names.reduce((all, field) => all + (record[field] ?? 0), 0)).find(value => value > 0);
  const facts = el("dl", { class: "facts" },
    el("dt", {}, "Begin"), el("dd", { class: "when" }, when(found.from), " UTC"),
    el("dt", {}, "Lasted"), el("dd", {}, found.from === null ? "" : lasting(found.to - found.from)),
    el("dt", {}, "To the server"), el("dd", {}, bytes(sum("flow.bytes_toserver", "orig_ip_bytes")) || "–"),
    el("dt", {}, "To the client"), el("dd", {}, bytes(sum("flow.bytes_toclient", "resp_ip_bytes")) || "–"),
    el("dt", {}, "flow_id"), el("dd", { class: "mono" }, text(found.flow_ids.join(" ") || "–")),
    el("dt", {}, "uid"), el("dd", { class: "mono" }, text(found.uids.join(" ") || "–")),
    el("dt", {}, "Community id"), el("dd", { class: "mono" }, text(found.community_id ?? "–")));
  const title = ends ? `${name(ends.client, ends.client_port)} → ${name(ends.server, ends.server_port)} ${ends.protocol}` : plain(words.id);
  main.replaceChildren(el("h1", {}, text(title)), el("div", { class: "beside" },
    el("div", { class: "stack" }, sheet(el("h2", {}, `${count(found.rows.length)} records`), "", timeline(found)), exchanges(found.rows), packets(found, about.captures.length > 0)),
    el("div", { class: "stack" }, sheet("Connection", "", facts), files(found.rows), certificates(found.rows))));
  for (const empty of main.querySelectorAll(".beside > .stack:empty")) empty.remove();
}
