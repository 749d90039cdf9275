/**
 * Each read that may show the past (shared/table/README.md, Reads that may show the past), under a wire whose indexes
 * are late or never show a change.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { handler as sweepDeliveries } from '#functions/pollers/sweep-deliveries.ts';
import { awsLikeSettings } from '#infra/local/aws/aws-like/settings.ts';
import { eventOf } from '#shared/contract/event.ts';
import { transition } from '#shared/domain/analyses/analysis.ts';
import { POLL_PARTITIONS } from '#shared/domain/analyses/poll-schedule.ts';
import { SECOND_PASS_AFTER } from '#shared/domain/leads/erasure.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import { type AnalysisId, idOf, type LeadId, type PartnerId } from '#shared/domain/values/ids.ts';
import { deliver } from '#shared/domain/webhooks/deliver.ts';
import { DELIVERY_KEPT, type Delivery, type DueDelivery } from '#shared/domain/webhooks/delivery.ts';
import type { EndpointOwner } from '#shared/domain/webhooks/endpoint.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { sweep } from '#shared/domain/webhooks/sweep.ts';
import { TableAnalyses } from '#shared/table/analyses/analyses.ts';
import { TableRetainedLeads } from '#shared/table/leads/lead-retention.ts';
import { sandboxChecklistOf } from '#shared/table/partners/sandbox-checklist.ts';
import { getRow } from '#shared/table/rows/client.ts';
import { webhookKey } from '#shared/table/rows/keys.ts';
import { TableDeliveries } from '#shared/table/webhooks/deliveries.ts';
import { TableDeliveryArchive } from '#shared/table/webhooks/replays.ts';
import { TableSuspendedDeliveries } from '#shared/table/webhooks/suspended-deliveries.ts';
import { TableUnitDeliveries } from '#shared/table/webhooks/unit-deliveries.ts';
import {
  disableWebhook,
  enableWebhook,
  setWebhook,
  TableWebhookEndpoints,
} from '#shared/table/webhooks/webhook-endpoints.ts';
import { consentWithdrawals, partnerRegister } from '#shared/wiring.ts';
import { api } from '../makers/api.ts';
import { bookDelivery, claimAttempt, firstMessage, makeWebhookPartner, moveToState } from '../makers/booked.ts';
import { lambdaContext } from '../makers/call.ts';
import { success } from '../makers/delivery.ts';
import { FakeDeliveryQueue } from '../makers/delivery-queue.ts';
import { erase, erasureOf, sweepErasures } from '../makers/erasure.ts';
import { makePartner } from '../makers/peers.ts';
import { analysisBody, CONSENTED_AT, cpfFrom, leadBody } from '../makers/people.ts';
import { rowsOf } from '../makers/rows.ts';
import { useScene } from '../makers/scene.ts';
import { passPeersTime, passTime } from '../makers/test-clock.ts';

const MINUTE = 60_000;
const scene = useScene({ awsLike: awsLikeSettings('default') });
const deliveries = new TableDeliveries(Date.now);
const endpoints = new TableWebhookEndpoints();
const suspended = new TableSuspendedDeliveries();
const archive = new TableDeliveryArchive();

/** Time after a write until the indexes show it. Only writes from now on have it. */
const indexIsLate = (milliseconds: number) => scene.awsLike.set({ indexLag: [milliseconds, milliseconds] });
const indexShowsAll = () => indexIsLate(0);
/** From now on, the indexes show no write. */
const indexStops = () => indexIsLate(1e14);

beforeEach(async () => {
  indexShowsAll();
  scene.partner = await makePartner();
});

