import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Analysis } from '../../../shared/domain/analyses/analysis.ts';
import { type AnalysisId, drawId } from '../../../shared/domain/values/ids.ts';
import { putAnalysis } from '../../../shared/table/analysis-row.ts';
import { scanRows, transact } from '../../../shared/table/client.ts';
import { forgetServiceKeys, keyVersionOf } from '../../../shared/table/encryption.ts';
import { newServiceKeys } from '../../../shared/table/service-keys.ts';
import { setWebhook } from '../../../shared/table/webhook-endpoints.ts';
import { newWebhookSecret } from '../../../shared/webhook/sign.ts';
import * as wiring from '../../../shared/wiring.ts';
import { administration, because, CALLER } from '../../makers/administration.ts';
import { makeAnalysis } from '../../makers/analysis.ts';
import { type MadePartner, makePartner, usePeers } from '../../makers/peers.ts';

const peers = usePeers();
const LATER = 3_600_000;

/** All pages of an operation, one after another. */
async function pages(ask: (cursor: object) => ReturnType<typeof administration>) {
  const bodies = [];
  let cursor: string | null = null;
  do {
    const { status, body } = await ask(cursor === null ? {} : { cursor });
    expect(status).toBe(200);
    bodies.push(body);
    cursor = body.next_cursor;
  } while (cursor !== null);
  return bodies;
}

describe('analyses', () => {
  let made: MadePartner;
  let drawn = 0;
  beforeAll(async () => {
    made = await makePartner();
  });

  async function pending(minutes: number, changes: Partial<Analysis> = {}): Promise<Analysis> {
    const { partnerId, unitId } = made;
    const createdAt = Date.UTC(2026, 6, 1, 12) + minutes * 60_000;
    const analysis = makeAnalysis({
      id: drawId<AnalysisId>(createdAt + ++drawn),
      partnerId,
      unitId,
      createdAt,
      ...changes,
    });
    expect(await transact([putAnalysis(analysis)])).toBe('written');
    return analysis;
  }

  it('that are pending are listed by partner, bank and whether the operator can answer', async () => {
    const late = await pending(2, { bank: 'itau' });
    const early = await pending(1, { bank: 'inter', queryNumber: '' });
    const healthy = await pending(0);
    for (const one of [late, early]) await wiring.analyses().markUnanswerable(one, Date.UTC(2026, 6, 2));
    const list = async (query: object) => {
      const ask = (cursor: object) =>
        administration('list-pending-analyses', { query: { partner_id: made.partnerId, ...query, ...cursor } });
      return (await pages(ask)).flatMap(({ analyses }) =>
        analyses.map((one: { analysis_id: number }) => one.analysis_id),
      );
    };
    expect(await list({})).toEqual([healthy.id, early.id, late.id]);
    expect(await list({ unanswerable: 'true' })).toEqual([early.id, late.id]);
    expect(await list({ unanswerable: 'true', bank: 'itau' })).toEqual([late.id]);
    const shown = await administration('show-analysis', {
      params: { analysis_id: late.id },
      query: { unit_id: made.unitId, environment: late.environment },
    });
    expect(shown.body.analysis).toMatchObject({
      analysis_id: late.id,
      bank: 'itau',
      situation: 'em_analise',
      unanswerable_since: '2026-07-02T00:00:00.000Z',
    });
  });

  it('go on through the index where a page ends for want of time', async () => {
    const answers = [];
    let cursor: string | null = null;
    do {
      const query = { partner_id: made.partnerId, ...(cursor && { cursor }) };
      const { body } = await administration('list-pending-analyses', { query, remaining: 6_400 });
      answers.push([body.done, body.total]);
      cursor = body.next_cursor;
    } while (cursor);
    // Half of the index side by side, then a part at a time.
    expect(answers).toEqual(Array.from({ length: 61 }, (_, index) => [60 + index, 120]));
  });

  it('are polled at once, and refused once they are final', async () => {
    const place = { unit_id: made.unitId, environment: 'sandbox' } as const;
    const analysis = await pending(0, { environment: 'sandbox', createdAt: Date.now() - 60_000, queryNumber: 'SB-1' });
    const poll = () =>
      administration('poll-analysis', { params: { analysis_id: analysis.id }, body: { ...place, ...because } });
    const first = await poll();
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ outcome: 'change', analysis: { analysis_id: analysis.id } });
    expect(first.body.analysis.situation).not.toBe('em_analise');
    expect((await poll()).body.code).toBe('refused');
    const unknown = { params: { analysis_id: 1 }, body: { ...place, ...because } };
    expect((await administration('poll-analysis', unknown)).status).toBe(404);
  });
});

