const REFRESH = 5000;
const LEAST_POINTS = 12;
const LIGHT = '#0b6bcb #c2410c #15803d #9333ea #b91c1c #0e7490 #a16207 #be185d #4d7c0f #475569'.split(' ');
const DARK = '#6cb2ff #ff9d5c #5fd38a #c79bff #ff8a8a #4fd0e3 #e7c04e #ff8fc4 #a8d65c #a9b6c8'.split(' ');

const byId = (id) => document.getElementById(id);
const dark = matchMedia('(prefers-color-scheme: dark)');
const charts = new Map();
/** The lights and alarms do not wait for chart.js. */
const chartsReady = new Promise((go) => addEventListener('load', go));
let frames = [];
let latest;
let shown = '';

function element(name, properties = {}, children = []) {
  const created = Object.assign(document.createElement(name), properties);
  created.append(...children);
  return created;
}

/** Keeps old children if `key` is the same, so that the focus stays on a link. */
function renew(parent, key, children) {
  const text = JSON.stringify(key);
  if (parent.dataset.key === text) return;
  parent.dataset.key = text;
  parent.replaceChildren(...children());
}

const number = (value) => (value === null ? '–' : Number(value.toPrecision(3)).toLocaleString('en'));
const clock = (at) => new Date(at).toISOString().slice(11, 19);
const figureOf = ({ values, sums }) =>
  sums
    ? values.reduce((total, value) => total + (value ?? 0), 0)
    : (values.findLast((value) => value !== null) ?? null);
const colours = () => (dark.matches ? DARK : LIGHT);

