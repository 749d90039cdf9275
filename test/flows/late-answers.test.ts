/**
 * A call to the table, to Secrets Manager, to the queue or to the operator ends after the deadline of its invocation.
 * On Lambda this happens in the next invocation, when the frozen container is thawed: no timer has fired by then, only
 * the clock shows that the time is over. Nothing more may begin.
 */
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ADMINISTRATION_OPERATIONS, type AdministrationOperation } from '#shared/administration/operations.ts';
import * as routes from '#shared/contract/routes.ts';
import { forgetServiceKeys } from '#shared/table/rows/encryption.ts';
import { administration } from '../makers/administration.ts';
import { type AdministrationScene, administrationScenes } from '../makers/administration-scenes.ts';
import { api, makeRecords, OPERATIONS, type Operation } from '../makers/api.ts';
import { bookDelivery } from '../makers/booked.ts';
import type { CallOptions } from '../makers/call.ts';
import { type Interception, intercepted, interceptSecrets, meanwhile, recorded } from '../makers/intercepted.ts';
import { type MadePartner, makePartner } from '../makers/peers.ts';
import { analysisBody, cpfFrom, leadBody, simulationBody, withdrawalBody } from '../makers/people.ts';
import { startPlainReceiver } from '../makers/receiver.ts';
import { clearTable } from '../makers/rows.ts';
import { useScene } from '../makers/scene.ts';
import { setServiceKeys } from '../makers/service-keys.ts';
import { passTime } from '../makers/test-clock.ts';

vi.mock('#shared/wiring.ts', async (real) => (await import('../makers/intercepted.ts')).openWiring(await real()));
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const SOAK = Boolean(process.env['SOAK']);
/**
 * Returns which calls of an operation end late: each of them with SOAK=1, otherwise one, and a different one in each
 * operation.
 */
function lateCalls(names: readonly string[], operation: number): readonly number[] {
  const numbers = names.map((_, index) => index + 1);
  return SOAK ? numbers : [1 + (operation % names.length)];
}

/** Longer than any function may run. */
const LATE = 120_000;

/** Calls that reached the operator or a receiver. */
let received = 0;
const scene = useScene({
  called: () => {
    received += 1;
  },
});

let keysSecret: string;
let receiverUrl: string;

beforeAll(async () => {
  process.env['LOCAL_WEBHOOK_TARGETS'] = 'true';
  keysSecret = process.env['KEYS_SECRET']!;
  interceptSecrets();
  const { port } = await startPlainReceiver((_, response) => {
    received += 1;
    response.writeHead(200).end();
  });
  receiverUrl = `http://127.0.0.1:${port}/eventos`;
});
beforeEach(() => {
  process.env['KEYS_SECRET'] = keysSecret;
});

/**
 * Plays an invocation whose n-th outside call ends after the deadline. Without a number, no call does. Returns the
 * names of the calls, and the names of those that reached a peer although they began after the deadline.
 */
async function play(run: () => Promise<unknown>, late = 0) {
  const reached: string[] = [];
  let isOver = false;
  /** Whether the operator may have been called before the deadline. */
  let calledOut = false;
  let receivedInTime = Number.POSITIVE_INFINITY;
  const passDeadline = async () => {
    calledOut = lateCall.calls.some(({ name }) => /operator|send/.test(name));
    isOver = true;
    receivedInTime = received;
    passTime(LATE);
  };
  const noteReach = async <T>(name: string, call: () => Promise<T>): Promise<T> => {
    const before = received;
    try {
      const result = await call();
      // The operator's port does not throw: it returns that it got no answer.
      if (!name.startsWith('operator') || received > before) reached.push(name);
      return result;
    } catch (error) {
      if (!(error instanceof Error && error.name === 'AbortError')) reached.push(name);
      throw error;
    }
  };
  const lateCall = recorded(meanwhile(undefined, passDeadline, { at: late, when: 'after' }));
  const noting: Interception = {
    around(name, call) {
      // A container fetches its keys for all callers, so this fetch has a time limit of its own.
      const isNoted = isOver && name !== 'secret GetSecretValueCommand';
      return lateCall.around(name, isNoted ? () => noteReach(name, call) : call);
    },
  };
  forgetServiceKeys();
  await intercepted(noting, run).catch(() => {});
  const names = lateCall.calls.map(({ name }) => name);
  // The call of a receiver is not open to interception.
  if (late > 0 && received > receivedInTime && !calledOut) reached.push('a receiver');
  return { names, reached };
}

/** Makes what an operation needs, and returns its call. */
type PartnerScene = (partner: MadePartner) => Promise<CallOptions> | CallOptions;

