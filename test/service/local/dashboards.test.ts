import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alarmsOf } from '#infra/alarms.ts';
import { boardsOf } from '#infra/dashboards.ts';
import { alarmStates } from '#infra/local/dashboards/alarm-states.ts';
import { viewOf, type WidgetView } from '#infra/local/dashboards/boards.ts';
import { type MetricStore, STEP } from '#infra/local/dashboards/metric-store.ts';
import { localMetricStore, measureAccess, measureRun } from '#infra/local/dashboards/platform-metrics.ts';
import { DASHBOARDS_PATH, dashboardsPage } from '#infra/local/dashboards/serve.ts';
import { type LocalServer, serve } from '#infra/local/listen.ts';
import { ENVIRONMENTS } from '#infra/metrics.ts';
import { stageValues } from '#infra/stages.ts';
import { BANKS } from '#shared/domain/values/bank.ts';
import { emit, emitTotal, METRICS, type MetricName, type MetricRow, sendMetricsTo } from '#shared/runtime/metrics.ts';
import { chromiumOrWarning, startBrowser, type Visitor } from '#test/makers/browser.ts';
import { runQuery } from '#test/makers/insights.ts';

const NOW = 1_800_000_000_000;
const starts = [NOW - STEP, NOW];
const stage = stageValues('dev', {});
const boards = boardsOf(stage, 'all');
type Graph = Extract<WidgetView, { kind: 'graph' }>;
const graphsOf = (store: MetricStore): Graph[] =>
  boards.flatMap((board) => viewOf(board, store, { starts, step: STEP })).filter((view) => view.kind === 'graph');

/**
 * Returns a store with one span of a stage in use: each metric as functions emit it, and the counts of the local run.
 */
function filled(clock = () => NOW): MetricStore {
  const store = localMetricStore(clock);
  process.env['STAGE'] = 'dev';
  sendMetricsTo((line) => store.takeLine(line.replace(/"Timestamp":\d+/, `"Timestamp":${clock()}`)));
  const values = { operation: 'create-lead', situacao: 'aprovado', class: 'timeout', codigo: 'nao_encontrado' };
  for (const [name, row] of Object.entries(METRICS) as [MetricName, MetricRow][]) {
    const by: readonly string[] = row.by ?? [];
    for (const environment of by.includes('environment') ? ENVIRONMENTS : ['']) {
      for (const bank of by.includes('bank') ? BANKS : ['']) {
        const told = Object.fromEntries(
          by.map((dimension) => [dimension, { ...values, bank, environment }[dimension as keyof typeof values]]),
        );
        emit(told as Record<never, string>, { [name]: 3 });
      }
    }
    if (row.total) emitTotal('producao', { [name]: 3 });
  }
  const api = { name: 'partner-credit-dev', stage: 'dev' };
  for (const status of [404, 503]) measureAccess(store, api, { status, milliseconds: 12 });
  for (const operation of ['create-lead', 'poll-bank-outcomes', 'sweep-deliveries']) {
    measureRun(store, { name: `partner-credit-dev-${operation}`, milliseconds: 2500, failed: true, running: 4 });
  }
  for (const queue of ['deliveries', 'deliveries-dead']) {
    for (const name of ['ApproximateNumberOfMessagesVisible', 'ApproximateNumberOfMessagesNotVisible']) {
      store.add({ namespace: 'AWS/SQS', name, dimensions: { QueueName: `partner-credit-dev-${queue}` } }, [2]);
    }
  }
  return store;
}

it.each([
  [399, 0, 0],
  [400, 1, 0],
  [499, 1, 0],
  [500, 0, 1],
])('measureAccess counts a call with status %i as %i refused and %i failed', (status, refused, failed) => {
  const added = new Map<string, readonly number[]>();
  const store = { add: ({ name }: { name: string }, values: readonly number[]) => void added.set(name, values) };
  measureAccess(store, { name: 'a', stage: 'dev' }, { status, milliseconds: 7 });
  expect(Object.fromEntries(added)).toEqual({
    Count: [1],
    '4XXError': [refused],
    '5XXError': [failed],
    Latency: [7],
  });
});

const graph = (store: MetricStore, title: RegExp): Graph => graphsOf(store).find((view) => title.test(view.title))!;
const tile = (store: MetricStore, title: RegExp) =>
  boards
    .flatMap((board) => viewOf(board, store, { starts, step: STEP }))
    .filter((view) => view.kind === 'tile')
    .find((view) => title.test(view.title))!;
const last = (view: Graph, label: string) => view.series.find((one) => one.label === label)?.values.at(-1);

const UNFOLDED = 'for (const part of document.querySelectorAll(".part")) part.open = true';

