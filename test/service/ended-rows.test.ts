import { beforeAll, describe, expect, it } from 'vitest';
import type { AdministrationOperation } from '#shared/administration/operations.ts';
import { type AdministrationCall, administration, because } from '#test/makers/administration.ts';
import { requestedApproval } from '#test/makers/administration-scenes.ts';
import { api, type Operation } from '#test/makers/api.ts';
import { bookDelivery, moveToState } from '#test/makers/booked.ts';
import type { CallAnswer, CallOptions } from '#test/makers/call.ts';
import type { AnalysisDelivery } from '#test/makers/delivery.ts';
import { analysisBody, cpfFrom, leadBody, withdrawalBody } from '#test/makers/people.ts';
import { everyRow } from '#test/makers/rows.ts';
import { useScene } from '#test/makers/scene.ts';
import { passTime } from '#test/makers/test-clock.ts';

// DynamoDB deletes a row some time after it has ended. The peers of this file delete none, so that each read below meets
// rows that have ended.

const scene = useScene({ environment: 'sandbox' });

const DAY = 86_400_000;
/** Days after which every row with an end has ended: a consent is kept longest, for 1,830 days. */
const ALL_ENDED = 1_831;

const cpf = cpfFrom(8_201);
const spouseCpf = cpfFrom(8_202);
const created = () => ({ body: leadBody({ cpf }), once: 'ended' });
let lead: number;
let event: AnalysisDelivery;
let approvalId: string | number;

const place = () => ({
  partner_id: scene.partner.partnerId,
  unit_id: scene.partner.unitId,
  environment: 'sandbox',
});
const ofSpouse = () => ({ ...place(), lead_id: lead, cpf: spouseCpf, role: 'spouse', ...because });

/** Makes at least one row of each kind that has an end. */
beforeAll(async () => {
  const call = { key: scene.key };
  lead = Number((await api('createLead', { ...call, ...created() })).body.lead_id);
  const spouse = {
    estado_civil: 'casado',
    conjuge_nome: 'Caio Prado Dias',
    conjuge_cpf: spouseCpf,
    conjuge_data_nascimento: '1986-02-03',
  };
  expect(
    (await api('submitAnalyses', { ...call, once: 'k', body: analysisBody(lead, { cpf, ...spouse }) })).status,
  ).toBe(202);
  expect((await api('withdrawConsent', { ...call, id: lead, body: withdrawalBody() })).status).toBe(201);
  expect((await api('getLead', { ...call, id: 7 })).status).toBe(404);
  approvalId = (await requestedApproval()).params.approval_id;
  const owner = { partnerId: scene.partner.partnerId, environment: 'sandbox' } as const;
  const now = Date.now();
  event = await bookDelivery(owner, { unitId: scene.partner.unitId, createdAt: now, dueAt: now });
  await moveToState('esgotada', event, now);
});

/** One way in which a caller sees rows: the kinds of the rows, the call, and what its answer shows of them. */
interface Read {
  readonly kinds: string;
  readonly call: () => Promise<CallAnswer>;
  /** Returns the things that the answer shows. */
  readonly shown: (body: CallAnswer['body'], answer: CallAnswer) => readonly unknown[];
}

const partner = (operation: Operation, options: () => CallOptions) => () =>
  api(operation, { key: scene.key, ...options() });
const people = (operation: AdministrationOperation, call: () => AdministrationCall) => () =>
  administration(operation, call());
const ifFound = (_: unknown, { status }: CallAnswer) => [200, 201, 202].filter((good) => good === status);

