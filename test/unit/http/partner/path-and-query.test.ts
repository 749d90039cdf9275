import { expect, it } from 'vitest';
import type { PathId } from '#shared/contract/routes.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import { pathAndQuery, pathIdOf } from '#shared/http/partner/path-and-query.ts';
import { beginLog, logInfo } from '#shared/runtime/log.ts';
import { refusalOf, wrongFields } from '#test/makers/bad-input.ts';
import type { CallOptions } from '#test/makers/call.ts';
import { captureLogLines, makeCall } from '#test/makers/partner-call.ts';

/** Returns what the check adds to a call with these options and this body. */
const found = (kind: PathId, options: CallOptions, body: Readonly<Record<string, unknown>> = {}) =>
  pathAndQuery(kind).before({ ...makeCall(options), body }, undefined);

const EVENT = `evt_${'a2'.repeat(16)}`;
const NUMBERS = ['lead', 'simulation', 'analysis'] as const;

it.each(NUMBERS)('the id of a %s in a path is a positive safe integer', (kind) => {
  expect(found(kind, { id: '9007199254740991' })).toMatchObject({ id: Number.MAX_SAFE_INTEGER });
});

it('the id of an event in a path is read unchanged', () => {
  expect(found('event', { id: EVENT })).toMatchObject({ id: EVENT });
});

it('a path without an id has no id, and its query is read', () => {
  expect(found('none', { query: { a: 'b' } })).toEqual({ id: undefined, query: { a: 'b' } });
});

const OTHER_IDS = ['0', '-1', '1.5', 'abc', '1a', 'a1', '1e3', '٣', '9007199254740992', '9'.repeat(20), '01', ' 1', ''];
it.each([...OTHER_IDS, undefined])('%j is refused (400) as the id of a lead, a simulation or an analysis', (id) => {
  for (const kind of NUMBERS) {
    expect(pathIdOf(makeCall({ id }), kind)).toBeInstanceOf(Failure);
    expect(refusalOf(() => found(kind, { id }))).toEqual(wrongFields('id'));
  }
});

const OTHER_EVENTS = [EVENT.slice(0, -1), `${EVENT}a`, `x${EVENT}`, EVENT.toUpperCase(), EVENT.replace('a', '1')];
it.each([...OTHER_EVENTS, '7', undefined])('%j is refused (400) as the id of an event', (id) => {
  expect(refusalOf(() => found('event', { id }))).toEqual(wrongFields('id'));
});

it('a malformed id is refused before a repeated parameter', () => {
  expect(refusalOf(() => found('lead', { id: 'x', query: { a: ['1', '2'] } }))).toEqual(wrongFields('id'));
});

/** Our ids have at least 15 digits. A shorter number may be a CPF or a telephone number. */
const [OURS, OTHER, TOO_SHORT] = [100_000_000_000_000, 100_000_000_000_001, 99_999_999_999_999];

it.each<[string, PathId, number | string | undefined, unknown, object]>([
  ['the lead in the path', 'lead', OURS, undefined, { lead: OURS }],
  ['the simulation in the path', 'simulation', OURS, undefined, { simulation: OURS }],
  ['the analysis in the path', 'analysis', OURS, undefined, { analysis: OURS }],
  ['the lead in the body', 'none', undefined, OURS, { lead: OURS }],
  ['the ids in path and body', 'analysis', OURS, OTHER, { analysis: OURS, lead: OTHER }],
  ['no number with fewer digits than our ids', 'lead', TOO_SHORT, TOO_SHORT, {}],
  ['no text from the body', 'none', undefined, String(OURS), {}],
  ['no event', 'event', EVENT, undefined, {}],
])('the log line of a call names %s', async (_, kind, id, lead, ids) => {
  const [line] = await captureLogLines(() => {
    beginLog({});
    found(kind, { id }, { lead_id: lead });
    logInfo('poll_completed');
  });
  const { level, message, timestamp, service, code, ...rest } = line!;
  expect(rest).toEqual(ids);
});
