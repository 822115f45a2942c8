// What records say, in a line.

import { bytes, el, lasting, micros, plain, text } from "./dom.js";
import { link } from "./state.js";

const first = (record, ...names) => names.map(name => record[name]).find(value => value !== undefined && value !== "");
const words = (...list) => list.filter(word => word !== undefined && word !== null && word !== "").join("  ");
const list = value => Array.isArray(value) ? value.map(item => typeof item === "object" && item ? words(...Object.values(item)) : item).join(", ") : value;

const questions = record => {
  const asked = record["dns.queries"] ?? record["dns.query"];
  if (Array.isArray(asked)) return asked.map(query => words(query.rrtype, query.rrname)).join(", ");
  return words(record["dns.rrtype"], record["dns.rrname"]);
};

const answers = record => {
  const found = record["dns.answers"];
  if (!Array.isArray(found)) return "";
  return found.length ? "→ " + found.map(answer => first(answer, "rdata", "rrtype") ?? "").join(", ") : "";
};

/// How records of a type are told.
const TOLD = {
  alert: record => words(record["alert.signature"], record["alert.action"] === "blocked" ? "blocked" : ""),
  "eve.http": record => words(record["http.http_method"], (record["http.hostname"] ?? "") + (record["http.url"] ?? ""), record["http.status"], record["http.http_content_type"], bytes(record["http.length"])),
  "zeek.http": record => words(record.method, (record.host ?? "") + (record.uri ?? ""), record.status_code, list(record.resp_mime_types), bytes(record.response_body_len)),
  "eve.dns": record => words(record["dns.type"], questions(record), record["dns.rcode"] === "NOERROR" ? "" : record["dns.rcode"], answers(record)),
  "zeek.dns": record => words(record.qtype_name, record.query, record.rcode_name === "NOERROR" ? "" : record.rcode_name, record.answers ? "→ " + list(record.answers) : ""),
  tls: record => words(record["tls.version"], record["tls.sni"], record["tls.subject"]),
  ssl: record => words(record.version, record.server_name, record.cipher, record.established === false ? "not established" : ""),
  flow: record => words(record.app_proto && record.app_proto !== "failed" ? record.app_proto : "", record["flow.state"],
    bytes((record["flow.bytes_toserver"] ?? 0) + (record["flow.bytes_toclient"] ?? 0)), `${(record["flow.pkts_toserver"] ?? 0) + (record["flow.pkts_toclient"] ?? 0)} packets`, record["flow.reason"]),
  conn: record => words(record.service, record.conn_state, bytes((record.orig_ip_bytes ?? record.orig_bytes ?? 0) + (record.resp_ip_bytes ?? record.resp_bytes ?? 0)),
    record.duration === undefined ? "" : lasting(record.duration * 1e6), record.history),
  fileinfo: record => words(record["fileinfo.filename"], bytes(record["fileinfo.size"]), record["fileinfo.magic"], record["fileinfo.state"]),
  files: record => words(record.filename, record.mime_type, bytes(record.seen_bytes), record.source),
  x509: record => words(record["certificate.subject"], "by", record["certificate.issuer"]),
  "eve.ssh": record => words(record["ssh.client.software_version"], "→", record["ssh.server.software_version"]),
  "zeek.ssh": record => words(record.client, "→", record.server),
  "eve.smtp": record => words(record["smtp.mail_from"], "→", list(record["smtp.rcpt_to"]), record["email.subject"], list(record["email.attachment"])),
  "zeek.smtp": record => words(record.mailfrom, "→", list(record.rcptto), record.subject),
  anomaly: record => words(record["anomaly.type"], record["anomaly.event"], record["anomaly.layer"]),
  notice: record => words(record.note, record.msg, record.sub),
  signatures_alert: record => words(record.msg, record.action === "blocked" ? "blocked" : ""),
  weird: record => words(record.name, record.addl),
};

const COMMON = new Set(["timestamp", "ts", "flow_id", "uid", "event_type", "pcap_cnt", "src_ip", "src_port", "dest_ip", "dest_port", "proto", "ip_v",
  "pkt_src", "tx_id", "zeek_uid", "community_id", "id.orig_h", "id.orig_p", "id.resp_h", "id.resp_p", "in_iface"]);

/// A record in a line.
export function summary(name, record) {
  const told = TOLD[name] ?? TOLD[name.split(".")[1]];
  const line = told?.(record);
  if (line) return line;
  return Object.entries(record).filter(([field]) => !COMMON.has(field)).slice(0, 6).map(([field, value]) => `${field.split(".").slice(-1)}=${list(value)}`).join("  ");
}

export const ends = record => ({
  from: first(record, "src_ip", "id.orig_h"), fromPort: first(record, "src_port", "id.orig_p"),
  to: first(record, "dest_ip", "id.resp_h"), toPort: first(record, "dest_port", "id.resp_p"),
});

/// An end of a connection as people write it.
export function end(address, port) {
  if (address === undefined) return "";
  const name = port === undefined ? address : String(address).includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
  return text(name, 80);
}

export const kind = name => el("span", { class: `kind ${name.split(".")[1] === "alert" ? "alert" : ""}`, title: plain(name) }, text(name.startsWith("zeek.") ? name : name.split(".").slice(1).join("."), 40));

/// The page of a record.
export function page({ table, time, record }) {
  return link("record", { table, time, flow: record.flow_id, uid: record.flow_id === undefined ? record.uid : undefined, sid: record["alert.signature_id"] });
}

/// When what a record tells of began.
export const begin = ({ table, time, record }) => (table.endsWith(".flow") ? micros(record["flow.start"]) : null) ?? time;

/// The page of a record's connection.
export function connection({ time, record }) {
  const id = record.flow_id ?? record.uid ?? record.zeek_uid;
  return id === undefined ? null : link("connection", { id, time });
}