describe("the operator's token", () => {
  it('is written after a confirmation, and never shown', async () => {
    const before = (await administration('show-operator')).body;
    expect(before).toMatchObject({ url: process.env['OPERATOR_URL'], token_set: true });
    const set = (body: object) => administration('set-operator-token', { body: { ...because, ...body } });
    const token = 'a-new-bearer-token-of-the-operator';
    expect((await set({ token })).body.code).toBe('confirmation_missing');
    expect((await set({ token: 'short', confirm: 'operator-token' })).body.code).toBe('field_invalid');
    expect((await set({ token, confirm: 'operator-token' })).body).toEqual({ ok: true, written: true });
    expect(peers.secrets.current(process.env['OPERATOR_TOKEN_SECRET']!)).toBe(token);
    const { entries } = (await administration('list-audit', { query: { service: 'true' } })).body;
    expect(entries[0]).toMatchObject({ action: 'set-operator-token', outcome: 'done', partner_id: null, who: CALLER });
    expect(JSON.stringify(entries)).not.toContain(token);
  });
});

describe("the probe's key", () => {
  it('is one of the sandbox, and is written and not shown', async () => {
    const { keys } = await makePartner();
    const set = (key: string) => administration('set-probe-key', { body: { key, ...because } });
    for (const key of [keys.producao, 'pmc_sandbox_x']) {
      const { status, text } = await set(key);
      expect([status, text.includes(key)]).toEqual([400, false]);
    }
    expect((await set(keys.sandbox)).body).toEqual({ ok: true, written: true });
    expect(peers.secrets.current(process.env['PROBE_KEY_SECRET']!)).toBe(keys.sandbox);
  });
});

describe('the sealing keys', () => {
  let secret: string;
  beforeEach(async () => {
    secret = process.env['KEYS_SECRET']!;
    // Rows of another test are sealed by keys that this one does not have.
    const { Items = [] } = await scanRows({ ProjectionExpression: 'pk, sk' });
    for (let start = 0; start < Items.length; start += 100)
      await transact(Items.slice(start, start + 100).map((Key) => ({ Delete: { Key } })));
    peers.secrets.put({ SecretId: secret, SecretString: newServiceKeys() });
    forgetServiceKeys();
  });

  const versions = async () => {
    const { Items = [] } = await scanRows({});
    return Items.flatMap(({ sealed }) => (sealed instanceof Uint8Array ? [keyVersionOf(sealed)] : []));
  };
  const rotate = (current: number) =>
    administration('rotate-sealing-key', { body: { current, confirm: String(current), ...because } });
  const counted = async () => {
    const counts: Record<number, number> = {};
    for (const { rows } of await pages((cursor) => administration('count-sealed-rows', { query: { ...cursor } })))
      for (const { version, rows: number } of rows) counts[version] = (counts[version] ?? 0) + number;
    return counts;
  };
  const retire = (version: number, options: object = {}) =>
    administration('retire-sealing-key', { body: { version, confirm: String(version), ...because, ...options } });

  it('are written once', async () => {
    const name = 'partner-credit-empty/keys';
    peers.secrets.make([{ name, arn: `arn:aws:secretsmanager:sa-east-1:000000000000:secret:${name}-local0` }]);
    process.env['KEYS_SECRET'] = name;
    try {
      expect((await administration('show-sealing-keys')).body).toMatchObject({ initialised: false, versions: [] });
      expect((await administration('init-service-keys', { body: because })).status).toBe(200);
      const written = peers.secrets.current(name);
      expect((await administration('init-service-keys', { body: because })).body.code).toBe('refused');
      expect(peers.secrets.current(name)).toBe(written);
    } finally {
      process.env['KEYS_SECRET'] = secret;
    }
  });

  it('are rotated, rows re-encrypted page by page, and the old one retired only once no row needs it', async () => {
    for (let partner = 0; partner < 60; partner++) {
      const { partnerId } = await makePartner();
      await setWebhook(partnerId, 'https://parceiro.exemplo.com.br/e', newWebhookSecret(), Date.now());
    }
    expect((await rotate(7)).body.code).toBe('changed_meanwhile');
    expect((await rotate(1)).body).toMatchObject({ current: 2, replaced: 1 });
    expect((await administration('show-sealing-keys')).body).toMatchObject({ current: 2, versions: [1, 2] });
    const before = await counted();
    expect(Object.keys(before)).toEqual(['1']);
    expect((await retire(2)).body.error).toContain('current one');
    expect((await retire(9)).body.error).toContain('no sealing key version 9');
    expect((await retire(1)).body.error).toContain('may still seal');

    const runs = await pages((cursor) =>
      administration('reencrypt-rows', {
        body: { units_per_second: 40_000, ...because, ...cursor },
        remaining: 6_400,
      }),
    );
    expect(runs.length).toBeGreaterThan(1);
    expect(runs.at(-1)).toMatchObject({ version: 2, resealed: before[1], broken_count: 0 });
    expect(new Set(await versions())).toEqual(new Set([2]));
    expect(await counted()).toEqual({ 2: before[1] });
  });

  it('are counted in pieces that add up', async () => {
    for (let partner = 0; partner < 40; partner++) await makePartner();
    const whole = await counted();
    const pieces = await pages((cursor) =>
      administration('count-sealed-rows', { query: { ...cursor }, remaining: 6_400 }),
    );
    expect(pieces.length).toBeGreaterThan(1);
    const sum = pieces.flatMap(({ rows }) => rows).reduce((total, { rows }) => total + rows, 0);
    expect(sum).toBe(whole[1]);
  });

  it('once they are settled: one that seals a row stays, and one that seals none goes', async () => {
    await makePartner();
    expect((await rotate(1)).status).toBe(200);
    const keys = await wiring.serviceKeys().sealing();
    const sealed = wiring.sealedTable();
    const now = keys.settledAt + LATER;
    const { 1: rows } = await counted();
    const refused = sealed.retire(1, keys, { now, goesOn: false }, () => true);
    await expect(refused).rejects.toThrow(`version 1 still seals ${rows} rows`);
    await pages((cursor) => administration('reencrypt-rows', { body: { ...because, ...cursor } }));
    for (let more = 0; more < 40; more++) await makePartner();
    // In pieces: the place is kept in the table.
    const first = await sealed.retire(1, keys, { now, goesOn: false }, () => false);
    expect(first.retired).toBe(false);
    let last = first;
    while (!last.retired) last = await sealed.retire(1, keys, { now, goesOn: true }, () => false);
    expect(last.seen).toBeGreaterThan(first.seen);
    expect((await wiring.serviceKeys().sealing()).versions).toEqual([2]);
  });
});

