import { beforeEach, describe, expect, it } from 'vitest';
import { dayInSaoPaulo } from '#shared/domain/values/clock.ts';
import { ENVIRONMENTS } from '#shared/domain/values/tenancy.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { scanRows } from '#shared/table/rows/client.ts';
import { forgetServiceKeys, keyVersionOf } from '#shared/table/rows/encryption.ts';
import { newServiceKeys } from '#shared/table/sealing/service-keys.ts';
import { setWebhook } from '#shared/table/webhooks/webhook-endpoints.ts';
import * as wiring from '#shared/wiring.ts';
import { administration, because, everyPage } from '#test/makers/administration.ts';
import { bookAnalysis, CLOSABLE } from '#test/makers/booked.ts';
import { makePartner, usePeers } from '#test/makers/peers.ts';
import { clearTable, rowsOf } from '#test/makers/rows.ts';

const peers = usePeers();
const LATER = 3_600_000;

it('list-pending-analyses filters by partner, bank and unanswerable; show-analysis shows an analysis', async () => {
  const { partnerId, unitId } = await makePartner();
  const pending = (minute: number, changes: object) =>
    bookAnalysis({ partnerId, unitId, createdAt: Date.UTC(2026, 6, 1, 12, minute), ...changes });
  const late = await pending(2, { bank: 'itau' });
  const early = await pending(1, { bank: 'inter', queryNumber: '' });
  const healthy = await pending(0, {});
  for (const one of [late, early]) await wiring.analyses().markUnanswerable(one, Date.UTC(2026, 6, 2));
  const list = async (query: object) =>
    (await everyPage('list-pending-analyses', { query: { partner_id: partnerId, ...query } })).flatMap(({ analyses }) =>
      analyses.map((one: { analysis_id: number }) => one.analysis_id),
    );
  expect(await list({})).toEqual([healthy.id, early.id, late.id]);
  expect(await list({ unanswerable: 'true' })).toEqual([early.id, late.id]);
  expect(await list({ unanswerable: 'true', bank: 'itau' })).toEqual([late.id]);
  const query = { unit_id: unitId, environment: late.environment };
  const shown = await administration('show-analysis', { params: { analysis_id: late.id }, query });
  expect(shown.body.analysis).toMatchObject({ bank: 'itau', unanswerable_since: '2026-07-02T00:00:00.000Z' });
});

it('show-analysis finds an ended analysis by its number and its partner, in any unit and environment', async () => {
  const { partnerId, unitId, addUnit } = await makePartner();
  const other = await makePartner();
  const second = await addUnit();
  const ended = { situation: 'recusado', rawStatus: 'Reprovado', queryNumber: 'IT-9' } as const;
  const show = async (id: number, query: Readonly<Record<string, string | number>>) => {
    const { status, body } = await administration('show-analysis', { params: { analysis_id: id }, query });
    return status === 200 ? body.analysis : { status, ...body };
  };
  for (const environment of ENVIRONMENTS) {
    for (const unit of [unitId, second]) {
      const { id } = await bookAnalysis({ partnerId, unitId: unit, environment, bank: 'itau', ...ended });
      const found = { analysis_id: id, unit_id: unit, environment, situation: 'recusado', raw_status: 'Reprovado' };
      expect(await show(id, { partner_id: partnerId })).toMatchObject(found);
      expect(await show(id, { partner_id: partnerId, environment })).toMatchObject(found);
      expect(await show(id, { unit_id: unit })).toMatchObject(found);
      const unknown = { status: 404, code: 'not_found' };
      expect(await show(id, { partner_id: other.partnerId })).toMatchObject(unknown);
      expect(await show(id, { partner_id: other.partnerId, unit_id: unit })).toMatchObject(unknown);
      expect(await show(id, { unit_id: other.unitId })).toMatchObject(unknown);
      expect(await show(id + 1, { partner_id: partnerId })).toMatchObject(unknown);
      expect(await show(id, {})).toMatchObject({ status: 400, fields: [{ field: 'partner_id' }] });
    }
  }
});

it.each([
  ['young', { ...CLOSABLE, createdAt: CLOSABLE.createdAt + 3_600_000 }],
  ['answered by the operator', { createdAt: CLOSABLE.createdAt }],
  ['final', { ...CLOSABLE, situation: 'recusado' }],
  ['closable', CLOSABLE],
] as const)(
  'close-analysis of an analysis that is %s ends it only if it is closable, once, with its event',
  async (state, changes) => {
    const { partnerId, unitId } = await makePartner();
    const { id, environment, situation } = await bookAnalysis({ partnerId, unitId, ...changes });
    const body = { unit_id: unitId, environment, situation: 'cancelado', confirm: String(id), ...because };
    const close = async () => (await administration('close-analysis', { params: { analysis_id: id }, body })).body;
    const kept = state !== 'closable';
    const first = await close();
    if (kept) expect(first.code).toBe('refused');
    else {
      expect(first.analysis.situation).toBe('cancelado');
      expect((await close()).code).toBe('refused');
    }
    const now = await wiring.analyses().get({ unitId, environment }, id);
    expect(now?.situation).toBe(kept ? situation : 'cancelado');
    const events = (await rowsOf('DELIVERY#')).map((row) => JSON.parse(String(row['body'])).data);
    const its = events.filter(({ analise_id }) => analise_id === id).map(({ situacao }) => situacao);
    expect(its).toEqual(kept ? [] : ['cancelado']);
  },
);

