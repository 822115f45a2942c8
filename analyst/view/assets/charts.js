// Charts, drawn as SVG.

import { bytes, count, el, lasting, plain, short, svg, table, text, when } from "./dom.js";

/// Round steps of an axis that reach a number.
function ticks(most, around) {
  if (most <= 0) return [0, 1];
  const raw = most / around;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = Math.max(1, [1, 2, 5, 10].find(factor => factor * power >= raw) * power);
  const list = [];
  for (let value = 0; value < most + step; value += step) list.push(value);
  return list;
}

/// Round numbers of bytes.
function sizes(most, around) {
  if (most <= 0) return [0, 1];
  const raw = most / around;
  let step = 1;
  while (step < raw) step *= 2;
  const list = [];
  for (let value = 0; value < most + step; value += step) list.push(value);
  return list;
}

/// Bars on one another: { from, step, series: [{ name, values }] }; `to` gives where a click on a bar leads.
export function bars({ from, step, series }, unit, to) {
  const [width, height, left, bottom, top, right] = [1200, 210, 58, 34, 8, 6];
  const number = Math.max(0, ...series.map(line => line.values.length));
  const sums = Array.from({ length: number }, (_, bar) => series.reduce((sum, line) => sum + line.values[bar], 0));
  const steps = unit === "bytes" ? sizes(Math.max(1, ...sums), 4) : ticks(Math.max(1, ...sums), 4);
  const highest = steps[steps.length - 1];
  const show = unit === "bytes" ? bytes : short;
  const across = (width - left - right) / Math.max(1, number);
  const y = value => height - bottom - value / highest * (height - bottom - top);
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${unit} by time and protocol` });
  for (const value of steps) {
    drawing.append(svg("line", { class: "axis", x1: left, x2: width - right, y1: y(value), y2: y(value) }),
      svg("text", { x: left - 7, y: y(value) + 4, "text-anchor": "end" }, show(value)));
  }
  const every = Math.max(1, Math.ceil(number / 9));
  const day = step * number > 36 * 3600e6;
  for (let bar = 0; bar < number; bar += every) {
    const moment = from + bar * step;
    const x = left + bar * across;
    drawing.append(svg("line", { class: "axis", x1: x, x2: x, y1: height - bottom, y2: height - bottom + 4 }),
      svg("text", { x, y: height - bottom + 16 }, day ? when(moment, 0).slice(5, 16) : when(moment, step < 1e6 ? 3 : 0).slice(11)));
  }
  drawing.append(svg("text", { x: width - right, y: height - 3, "text-anchor": "end" },
    `${when(from, 0).slice(0, 10)}, UTC, bars of ${lasting(step)}`), svg("text", { x: left, y: height - 3 }, `${unit} per bar`));
  for (let bar = 0; bar < number; bar += 1) {
    let base = 0;
    series.forEach((line, place) => {
      const value = line.values[bar];
      if (!value) return;
      const title = `${when(from + bar * step, step < 1e6 ? 3 : 0)}  ${plain(line.name)}: ${unit === "bytes" ? bytes(value) : count(value) + " " + unit}`;
      const [upper, lower] = [y(base + value), y(base)];
      drawing.append(svg("a", { href: to(bar, line), tabindex: "-1" },
        svg("rect", { class: `k${place}`, x: left + bar * across + 0.5, width: Math.max(1, across - 1), y: upper, height: Math.max(0.8, lower - upper) },
          svg("title", {}, title))));
      base += value;
    });
  }
  const sum = line => line.values.reduce((all, value) => all + value, 0);
  const legend = el("div", { class: "legend" }, series.map((line, place) => el("a", { href: to(null, line) },
    el("i", { class: `k${place}` }), text(line.name), " ", el("span", { class: "soft" }, unit === "bytes" ? bytes(sum(line)) : count(sum(line))))));
  const rows = sums.map((all, bar) => ({ cells: [when(from + bar * step, step < 1e6 ? 3 : 0), ...series.map(line => count(line.values[bar])), count(all)] }));
  const details = el("details", { ontoggle: () => {
    if (details.open && details.children.length === 1) {
      details.append(el("div", { class: "scroll talk" }, table("Traffic by time", [["Time (UTC)", "when"], ...series.map(line => [plain(line.name), "num"]), ["All", "num"]], rows)));
    }
  } }, el("summary", {}, "As a table"));
  return [drawing, legend, details];
}

/// A number for the order of addresses: those of a network stand together.
function order(address) {
  const parts = address.split(".").map(Number);
  if (parts.length === 4 && parts.every(part => part >= 0)) return "4" + parts.map(part => String(part).padStart(3, "0")).join(".");
  return "6" + address;
}

/// Who talks to whom: hosts around a circle, lines as wide as what went over them.
export function map(pairs, to, toHost) {
  const hosts = [...new Set(pairs.flatMap(pair => [pair.one, pair.other]))].sort((a, b) => order(a) < order(b) ? -1 : 1);
  const [width, height] = [620, Math.min(400, 90 + 28 * hosts.length)];
  const sums = new Map(hosts.map(host => [host, 0]));
  for (const pair of pairs) for (const host of [pair.one, pair.other]) sums.set(host, sums.get(host) + pair.bytes);
  const most = Math.max(1, ...pairs.map(pair => pair.bytes));
  const [cx, cy, rx, ry] = [width / 2, height / 2, 158, height / 2 - 26];
  // The turn lets two hosts stand beside each other, and not the one above the other.
  const places = new Map(hosts.map((host, number) => {
    const angle = number / Math.max(1, hosts.length) * 2 * Math.PI - Math.PI;
    return [host, [cx + rx * Math.cos(angle), cy + ry * Math.sin(angle), Math.cos(angle)]];
  }));
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Who talks to whom" });
  for (const pair of [...pairs].reverse()) {
    const [[x1, y1], [x2, y2]] = [places.get(pair.one), places.get(pair.other)];
    const wide = 1 + 7 * Math.log2(1 + pair.bytes) / Math.log2(1 + most) * Math.sqrt(pair.bytes / most);
    const path = pair.one === pair.other
      ? `M${x1} ${y1} c -26 -26 26 -26 0 0`
      : `M${x1} ${y1} Q${(cx * 2 + x1 + x2) / 4} ${(cy * 2 + y1 + y2) / 4} ${x2} ${y2}`;
    drawing.append(svg("a", { href: to(pair), tabindex: "-1" }, svg("path", { class: "edge", d: path, "stroke-width": wide.toFixed(2) },
      svg("title", {}, `${plain(pair.one)} – ${plain(pair.other)}: ${bytes(pair.bytes)}, ${count(pair.connections)} connections`))));
  }
  const total = Math.max(1, ...sums.values());
  const crowded = hosts.length > 34;
  for (const host of hosts) {
    const [x, y, side] = places.get(host);
    const radius = 2.5 + 6 * Math.sqrt(sums.get(host) / total);
    const label = host.length > 24 ? host.slice(0, 23) + "…" : host;
    const middle = Math.abs(side) < 0.12;
    const big = !crowded || sums.get(host) > total / 40;
    drawing.append(svg("a", { href: toHost(host) },
      svg("circle", { class: "node", cx: x, cy: y, r: radius }, svg("title", {}, `${plain(host)}: ${bytes(sums.get(host))}`)),
      big && svg("text", { class: "host", x: middle ? x : x + Math.sign(side) * (radius + 4), y: middle ? y + Math.sign(y - cy) * (radius + 9) + 3 : y + 4,
        "text-anchor": middle ? "middle" : side < 0 ? "end" : "start" }, plain(label))));
  }
  return drawing;
}