describe('the audit', () => {
  it('is listed about a partner or the service, page by page', async () => {
    const { partnerId: partner_id } = await makePartner();
    const limits = [1, 2, 3, 4, 5];
    for (const limit of limits)
      await administration('set-rate', { params: { partner_id }, body: { environment: 'sandbox', limit, ...because } });
    const read = await pages((cursor) => administration('list-audit', { query: { partner_id, limit: 2, ...cursor } }));
    expect(
      read.flatMap(({ entries }) => entries.map((one: { target: { limit: number } }) => one.target.limit)),
    ).toEqual([5, 4, 3, 2, 1]);
    for (const query of [{}, { partner_id, service: 'true' }])
      expect((await administration('list-audit', { query })).body.code).toBe('field_invalid');
  });

  it('is exported by month as JSON Lines, about the service and every partner, none twice', async () => {
    const made = [await makePartner(), await makePartner(), await makePartner()];
    const trail = wiring.auditTrail();
    const at = Date.UTC(2026, 8, 30, 23, 59, 59, 999);
    const note = async (about: 'service' | (typeof made)[number]['partnerId'], now: number, reason: string) => {
      const row = await trail.begin({ about, who: CALLER, action: 'set-rate', target: {}, reason }, now);
      await row.close('done');
    };
    await note('service', at, 'in');
    for (const { partnerId } of made) {
      await note(partnerId, at, 'in');
      await note(partnerId, Date.UTC(2026, 8, 1), 'in');
      await note(partnerId, at + 1, 'after');
      await note(partnerId, Date.UTC(2026, 8, 1) - 1, 'before');
    }
    const exported = async (remaining: number) =>
      (
        await pages((cursor) => administration('export-audit', { query: { month: '2026-09', ...cursor }, remaining }))
      ).flatMap(({ lines, rows }) => {
        const read = lines.split('\n').filter(Boolean);
        expect(read).toHaveLength(rows);
        return read.map((line: string) => JSON.parse(line));
      });
    const all = await exported(28_000);
    expect(all.map(({ reason }) => reason)).toEqual(Array.from({ length: 7 }, () => 'in'));
    expect(all[0]).toMatchObject({ partner_id: null, outcome: 'done', who: CALLER });
    expect(all.slice(1).map(({ partner_id }) => partner_id)).toEqual(
      made.flatMap(({ partnerId }) => [partnerId, partnerId]),
    );
    // Page by page, where there is little time for each.
    expect(await exported(6_400)).toEqual(all);
    expect((await administration('export-audit', { query: { month: '2026-13' } })).body.code).toBe('field_invalid');
  });
});