function datasetsOf({ series, thresholds = {}, stacked }, starts, deployed) {
  const palette = colours();
  const most = Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const drawn = series.map(({ label, values }, index) => {
    const colour = palette[index % palette.length];
    return {
      label,
      data: values.map((y, at) => ({ x: starts[at], y })),
      borderColor: colour,
      backgroundColor: `${colour}59`,
      borderDash: index < palette.length ? [] : [6, 3],
      fill: stacked && (index === 0 ? 'origin' : '-1'),
      borderWidth: 1.75,
      // A single point has no line, so it needs a dot.
      pointRadius: values.map((value, at) =>
        value !== null && (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null ? 2.5 : 0,
      ),
      pointHitRadius: 8,
      // A point at the edge is not cut off.
      clip: 4,
      stack: stacked ? 'all' : undefined,
    };
  });
  // A threshold far above the values would flatten all lines, so only the legend names such a threshold.
  const near = Object.entries(thresholds).filter(([, value]) => value <= 3 * most);
  const lines = near.map(([label, value]) => ({
    label,
    data: [starts[0], starts.at(-1)].map((x) => ({ x, y: value })),
    borderColor: dark.matches ? '#ff8a8a' : '#b91c1c',
    borderDash: [5, 4],
    borderWidth: 1.25,
    pointRadius: 0,
    stack: `line ${label}`,
  }));
  // The start of this run is its deployment, which may explain a change of a line.
  const marker = {
    label: 'deployed',
    data: [0, most || 1].map((y) => ({ x: deployed, y })),
    borderColor: dark.matches ? '#a3adbd' : '#566072',
    borderDash: [2, 3],
    borderWidth: 1,
    pointRadius: 0,
    stack: 'deployed',
  };
  return [...drawn, ...lines, ...(deployed >= starts[0] ? [marker] : [])];
}

function optionsOf({ unit = '', max, stacked }, starts, from) {
  const quiet = dark.matches ? '#a3adbd' : '#566072';
  const grid = dark.matches ? '#343b46' : '#e4e7ec';
  return {
    animation: false,
    responsive: true,
    maintainAspectRatio: false,
    interaction: { mode: 'index', intersect: false },
    plugins: {
      legend: { display: false },
      tooltip: { callbacks: { title: ([item]) => `${clock(item.parsed.x)} UTC` } },
    },
    scales: {
      x: {
        type: 'linear',
        min: from,
        max: starts.at(-1),
        grid: { display: false },
        ticks: { color: quiet, maxTicksLimit: 5, maxRotation: 0, callback: (at) => clock(at).slice(0, 5) },
      },
      y: {
        min: 0,
        max,
        stacked,
        grid: { color: grid },
        border: { display: false },
        ticks: { color: quiet, maxTicksLimit: 5, callback: (value) => number(value) },
        title: { display: unit !== '', text: unit, color: quiet },
      },
    },
  };
}

function legendOf({ series, thresholds = {}, onlyAws }) {
  const palette = colours();
  const items = series.map((line, index) => {
    const swatch = element('i');
    swatch.style.background = palette[index % palette.length];
    const told = line.sums ? `Σ ${number(figureOf(line))}` : number(figureOf(line));
    return element('li', {}, [swatch, `${line.label} `, element('b', { textContent: told })]);
  });
  const rest = [
    ...Object.entries(thresholds).map(([label, value]) => `- - ${label} ${number(value)}`),
    ...(onlyAws.length > 0 ? [`only in AWS: ${onlyAws.join(', ')}`] : []),
  ].map((text) => element('li', { textContent: text }));
  return [...items, ...rest];
}

function emptyText({ onlyAws, empty }) {
  return onlyAws.length > 0 ? 'Measured only in AWS.' : (empty ?? 'Nothing yet: make some calls.');
}

/** Names this run's partners if the rows would show only their numbers. */
function queryOf(query, partners) {
  const text = element('pre', { textContent: query.join('\n| '), tabIndex: 0 });
  if (!query.some((line) => /\bpartner\b/.test(line)) || partners.length === 0) return [text];
  const names = partners.map(({ partnerId, name }) => `${partnerId} ${name}`).join(', ');
  return [text, element('p', { className: 'partners', textContent: `Partners of this run: ${names}` })];
}

function behindOf({ title, behind }, partners) {
  const text = `Its log lines: a Logs Insights query over ${behind.logs}`;
  const summary = element('summary', { textContent: text, ariaLabel: `${text}, of ${title}` });
  return element('details', {}, [summary, ...queryOf(behind.query, partners)]);
}

function frameOf(widget, partners) {
  const section = element('section', { className: `widget of-${widget.kind}` });
  section.style.gridColumn = `${widget.x + 1} / span ${widget.width}`;
  if (widget.title) section.append(element('h2', { textContent: widget.title }));
  if (widget.kind === 'text') section.append(element('div', { innerHTML: widget.html }));
  if (widget.kind === 'alarms') {
    section.append(
      element('ul', { className: 'alarms on' }),
      element('details', {}, [element('summary'), element('ul', { className: 'alarms others' })]),
    );
  }
  if (widget.kind === 'light') section.replaceChildren(...lightOf(widget));
  if (widget.kind === 'tile') section.append(element('p', { className: 'figure' }));
  if (widget.kind === 'log') {
    section.append(
      element('p', { textContent: 'Runs only in AWS, in Logs Insights:' }),
      ...queryOf(widget.query, partners),
    );
  }
  if (widget.kind === 'graph') {
    section.append(
      element('div', { className: 'plot' }, [element('canvas')]),
      element('p', { className: 'empty' }),
      element('ul', { className: 'legend', tabIndex: 0 }),
      behindOf(widget, partners),
    );
  }
  return section;
}

/** Frames below a heading are folded under it. */
function partsOf(widgets) {
  const parts = [];
  let grid;
  widgets.forEach(({ kind, title }, index) => {
    if (kind === 'heading') {
      grid = element('div', { className: 'grid' });
      const part = element('details', { className: 'part' }, [element('summary', { textContent: title }), grid]);
      part.addEventListener('toggle', () => void drawGraphs(latest));
      parts.push(part);
    } else if (grid) grid.append(frames[index]);
    else parts.push(frames[index]);
  });
  return parts;
}

function lightOf({ title, figure, unit }) {
  return [
    element('h2', {}, [
      element('i', { className: 'lamp' }),
      `${title}: `,
      element('span', { className: 'state', textContent: 'not known yet' }),
    ]),
    element('p', { className: 'figure' }, [element('b'), element('span', { textContent: ` ${unit}` })]),
    element('p', { className: 'about', textContent: figure }),
    element('ul', { className: 'lit' }),
  ];
}

const alarmsOn = (count) => (count === 1 ? '1 alarm on' : `${count || 'no'} alarms on`);

function drawLight(section, { alarms, value }) {
  section.dataset.light = alarms.length === 0 ? 'off' : alarms[0].level === 'page' ? 'page' : 'ticket';
  section.querySelector('.state').textContent = alarmsOn(alarms.length);
  section.querySelector('.figure b').textContent = value === null ? 'none' : number(value);
  section.querySelector('.figure span').hidden = value === null;
  renew(section.querySelector('.lit'), alarms, () =>
    alarms.map(({ name, level, board, impact, section: chapter }) =>
      element('li', { title: impact }, [
        element('a', { href: `?board=${board}`, textContent: name }),
        level === 'part' ? '' : `, ${level}. What to do: `,
        level === 'part' ? '' : element('a', { href: runbookOf(chapter), textContent: chapter }),
      ]),
    ),
  );
}

const runbookOf = (section) => `/_local/dashboards/runbook?section=${section}`;

const STATES = {
  ALARM: 'on',
  INSUFFICIENT_DATA: 'not known yet',
  OK: 'ok',
  ONLY_AWS: 'only in AWS',
};

function drawAlarms(section, alarms) {
  const states = Object.keys(STATES);
  const on = alarms.filter(({ state }) => state === 'ALARM');
  const others = alarms
    .filter(({ state }) => state !== 'ALARM')
    .toSorted((a, b) => states.indexOf(a.state) - states.indexOf(b.state));
  const counts = states.map((state) => [STATES[state], alarms.filter((alarm) => alarm.state === state).length]);
  section.querySelector('summary').textContent = counts
    .filter(([, count]) => count > 0)
    .map(([text, count]) => `${count} ${text}`)
    .join(', ');
  renew(section.querySelector('.on'), on, () =>
    on.map(({ name, level, impact, section: chapter }) =>
      element('li', { className: level }, [
        element('b', { textContent: name }),
        `: ${level}. ${impact} What to do: `,
        element('a', { href: runbookOf(chapter), textContent: chapter }),
      ]),
    ),
  );
  renew(section.querySelector('.others'), others, () =>
    others.map(({ name, state, impact }) =>
      element('li', { className: state.toLowerCase(), title: impact }, [
        element('b', { textContent: name }),
        ` ${STATES[state]}`,
      ]),
    ),
  );
}

function drawWords(section, widget) {
  const [plot, empty, legend] = ['.plot', '.empty', '.legend'].map((name) => section.querySelector(name));
  const nothing = widget.series.length === 0;
  plot.hidden = nothing;
  empty.hidden = !nothing;
  empty.textContent = nothing ? emptyText(widget) : '';
  legend.replaceChildren(...(nothing ? [] : legendOf(widget)));
  legend.ariaLabel = `Legend of ${widget.title}`;
}

function draw(section, index, widget, { starts, from, deployed }) {
  const canvas = section.querySelector('canvas');
  canvas.role = 'img';
  const latest = widget.series.slice(0, 10).map((line) => `${line.label} ${number(figureOf(line))}`);
  canvas.ariaLabel = `${widget.title}: ${latest.join(', ')}`;
  const data = { datasets: datasetsOf(widget, starts, deployed) };
  const known = charts.get(index);
  if (known) {
    known.data = data;
    known.options = optionsOf(widget, starts, from);
    known.update('none');
  } else {
    charts.set(index, new Chart(canvas, { type: 'line', data, options: optionsOf(widget, starts, from) }));
  }
}

/** The graphs begin a little before the board's first value, so that a short run is not at the edge. */
function beginningOf(widgets, starts) {
  const all = widgets.flatMap(({ series = [] }) => series.map(({ values }) => values.findIndex((value) => value)));
  const first = Math.min(...all.filter((index) => index >= 0), starts.length);
  return starts[Math.max(0, Math.min(first - 2, starts.length - LEAST_POINTS))];
}

const unseen = (count) =>
  element('span', { className: 'unseen', textContent: count === 1 ? ' alarm on' : ' alarms on' });

/** Draws each open graph in a task of its own, so that the page answers in between. Ends if newer data have come. */
async function drawGraphs(data) {
  await chartsReady;
  const { starts, deployed, widgets } = data;
  const from = beginningOf(widgets, starts);
  for (const [index, widget] of widgets.entries()) {
    if (latest !== data) return;
    if (widget.kind !== 'graph' || widget.series.length === 0) continue;
    if (frames[index].closest('.part:not([open])')) continue;
    draw(frames[index], index, widget, { starts, from, deployed });
    await new Promise((go) => setTimeout(go));
  }
}

function show(data) {
  const { boards, board, partners, widgets } = data;
  const title = (name) => name[0].toUpperCase() + name.slice(1);
  if (shown !== board) {
    for (const chart of charts.values()) chart.destroy();
    charts.clear();
    frames = widgets.map((widget) => frameOf(widget, partners));
    byId('widgets').replaceChildren(...partsOf(widgets));
    document.title = `${title(board)}: operations, local run`;
    shown = board;
  }
  renew(byId('boards'), boards, () =>
    boards.map(({ name, alarmsOn: count }) => {
      const link = element('a', { href: `?board=${name}`, textContent: title(name) });
      if (name === board) link.ariaCurrent = 'page';
      if (count > 0) link.append(' ', element('span', { className: 'count', textContent: count }), unseen(count));
      return link;
    }),
  );
  widgets.forEach((widget, index) => {
    if (widget.kind === 'graph') drawWords(frames[index], widget);
    if (widget.kind === 'alarms') drawAlarms(frames[index], widget.alarms);
    if (widget.kind === 'light') drawLight(frames[index], widget);
    if (widget.kind === 'tile')
      frames[index].querySelector('.figure').textContent = `${number(widget.value)} ${widget.unit}`;
  });
  latest = data;
  void drawGraphs(data);
}

async function refresh() {
  const query = new URLSearchParams({ step: byId('step').value });
  const board = new URLSearchParams(location.search).get('board');
  if (board) query.set('board', board);
  try {
    const response = await fetch(`/_local/dashboards/data?${query}`);
    if (!response.ok) throw new Error(await response.text());
    show(await response.json());
    byId('updated').textContent = `${clock(Date.now())} UTC`;
  } catch {
    byId('updated').textContent = 'the local run has ended';
  }
}

byId('step').addEventListener('change', refresh);
dark.addEventListener('change', refresh);
setInterval(() => {
  if (byId('live').checked && !document.hidden) void refresh();
}, REFRESH);
void refresh();