const secretOf = (name: string) => peers.secrets.current(process.env[name]!);

it('set-operator-token writes the token of the operator, and show-operator never shows it', async () => {
  const token = 'a-new-bearer-token-of-the-operator';
  const set = (text: string) =>
    administration('set-operator-token', { body: { token: text, confirm: 'operator-token', ...because } });
  expect((await set('short')).body.code).toBe('field_invalid');
  expect((await set(token)).body).toEqual({ ok: true, written: true });
  expect(secretOf('OPERATOR_TOKEN_SECRET')).toBe(token);
  const shown = (await administration('show-operator')).body;
  expect(shown).toEqual({ ok: true, url: process.env['OPERATOR_URL'], token_set: true });
});

describe('the keys of the service', () => {
  let secret: string;
  beforeEach(async () => {
    secret = process.env['KEYS_SECRET']!;
    // Rows of another test need keys that this test does not have.
    await clearTable();
    peers.secrets.put({ SecretId: secret, SecretString: newServiceKeys() });
    forgetServiceKeys();
  });

  const versions = async () => {
    const { Items = [] } = await scanRows({});
    return Items.flatMap(({ sealed }) => (sealed instanceof Uint8Array ? [keyVersionOf(sealed)] : []));
  };
  const change = (current: number) =>
    administration('change-service-keys', { body: { current, confirm: String(current), ...because } });
  const counted = async () => {
    const counts: Record<number, number> = {};
    for (const { sealed } of await everyPage('count-rows', {}))
      for (const { version, rows } of sealed) counts[version] = (counts[version] ?? 0) + rows;
    return counts;
  };
  const retire = (current: number) =>
    administration('retire-service-keys', { body: { current, confirm: String(current), ...because } });

  it('init-service-keys writes the service keys only once', async () => {
    const name = 'partner-credit-empty/keys';
    peers.secrets.make([{ name, arn: `arn:aws:secretsmanager:sa-east-1:000000000000:secret:${name}-local0` }]);
    process.env['KEYS_SECRET'] = name;
    try {
      expect((await administration('show-service-keys')).body).toMatchObject({ initialised: false, versions: [] });
      expect((await administration('init-service-keys', { body: because })).status).toBe(200);
      const written = peers.secrets.current(name);
      expect((await administration('init-service-keys', { body: because })).body.code).toBe('refused');
      expect(peers.secrets.current(name)).toBe(written);
    } finally {
      process.env['KEYS_SECRET'] = secret;
    }
  });

  it('rewrite-rows seals every row with the new key, page by page, while the old key cannot be retired yet', async () => {
    for (let partner = 0; partner < 60; partner++) {
      const { partnerId } = await makePartner();
      const owner = { partnerId, environment: 'producao' } as const;
      await setWebhook(owner, 'https://parceiro.exemplo.com.br/e', newWebhookSecret(), Date.now());
    }
    expect((await change(7)).body.code).toBe('changed_meanwhile');
    expect((await retire(1)).body.error).toContain('There is no old key');
    expect((await change(1)).body).toMatchObject({ current: 2, versions: [1, 2], index_changed: true });
    expect((await administration('show-service-keys')).body).toMatchObject({ current: 2, versions: [1, 2] });
    const before = await counted();
    expect(before).toEqual({ 1: (await versions()).length });
    expect((await retire(1)).body.code).toBe('changed_meanwhile');
    expect((await retire(2)).body.error).toContain('may still write with old keys');

    const runs = await everyPage('rewrite-rows', {
      body: { units_per_second: 40_000, ...because },
      remaining: 6_400,
    });
    expect(runs.length).toBeGreaterThan(1);
    expect(runs.at(-1)).toMatchObject({ current: 2, resealed: before[1], moved: 0, broken_count: 0 });
    expect(new Set(await versions())).toEqual(new Set([2]));
    expect(await counted()).toEqual({ 2: before[1] });
  });

  it('change-service-keys says that a fourth index key is not made, and changes the sealing key', async () => {
    for (const current of [1, 2]) expect((await change(current)).body.index_changed).toBe(true);
    const { body } = await change(3);
    expect(body).toMatchObject({ current: 4, versions: [1, 2, 3, 4], index_changed: false });
    expect(body.index).toHaveLength(3);
  });

  it('retire refuses a settled sealing key that still seals a row, and retires it once it seals none', async () => {
    await makePartner();
    expect((await change(1)).status).toBe(200);
    const keys = await wiring.serviceKeys().held();
    const table = wiring.keyedTable();
    const now = keys.settledAt + LATER;
    const { 1: rows } = await counted();
    // An index key that no row needs would be retired without the sealing key.
    const sealingOnly = { ...keys, index: keys.index.slice(-1) };
    const refused = table.retire(sealingOnly, { now, goesOn: false }, () => true);
    await expect(refused).rejects.toThrow(`version 1 still seals ${rows} rows`);
    await everyPage('rewrite-rows', { body: because });
    for (let more = 0; more < 40; more++) await makePartner();
    // The work goes in pieces: the table keeps how far it is.
    const first = await table.retire(keys, { now, goesOn: false }, () => false);
    expect(first.done).toBe(false);
    const second = await table.retire(keys, { now, goesOn: true }, () => false);
    expect(second.seen).toBeGreaterThan(first.seen);
    // The place was stored for these keys. After another change of the keys, the look begins again.
    const changed = { ...keys, state: 'another' };
    expect((await table.retire(changed, { now, goesOn: true }, () => false)).seen).toBe(first.seen);
    let last = first;
    while (!last.done) last = await table.retire(keys, { now, goesOn: true }, () => false);
    expect(last.versions).toEqual([1]);
    expect(last.keptUntil).toBeGreaterThan(now);
    expect(last.seen).toBeGreaterThan(first.seen);
    expect((await wiring.serviceKeys().held()).versions).toEqual([2]);
  });
});

