/**
 * Every single write of the adapters, with a lost first answer: the table makes the write, the SDK repeats it, and the
 * result must be the same as with all answers. `WRITES` has one row for each place that makes such a write. In `CROSSED`
 * another run writes the row before the repetition.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventOf } from '#shared/contract/event.ts';
import { SUBMIT_LEASE, transition } from '#shared/domain/analyses/analysis.ts';
import { NO_LEASE } from '#shared/domain/analyses/unsent-watch.ts';
import type { Wish } from '#shared/domain/audit/approvals.ts';
import type { Cpf } from '#shared/domain/values/cpf.ts';
import { drawId, type LeadId, type PartnerId, type UnitId } from '#shared/domain/values/ids.ts';
import type { Delivery } from '#shared/domain/webhooks/delivery.ts';
import { TableAnalyses, TableCursors } from '#shared/table/analyses/analyses.ts';
import { unlistOutcome } from '#shared/table/analyses/analysis-row.ts';
import { TableApprovals } from '#shared/table/audit/approvals.ts';
import { TableAuditTrail } from '#shared/table/audit/audit.ts';
import { TableErasureLedger } from '#shared/table/leads/erasure-ledger.ts';
import { TableRetainedLeads } from '#shared/table/leads/lead-retention.ts';
import { TableLeads } from '#shared/table/leads/leads.ts';
import { TableApiKeyAuth } from '#shared/table/partners/api-key-auth.ts';
import { createUnit, setIncidentContact, setLimits } from '#shared/table/partners/partner-register.ts';
import { TableSandboxReset } from '#shared/table/partners/sandbox-reset.ts';
import { getRow } from '#shared/table/rows/client.ts';
import { confirmIndexKeys, indexKeysOfTable } from '#shared/table/rows/index-keys.ts';
import { analysisKey, authKey, leadKey } from '#shared/table/rows/keys.ts';
import { noteReplay, readReusedLead } from '#shared/table/rows/living-lead.ts';
import { storePlace } from '#shared/table/rows/table-scan.ts';
import { rewriteRows } from '#shared/table/sealing/rewriting.ts';
import { changeServiceKeys, heldKeys } from '#shared/table/sealing/service-keys.ts';
import { TableBankRates } from '#shared/table/simulations/bank-rates.ts';
import { TableDeliveries } from '#shared/table/webhooks/deliveries.ts';
import { deleteReceiverTexts } from '#shared/table/webhooks/receiver-texts.ts';
import { replay, TableDeliveryArchive } from '#shared/table/webhooks/replays.ts';
import { TableUnitDeliveries } from '#shared/table/webhooks/unit-deliveries.ts';
import {
  disableWebhook,
  enableWebhook,
  TableWebhookEndpoints,
  TableWebhookTests,
} from '#shared/table/webhooks/webhook-endpoints.ts';
import {
  bookAnalysis,
  bookDelivery,
  claimAttempt,
  firstMessage,
  makeWebhookPartner,
  moveToState,
} from '../makers/booked.ts';
import { failed, success } from '../makers/delivery.ts';
import { losingFirstAnswers } from '../makers/intercepted.ts';
import { createLead } from '../makers/lead.ts';
import { makePartner, usePeers } from '../makers/peers.ts';
import { clearTable, setFields } from '../makers/rows.ts';
import { makeSubmissionDraft, newKey } from '../makers/submission.ts';
import { newTenancy } from '../makers/tenancy.ts';

usePeers();

/** Folder of the adapters. */
const TABLE = new URL('../../shared/table/', import.meta.url);

const NOW = 1_780_000_000_000;
const clock = () => NOW;
const [leads, analyses] = [new TableLeads(clock), new TableAnalyses(clock, eventOf)];
const [retained, approvals, audit] = [new TableRetainedLeads(), new TableApprovals(() => true), new TableAuditTrail()];
const [deliveries, endpoints] = [new TableDeliveries(clock), new TableWebhookEndpoints()];

let numbers = 0;
const use = (wish: Wish) => approvals.useOrAsk(wish, { mark: 'a token', isMade: false }, NOW);
/** Asks for the approval of a call that nobody has asked for before. */
async function askedApproval() {
  const wish = {
    operation: 'create-key',
    about: 7 as PartnerId,
    target: {},
    fields: [{ field: 'unit_id', value: ++numbers }],
    reason: 'INC-1',
    askedBy: 'role/ana',
    person: 'ana',
  };
  const { approval } = await use(wish);
  return { wish, approval };
}