it.each(boards)('the dashboard $name shows at most twelve boxes at a time', ({ rows }) => {
  const kinds = rows.flat().map(({ kind }) => (kind === 'heading' ? '|' : 'x'));
  for (const part of kinds.join('').split('|')) expect(part.length).toBeLessThanOrEqual(12);
});

it('each graph that the local run can feed shows something, and only five graphs need AWS', () => {
  for (const view of graphsOf(filled())) {
    expect(view.series.length > 0 || view.onlyAws.length > 0, view.title).toBe(true);
  }
  const onlyAws = graphsOf(filled()).filter(({ series }) => series.length === 0);
  expect(onlyAws.map(({ title }) => title.replace(/ \(.*/, ''))).toEqual([
    'Refused runs',
    'Table: refused for want of capacity',
    'Table: latency, p99',
    'Table: units used',
    'Age of the oldest message',
  ]);
});

it('alarmStates returns the state that CloudWatch would give each alarm', () => {
  const store = filled();
  const states = alarmStates(alarmsOf(stage), store, NOW + 60_000);
  expect(states.get('all-banks-failing')!.state).toBe('ALARM');
  // All calls to the operator failed, but only in one of three periods.
  expect(states.get('bank-failing')!.state).toBe('OK');
  expect(states.get('operator-unauthorized')!.state).toBe('ALARM');
  expect(states.get('dead-letters-many')!.state).toBe('OK');
  expect(states.get('lambda-concurrency')!.state).toBe('ONLY_AWS');
  expect(states.get('poller-silent')!.state).toBe('INSUFFICIENT_DATA');
  expect(alarmStates(alarmsOf(stage), store, NOW + 6 * 60_000).get('poller-silent')!.state).toBe('ALARM');
});

const lightsOf = (store: MetricStore, now: number) => {
  const points = { starts: [now - STEP], step: STEP };
  const views = viewOf(boards[0]!, store, points, alarmStates(alarmsOf(stage), store, now));
  return views.filter((view) => view.kind === 'light');
};

describe('the lights', () => {
  it('every alarm is in exactly one light, and every board has the same lights', () => {
    const lights = boards.map(({ rows: [first] }) => first!.filter((widget) => widget.kind === 'light'));
    for (const each of lights) expect(each).toEqual(lights[0]);
    const names = lights[0]!.flatMap((light) => light.names);
    expect(names.sort()).toEqual(
      alarmsOf(stage)
        .filter(({ level }) => level !== 'clock')
        .map(({ name }) => name)
        .sort(),
    );
  });

  it('a light shows only its own alarms that are on, pages first', () => {
    const [us, banks, partners] = lightsOf(filled(), NOW + 60_000);
    expect(us!.alarms.map(({ name, level }) => [name, level])).toEqual([
      ['operator-unauthorized', 'part'],
      ['cpf-mismatch', 'ticket'],
    ]);
    expect(banks!.alarms[0]?.name).toBe('operator-fails');
    expect(banks!.alarms.map(({ name }) => name)).toContain('all-banks-failing');
    expect(partners!.alarms.map(({ name }) => name)).toContain('partner-unreached');
  });

  it('the figure of a light is the percentage in the 15 minutes before now', () => {
    const [us, banks, partners] = lightsOf(filled(), NOW + STEP);
    // One of the two calls was answered with 503. Three of the three calls to each bank failed.
    expect(us!.value).toBe(50);
    expect(banks!.value).toBe(300);
    expect(partners!.value).toBe(-200);
    expect(lightsOf(filled(), NOW + 16 * 60_000).map(({ value }) => value)).toEqual([null, null, null]);
  });
});

it('viewOf computes sums, searches and math of metrics as CloudWatch does', () => {
  const store = filled();
  expect(last(graph(store, /^Production: lead/), 'leads created')).toBe(3);
  expect(last(graph(store, /^Production: lead/), 'analyses submitted')).toBe(18);
  // A line of a graph that counts something shows 0 instead of no value if nothing came. A sum over the banks is such a
  // line.
  const { series } = graph(store, /^Production: lead/);
  expect(series.map(({ label, sums, values }) => [label, sums, values[0]])).toEqual(
    series.map(({ label }) => [label, true, 0]),
  );
  expect(last(graph(store, /^4xx by codigo/), 'nao_encontrado')).toBe(3);
  // The store above has three deliveries for one attempt.
  expect(last(graph(store, /^Webhook attempts that succeed/), 'of all attempts')).toBe(300);
  expect(last(graph(store, /^Burn rate/), 'over 1 h')).toBe(500);
  expect(tile(store, /^Answered without a fault/).value).toBe(50);
  expect(last(graph(store, /^Longest run/), 'create-lead')).toBe(25);
  expect(last(graph(store, /^Calls and refusals/), '4xx')).toBe(1);
  expect(last(graph(store, /^Latency by function/), 'create-lead')).toBe(2500);
  expect(last(graph(store, /^Functions that crash/), 'create-lead')).toBe(1);
});

it('each graph has a valid query of the logs behind it', () => {
  for (const { title, behind } of graphsOf(filled())) {
    expect(behind.query.length, title).toBeGreaterThanOrEqual(3);
    expect(behind.logs.length, title).toBeGreaterThan(5);
    expect(() => runQuery(behind.query.join('\n| '), [])).not.toThrow();
  }
});

describe('dashboardsPage', () => {
  const chromium = chromiumOrWarning('the operations page in a browser');
  let local: LocalServer;
  let url: string;
  let visitor: Visitor | undefined;
  beforeAll(async () => {
    local = await serve((request, response) => {
      const known = [{ partnerId: 4711, name: 'Casa Sete' }];
      // Alarms are on that count the values of the last full minute.
      const inAMinute = () => Date.now() + 60_000;
      const page = dashboardsPage(boards, alarmsOf(stage), filled(Date.now), known, inAMinute);
      if (!page(request, response)) response.writeHead(418).end();
    });
    ({ url } = local);
    visitor = chromium ? await startBrowser(chromium) : undefined;
  });
  afterAll(async () => {
    await visitor?.close();
    await local.close();
  });

  it('dashboardsPage leaves a path that it does not serve to others', async () => {
    expect((await fetch(`${url}//`)).status).toBe(418);
  });
  it('the data of each board says how many alarms are on at every board', async () => {
    const [store, now] = [filled(), NOW + 60_000];
    const states = [...alarmStates(alarmsOf(stage), store, now).values()];
    const onAt = (name: string) => states.filter(({ board, state }) => board === name && state === 'ALARM').length;
    const page = dashboardsPage(boards, alarmsOf(stage), store, [], () => now);
    const quiet = await serve((request, response) => void page(request, response));
    for (const { name } of boards) {
      const answer = await fetch(`${quiet.url}${DASHBOARDS_PATH}/data?board=${name}`);
      const data = (await answer.json()) as { boards: { name: string; alarmsOn: number }[] };
      expect(data.boards).toEqual(boards.map((board) => ({ name: board.name, alarmsOn: onAt(board.name) })));
    }
    await quiet.close();
    expect(onAt('partners')).toBeGreaterThan(0);
  });
  it.skipIf(!chromium)(
    'the operations page names partners next to their numbers, and shows the query of a graph',
    async () => {
      const open = await visitor!.openPage(`${url}${DASHBOARDS_PATH}?board=partners`, { width: 1440, dark: false });
      try {
        await open.page.evaluate(UNFOLDED);
        const sections = async (title: string) =>
          open.page.evaluate(
            `[...document.querySelectorAll('section')].find((one) => one.querySelector('h2')?.textContent.startsWith('${title}')).innerText`,
          );
        expect(await sections('Webhook attempts per unit')).toContain('4711 Casa Sete');
        expect(await sections('Refused keys')).not.toContain('4711');
        await open.page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
        expect(await sections('Refused keys')).toContain('filter ispresent(AuthenticationFailures)');
        expect(await open.overflowing()).toEqual([]);
        expect(await open.violations()).toEqual([]);
      } finally {
        await open.close();
      }
    },
  );

  it.skipIf(!chromium).each([
    ['product', 1440, false],
    ['partners', 390, true],
    ['platform', 1440, true],
    ['platform', 390, false],
  ] as const)(
    'the operations page draws the dashboard %s at %i px (dark: %s) without an error, a violation or an overflow',
    async (board, width, dark) => {
      const open = await visitor!.openPage(`${url}${DASHBOARDS_PATH}?board=${board}`, { width, dark });
      try {
        const graphs = viewOf(boards.find(({ name }) => name === board)!, filled(), { starts, step: STEP }).filter(
          (view) => view.kind === 'graph' && view.series.length > 0,
        );
        await open.page.evaluate(UNFOLDED);
        const drawn =
          '[...document.querySelectorAll("canvas[role=img]")].filter((one) => one.offsetWidth > 100).length';
        await expect.poll(() => open.page.evaluate(drawn)).toBe(graphs.length);
        expect(await open.overflowing()).toEqual([]);
        expect(await open.violations()).toEqual([]);
        expect(open.errors).toEqual([]);
      } finally {
        await open.close();
      }
    },
  );
});
