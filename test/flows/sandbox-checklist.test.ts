import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { STEP_WORDS } from '#shared/contract/account.ts';
import { STEPS } from '#shared/domain/partners/sandbox-checklist.ts';
import type { Delivery } from '#shared/domain/webhooks/delivery.ts';
import { sandboxChecklistOf } from '#shared/table/partners/sandbox-checklist.ts';
import { tableClient } from '#shared/table/rows/client.ts';
import { api } from '../makers/api.ts';
import { bookDeliveries, moveToState, newDelivery } from '../makers/booked.ts';
import { countUnits } from '../makers/counting.ts';
import { type Interception, intercepted } from '../makers/intercepted.ts';
import { makePartner } from '../makers/peers.ts';
import { leadBody } from '../makers/people.ts';
import { type Person, useScene } from '../makers/scene.ts';
import { useManager } from '../makers/served-administration.ts';
import { beginMinute, passPeersTime, passTime } from '../makers/test-clock.ts';

// Before production is opened to a partner, the checklist shows the manager which steps the rows of the sandbox prove.

const scene = useScene({ environment: 'sandbox' });
const manager = useManager(scene.peers);
let counted: ReturnType<typeof countUnits>;
beforeAll(async () => {
  counted = countUnits(tableClient());
});
beforeEach(async () => {
  // A container's first call in a minute may read the auth item twice. The tests below must not count that.
  beginMinute();
  scene.partner = await makePartner();
});

/** Returns the checklist, read after the index has followed the table. */
function checklistOf(...of: Parameters<typeof sandboxChecklistOf>) {
  passPeersTime(5_000);
  return sandboxChecklistOf(...of);
}
const shownOf = async () => Object.keys((await checklistOf(scene.partner.partnerId)).shown).sort();
const again = (person: Person, key = scene.key) =>
  api('createLead', { key, body: leadBody({ cpf: person.cpf }), headers: { 'idempotency-key': crypto.randomUUID() } });
const simulate = (person: Person) =>
  api('createSimulation', { key: scene.key, body: { lead_id: person.lead, valor_imovel: 500_000, bancos: ['itau'] } });
const replay = (person: Person) => scene.submit(person, ['itau'], `key-${person.lead}`);
const checklist = () => manager(['partners', 'checklist', scene.partner.partnerId, '--json']);

/** Submits an analysis of a test CPF and waits for its outcome. Returns the event. */
async function outcomeOf(person: Person) {
  const { body } = await replay(person);
  passTime(10_000);
  await scene.poll(person);
  const [event] = await scene.events(body.analises.map(({ analise_id }: { analise_id: number }) => analise_id));
  return event!;
}

/** Lets the receiver accept an event at its n-th attempt. */
const take = (event: Delivery, attempt = 1) => moveToState('entregue', { ...event, attempts: attempt - 1 }, Date.now());

/** Books production events of the scene's partner that its receiver has accepted. */
function produce(count: number) {
  const { partnerId, unitId } = scene.partner;
  const taken = { unitId, environment: 'producao', state: 'entregue', attempts: 2, createdAt: Date.now() } as const;
  return bookDeliveries(Array.from({ length: count }, () => newDelivery(partnerId, taken)));
}

/** Makes every step of the checklist for the scene's partner. */
async function wholeFlow(): Promise<void> {
  const person = await scene.person('900.000.001-75');
  await again(person);
  await simulate(person);
  const event = await outcomeOf(person);
  await take(event);
  await api('resendDelivery', { key: scene.key, id: event.eventId });
  await take(event, 2);
  await replay(person);
  for (const cpf of ['900.000.002-56', '900.000.003-37', '900.000.004-18', '900.000.005-07'])
    await outcomeOf(await scene.person(cpf));
}

