import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { drawId, type LeadId } from '../../../shared/domain/values/ids.ts';
import { newAnalysis } from '../../../shared/partner/openapi/example-bodies.ts';
import { tableAnalyses } from '../../../shared/table/analyses.ts';
import { getRow, putRow, scanRows, tableClient, transact } from '../../../shared/table/client.ts';
import { forgetServiceKeys, keyVersionOf } from '../../../shared/table/encryption.ts';
import { leadKey, type RowKey } from '../../../shared/table/keys.ts';
import { leadRow } from '../../../shared/table/leads.ts';
import { countSealed, reencryptRows } from '../../../shared/table/reencryption.ts';
import { newServiceKeys, retireSealingKey, rotateSealingKey } from '../../../shared/table/service-keys.ts';
import type { Pace } from '../../../shared/table/table-scan.ts';
import { setWebhook, tableWebhookEndpoints } from '../../../shared/table/webhook-endpoints.ts';
import { newWebhookSecret } from '../../../shared/webhook/sign.ts';
import { api } from '../../makers/api.ts';
import { intercepted, interceptTable, type StopPoint, stoppedAt } from '../../makers/intercepted.ts';
import { type MadePartner, makePartner, usePeers } from '../../makers/peers.ts';
import { analysisBody, leadBody } from '../../makers/people.ts';
import { writeRows } from '../../makers/rows.ts';
import { useManager } from '../../makers/served-administration.ts';
import { holdClock, passTime, releaseClock } from '../../makers/test-clock.ts';

const LATER = 3_600_000;
const atOnce: Pace = { unitsPerSecond: 1_000_000, pause: async () => {} };

const peers = usePeers();
const manager = useManager(peers);
let secretName: string;
beforeAll(async () => {
  holdClock();
  interceptTable();
  tableClient().middlewareStack.add(
    (next, { commandName }) =>
      (call) => {
        if (commandName === 'ScanCommand') scans += 1;
        return next(call);
      },
    { step: 'initialize', name: 'countScans' },
  );
  secretName = process.env['KEYS_SECRET']!;
});
afterAll(releaseClock);
// Rows of another test are sealed by keys that this one does not have.
beforeEach(async () => {
  const { Items = [] } = await scanRows({ ProjectionExpression: 'pk, sk' });
  for (let start = 0; start < Items.length; start += 100) {
    await transact(Items.slice(start, start + 100).map((Key) => ({ Delete: { Key } })));
  }
  setKeys(newServiceKeys());
});

/** The secret with other keys, as if they had been there from the start. */
function setKeys(text: string): void {
  peers.secrets.put({ SecretId: secretName, SecretString: text });
  forgetServiceKeys();
}

async function counts(): Promise<Record<number, number>> {
  let found: Record<number, number> = {};
  for await (const { rows } of countSealed(atOnce)) {
    found = Object.fromEntries(
      [...rows].map(([version, kinds]) => [version, [...kinds.values()].reduce((sum, one) => sum + one, 0)]),
    );
  }
  return found;
}

async function reencryptAll(current: number) {
  let last: { seen: number; resealed: number } = { seen: 0, resealed: 0 };
  for await (last of reencryptRows(current, atOnce));
  return last;
}

let scans = 0;

/** What a run gave, and how many pages of the table the service looked at meanwhile. */
async function pagesOf<T>(run: () => Promise<T>): Promise<{ made: T; pages: number }> {
  const before = scans;
  const made = await run();
  return { made, pages: scans - before };
}

