import { describe, expect, it, vi } from 'vitest';
import { handler as poll } from '../../functions/pollers/poll-bank-outcomes.ts';
import type { Consent } from '../../shared/domain/analyses/consent.ts';
import { MAX_POLL_SHARDS } from '../../shared/domain/analyses/poll-schedule.ts';
import type { AnalysisId, ConsentId, KeyId, LeadId, PartnerId } from '../../shared/domain/values/ids.ts';
import { eventIdOf } from '../../shared/domain/webhooks/delivery.ts';
import { transact } from '../../shared/table/client.ts';
import { recordConsent, tableConsents } from '../../shared/table/consents.ts';
import { tableDeliveries } from '../../shared/table/deliveries.ts';
import { writeOutbox } from '../../shared/table/delivery-row.ts';
import { api } from '../makers/api.ts';
import { lambdaContext } from '../makers/call.ts';
import { makeDelivery } from '../makers/delivery.ts';
import { type Interception, intercepted, meetingAt, stoppedAt } from '../makers/intercepted.ts';
import { cpfFrom, leadBody } from '../makers/people.ts';
import { useScene } from '../makers/scene.ts';
import { passTime } from '../makers/test-clock.ts';
import { type GuardedWrite, unguarded } from '../makers/unguarded.ts';

vi.mock('../../shared/wiring.ts', async (original) => {
  const { interceptable } = await import('../makers/intercepted.ts');
  return interceptable(await original());
});

const scene = useScene();

let drawn = 0;
const fresh = () => ++drawn;
const newKey = () => `key-${fresh()}`;
const TRANSACT = 'table TransactWriteItemsCommand';
const tenancy = () => ({ unitId: scene.partner.unitId, environment: scene.environment });

/** A step made by someone else right before a call of this run. */
const before = (name: string, step: () => Promise<unknown>): Interception => ({
  async around(called, call) {
    if (called === name) await step();
    return call();
  },
});

interface Guard {
  readonly name: string;
  readonly write: (write: GuardedWrite) => boolean;
  /** Whether what the guard is for held. */
  readonly holds: () => Promise<boolean>;
}

const patchLead = (lead: number, body: object) => api('updateLead', { key: scene.key, id: lead, body });

