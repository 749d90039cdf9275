import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { AlarmRow } from '#infra/alarms/row.ts';
import type { Board } from '#infra/dashboards.ts';
import { readRunbook, runbookText } from '#infra/runbook.ts';
import type { Clock } from '#shared/domain/values/clock.ts';
import { seconds } from '#shared/domain/values/time.ts';
import type { OtherPages } from '../aws/gateway.ts';
import { encodedBody } from '../listen.ts';
import { alarmStates } from './alarm-states.ts';
import { viewOf } from './boards.ts';
import { type MetricStore, STEP } from './metric-store.ts';

/** On AWS, the gateway has no such path. */
export const DASHBOARDS_PATH = '/_local/dashboards';

/** Length of a point in seconds, and the number of points that are shown. */
const POINTS: Readonly<Record<string, number>> = { 10: 90, 60: 60, 300: 12 };

const SHARED = join(import.meta.dirname, '../../../shared');
const FILES: Readonly<Record<string, readonly [file: () => string, type: string]>> = {
  '': [() => join(import.meta.dirname, 'page.html'), 'text/html; charset=utf-8'],
  '/base.css': [() => join(SHARED, 'partner/docs/browser/base.css'), 'text/css; charset=utf-8'],
  '/page.css': [() => join(import.meta.dirname, 'page.css'), 'text/css; charset=utf-8'],
  '/page.js': [() => join(import.meta.dirname, 'page.js'), 'text/javascript; charset=utf-8'],
  '/chart.js': [
    // The package exports no path to the file that a page can load by itself.
    () => join(dirname(createRequire(import.meta.url).resolve('chart.js')), 'chart.umd.min.js'),
    'text/javascript; charset=utf-8',
  ],
};

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:",
  'x-content-type-options': 'nosniff',
};

/** A partner that this run made. The page knows no names of other partners. */
export interface KnownPartner {
  readonly partnerId: number;
  readonly name: string;
}

export function dashboardsPage(
  boards: readonly Board[],
  alarms: readonly AlarmRow[],
  store: MetricStore,
  partners: readonly KnownPartner[],
  clock: Clock = Date.now,
): OtherPages {
  function dataOf(query: URLSearchParams) {
    const wantedStep = query.get('step') ?? '10';
    const points = POINTS[wantedStep];
    const wanted = query.get('board');
    const board = wanted === null ? boards[0] : boards.find(({ name }) => name === wanted);
    if (!board || points === undefined) return undefined;
    const now = clock();
    const step = Math.max(STEP, seconds(Number(wantedStep)));
    // The last span is still incomplete. The page shows it anyway, because a demo does not wait.
    const last = Math.floor(now / step) * step;
    const starts = Array.from({ length: points }, (_, index) => last - (points - 1 - index) * step);
    const states = alarmStates(alarms, store, now);
    const widgets = viewOf(board, store, { starts, step }, states);
    const on = Array.from(states.values()).filter(({ state }) => state === 'ALARM');
    const tabs = boards.map(({ name }) => ({ name, alarmsOn: on.filter((alarm) => alarm.board === name).length }));
    return { boards: tabs, board: board.name, starts, deployed: store.since, partners, widgets };
  }

  return (request, response) => {
    const url = URL.parse(request.url ?? '/', 'http://local');
    if (!url) return false;
    if (url.pathname !== DASHBOARDS_PATH && !url.pathname.startsWith(`${DASHBOARDS_PATH}/`)) return false;
    const rest = url.pathname.slice(DASHBOARDS_PATH.length);
    const file = FILES[rest];
    const answer = (status: number, type: string, content: string | Buffer) => {
      const { body, headers } = encodedBody(request, content);
      response.writeHead(status, { ...HEADERS, ...headers, 'content-type': type }).end(body);
    };
    try {
      if (request.method !== 'GET') answer(405, 'text/plain', 'GET only\n');
      else if (file) answer(200, file[1], readFileSync(file[0]()));
      else if (rest === '/runbook') {
        const text = runbookSection(url.searchParams.get('section') ?? '');
        if (text === undefined) answer(404, 'text/plain', 'the runbook has no such section\n');
        else answer(200, 'text/plain; charset=utf-8', text);
      } else {
        const data = rest === '/data' ? dataOf(url.searchParams) : undefined;
        if (data) answer(200, 'application/json', JSON.stringify(data));
        else answer(404, 'text/plain', 'there is no such page, board or step\n');
      }
    } catch (error) {
      // A fault of the page must not end the service.
      answer(500, 'text/plain', `${error}\n`);
    }
    return true;
  };
}

function runbookSection(name: string): string | undefined {
  const section = readRunbook(runbookText()).get(name);
  if (!section) return undefined;
  const parts = Object.entries(section.parts).map(([part, text]) => `${part}\n\n${text}\n`);
  return `${name}\n\n${parts.join('\n')}`;
}