/** One row of every kind that is sealed, as a flow leaves them, and so many leads more: several pages. */
async function flow(more: number) {
  const partner = await makePartner();
  const secret = newWebhookSecret();
  await setWebhook(partner.partnerId, 'https://parceiro.exemplo.com.br/eventos', secret, Date.now());
  const key = partner.keys.sandbox;
  const created = { key, body: leadBody(), headers: { 'idempotency-key': 'lead' } };
  const answer = await api('createLead', created);
  const lead = answer.body.lead_id;
  const simulation = await api('createSimulation', {
    key,
    body: { lead_id: lead, valor_imovel: 500000, bancos: ['itau'] },
  });
  const submitted = await api('submitAnalyses', {
    key,
    body: analysisBody(lead),
    headers: { 'idempotency-key': 'a' },
  });
  expect([answer.status, simulation.status, submitted.status]).toEqual([201, 200, 202]);
  const tenancy = { unitId: partner.unitId, environment: 'sandbox' } as const;
  const ids = [...Array(more).keys()].map((index) => drawId<LeadId>(Date.now() + index));
  for (let start = 0; start < more; start += 25) {
    await Promise.all(
      ids.slice(start, start + 25).map(async (id) => {
        const person = { name: 'Nair Prado', cpf: '90000000175', createdAt: 1, updatedAt: 1, version: 1 };
        await putRow({ Item: await leadRow(tenancy, { ...person, id } as Parameters<typeof leadRow>[1]) });
      }),
    );
  }
  return { partner, secret, created, answer, lead, tenancy, simulation, submitted, ids };
}

type Flow = Awaited<ReturnType<typeof flow>>;

/** Everything that the flow has sealed opens, with its content. */
async function expectOpen({ partner, secret, created, answer, lead, tenancy, simulation, submitted, ids }: Flow) {
  const key = partner.keys.sandbox;
  expect((await api('getLead', { key, id: lead })).body.lead).toMatchObject({ nome: 'Marina Duarte Alves' });
  expect((await api('createLead', created)).text).toBe(answer.text);
  const { id_oportunidade } = simulation.body.resultado;
  expect((await api('getSimulation', { key, id: id_oportunidade })).status).toBe(200);
  const consents = (await api('listLeadConsents', { key, id: lead })).body.consentimentos;
  expect(consents).toMatchObject([{ ip: '177.45.10.20' }]);
  const analysis = (await tableAnalyses(Date.now).get(tenancy, submitted.body.analises[0].analise_id))!;
  expect(await tableAnalyses(Date.now).form(tenancy, analysis.submissionId)).toMatchObject({
    nome_mae: newAnalysis.nome_mae,
  });
  expect((await tableWebhookEndpoints().get(partner.partnerId))!.secret).toBe(secret);
  expect((await api('getAccount', { key })).status).toBe(200);
  for (const id of ids) expect((await api('getLead', { key, id })).body.lead.nome).toBe('Nair Prado');
}

const versionOf = async (key: RowKey) => keyVersionOf((await getRow(key))!['sealed'] as Uint8Array);

describe('the sealing key', () => {
  it('is rotated, all rows follow, and the old version can then go: everything still opens', async () => {
    const made = await flow(230);
    const before = await counts();
    expect(Object.keys(before)).toEqual(['1']);
    expect(before[1]).toBeGreaterThan(230);

    const rotated = await manager(['keys', 'rotate-sealing', '--reason', 'yearly', '--yes', '--json']);
    expect([rotated.code, rotated.json()]).toEqual([0, { current: 2, replaced: 1 }]);
    await api('updateLead', { key: made.partner.keys.sandbox, id: made.lead, body: { observacao: 'nova' } });
    expect(await versionOf(leadKey(made.tenancy, made.lead))).toBe(2);
    expect(await counts()).toEqual({ 1: before[1]! - 1, 2: 1 });

    const early = await manager(['keys', 'retire-sealing', '1', '--reason', 'r', '--yes']);
    expect([early.code, early.err]).toEqual([
      1,
      expect.stringContaining('functions may still seal by an older version'),
    ]);
    passTime(LATER);
    const used = await manager(['keys', 'retire-sealing', '1', '--reason', 'r', '--yes']);
    expect([used.code, used.err]).toEqual([1, expect.stringContaining(`version 1 still seals ${before[1]! - 1} rows`)]);
    const inUse = await manager(['keys', 'retire-sealing', '2', '--reason', 'r', '--yes']);
    expect([inUse.code, inUse.err]).toEqual([1, expect.stringContaining('version 2 is the current one')]);

    // The manager's program dies in the middle, the second time after a page whose place was not kept any more.
    const points: StopPoint[] = [
      { at: 60, when: 'after' },
      { at: 108, when: 'before' },
    ];
    let done = 1;
    for (const point of points) {
      expect(await stoppedAt(point, () => reencryptAll(2))).toMatchObject({ stoppedAt: expect.anything() });
      const now = await counts();
      expect(now[2]).toBeGreaterThan(done);
      expect(now[1]).toBeGreaterThan(0);
      done = now[2]!;
    }
    const late = await pagesOf(() => manager(['keys', 'reencrypt', '--json']));
    expect([late.made.code, late.made.err]).toEqual([0, '']);
    expect(late.made.json()).toMatchObject({ version: 2, brokenCount: 0, done: true });
    expect(await counts()).toEqual({ 2: before[1] });
    // A run over a table where all is done looks at every page and writes nothing; the one before began behind the first.
    const idle = await pagesOf(() => manager(['keys', 'reencrypt', '--json']));
    expect(idle.made.json()).toMatchObject({ resealed: 0, done: true });
    expect(late.pages).toBe(idle.pages - 1);
    await expectOpen(made);

    const retired = await manager(['keys', 'retire-sealing', '1', '--reason', 'r', '--yes', '--json']);
    expect([retired.code, retired.json()]).toEqual([0, { retired: 1 }]);
    expect(Object.keys(JSON.parse(peers.secrets.current(secretName)).sealing.keys)).toEqual(['2']);
    await expectOpen(made);

    const audit = (await manager(['audit', 'list', '--service', '--json'])).json();
    expect(audit.map(({ action, outcome }: Record<string, string>) => `${action} ${outcome}`)).toContain(
      'retire-sealing-key failed',
    );
    expect(audit.find(({ action }: { action: string }) => action === 'reencrypt-rows')).toMatchObject({
      outcome: 'done',
    });
  });
});