async function leadOf(environment: 'sandbox' | 'producao') {
  const tenancy = newTenancy(environment);
  return { tenancy, lead: await createLead(leads, tenancy) };
}

/** Returns a pending analysis that nobody has sent. */
const unsent = () => bookAnalysis({ ...newTenancy(), partnerId: 3 as PartnerId, createdAt: NOW, queryNumber: '' });

async function booked() {
  return bookDelivery(await makeWebhookPartner(NOW), { createdAt: NOW, dueAt: NOW });
}

async function endpoint() {
  const owner = await makeWebhookPartner(NOW);
  return { owner, read: async () => (await endpoints.get(owner))! };
}

async function partnerWithLimit(limit: number) {
  const partner = await makePartner(limit);
  const auth = new TableApiKeyAuth(clock);
  return { ...partner, admit: () => auth.authenticate(partner.keys.sandbox) };
}

/**
 * For each place, a function that makes what the write needs, and returns the call that makes the write. The call
 * returns what its caller learns, and what the table shows afterwards.
 */
const WRITES: Readonly<Record<string, () => Promise<() => Promise<unknown>>>> = {
  'analyses/analyses.ts acquireSubmitLease': async () => {
    const analysis = await unsent();
    return async () => (await analyses.acquireSubmitLease(analysis, NO_LEASE))?.isMine;
  },
  'analyses/analyses.ts markUnanswerable': async () => {
    const analysis = await unsent();
    return async () => {
      await analyses.markUnanswerable(analysis, NOW);
      return (await getRow(analysisKey(analysis, analysis.id)))?.['unanswerableSince'];
    };
  },
  'analyses/analyses.ts note': async () => {
    const analysis = await unsent();
    return () => analyses.note(analysis, 'IT-1', 'Em análise');
  },
  'analyses/analyses.ts unmark': async () => {
    const analysis = await unsent();
    await analyses.markUnanswerable(analysis, NOW);
    return async () => {
      await analyses.markUnanswerable(analysis, undefined);
      return (await getRow(analysisKey(analysis, analysis.id)))?.['unanswerableSince'];
    };
  },
  'analyses/analyses.ts write': async () => {
    const cursors = new TableCursors();
    return async () => {
      await cursors.write('poll', { since: 1, through: 1, cut: [] });
      return cursors.read('poll');
    };
  },
  'analyses/analysis-row.ts unlistOutcome': async () => {
    const analysis = await unsent();
    const after = transition(analysis, { situation: 'aprovado', rawStatus: 'Aprovado', queryNumber: 'IT-1' })!;
    await analyses.conclude({ before: analysis, after });
    return async () => {
      await unlistOutcome(analysis, analysis.id);
      return (await getRow(analysisKey(analysis, analysis.id)))?.['listPk'];
    };
  },
  'analyses/submissions.ts resume': async () => {
    const { tenancy, lead } = await leadOf('producao');
    const key = await newKey(tenancy, NOW);
    await analyses.claim(makeSubmissionDraft(tenancy, lead), key);
    const later = new TableAnalyses(() => NOW + SUBMIT_LEASE + 1, eventOf);
    const { earlier } = await later.prepare(lead.id, key.claim);
    return async () => {
      const resumed = await later.resume(earlier!);
      return typeof resumed === 'string' ? resumed : resumed.analyses.map(({ bank }) => bank);
    };
  },
  'audit/approvals.ts decide': async () => {
    const { approval } = await askedApproval();
    return () => approvals.decide(approval, 'approved', 'role/bia', NOW).then((decided) => decided?.state);
  },
  'audit/approvals.ts useOrAsk': async () => {
    const { wish, approval } = await askedApproval();
    await approvals.decide(approval, 'approved', 'role/bia', NOW);
    return async () => (await use(wish)).outcome;
  },
  'audit/approvals.ts giveBack': async () => {
    const { wish, approval } = await askedApproval();
    await approvals.decide(approval, 'approved', 'role/bia', NOW);
    await use(wish);
    return async () => {
      await approvals.giveBack(wish, 'a token');
      return (await approvals.get(approval.id, NOW))?.state;
    };
  },
  'audit/audit.ts beginAudit': async () => {
    const about = drawId<PartnerId>(NOW + ++numbers);
    return async () => {
      await audit.begin({ about, who: 'role/ana', action: 'set-rate', target: {}, reason: 'INC-1' }, NOW);
      return (await audit.newest(about, 10)).items.length;
    };
  },
  'audit/audit.ts endAudit': async () => {
    const about = drawId<PartnerId>(NOW + ++numbers);
    const row = await audit.begin({ about, who: 'role/ana', action: 'set-rate', target: {}, reason: 'INC-1' }, NOW);
    return async () => {
      await row.close('done', { key: 'abcde' });
      return (await audit.newest(about, 10)).items.map(({ outcome, target }) => ({ outcome, target }));
    };
  },
  'leads/erasure-ledger.ts add': async () => {
    const subject = { ...newTenancy(), partnerId: 3 as PartnerId, leadId: 5 as LeadId };
    return () => new TableErasureLedger().add(subject, NOW);
  },
  'leads/lead-retention.ts keep': async () => {
    const { tenancy, lead } = await leadOf('producao');
    const row = await getRow(leadKey(tenancy, lead.id));
    const seen = await retained.look({ ...tenancy, leadId: lead.id, entry: String(row?.['dueSk']) });
    return () => retained.keep(seen!, { at: NOW + 1, notice: { endsAt: NOW + 2, seen: 'x' } });
  },
  'leads/leads.ts change': async () => {
    const { tenancy, lead } = await leadOf('producao');
    return () =>
      leads.change(tenancy, lead.id, (read) =>
        read.note === 'nova'
          ? { write: undefined, result: 'as it was' }
          : { write: { ...read, note: 'nova' }, result: 'changed' },
      );
  },
  'partners/api-key-auth.ts ask': async () => {
    const { admit } = await partnerWithLimit(1);
    return async () => (await admit()).left;
  },
  'partners/api-key-auth.ts withoutExcess': async () => {
    const { partnerId, admit } = await partnerWithLimit(2);
    const stale = Object.fromEntries(Array.from({ length: 9 }, (_, minute) => [`s${minute}`, 1]));
    await setFields(authKey(partnerId), stale);
    return async () => {
      await admit();
      return Object.keys((await getRow(authKey(partnerId)))!).filter((name) => name in stale);
    };
  },
  'partners/partner-register.ts setIncidentContact': async () => {
    const { partnerId } = await makePartner();
    return async () => (await setIncidentContact(partnerId, 'seguranca@parceiro.example', ''))?.incidentContact;
  },
  'partners/partner-register.ts setLimits': async () => {
    const { partnerId } = await makePartner(40);
    return () => setLimits(partnerId, { sandbox: 50 }, 40);
  },
  'partners/sandbox-reset.ts noteReset': async () => {
    const { admit } = await partnerWithLimit(100);
    const caller = await admit();
    return () => new TableSandboxReset().reset(caller, NOW);
  },
  'rows/index-keys.ts confirmIndexKeys': async () => {
    await clearTable();
    return async () => {
      await confirmIndexKeys();
      return indexKeysOfTable();
    };
  },
  'rows/living-lead.ts noteReplay': async () => {
    const { tenancy, lead } = await leadOf('sandbox');
    return async () => {
      await noteReplay(tenancy, lead, NOW);
      return (await leads.get(tenancy, lead.id))?.replayedAt;
    };
  },
  'rows/living-lead.ts readReusedLead': async () => {
    const { tenancy, lead } = await leadOf('producao');
    return async () => (await readReusedLead(tenancy, lead.id, NOW))?.reusedAt;
  },
  'rows/table-scan.ts storePlace': async () => {
    const cursor = { pk: 'CURSOR#test', sk: 'CURSOR' };
    return async () => {
      await storePlace(cursor, { after: cursor });
      return (await getRow(cursor))?.['after'];
    };
  },
  'sealing/reencryption.ts reencryptRow': async () => {
    await clearTable();
    await createLead(leads, newTenancy(), { cpf: '90000000175' as Cpf });
    const { current, state } = await heldKeys();
    await changeServiceKeys(current, Date.now());
    return async () => {
      const counts: number[] = [];
      const pace = { unitsPerSecond: 1_000_000, pause: async () => {} };
      for await (const { resealed } of rewriteRows({ state, moves: false }, pace)) counts.push(resealed);
      return counts;
    };
  },
  'simulations/bank-rates.ts write': async () => {
    const rates = new TableBankRates();
    const read = await rates.read();
    return async () => [await rates.write(read, []), (await rates.read()).version - read.version];
  },
  'webhooks/deliveries.ts claim': async () => {
    const delivery = await booked();
    return async () => (await deliveries.claim(firstMessage(delivery), NOW)).kind;
  },
  'webhooks/deliveries.ts makeDue': async () => {
    const { eventId } = await moveToState('entregue', await booked(), NOW);
    return async () => (await replay(eventId, NOW)).kind;
  },
  'webhooks/deliveries.ts markEnqueued': async () => {
    const delivery = await booked();
    return () => deliveries.markEnqueued(firstMessage(delivery), NOW + 1);
  },
  'webhooks/deliveries.ts record': async () => {
    const delivery = await claimAttempt(firstMessage(await booked()), NOW);
    return () => deliveries.record(delivery, success, { state: 'entregue' }, NOW);
  },
  'webhooks/receiver-texts.ts deleteTextsOf': async () => {
    const delivery = await booked();
    const next = { state: 'pendente', dueAt: NOW + 1 } as const;
    await deliveries.record(await claimAttempt(firstMessage(delivery), NOW), failed, next, NOW);
    return async () => {
      await deleteReceiverTexts(delivery, delivery.analysisId!, NOW);
      return (await deliveries.get(delivery.eventId))?.history;
    };
  },
  'webhooks/replays.ts discard': async () => {
    const { eventId } = await moveToState('esgotada', await booked(), NOW);
    return () => new TableDeliveryArchive().discard(eventId, NOW);
  },
  'webhooks/webhook-endpoints.ts begin': async () => {
    const { owner } = await endpoint();
    return async () => {
      const begun = await new TableWebhookTests().begin(owner, NOW + 1);
      return begun.kind;
    };
  },
  'webhooks/webhook-endpoints.ts countFailure': async () => {
    const { owner, read } = await endpoint();
    const seen = await read();
    return () => endpoints.countFailure(owner, seen, NOW + 1);
  },
  'webhooks/webhook-endpoints.ts disable': async () => {
    const { owner, read } = await endpoint();
    const seen = await read();
    return () => endpoints.disable(owner, seen, 'gone', NOW + 1);
  },
  'webhooks/webhook-endpoints.ts disableWebhook': async () => {
    const { owner, read } = await endpoint();
    return async () => {
      await disableWebhook(owner, 'manager', NOW + 1);
      return (await read()).enabled;
    };
  },
  'webhooks/webhook-endpoints.ts enableWebhook': async () => {
    const { owner, read } = await endpoint();
    await disableWebhook(owner, 'manager', NOW + 1);
    return async () => {
      await enableWebhook(owner, NOW + 2);
      return (await read()).enabled;
    };
  },
  'webhooks/webhook-endpoints.ts forgetFailures': async () => {
    const { owner, read } = await endpoint();
    await endpoints.countFailure(owner, await read(), NOW + 1);
    const seen = await read();
    return async () => {
      await endpoints.forgetFailures(owner, seen);
      return (await read()).health;
    };
  },
  'webhooks/webhook-endpoints.ts released': async () => {
    const { owner, read } = await endpoint();
    await enableWebhook(owner, NOW + 1);
    return async () => {
      await endpoints.released({ ...owner, enabledAt: NOW + 1 });
      return (await read()).enabledLately;
    };
  },
};