describe('the pending analyses', () => {
  it('the poller ends an analysis that the index shows only minutes after its submission', async () => {
    const person = await scene.person();
    indexIsLate(3 * MINUTE);
    const { body } = await scene.submit(person, ['itau'], crypto.randomUUID());
    const id = body.analises[0].analise_id;
    scene.operator.control.decide(scene.reference(id), 'Aprovado');
    await scene.tick(person);
    expect((await scene.status(id)).body.analise.pendente).toBe(true);
    for (let minute = 0; minute < 4; minute++) await scene.tick(person);
    expect((await scene.status(id)).body.analise.pendente).toBe(false);
    expect(await scene.events([id])).toHaveLength(1);
  });

  it('the poller changes nothing in an ended analysis that the index still shows as pending', async () => {
    const person = await scene.person();
    const { body } = await scene.submit(person, ['itau'], crypto.randomUUID());
    const id = body.analises[0].analise_id;
    await scene.settled(person, ['itau']);
    indexStops();
    scene.operator.control.decide(scene.reference(id), 'Aprovado');
    await scene.tick(person);
    const before = [await rowsOf('ANALYSIS#'), await scene.events([id])];
    expect(before[1]).toHaveLength(1);
    await scene.tick(person);
    expect([await rowsOf('ANALYSIS#'), await scene.events([id])]).toEqual(before);
    const shown = await Promise.all(
      POLL_PARTITIONS.map((partition) =>
        new TableAnalyses(Date.now, eventOf).pending(partition, { from: 0, to: Number.MAX_SAFE_INTEGER }),
      ),
    );
    expect(shown.flatMap(({ items }) => items).some((analysis) => analysis.id === id)).toBe(true);
    expect(scene.queriesOn(person, ['itau'])).toEqual([1]);
  });

  it('GET /v1/analises shows an outcome once the index does, from two minutes before', async () => {
    const person = await scene.person();
    const { body } = await scene.submit(person, ['itau'], crypto.randomUUID());
    const id = body.analises[0].analise_id;
    await scene.settled(person, ['itau']);
    indexIsLate(MINUTE);
    scene.operator.control.decide(scene.reference(id), 'Aprovado');
    passTime(MINUTE);
    const before = timestamp(Date.now());
    await scene.poll(person);
    const listed = async () => {
      const query = { atualizada_desde: timestamp(Date.parse(before) - 2 * MINUTE) };
      return (await api('listAnalyses', { key: scene.key, query })).body.analises;
    };
    expect(await listed()).toEqual([]);
    passPeersTime(MINUTE);
    expect(await listed()).toMatchObject([{ analise_id: id, situacao: 'aprovado' }]);
  });

  it('the poller ends an unsent analysis of a withdrawn consent once, however late the index shows it', async () => {
    const person = await scene.person();
    indexIsLate(3 * MINUTE);
    scene.operator.control.fault({ kind: 'lost_before', times: 1 });
    const { body } = await scene.submit(person, ['itau'], crypto.randomUUID());
    const id = body.analises[0].analise_id;
    const tenancy = { unitId: scene.partner.unitId, environment: scene.environment };
    const withdrawal = { withdrawnAt: CONSENTED_AT, channel: 'app' };
    const withdrawn = await consentWithdrawals().record(tenancy, idOf<LeadId>(person.lead), withdrawal);
    expect(withdrawn).toMatchObject({ done: { affected: [{ id, isSent: false }] } });
    for (let minute = 0; minute < 9; minute++) await scene.tick(person);
    expect((await scene.status(id)).body.analise.situacao).toBe('cancelado');
    expect(await scene.events([id])).toHaveLength(1);
    expect(scene.queriesOn(person, ['itau'])).toEqual([0]);
  });
});