describe('re-encryption', () => {
  let made: { partner: MadePartner; leadId: LeadId };
  let current: number;
  beforeEach(async () => {
    const partner = await makePartner();
    const { body } = await api('createLead', { key: partner.keys.sandbox, body: leadBody() });
    made = { partner, leadId: body.lead_id };
    current = await rotateSealingKey();
  });
  const keyOfLead = () => leadKey({ unitId: made.partner.unitId, environment: 'sandbox' }, made.leadId);

  it('keeps what someone else writes between its reading and its writing', async () => {
    let overtaken = false;
    const outcome = await intercepted(
      {
        async around(name, call) {
          if (name !== 'table UpdateItemCommand' || overtaken) return call();
          overtaken = true;
          // The functions' own write of the same row, by the old key: its container has not fetched the new one yet.
          const text = peers.secrets.current(secretName);
          const keys = JSON.parse(text);
          setKeys(JSON.stringify({ ...keys, sealing: { ...keys.sealing, current: 1 } }));
          await api('updateLead', { key: made.partner.keys.sandbox, id: made.leadId, body: { observacao: 'depois' } });
          expect(await versionOf(keyOfLead())).toBe(1);
          setKeys(text);
          return call();
        },
      },
      () => reencryptAll(current),
    );
    expect(overtaken).toBe(true);
    expect(outcome.resealed).toBeGreaterThan(0);
    const { body } = await api('getLead', { key: made.partner.keys.sandbox, id: made.leadId });
    expect(body.lead.observacao).toBe('depois');
    expect(await versionOf(keyOfLead())).toBe(current);
  });

  it('makes no row of one that is deleted meanwhile', async () => {
    await intercepted(
      {
        async around(name, call) {
          if (name === 'table UpdateItemCommand') await transact([{ Delete: { Key: keyOfLead() } }]);
          return call();
        },
      },
      () => reencryptAll(current),
    );
    expect(await getRow(keyOfLead())).toBeUndefined();
  });

  it('changes nothing of a row but its seal', async () => {
    const before = (await getRow(keyOfLead()))!;
    await reencryptAll(current);
    const { sealed, ...rest } = (await getRow(keyOfLead()))!;
    const { sealed: old, ...restBefore } = before;
    expect(rest).toEqual(restBefore);
    expect([keyVersionOf(old as Uint8Array), keyVersionOf(sealed as Uint8Array)]).toEqual([1, current]);
  });

  it('begins again where the key was rotated meanwhile, or where that is asked for', async () => {
    const key = { pk: 'CURSOR#reencrypt', sk: 'CURSOR' };
    const past = { pk: 'ZZZ', sk: 'ZZZ' };
    await putRow({ Item: { ...key, version: current - 1, after: past, seen: 5, resealed: 5 } });
    await reencryptAll(current);
    expect(await versionOf(keyOfLead())).toBe(current);
    await putRow({ Item: { ...key, version: current, after: keyOfLead(), seen: 5000, resealed: 5 } });
    // By its former name, which scripts may still use.
    const ran = await manager(['keys', 'reseal', '--restart', '--json']);
    expect(ran.json().seen).toBeLessThan(5000);
    expect(await getRow(key)).toBeUndefined();
  });

  it('names rows that do not open, goes on, and fails', async () => {
    const { sealed } = (await getRow(keyOfLead()))!;
    const broken = Uint8Array.from(sealed as Uint8Array);
    broken[40]! ^= 1;
    const other = leadKey({ unitId: made.partner.unitId, environment: 'sandbox' }, 7 as LeadId);
    await putRow({ Item: { ...other, sealed: broken } });
    const ran = await manager(['keys', 'reencrypt']);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain(other.pk);
    expect(await versionOf(keyOfLead())).toBe(current);
  });

  it('names those too that were met before it was cut off', async () => {
    const { sealed } = (await getRow(keyOfLead()))!;
    // Opened nowhere but in its own row.
    await writeRows(Array.from({ length: 150 }, (_, index) => ({ pk: `LEAD#${index}`, sk: 'LEAD', sealed })));
    for await (const { seen } of reencryptRows(current, atOnce)) {
      expect(seen).toBe(100);
      break;
    }
    const ran = await manager(['keys', 'reencrypt', '--json']);
    const { brokenCount, broken } = ran.json();
    expect([ran.code, brokenCount, new Set(broken).size]).toEqual([1, 150, 20]);
  });

  it('waits as long as what it took may take', async () => {
    const pauses: number[] = [];
    const rows = Array.from({ length: 120 }, (_, index) => putRow({ Item: { pk: `LATE#${index}`, sk: 'LATE' } }));
    await Promise.all(rows);
    const pace: Pace = { unitsPerSecond: 10, pause: async (milliseconds) => void pauses.push(milliseconds) };
    for await (const _ of reencryptRows(current, pace));
    expect(pauses.length).toBeGreaterThan(0);
    // A page of 100 rows is read and its place written: at least two units, at ten a second.
    for (const pause of pauses) expect(pause).toBeGreaterThanOrEqual(200);
  });

  it('counts rows by version and kind, without changing any', async () => {
    const { out } = await manager(['keys', 'reencrypt', '--dry-run'], { columns: 200 });
    expect(out).toMatch(/1 +opens only +\d+ .*\d+ KEY|1 +opens only +\d+ .*\d+ PARTNER/);
    expect(await versionOf(keyOfLead())).toBe(1);
  });
});

it.each([
  [['reencrypt', '--dry-run', '--rate', 5], "option '--dry-run' cannot be used with option '--rate <units>'"],
  [['reencrypt', '--dry-run', '--restart'], "option '--dry-run' cannot be used with option '--restart'"],
  [['reindex', '--dry-run', '--rate', 5], "option '--dry-run' cannot be used with option '--rate <units>'"],
  [['retire-sealing', 1, '--reason', 'r', '--yes', '--rate', 5], "unknown option '--rate'"],
])('keys %j is refused: what has a pace of its own takes none', async (words, why) => {
  const ran = await manager(['keys', ...words]);
  expect([ran.code, ran.err]).toEqual([2, expect.stringContaining(why)]);
});

describe('of two who change the keys at once', () => {
  it('one is refused, so that no key is lost', async () => {
    const tries = await Promise.allSettled([
      rotateSealingKey(),
      rotateSealingKey(),
      retireSealingKey(1, Date.now() + LATER),
    ]);
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { current, keys } = JSON.parse(peers.secrets.current(secretName)).sealing;
    expect([current, Object.keys(keys)]).toEqual([2, ['1', '2']]);
  });
});
