import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { handler as poll } from '#functions/pollers/poll-bank-outcomes.ts';
import { PERMISSIONS } from '#infra/permissions.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import type { LeadId } from '#shared/domain/values/ids.ts';
import { SECRET_HELD_MS, SECRET_KEPT_MS, SECRET_RETRY_MS } from '#shared/runtime/secret.ts';
import { getRow } from '#shared/table/rows/client.ts';
import { forgetServiceKeys, keyVersionOf } from '#shared/table/rows/encryption.ts';
import { leadKey } from '#shared/table/rows/keys.ts';
import { changeServiceKeys, heldKeys, retireServiceKeys } from '#shared/table/sealing/service-keys.ts';
import { api, makeRecords, OPERATIONS, type Operation } from '../makers/api.ts';
import { type CallAnswer, lambdaContext } from '../makers/call.ts';
import { captureLogLines } from '../makers/partner-call.ts';
import { type MadePartner, makePartner, usePeers } from '../makers/peers.ts';
import { analysisBody, cpfFrom, leadBody, simulationBody } from '../makers/people.ts';
import { newKeys, setServiceKeys } from '../makers/service-keys.ts';
import { holdClock, passTime, releaseClock } from '../makers/test-clock.ts';

const [MINUTE, HOUR] = [60_000, 3_600_000];

const peers = usePeers();
let partner: MadePartner;
let records: Awaited<ReturnType<typeof makeRecords>>;
const key = () => partner.keys.sandbox;

beforeAll(holdClock);
afterAll(releaseClock);
beforeEach(async () => {
  setServiceKeys(peers.secrets, { keys: newKeys() });
  partner = await makePartner();
  records = await makeRecords(key());
});
afterEach(() => {
  vi.restoreAllMocks();
  forgetServiceKeys();
});

/** From now on Secrets Manager refuses each call. */
function secretsGoAway() {
  const answer = peers.secrets.act.bind(peers.secrets);
  const act = vi.spyOn(peers.secrets, 'act').mockImplementation((_, body) => answer('NoSuchAction', body));
  return { come: () => act.mockRestore() };
}

const newLead = (number: number) => api('createLead', { key: key(), body: leadBody({ cpf: cpfFrom(number) }) });

/** Returns the status of every operation, called with a body and an id that suit it. */
async function statuses(): Promise<Readonly<Partial<Record<Operation, number>>>> {
  const { lead, opportunity, simulation, analysis } = records;
  const ids: Partial<Record<Operation, number>> = {
    getSimulationComparison: opportunity,
    getSimulation: simulation,
    getSimulationPdf: simulation,
    getSimulationInstalments: simulation,
    getAnalysisStatus: analysis,
  };
  const bodies: Partial<Record<Operation, object>> = {
    createLead: leadBody(),
    updateLead: { renda: 9_000 },
    createSimulation: simulationBody(lead),
    submitAnalyses: analysisBody(lead, { cpf: '900.000.001-75' }),
  };
  const found: Partial<Record<Operation, number>> = {};
  // A reset removes what the other operations look for.
  for (const operation of OPERATIONS.filter((name) => name !== 'resetSandbox')) {
    const body = bodies[operation];
    const once = operation === 'submitAnalyses' ? `once-${Date.now()}` : undefined;
    found[operation] = (await api(operation, { key: key(), id: ids[operation] ?? lead, body, once })).status;
  }
  return found;
}

it('every operation answers as before while Secrets Manager has been away for two hours', async () => {
  const before = await statuses();
  secretsGoAway();
  passTime(2 * HOUR);
  expect(await statuses()).toEqual(before);
});

it('without the service’s keys only operations that may read them are answered 503, and an idle poll ends', async () => {
  const before = await statuses();
  peers.secrets.put({ SecretId: process.env['KEYS_SECRET']!, SecretString: '{}' });
  forgetServiceKeys();
  const after = await statuses();
  const fileOf = (operation: string) => operation.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const needsKeys = (operation: string) => PERMISSIONS[fileOf(operation)]?.secrets?.includes('keys') === true;
  // Calls without a right body are refused before.
  const statusOf = (name: string, status: number) => (status < 400 && needsKeys(name) ? 503 : status);
  const expected = Object.entries(before).map(([name, status]) => [name, statusOf(name, status)]);
  expect(after).toEqual(Object.fromEntries(expected));
  // No analysis is due yet.
  await expect(poll({ time: timestamp(Date.now()), shard: 0, shards: 1 }, lambdaContext(55_000))).resolves.toBe(
    undefined,
  );
});