describe('erasures and the end of leads', () => {
  it('an erasure that the index shows late has its second pass later, and no third', async () => {
    const person = await scene.person();
    indexIsLate(20 * MINUTE);
    expect((await erase(scene, person))?.state).toBe('apagado');
    passTime(SECOND_PASS_AFTER + 1);
    await sweepErasures();
    expect((await erasureOf(scene, person))?.passes).toHaveLength(1);
    passTime(10 * MINUTE);
    indexStops();
    await sweepErasures();
    await sweepErasures();
    expect((await erasureOf(scene, person))?.passes).toHaveLength(2);
  });

  it('the second pass of an erasure deletes a stored answer that the index did not show at the first', async () => {
    const cpf = cpfFrom(870_001);
    indexIsLate(10 * MINUTE);
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const { body } = await api('createLead', { key: scene.key, body: leadBody({ cpf }), headers });
    const person = { ...(await scene.person(cpf)), lead: Number(body.lead_id) };
    const answers = async () => (await rowsOf('IDEMPOTENCY#')).filter(({ leadId }) => leadId === person.lead).length;
    await erase(scene, person);
    expect(await answers()).toBe(1);
    passTime(SECOND_PASS_AFTER + 1);
    await sweepErasures();
    expect(await answers()).toBe(0);
  });

  it('look and claim refuse a lead whose entry in the index is not the one in its row', async () => {
    const retained = new TableRetainedLeads();
    const { lead } = await scene.person();
    const entryOf = async () => {
      for await (const due of retained.due(Date.now() + 100 * 365 * 86_400_000)) if (due.leadId === lead) return due;
      throw new Error('the index does not show the lead');
    };
    const due = await entryOf();
    const seen = await retained.look(due);
    if (!seen) throw new Error('the lead is not seen');
    indexStops();
    expect(await retained.keep(seen, { at: Date.now() + MINUTE, notice: undefined })).toBe(true);
    expect(await entryOf()).toEqual(due);
    expect(await retained.look(due)).toBeUndefined();
    expect(await retained.claim(seen, Date.now(), Date.now())).toBeUndefined();
  });
});

describe('the sandbox', () => {
  it('POST /v1/sandbox/reinicio notes the steps of leads that the index does not show', async () => {
    const key = scene.partner.keys.sandbox;
    const cpf = '900.000.001-75';
    indexStops();
    scene.awsLike.set({ readLag: [500, 500] });
    const { body } = await api('createLead', { key, body: leadBody({ cpf }) });
    await api('createLead', { key, body: leadBody({ cpf }) });
    const simulation = { lead_id: body.lead_id, valor_imovel: 500_000, bancos: ['itau'] };
    expect((await api('createSimulation', { key, body: simulation })).status).toBe(200);
    expect((await api('resetSandbox', { key })).body).toEqual({ ok: true, leads: 1, restam: false });
    const { passos } = (await api('getAccount', { key })).body.validacao;
    const made = passos.flatMap(({ passo, feito }: { passo: string; feito: boolean }) => (feito ? [passo] : []));
    expect(made).toEqual(['lead', 'reaproveitamento', 'simulacao']);
    scene.awsLike.set({ readLag: [0, 50] });
  });
});

describe('the partners', () => {
  it('page shows a partner that the index does not show, once and in its order', async () => {
    indexShowsAll();
    const older = await makePartner();
    indexStops();
    const newer = await makePartner();
    const shown: PartnerId[] = [];
    let after: PartnerId | undefined;
    do {
      const page = await partnerRegister().page(2, after);
      shown.push(...page.items.map(({ id }) => id));
      after = page.next;
    } while (after !== undefined);
    expect(shown).toContain(older.partnerId);
    expect(shown).toContain(newer.partnerId);
    expect(shown).toEqual(Array.from(new Set(shown)).sort((a, b) => a - b));
  });
});