let people = 0;
const newPerson = () => cpfFrom(600_000 + ++people);

async function withLead(partner: MadePartner, bodyOf: (lead: number, cpf: string) => object = () => ({})) {
  const cpf = newPerson();
  const { body } = await api('createLead', { key: partner.keys.producao, body: leadBody({ cpf }) });
  const lead = Number(body.lead_id);
  return { id: lead, body: bodyOf(lead, cpf) };
}
const withRecord = (name: 'lead' | 'simulation' | 'analysis') => async (partner: MadePartner) => ({
  id: (await makeRecords(partner.keys.sandbox, newPerson()))[name],
  key: partner.keys.sandbox,
});

/** The calls of all operations except GETs by the id that makeRecords returns, and GETs without an id. */
const SCENES: Readonly<Partial<Record<Operation, PartnerScene>>> = {
  createLead: () => ({ body: leadBody({ cpf: newPerson() }), once: 'k' }),
  updateLead: (partner) => withLead(partner, () => ({ renda: 9_000 })),
  createSimulation: async (partner) => ({ ...(await withLead(partner, (lead) => simulationBody(lead))), once: 'k' }),
  submitAnalyses: async (partner) => ({
    ...(await withLead(partner, (lead, cpf) => analysisBody(lead, { cpf, bancos: ['itau', 'inter'] }))),
    once: 'k',
  }),
  withdrawConsent: async (partner) => ({ ...(await withRecord('lead')(partner)), body: withdrawalBody(), once: 'w' }),
  resendDelivery: async ({ partnerId, unitId }) => ({
    id: (await bookDelivery(partnerId, { unitId, environment: 'producao' })).eventId,
  }),
  testWebhook: () => ({}),
  resetSandbox: async (partner) => ({ key: (await withRecord('lead')(partner)).key }),
};

function sceneOf(name: Operation): PartnerScene {
  const { method, pathId } = routes[name];
  const scene = SCENES[name];
  if (scene) return scene;
  if (method !== 'GET') throw new Error(`${name} has no scene`);
  return pathId === 'none' ? ({ keys }) => ({ key: keys.sandbox }) : withRecord(pathId);
}

describe('a call of a partner', () => {
  it.each(OPERATIONS)(
    '%s begins no outside call after its deadline, whichever of its calls ends late',
    async (name) => {
      const make = async () => {
        const partner = await makePartner();
        const call = await sceneOf(name)(partner);
        return () => api(name, { key: partner.keys.producao, ...call });
      };
      const { names } = await play(await make());
      expect(names.length).toBeGreaterThan(0);
      for (const late of lateCalls(names, OPERATIONS.indexOf(name))) {
        const { reached } = await play(await make(), late);
        expect(reached, `call ${late}, ${names[late - 1]}, ends late`).toEqual([]);
      }
    },
  );
});

describe('a call of the administration', () => {
  let scenes: Readonly<Partial<Record<AdministrationOperation, AdministrationScene>>>;
  beforeAll(() => {
    scenes = administrationScenes(scene.peers.secrets, receiverUrl);
  });
  beforeEach(async () => {
    await clearTable();
    setServiceKeys(scene.peers.secrets);
  });
  const operations = ADMINISTRATION_OPERATIONS.map(({ operation }) => operation);

  it.each(operations)(
    '%s begins no outside call after its deadline, whichever of its calls ends late',
    async (name) => {
      const make = async () => {
        process.env['KEYS_SECRET'] = keysSecret;
        const call = await scenes[name]!();
        return () => administration(name, call);
      };
      const { names } = await play(await make());
      for (const late of lateCalls(names, operations.indexOf(name))) {
        const { reached } = await play(await make(), late);
        expect(reached, `call ${late}, ${names[late - 1]}, ends late`).toEqual([]);
      }
    },
  );
});

describe('a run of the poller', () => {
  it('poll-bank-outcomes begins no outside call after its deadline, whichever of its calls ends late', async () => {
    scene.partner = await makePartner();
    const make = async () => {
      const person = await scene.person();
      await scene.submit(person, ['itau'], `k${++people}`);
      passTime(120_000);
      return () => scene.poll();
    };
    const { names } = await play(await make());
    expect(names).toContain('operator query');
    // The reads of the partitions that hold nothing are all alike.
    const points = names.flatMap((name, index) => (/Query$|Get$/.test(name) && index % 40 > 0 ? [] : [index + 1]));
    for (const late of points.filter((_, index) => SOAK || index % 4 === 0)) {
      const { reached } = await play(await make(), late);
      expect(reached, `call ${late}, ${names[late - 1]}, ends late`).toEqual([]);
    }
  });
});