it('calls keep working for 12 hours while Secrets Manager is away, and are answered 503 after that', async () => {
  const away = secretsGoAway();
  passTime(SECRET_HELD_MS - MINUTE);
  expect((await newLead(1)).status).toBe(201);
  passTime(MINUTE);
  const refused = await newLead(2);
  expect(refused.status).toBe(503);
  expect(refused.body.codigo).toBe('servico_indisponivel');
  away.come();
  expect((await newLead(3)).status).toBe(201);
});

it('a container tries once in 30 seconds to fetch its keys while Secrets Manager is away, and counts each try', async () => {
  secretsGoAway();
  const counted = () => peers.metrics.filter((line) => line['SecretRefreshesFailed'] === 1).length;
  const before = counted();
  passTime(HOUR);
  const lines = await captureLogLines(async () => {
    for (let tries = 1; tries <= 5; tries++) {
      for (let call = 0; call < 4; call++) expect((await newLead(call)).status).toBeLessThan(300);
      await expect.poll(counted).toBe(before + tries);
      passTime(SECRET_RETRY_MS);
    }
  });
  expect(counted()).toBe(before + 5);
  const logged = lines.filter(({ code }) => code === 'secret_not_refreshed');
  expect(logged).toHaveLength(5);
  expect(logged[0]).toMatchObject({
    secret: process.env['KEYS_SECRET'],
    errors: [{ name: 'InvalidRequestException' }],
  });
});

it('a text of the keys that cannot be used leaves the keys in use that a container holds', async () => {
  peers.secrets.put({ SecretId: process.env['KEYS_SECRET']!, SecretString: '{}' });
  passTime(HOUR);
  expect((await newLead(1)).status).toBe(201);
});

it('new keys are in use after five minutes if Secrets Manager answers, also in a container that was idle', async () => {
  const { sealing, index } = setServiceKeys(peers.secrets, { keys: newKeys() });
  const versionOf = async ({ body }: CallAnswer) => {
    const tenancy = { unitId: partner.unitId, environment: 'sandbox' as const };
    const row = await getRow(leadKey(tenancy, body.lead_id as LeadId));
    return keyVersionOf(row?.['sealed'] as Uint8Array);
  };
  expect(await versionOf(await newLead(1))).toBe(1);
  // Another container has rotated the sealing key.
  const { keys } = newKeys().sealing;
  const rotated = { sealing: { current: 2, keys: { ...sealing.keys, 2: keys[1] } }, index };
  peers.secrets.put({ SecretId: process.env['KEYS_SECRET']!, SecretString: JSON.stringify(rotated) });
  passTime(SECRET_KEPT_MS);
  expect(await versionOf(await newLead(2))).toBe(2);
});

it('no key is retired, and no index key takes over, while a container may still hold older keys', async () => {
  const now = Date.now();
  await changeServiceKeys(1, now);
  const keys = await heldKeys();
  expect(keys.index.at(-1)?.from).toBeGreaterThan(now + SECRET_HELD_MS + MINUTE);
  const retire = (at: number) => retireServiceKeys({ versions: [1], names: [] }, keys, at);
  await expect(retire(now + SECRET_HELD_MS + MINUTE)).rejects.toThrow('may still write with old keys');
  await expect(retire(keys.index.at(-1)?.from ?? 0)).rejects.toThrow('may still write with old keys');
  await expect(retire(now + 24 * HOUR)).resolves.toBeGreaterThan(now + 24 * HOUR);
});

it('a row of a newer key is unavailable while Secrets Manager is away, and all other rows are not', async () => {
  const { lead } = records;
  const held = peers.secrets.current(process.env['KEYS_SECRET']!);
  await changeServiceKeys(1, Date.now());
  const newer = Number((await newLead(5)).body.lead_id);
  setServiceKeys(peers.secrets, { keys: JSON.parse(held) });
  expect((await api('getLead', { key: key(), id: lead })).status).toBe(200);
  secretsGoAway();
  expect((await api('getLead', { key: key(), id: newer })).status).toBe(503);
  expect((await api('getLead', { key: key(), id: newer })).status).toBe(503);
  expect((await api('getLead', { key: key(), id: lead })).status).toBe(200);
});