describe('suspended events', () => {
  let owner: EndpointOwner;
  let booked: Delivery;
  beforeEach(async () => {
    owner = await makeWebhookPartner(Date.now());
    await disableWebhook(owner, 'manager', Date.now());
    booked = await bookDelivery(owner, { dueAt: Date.now(), createdAt: Date.now() });
  });

  const suspend = () => moveToState('suspensa', booked, Date.now());
  const stateOf = async () => (await deliveries.get(booked.eventId))?.state;
  const tick = () => sweepDeliveries({ time: timestamp(Date.now()) }, lambdaContext(55_000));
  const giveUp = () => suspended.giveUp(owner, Date.now() - DELIVERY_KEPT, Date.now());

  it('the sweeper releases an event that the index shows only after its endpoint was enabled', async () => {
    indexIsLate(2 * MINUTE);
    await suspend();
    await enableWebhook(owner, Date.now());
    await tick();
    expect(await stateOf()).toBe('suspensa');
    passTime(3 * MINUTE);
    await tick();
    expect(await stateOf()).toBe('pendente');
  });

  it('an event is kept if the index still shows its endpoint as enabled lately though it is disabled', async () => {
    await suspend();
    await enableWebhook(owner, Date.now());
    indexStops();
    await disableWebhook(owner, 'manager', Date.now());
    const { items } = await deliveries.release(owner, Date.now());
    expect(items).toHaveLength(1);
    const [message = firstMessage(booked)] = items;
    await deliver(message, {
      deliveries,
      endpoints,
      queue: new FakeDeliveryQueue(Date.now),
      sender: { send: async () => success },
      clock: Date.now,
      random: () => 0,
      observer: { attempted() {} },
    });
    expect(await deliveries.get(booked.eventId)).toMatchObject({ state: 'suspensa', attempts: 0, history: [] });
  });

  it('release sends no event again that the index still shows as suspended', async () => {
    await suspend();
    await enableWebhook(owner, Date.now());
    indexStops();
    expect((await deliveries.release(owner, Date.now())).items).toHaveLength(1);
    expect((await deliveries.release(owner, Date.now())).items).toEqual([]);
  });

  it('the mark of an endpoint that was enabled again stays if the index shows the earlier mark', async () => {
    await enableWebhook(owner, Date.now());
    indexStops();
    passTime(1_000);
    await enableWebhook(owner, Date.now());
    const mark = (await getRow(webhookKey(owner)))?.['dueSk'];
    const shown = (await endpoints.enabledLately()).find((enabled) => enabled.partnerId === owner.partnerId);
    expect(shown?.enabledAt).toBeLessThan(Date.now());
    if (shown) await endpoints.released(shown);
    expect((await getRow(webhookKey(owner)))?.['dueSk']).toBe(mark);
  });

  it('giveUp gives up no event of an endpoint that is enabled while the index shows it as disabled', async () => {
    await suspend();
    passTime(DELIVERY_KEPT + MINUTE);
    indexStops();
    await enableWebhook(owner, Date.now());
    expect((await suspended.disabledEndpoints(1_000)).items.map((endpoint) => endpoint.partnerId)).toContain(
      owner.partnerId,
    );
    expect((await giveUp()).givenUp).toBe(0);
    expect(await stateOf()).toBe('suspensa');
    expect((await deliveries.release(owner, Date.now())).items).toHaveLength(1);
  });
});

