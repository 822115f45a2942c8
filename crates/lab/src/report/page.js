'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const main = document.querySelector('main');
  const SVG = 'http' + '://www.w3.org/2000/svg';
  const colours = ['#3b7dd8', '#e08a1e', '#3aa35b', '#c8433e', '#8b62c9', '#8c6a4f', '#d673ad', '#7a8088', '#a8a82a', '#29a9b8', '#5661c4', '#d9593d'];

  // Makes an element. What it holds is text or other elements, never markup.
  const make = (name, attributes, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
    for (const child of children) element.append(child);
    return element;
  };
  const draw = (name, attributes, text) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const scaled = (value, units) => {
    const [name, size] = units.find(unit => Math.abs(value) >= unit[1]) || units[units.length - 1];
    return (value / size).toFixed(2) + ' ' + name;
  };
  const amount = (value, unit) => {
    if (value === null || value === undefined) return '';
    if (unit === 'bytes') return scaled(value, [['GB', 1e9], ['MB', 1e6], ['kB', 1e3], ['B', 1]]);
    if (unit === 'nanoseconds') return scaled(value, [['s', 1e9], ['ms', 1e6], ['µs', 1e3], ['ns', 1]]);
    if (unit === 'percent') return value.toFixed(2) + ' %';
    if (unit === 'count') return Math.round(value).toLocaleString('en');
    return (Number.isInteger(value) ? value.toLocaleString('en') : value.toPrecision(4)) + (unit && unit !== 'number' ? ' ' + unit : '');
  };
  const card = (part) => {
    const section = make('section', { 'data-kind': part.kind }, make('h2', {}, part.title));
    if (part.note) section.append(make('p', { class: 'soft' }, part.note));
    main.append(section);
    return section;
  };

  const table = (part) => {
    const section = card(part);
    const body = make('tbody');
    let order = null;
    const fill = () => {
      const rows = part.rows.slice();
      if (order) rows.sort((a, b) => {
        const [x, y] = [a[order.column], b[order.column]];
        if (x === y) return 0;
        if (x === null) return 1;
        if (y === null) return -1;
        return (x < y ? -1 : 1) * order.direction;
      });
      body.replaceChildren(...rows.map(row => make('tr', {}, ...row.map((cell, at) =>
        typeof cell === 'string' ? make('td', {}, cell) : make('td', { class: 'number' }, amount(cell, part.columns[at][1]))))));
    };
    const heads = part.columns.map(([title, unit], at) => {
      const head = make('th', unit ? { class: 'number' } : {}, title);
      head.addEventListener('click', () => {
        const direction = order && order.column === at ? -order.direction : (unit ? -1 : 1);
        order = { column: at, direction };
        for (const other of heads) other.removeAttribute('aria-sort');
        head.setAttribute('aria-sort', direction > 0 ? 'ascending' : 'descending');
        fill();
      });
      return head;
    });
    fill();
    section.append(make('div', { class: 'scroll' }, make('table', {}, make('thead', {}, make('tr', {}, ...heads)), body)));
    if (part.hidden) section.append(make('p', { class: 'soft' }, part.hidden + ' more rows are left out.'));
  };

  const hue = (name) => {
    const crate = name.replace(/^[<&]+/, '').split('::')[0];
    let hash = 5381;
    for (const letter of crate) hash = (hash * 33 ^ letter.codePointAt(0)) >>> 0;
    return name.endsWith('[kernel]') ? 'hsl(210 12% 68%)' : `hsl(${(hash % 60 + 330) % 360 + (hash / 60 | 0) % 30} ${62 + hash % 20}% ${64 + hash % 11}%)`;
  };
  const flame = (part) => {
    const section = card(part);
    const search = make('input', { placeholder: 'find a function', 'aria-label': 'find a function' });
    const reset = make('button', {}, 'all');
    const told = make('span', { class: 'soft' });
    section.append(make('div', { class: 'bar' }, search, reset, told));
    const graph = make('div', { class: 'flame' });
    section.append(graph);
    const total = part.root[1] || 1;
    let path = [part.root];
    const show = () => {
      const boxes = [];
      let deepest = 0;
      const word = search.value.toLowerCase();
      const box = (node, depth, left, width, above) => {
        deepest = Math.max(deepest, depth);
        const [name, value] = node;
        const text = `${name}: ${amount(value, part.unit)} (${(value / total * 100).toFixed(2)} %)`;
        const element = make('div', { title: text }, width > 0.018 ? name : '');
        element.style.cssText = `left:${left * 100}%;width:${width * 100}%;top:${depth * 18}px;background:${hue(name)}`;
        if (word && !name.toLowerCase().includes(word)) element.classList.add('dim');
        element.addEventListener('click', () => { path = above.concat([node]); show(); });
        element.addEventListener('mouseenter', () => { told.textContent = text; });
        boxes.push(element);
      };
      path.forEach((node, depth) => { if (depth < path.length - 1) box(node, depth, 0, 1, path.slice(0, depth)); });
      const below = (node, depth, left, width, above) => {
        if (width < 0.0007) return;
        box(node, depth, left, width, above);
        let at = left;
        for (const child of node[2]) {
          const share = width * child[1] / (node[1] || 1);
          below(child, depth + 1, at, share, above.concat([node]));
          at += share;
        }
      };
      below(path[path.length - 1], path.length - 1, 0, 1, path.slice(0, -1));
      graph.style.height = (deepest + 1) * 18 + 'px';
      graph.replaceChildren(...boxes);
    };
    reset.addEventListener('click', () => { path = [part.root]; search.value = ''; show(); });
    search.addEventListener('input', show);
    show();
  };

  const ticks = (most) => {
    if (!(most > 0)) return [0, 1];
    const rough = most / 5, size = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map(factor => factor * size).find(step => step >= rough);
    const found = [];
    for (let at = 0; at <= most * 1.0001 + step * 0.999; at += step) found.push(at);
    return found;
  };
  const short = (value) => {
    const size = Math.abs(value);
    if (size >= 1e9) return +(value / 1e9).toPrecision(3) + ' G';
    if (size >= 1e6) return +(value / 1e6).toPrecision(3) + ' M';
    if (size >= 1e4) return +(value / 1e3).toPrecision(3) + ' k';
    return String(+value.toPrecision(4));
  };
  const chart = (part) => {
    const section = card(part);
    const [wide, high, left, right, top, bottom] = [1200, 380, 80, 20, 16, 52];
    const isBars = part.look === 'bars', isStacked = part.look === 'stacked';
    const series = part.series;
    const xs = [...new Set(series.flatMap(one => one.points.map(point => point[0])))].sort((a, b) => a - b);
    const value = (one, x) => { const found = one.points.find(point => point[0] === x); return found ? found[1] : 0; };
    const error = (one, at) => (one.errors && one.errors[at]) || 0;
    const most = isStacked
      ? Math.max(0, ...xs.map(x => series.reduce((sum, one) => sum + value(one, x), 0)))
      : Math.max(0, ...series.flatMap(one => one.points.map((point, at) => point[1] + error(one, at))));
    const rows = ticks(most), ceiling = rows[rows.length - 1] || 1;
    const first = isBars ? 0 : Math.min(...xs, isStacked ? Infinity : xs[0]), last = isBars ? part.words.length : Math.max(...xs);
    const X = (x) => left + (x - first) / ((last - first) || 1) * (wide - left - right);
    const Y = (y) => high - bottom - y / ceiling * (high - top - bottom);
    const svg = draw('svg', { viewBox: `0 0 ${wide} ${high}`, width: '100%', role: 'img', 'aria-label': part.title });
    for (const row of rows) {
      svg.append(draw('line', { class: 'grid', x1: left, x2: wide - right, y1: Y(row), y2: Y(row) }));
      svg.append(draw('text', { x: left - 8, y: Y(row) + 4, 'text-anchor': 'end' }, short(row)));
    }
    if (isBars) {
      const letters = Math.max(3, Math.floor((X(1) - X(0)) / 7));
      const cut = (word) => word.length > letters ? word.slice(0, letters - 1) + '…' : word;
      part.words.forEach((word, at) => svg.append(draw('text', { x: X(at + 0.5), y: high - bottom + 18, 'text-anchor': 'middle' }, cut(word))));
    } else {
      const isFew = xs.length <= 16 && xs.every(Number.isInteger);
      const marks = isFew ? xs : ticks(last).filter(tick => tick >= first && tick <= last);
      for (const mark of marks) svg.append(draw('text', { x: X(mark), y: high - bottom + 18, 'text-anchor': 'middle' }, short(mark)));
    }
    svg.append(draw('line', { class: 'axis', x1: left, x2: wide - right, y1: Y(0), y2: Y(0) }));
    svg.append(draw('text', { x: (left + wide - right) / 2, y: high - 8, 'text-anchor': 'middle' }, part.across));
    svg.append(draw('text', { x: 16, y: (top + high - bottom) / 2, 'text-anchor': 'middle', transform: `rotate(-90 16 ${(top + high - bottom) / 2})` }, part.upward));
    const floor = new Map(xs.map(x => [x, 0]));
    series.forEach((one, number) => {
      const colour = colours[number % colours.length];
      const points = one.points.slice().sort((a, b) => a[0] - b[0]);
      if (isBars) {
        const width = (X(1) - X(0)) * 0.8 / series.length;
        points.forEach(([x, y], at) => {
          const begin = X(x) + (X(1) - X(0)) * 0.1 + number * width;
          const bar = draw('rect', { x: begin, y: Y(Math.max(y, 0)), width: Math.max(width - 1, 1), height: Math.abs(Y(0) - Y(y)), fill: colour, rx: 2 });
          bar.append(draw('title', {}, `${one.name}, ${part.words[x]}: ${short(y)}`));
          svg.append(bar);
          const e = error(one, at);
          if (e) svg.append(draw('path', { d: `M${begin + width / 2} ${Y(y - e)}V${Y(y + e)}`, stroke: 'var(--ink)', 'stroke-width': 1.5 }));
        });
      } else if (isStacked) {
        const under = xs.map(x => [x, floor.get(x)]);
        for (const x of xs) floor.set(x, floor.get(x) + value(one, x));
        const over = xs.map(x => [x, floor.get(x)]);
        const outline = over.concat(under.reverse()).map(([x, y]) => `${X(x)},${Y(y)}`).join(' ');
        const area = draw('polygon', { points: outline, fill: colour, opacity: 0.85 });
        area.append(draw('title', {}, one.name));
        svg.append(area);
      } else {
        svg.append(draw('polyline', { points: points.map(([x, y]) => `${X(x)},${Y(y)}`).join(' '), fill: 'none', stroke: colour, 'stroke-width': 2 }));
        points.forEach(([x, y], at) => {
          if (points.length > 60) return;
          const dot = draw('circle', { cx: X(x), cy: Y(y), r: 4, fill: colour });
          dot.append(draw('title', {}, `${one.name}: ${short(x)}, ${short(y)}`));
          svg.append(dot);
          const e = error(one, at);
          if (e) svg.append(draw('path', { d: `M${X(x)} ${Y(y - e)}V${Y(y + e)}`, stroke: colour, 'stroke-width': 1.5 }));
        });
      }
    });
    section.append(svg);
    section.append(make('div', { class: 'legend' }, ...series.map((one, number) => {
      const mark = make('i');
      mark.style.background = colours[number % colours.length];
      return make('span', {}, mark, one.name);
    })));
  };

  const theme = make('button', {}, 'light or dark');
  theme.addEventListener('click', () => {
    const root = document.documentElement;
    const isDark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = isDark ? 'light' : 'dark';
  });
  if (location.hash === '#dark' || location.hash === '#light') document.documentElement.dataset.theme = location.hash.slice(1);
  main.append(make('header', {}, make('div', {}, make('h1', {}, data.title), make('p', { class: 'soft' }, data.subtitle)), theme));
  if (data.findings.length) main.append(make('ul', { class: 'findings' }, ...data.findings.map(text => make('li', {}, text))));
  for (const part of data.parts) {
    if (part.kind === 'table') table(part);
    else if (part.kind === 'flame') flame(part);
    else if (part.kind === 'chart') chart(part);
    else card(part).append(make('pre', {}, part.text));
  }
  document.documentElement.dataset.ready = data.parts.length;
})();