const GUARDS: readonly Guard[] = [
  {
    name: 'a CPF belongs to one lead of a unit',
    write: ({ pk }) => pk.startsWith('CPF#'),
    async holds() {
      const body = leadBody({ cpf: cpfFrom(500_000 + fresh()) });
      const meeting = meetingAt(TRANSACT, 2);
      const answers = await Promise.all(
        [1, 2].map(() => intercepted(meeting, () => api('createLead', { key: scene.key, body }))),
      );
      return new Set(answers.map(({ body: { lead_id } }) => lead_id)).size === 1;
    },
  },
  {
    name: 'an idempotency key is claimed once',
    write: ({ pk, kind }) => pk.startsWith('IDEMPOTENCY#') && kind === 'Put',
    async holds() {
      const person = await scene.person();
      const key = newKey();
      const meeting = meetingAt(TRANSACT, 2);
      await Promise.all([1, 2].map(() => intercepted(meeting, () => scene.submit(person, ['itau'], key))));
      const { consentimentos } = (await scene.consents(person.lead)).body;
      return consentimentos.length === 1 && scene.operator.control.queriesOn(person.cpf, 'itau') === 1;
    },
  },
  {
    name: 'a key that was left without an answer is taken over by one',
    write: ({ pk, kind, condition }) =>
      pk.startsWith('IDEMPOTENCY#') && kind === 'Update' && condition.includes('lockedUntil'),
    async holds() {
      const person = await scene.person();
      const key = newKey();
      await stoppedAt(
        { at: 1, when: 'after' },
        () => scene.submit(person, ['itau'], key),
        (name) => name === TRANSACT,
      );
      scene.lockRunsOut();
      const meeting = meetingAt(['table BatchGetItemCommand', 'table UpdateItemCommand'], 2);
      const answers = await Promise.all(
        [1, 2].map(() => intercepted(meeting, () => scene.submit(person, ['itau'], key))),
      );
      return answers.filter(({ status }) => status === 202).length === 1;
    },
  },
  {
    name: 'the first answer of a key stands',
    write: ({ pk, kind, condition }) =>
      pk.startsWith('IDEMPOTENCY#') && kind === 'Update' && condition.includes('(sealed)'),
    async holds() {
      const person = await scene.person();
      const key = newKey();
      const submit = () => scene.submit(person, ['itau'], key);
      let retry: string | undefined;
      // The first run loses the operator's answer and is held up before it ends; meanwhile a retry ends in its place.
      scene.operator.control.fault({ kind: 'lost_answer', times: 1 });
      let transactions = 0;
      const late = await intercepted(
        {
          async around(name, call) {
            if (name === TRANSACT && ++transactions === 2) {
              scene.lockRunsOut();
              retry = (await intercepted({ around: (_, itsCall) => itsCall() }, submit)).text;
            }
            return call();
          },
        },
        submit,
      );
      return late.text === retry && (await submit()).text === retry;
    },
  },
  {
    name: 'a submission is made for the lead that was checked',
    write: ({ pk, kind, condition }) => pk.startsWith('LEAD#') && kind === 'Update' && condition.includes('version'),
    async holds() {
      const person = await scene.person();
      const rename = before(TRANSACT, () =>
        intercepted({ around: (_, call) => call() }, () => patchLead(person.lead, { nome: 'Outra Pessoa' })),
      );
      const answer = await intercepted(rename, () => scene.submit(person, ['itau'], newKey()));
      return answer.status === 422;
    },
  },
  {
    name: 'no change of a lead overwrites another',
    write: ({ pk, kind }) => pk.startsWith('LEAD#') && kind === 'Put',
    async holds() {
      const { lead } = await scene.person();
      const meeting = meetingAt('table PutItemCommand', 2);
      await Promise.all(
        [{ renda: 7777.77 }, { observacao: 'Ligou de novo' }].map((body) =>
          intercepted(meeting, () => patchLead(lead, body)),
        ),
      );
      const found = await api('getLead', { key: scene.key, id: lead });
      return found.body.lead.renda === 7777.77 && found.body.lead.observacao === 'Ligou de novo';
    },
  },
  {
    name: 'a final situation is final',
    write: ({ pk, kind, condition }) =>
      pk.startsWith('ANALYSIS#') && kind === 'Update' && condition.includes(':before'),
    async holds() {
      // What earlier stories left pending comes to its end, so that the runs below meet one analysis alone.
      for (let minute = 0; minute < 3; minute++) {
        passTime(60_000);
        await scene.poll();
      }
      const person = await scene.person();
      const [made] = (await scene.submit(person, ['itau'], newKey())).body.analises;
      const id = made.analise_id as number;
      passTime(60_000);
      // Two overlapping runs hear different things of the bank; the one that heard first writes last.
      const other = before(TRANSACT, async () => {
        scene.operator.control.decide(scene.reference(id), 'ERRO no processamento');
        await intercepted({ around: (_, call) => call() }, () => scene.poll(person));
      });
      await intercepted(other, () => scene.poll(person));
      return (await scene.events([id])).length === 1 && (await scene.status(id)).body.analise.situacao === 'erro';
    },
  },
  {
    name: 'of all who hear that the operator never received an analysis, one sends it',
    write: ({ pk, condition }) => pk.startsWith('ANALYSIS#') && condition.includes('submitLeaseUntil'),
    async holds() {
      const person = await scene.person();
      await stoppedAt(
        { at: 1, when: 'before' },
        () => scene.submit(person, ['itau'], newKey()),
        (name) => name === 'operator submit',
      );
      scene.lockRunsOut();
      const bothHaveHeard = meetingAt('table UpdateItemCommand', 2);
      const run = async () => {
        const [id] = (await scene.analyses(person.lead)).body.analises;
        const shard = scene.shardOf(id.analise_id, 'itau', MAX_POLL_SHARDS);
        await intercepted(bothHaveHeard, () => poll({ shard, shards: MAX_POLL_SHARDS }, lambdaContext(55_000)));
      };
      await Promise.all([run(), run()]);
      return scene.operator.control.queriesOn(person.cpf, 'itau') === 1;
    },
  },
  {
    name: 'an event is booked once',
    write: ({ pk, kind }) => pk.startsWith('DELIVERY#') && kind === 'Put',
    async holds() {
      const analysisId = fresh() as AnalysisId;
      const eventId = eventIdOf(tenancy(), analysisId, 'analise.resultado', 1);
      const delivery = makeDelivery({
        ...tenancy(),
        eventId,
        analysisId,
        partnerId: scene.partner.partnerId as PartnerId,
        // Ninety days after its end a delivery is gone.
        dueAt: Date.now(),
      });
      const deliveries = tableDeliveries();
      await transact([writeOutbox(delivery)]);
      const claimed = await deliveries.claim({ ...delivery, attempt: 1 }, delivery.dueAt);
      if (claimed.kind !== 'claimed') throw new Error('not claimed');
      const delivered = { delivered: true, status: 200, milliseconds: 5 } as const;
      await deliveries.record(claimed.delivery, delivered, { state: 'entregue' }, delivery.dueAt);
      await transact([writeOutbox(delivery)]);
      return (await deliveries.get(eventId))?.state === 'entregue';
    },
  },
  {
    name: 'an attempt is made by one worker',
    write: ({ pk, kind, condition }) =>
      pk.startsWith('DELIVERY#') && kind === 'Update' && condition.includes('leasedUntil'),
    async holds() {
      const analysisId = fresh() as AnalysisId;
      const eventId = eventIdOf(tenancy(), analysisId, 'analise.resultado', 1);
      const delivery = makeDelivery({ ...tenancy(), eventId, analysisId });
      await transact([writeOutbox(delivery)]);
      const claim = () => tableDeliveries().claim({ ...delivery, attempt: 1 }, delivery.dueAt);
      const claims = await Promise.all([claim(), claim(), claim()]);
      return claims.filter(({ kind }) => kind === 'claimed').length === 1;
    },
  },
  {
    name: 'a consent is never overwritten',
    write: ({ pk }) => pk.startsWith('CONSENT#'),
    async holds() {
      const { lead } = await scene.person();
      const consent: Consent = {
        id: fresh() as ConsentId,
        leadId: lead as LeadId,
        givenAt: '2026-01-02T12:00:00-03:00',
        ip: '177.45.10.20',
        channel: 'web',
        analysisIds: [],
        banks: [],
        keyId: 'abcde' as KeyId,
      };
      await transact([await recordConsent(tenancy(), consent, Date.now())]);
      await transact([await recordConsent(tenancy(), { ...consent, channel: 'app' }, Date.now())]);
      const kept = await tableConsents().ofLead(tenancy(), lead as LeadId);
      return kept?.length === 1 && kept[0]?.channel === 'web';
    },
  },
];

describe.each(GUARDS)('$name', ({ write, holds }) => {
  it('with its condition', async () => {
    expect(await holds()).toBe(true);
  });

  it('and not without it', async () => {
    let stripped = 0;
    const chosen = (one: GuardedWrite) => {
      const is = write(one);
      if (is) stripped += 1;
      return is;
    };
    expect(await unguarded(chosen, holds)).toBe(false);
    expect(stripped).toBeGreaterThan(0);
  });
});