describe('lists of events', () => {
  /** Books an event of the scene's partner in its sandbox. */
  const book = () => {
    const { partnerId, unitId } = scene.partner;
    const now = Date.now();
    return bookDelivery(partnerId, { unitId, environment: 'sandbox', dueAt: now, createdAt: now });
  };

  it('replay leaves an event alone that the index still shows as final, and a new one to the next replay', async () => {
    const { partnerId } = scene.partner;
    const booked = await book();
    await moveToState('esgotada', booked, Date.now());
    indexStops();
    const later = await book();
    await moveToState('esgotada', later, Date.now());
    expect((await archive.replay(booked.eventId, Date.now(), ['esgotada'])).kind).toBe('due');
    const { items } = await archive.page(partnerId, { states: ['esgotada'] }, 'oldest', 10);
    expect(items.map(({ eventId }) => eventId)).toEqual([booked.eventId]);
    expect((await archive.replay(booked.eventId, Date.now(), ['esgotada'])).kind).toBe('pending');
    expect((await deliveries.get(later.eventId))?.state).toBe('esgotada');
  });

  it('the counts of suspended events leave out an event that the index does not show yet', async () => {
    const { partnerId, unitId } = scene.partner;
    const owner = { partnerId, unitId, environment: 'sandbox' } as const;
    await setWebhook(owner, 'https://parceiro.example/', newWebhookSecret(), Date.now());
    await disableWebhook(owner, 'manager', Date.now());
    indexIsLate(MINUTE);
    await moveToState('suspensa', await book(), Date.now());
    expect((await suspended.count(owner, { most: 10 })).count).toBe(0);
    passPeersTime(MINUTE + 1);
    expect((await suspended.count(owner, { most: 10 })).count).toBe(1);
  });

  it('GET /v1/webhooks/entregas shows an event in its present state once the index shows the event', async () => {
    const { partnerId, unitId } = scene.partner;
    const owner = { partnerId, unitId, environment: 'sandbox' } as const;
    const listed = async () =>
      (await new TableUnitDeliveries(Date.now).list(owner, {}, { limit: 10, offset: 0 })).items.map(
        ({ state }) => state,
      );
    indexIsLate(MINUTE);
    const booked = await book();
    expect(await listed()).toEqual([]);
    passPeersTime(MINUTE + 1);
    indexStops();
    await moveToState('entregue', booked, Date.now());
    expect(await listed()).toEqual(['entregue']);
  });

  it('the checklist for the validation shows an event that the list of events does not show yet', async () => {
    const key = scene.partner.keys.sandbox;
    indexStops();
    const { body } = await api('createLead', { key, body: leadBody({ cpf: '900.000.001-75' }) });
    const submission = { ...analysisBody(Number(body.lead_id), { cpf: '900.000.001-75' }), bancos: ['itau'] };
    const submitted = await api('submitAnalyses', { key, body: submission, once: crypto.randomUUID() });
    const id: number = submitted.body.analises[0].analise_id;
    indexShowsAll();
    passTime(MINUTE);
    const { unitId, partnerId } = scene.partner;
    const analyses = new TableAnalyses(Date.now, eventOf);
    const tenancy = { unitId, environment: 'sandbox' } as const;
    const before = await analyses.get(tenancy, idOf<AnalysisId>(id));
    const after = before && transition(before, { situation: 'aprovado', rawStatus: 'Aprovado', queryNumber: 'IT-1' });
    if (!before || !after) throw new Error('the analysis is not pending');
    indexStops();
    const written = await analyses.conclude({ before, after });
    if (written === 'moved_on') throw new Error('the analysis is not pending');
    const [event] = written.events;
    await moveToState('entregue', event!, Date.now());
    const { shown } = await sandboxChecklistOf(partnerId);
    expect(shown.webhook).toMatchObject({ kind: 'event', id: event!.eventId });
  });
});

describe('due and exhausted events', () => {
  it('an event that the index still shows as due is sent again by the sweeper and attempted once', async () => {
    const owner = await makeWebhookPartner(Date.now());
    const booked = await bookDelivery(owner, { dueAt: Date.now(), createdAt: Date.now() });
    passTime(30 * MINUTE);
    indexStops();
    const messages: DueDelivery[] = [];
    const queue = {
      async send(all: readonly DueDelivery[]) {
        messages.push(...all.filter(({ eventId }) => eventId === booked.eventId));
      },
    };
    for (let tick = 0; tick < 2; tick++)
      await sweep({ deliveries, endpoints, queue, now: Date.now(), inTime: () => true });
    expect(messages).toHaveLength(2);
    const [first = firstMessage(booked), second = first] = messages;
    await claimAttempt(first, Date.now());
    expect(await deliveries.claim(second, Date.now())).toEqual({ kind: 'nothing' });
  });

  it('the list of dead letters shows the present state of an event that the index still lists', async () => {
    const owner = await makeWebhookPartner(Date.now());
    const booked = await bookDelivery(owner, { dueAt: Date.now(), createdAt: Date.now() });
    await moveToState('esgotada', booked, Date.now());
    indexStops();
    expect(await archive.discard(booked.eventId, Date.now())).toBe(true);
    const { items } = await archive.exhausted('producao', 1_000);
    const listed = items.filter(({ eventId }) => eventId === booked.eventId);
    expect(listed).toHaveLength(1);
    expect(await archive.explained(listed)).toMatchObject([{ discardedAt: expect.any(Number) }]);
    expect(await archive.discard(booked.eventId, Date.now())).toBe(true);
    expect(await suspended.exhausted('producao', Date.now() - MINUTE, 1_000)).toContain(owner.partnerId);
  });
});