/** A write, and what another run writes into the same row before the write is repeated. */
interface Crossed {
  readonly write: () => Promise<unknown>;
  readonly other: () => Promise<unknown>;
  /** What `write` returns, as if its first answer had come. */
  readonly expected: unknown;
  /** Checks what the row shows afterwards. Undefined if the result says it all. */
  readonly shown?: () => Promise<unknown>;
}

const resender = ({ partnerId, environment }: Delivery) => ({ partnerId, environment, isManager: true }) as const;
const unitDeliveries = new TableUnitDeliveries(clock);

/** Writes of one row by two runs. Each must recognise its own write, although the other run has marked the row since. */
const CROSSED: Readonly<Record<string, () => Promise<Crossed>>> = {
  'enableWebhook is made although a failed attempt is counted before its repetition': async () => {
    const { owner, read } = await endpoint();
    await disableWebhook(owner, 'manager', NOW + 1);
    const seen = await read();
    return {
      write: () => enableWebhook(owner, NOW + 2, seen),
      other: async () => endpoints.countFailure(owner, await read(), NOW + 3),
      expected: undefined,
    };
  },
  'decide is made although the approval is used before its repetition': async () => {
    const { wish, approval } = await askedApproval();
    return {
      write: () => approvals.decide(approval, 'approved', 'role/bia', NOW).then((decided) => decided?.id),
      other: () => use(wish),
      expected: approval.id,
    };
  },
  'claim is made although the event is resent before its repetition': async () => {
    const delivery = await booked();
    return {
      write: async () => (await deliveries.claim(firstMessage(delivery), NOW)).kind,
      other: () => unitDeliveries.makeDue(resender(delivery), delivery.eventId, NOW),
      expected: 'claimed',
    };
  },
  'makeDue is made although a worker claims the attempt before its repetition': async () => {
    const delivery = await booked();
    return {
      write: async () => (await unitDeliveries.makeDue(resender(delivery), delivery.eventId, NOW)).kind,
      other: () => deliveries.claim(firstMessage(delivery), NOW),
      expected: 'due',
    };
  },
  'record of a success leaves the event due that is resent before its repetition': async () => {
    const delivery = await claimAttempt(firstMessage(await booked()), NOW);
    return {
      write: () => deliveries.record(delivery, success, { state: 'entregue' }, NOW),
      other: () => unitDeliveries.makeDue(resender(delivery), delivery.eventId, NOW),
      expected: 'written',
      shown: async () => expect((await deliveries.get(delivery.eventId))?.state).toBe('pendente'),
    };
  },
  'record of a failure is made although an erasure deletes its text before its repetition': async () => {
    const delivery = await booked();
    const claimed = await claimAttempt(firstMessage(delivery), NOW);
    return {
      write: () => deliveries.record(claimed, failed, { state: 'esgotada' }, NOW),
      other: () => deleteReceiverTexts(delivery, delivery.analysisId!, NOW),
      expected: 'written',
      shown: async () =>
        expect((await deliveries.get(delivery.eventId))?.history).toMatchObject([{ result: { detail: '' } }]),
    };
  },
};