it('the pages of export-audit, joined, have one line of JSON for each row, in order, and end with a line', async () => {
  await clearTable();
  await administration('set-operator-token', {
    body: { token: 'a-token-of-enough-characters', confirm: 'operator-token', ...because },
  });
  const partners = [await makePartner(), await makePartner()].map(({ partnerId }) => partnerId);
  for (const name of ['Norte', 'Sul']) {
    for (const partner_id of partners)
      await administration('create-unit', { body: { partner_id, name, reason: `unit ${name}` } });
  }
  const month = dayInSaoPaulo(Date.now()).slice(0, 7);
  const pages = await everyPage('export-audit', { query: { month }, remaining: 6_400 });
  expect(pages.length).toBeGreaterThan(2);
  const text = pages.map(({ lines }) => lines).join('');
  expect(text.at(-1)).toBe('\n');
  const rows = text
    .trimEnd()
    .split('\n')
    .map((line: string): { at: string; reason: string } => JSON.parse(line));
  expect(pages.map((page) => page.rows).reduce((sum, count) => sum + count)).toBe(rows.length);
  const entriesOf = async (query: object) =>
    (await administration('list-audit', { query: { ...query } })).body.entries.toReversed();
  const wanted = [await entriesOf({ service: 'true' })];
  for (const partner_id of partners) wanted.push(await entriesOf({ partner_id }));
  const inUtc = rows.map((row) => ({ ...row, at: new Date(row.at).toISOString() }));
  expect(inUtc).toEqual(wanted.flat());
  for (const { at } of rows) expect(at).toMatch(/-03:00$/);
  expect(rows.map(({ reason }) => reason)).toEqual([
    because.reason,
    ...['unit Norte', 'unit Sul', 'unit Norte', 'unit Sul'],
  ]);
});

it('list-audit returns the changes of a period, and refuses a period that ends before it begins', async () => {
  await clearTable();
  const { partnerId: partner_id } = await makePartner();
  for (const name of ['Norte', 'Sul', 'Leste'])
    await administration('create-unit', { body: { partner_id, name, reason: `unit ${name}` } });
  const list = (query: object) => administration('list-audit', { query: { partner_id, ...query } });
  const reasons = async (query: object) =>
    (await list(query)).body.entries.map(({ reason }: { reason: string }) => reason);
  const [newest, middle, oldest] = (await list({})).body.entries;
  expect(newest.at > middle.at && middle.at > oldest.at).toBe(true);
  expect(await reasons({ since: middle.at })).toEqual(['unit Leste', 'unit Sul']);
  expect(await reasons({ until: middle.at })).toEqual(['unit Norte']);
  expect(await reasons({ since: middle.at, until: newest.at })).toEqual(['unit Sul']);
  const { status, body } = await list({ since: middle.at, until: middle.at });
  expect(status).toBe(400);
  expect(body.fields).toEqual([{ field: 'until', reason: 'must be after since' }]);
});