const READS: Readonly<Record<string, Read>> = {
  'POST /v1/leads with the key of an earlier call': {
    kinds: 'IDEMPOTENCY',
    call: partner('createLead', created),
    shown: (_, { headers }) => [headers['idempotent-replay']].filter((replayed) => replayed !== undefined),
  },
  'GET /v1/leads/{id}/consentimentos, consents': {
    kinds: 'CONSENT',
    call: partner('listLeadConsents', () => ({ id: lead })),
    shown: ({ consentimentos }) => consentimentos,
  },
  'GET /v1/leads/{id}/consentimentos, withdrawals': {
    kinds: 'CONSENT',
    call: partner('listLeadConsents', () => ({ id: lead })),
    shown: ({ revogacoes }) => revogacoes,
  },
  'GET /v1/erros': {
    kinds: 'REFUSED',
    call: partner('listRefusedCalls', () => ({})),
    shown: ({ erros }) => erros,
  },
  'GET /v1/webhooks/entregas': {
    kinds: 'DELIVERY',
    call: partner('listOwnDeliveries', () => ({})),
    shown: ({ entregas }) => entregas,
  },
  'GET /v1/webhooks/entregas of an analysis': {
    kinds: 'DELIVERY',
    call: partner('listOwnDeliveries', () => ({ query: { analise_id: String(event.analysisId) } })),
    shown: ({ entregas }) => entregas,
  },
  'list-refusals': {
    kinds: 'REFUSED',
    call: people('list-refusals', () => ({
      query: { partner_id: scene.partner.partnerId, unit_id: scene.partner.unitId },
    })),
    shown: ({ calls }) => calls,
  },
  'list-approvals': {
    kinds: 'APPROVAL',
    call: people('list-approvals', () => ({})),
    shown: ({ approvals }) =>
      approvals.filter(({ approval_id }: { approval_id: string }) => approval_id === approvalId),
  },
  'list-deliveries of all partners': {
    kinds: 'DELIVERY',
    call: people('list-deliveries', () => ({ query: { environment: 'sandbox' } })),
    shown: ({ deliveries }) => deliveries,
  },
  'list-deliveries of a partner': {
    kinds: 'DELIVERY',
    call: people('list-deliveries', () => ({ query: { partner_id: scene.partner.partnerId } })),
    shown: ({ deliveries }) => deliveries,
  },
  'list-deliveries of an analysis': {
    kinds: 'DELIVERY',
    call: people('list-deliveries', () => ({ query: { ...place(), analysis_id: Number(event.analysisId) } })),
    shown: ({ deliveries }) => deliveries,
  },
  'show-delivery': {
    kinds: 'DELIVERY',
    call: people('show-delivery', () => ({ params: { event_id: event.eventId } })),
    shown: ifFound,
  },
  'replay-deliveries, preview': {
    kinds: 'DELIVERY',
    call: people('replay-deliveries', () => ({
      body: {
        partner_id: scene.partner.partnerId,
        environment: 'sandbox',
        since: new Date(event.createdAt).toISOString(),
        dry_run: true,
      },
    })),
    shown: ({ deliveries }) => deliveries,
  },
  'find-leads by the CPF of a spouse': {
    kinds: 'SPOUSE',
    call: people('find-leads', () => ({ body: { cpf: spouseCpf, ...because } })),
    shown: ({ found }) => found,
  },
  'export-lead of a spouse': {
    kinds: 'SPOUSE',
    call: people('export-lead', () => ({ body: ofSpouse() })),
    shown: ifFound,
  },
  ...Object.fromEntries(
    [
      ['forms', 'FORM', 'formularios'],
      ['consents', 'CONSENT', 'consentimentos'],
      ['withdrawals', 'CONSENT', 'revogacoes'],
    ].flatMap(([name, kinds = '', field = '']) =>
      [false, true].map((raw): [string, Read] => [
        `export-lead, ${name}${raw ? ', as they are stored' : ''}`,
        {
          kinds,
          call: people('export-lead', () => ({ body: { ...place(), lead_id: lead, raw, ...because } })),
          shown: ({ person }) => person[raw ? String(name) : field],
        },
      ]),
    ),
  ),
};

const shownBy = async ({ call, shown }: Read) => {
  const answer = await call();
  return shown(answer.body, answer);
};

describe('a row that has ended', () => {
  it('each kind of row with an end is read here', async () => {
    const ending = (await everyRow()).filter(({ expiresAt }) => expiresAt !== undefined);
    const kinds = new Set(ending.map(({ pk }) => String(pk).split('#')[0]));
    expect([...kinds].sort()).toEqual([...new Set(Object.values(READS).map(({ kinds }) => kinds))].sort());
  });

  it.each(Object.keys(READS))('before its end, a row is shown by %s', async (name) => {
    expect(await shownBy(READS[name]!)).not.toEqual([]);
  });

  it.each(Object.keys(READS))(
    'once its end has passed, a row that DynamoDB has not deleted is not shown by %s',
    async (name) => {
      jumpOnce();
      expect(await shownBy(READS[name]!)).toEqual([]);
    },
  );
});

let hasJumped = false;
/** Lets the time pass once, so that each test also runs alone. */
function jumpOnce(): void {
  if (!hasJumped) passTime(ALL_ENDED * DAY);
  hasJumped = true;
}