describe('a conditional write whose row another run has marked before the repetition', () => {
  it.each(Object.entries(CROSSED))('%s', async (_, prepare) => {
    const { write, other, expected, shown } = await prepare();
    const { result } = await losingFirstAnswers(write, other);
    await shown?.();
    expect(result).toEqual(expected);
  });
});

/** Plays a row of `WRITES` with all answers, and again without the first ones. */
async function play(place: string) {
  const prepare = WRITES[place]!;
  const make = await prepare();
  const expected = await make();
  return { expected, ...(await losingFirstAnswers(await prepare())) };
}

describe('a single write whose first answer is lost', () => {
  const plays = new Map<string, ReturnType<typeof play>>();
  const playOnce = (place: string) => {
    const played = plays.get(place) ?? play(place);
    plays.set(place, played);
    return played;
  };

  it.each(Object.keys(WRITES))('%s returns the same as if its first answer had come', async (place) => {
    const { expected, result } = await playOnce(place);
    expect(result).toEqual(expected);
  });

  it('each row makes a single write that no other row makes', async () => {
    const rows: { place: string; writes: Set<string> }[] = [];
    for (const place of Object.keys(WRITES)) {
      const { lost } = await playOnce(place);
      rows.push({ place, writes: new Set(lost.flatMap(({ write }) => write ?? [])) });
    }
    const isOwn = (write: string) => rows.filter(({ writes }) => writes.has(write)).length === 1;
    for (const { place, writes } of rows) expect(Array.from(writes).some(isOwn), place).toBe(true);
  });

  it('each place in shared/table that makes a single write has a row', () => {
    const files = readdirSync(TABLE, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const places = files
      .filter((file) => file !== 'rows/client.ts')
      .flatMap((file) => {
        const text = readFileSync(new URL(file, TABLE), 'utf8');
        expect(text, `${file} sends a write by itself`).not.toMatch(/\b(Put|Update|Delete|Write)(Item)?Command\b/);
        return Array.from(text.matchAll(/\b(putRow|updateRow|winRow|updateRecognised)\(/g), () => file);
      });
    expect(
      Object.keys(WRITES)
        .map((place) => place.split(' ')[0])
        .sort(),
    ).toEqual(places.sort());
  });

  it('a transaction carries one request token through all its tries, by which DynamoDB knows the repetition', async () => {
    const { partnerId } = await makePartner();
    const { lost } = await losingFirstAnswers(() => createUnit(partnerId, drawId<UnitId>(NOW), 'Unidade Sul', NOW));
    const tokens = lost.flatMap(({ bodies }) => bodies.map((body) => JSON.parse(body).ClientRequestToken));
    expect(tokens).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), tokens[0]]);
  });
});