describe('sandboxChecklistOf', () => {
  it('sandboxChecklistOf shows each step once it was made, and none before', async () => {
    expect(await shownOf()).toEqual([]);
    const person = await scene.person('900.000.001-75');
    expect(await shownOf()).toEqual(['lead']);
    await again(person);
    expect(await shownOf()).toEqual(['lead', 'reuse']);
    await simulate(person);
    expect(await shownOf()).toEqual(['lead', 'reuse', 'simulation']);
    const event = await outcomeOf(person);
    expect(await shownOf()).toEqual(['analysis', 'aprovado', 'lead', 'reuse', 'simulation']);
    await replay(person);
    expect(await shownOf()).toEqual(['analysis', 'aprovado', 'lead', 'replay', 'reuse', 'simulation']);
    await take(event);
    const { shown, missing } = await checklistOf(scene.partner.partnerId);
    expect(missing).toEqual(['condicionado', 'recusado', 'cancelado', 'erro', 'resend']);
    expect(shown).toMatchObject({
      lead: { kind: 'lead', id: person.lead, unitId: scene.partner.unitId },
      webhook: { kind: 'event', id: event.eventId, unitId: scene.partner.unitId },
    });
  });

  it('a change of the lead loses no step that is recorded on the lead at the same time', async () => {
    const person = await scene.person();
    await scene.submit(person, ['itau'], `key-${person.lead}`);
    const tried = [again, replay];
    const between: Interception = {
      async around(name, call) {
        const read = await call();
        while (/ Get/.test(name) && tried.length > 0) await tried.pop()!(person);
        return read;
      },
    };
    const change = () => api('updateLead', { key: scene.key, id: person.lead, body: { renda: 4321 } });
    expect((await intercepted(between, change)).status).toBe(200);
    expect(tried).toEqual([]);
    expect(await shownOf()).toEqual(['analysis', 'lead', 'replay', 'reuse']);
  });

  it('a simulation in which every bank refused does not make the step', async () => {
    const person = await scene.person();
    const body = {
      lead_id: person.lead,
      valor_imovel: 1_000,
      valor_financiado: 900_000_000,
      bancos: ['itau', 'inter'],
    };
    const refused = await api('createSimulation', { key: scene.key, body });
    expect(refused.status).toBe(200);
    expect(refused.body.resultado.sucesso).toBe(false);
    expect(await shownOf()).toEqual(['lead']);
    await simulate(person);
    await api('createSimulation', { key: scene.key, body });
    expect(await shownOf()).toEqual(['lead', 'simulation']);
  });

  it('a conflict of the Idempotency-Key does not make the step of the replay', async () => {
    const person = await scene.person();
    await replay(person);
    const other = await scene.submit(person, ['inter'], `key-${person.lead}`);
    expect(other.status).toBe(422);
    expect(await shownOf()).toEqual(['analysis', 'lead']);
  });

  it('sandboxChecklistOf looks at every unit of the partner, at no other partner and not at production', async () => {
    const stranger = scene.partner;
    await scene.person();
    scene.partner = await makePartner();
    await api('createLead', { key: scene.partner.keys.producao, body: leadBody() });
    expect(await shownOf()).toEqual([]);
    const unitId = await scene.partner.addUnit();
    await api('createLead', { key: await scene.partner.addKey({ unitId }), body: leadBody() });
    expect((await checklistOf(scene.partner.partnerId)).shown.lead).toMatchObject({ unitId });
    expect((await checklistOf(stranger.partnerId)).shown.lead).toMatchObject({ unitId: stranger.unitId });
  });

  it('sandboxChecklistOf says if it left out older events, and counts no event of production', async () => {
    await take(await outcomeOf(await scene.person()));
    passTime(1);
    await produce(499);
    expect(await checklistOf(scene.partner.partnerId)).toMatchObject({ shown: { webhook: {} }, cut: false });
    passTime(1);
    await produce(1);
    // The event is still found by its analysis. A list for the partner itself ends with the newest 500 events.
    const { partnerId, unitId } = scene.partner;
    expect(await checklistOf(partnerId)).toMatchObject({ shown: { webhook: {} }, cut: true });
    const { missing, cut } = await checklistOf(partnerId, 20, { unitId });
    expect(missing).toContain('webhook');
    expect(cut).toBe(true);
  });
});

describe('the checklist in GET /v1/me', () => {
  const me = async (key = scene.key) => (await api('getAccount', { key })).body;
  const made = async () => {
    passPeersTime(5_000);
    const { passos } = (await me()).validacao;
    return passos.flatMap(({ passo, feito }: { passo: string; feito: boolean }) => (feito ? [passo] : []));
  };

  it('GET /v1/me and the manager both show a complete checklist, which then costs GET /v1/me two calls', async () => {
    await wholeFlow();
    expect(await made()).toEqual(STEPS.map((step) => STEP_WORDS[step].passo));
    expect((await checklist()).json().complete).toBe(true);
    // The flow has used up most of a minute.
    beginMinute();
    await me();
    counted.reset();
    expect((await me()).validacao.pronta).toBe(true);
    expect(counted.units.calls).toEqual(['Update', 'BatchGet']);
  });

  it('a step stays made for partner and manager when newer leads hide the lead that proved it', async () => {
    const person = await scene.person();
    await again(person);
    expect(await made()).toEqual(['lead', 'reaproveitamento']);
    passTime(1);
    for (let newer = 0; newer < 20; newer++) await scene.person();
    expect(await made()).toEqual(['lead', 'reaproveitamento']);
    const { shown, cut } = await checklistOf(scene.partner.partnerId, 20);
    expect(shown.reuse).toMatchObject({ kind: 'lead', id: person.lead });
    expect(cut).toBe(true);
    expect(await checklistOf(scene.partner.partnerId, 21)).toMatchObject({ cut: false });
  });
});

it('GET /v1/me makes the same calls for any number of production events, and reads no more from 500 on', async () => {
  await scene.person();
  const costs: { readonly calls: readonly string[]; readonly read: number }[] = [];
  for (const more of [0, 50, 550, 900]) {
    await produce(more);
    passPeersTime(5_000);
    // The first call stores the steps that it finds.
    await api('getAccount', { key: scene.key });
    counted.reset();
    expect((await api('getAccount', { key: scene.key })).status).toBe(200);
    costs.push({ calls: [...counted.units.calls].sort(), read: counted.units.read });
  }
  const [none, few, many, most] = costs;
  for (const { calls } of [few!, many!, most!]) expect(calls).toEqual(none!.calls);
  expect(none!.calls).toHaveLength(7);
  expect(most!.read).toBe(many!.read);
  expect(most!.read).toBeLessThan(40);
});
