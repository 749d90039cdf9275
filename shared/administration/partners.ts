import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import type { AuthState, KeyLabel, PartnerProfile, PartnerUnit } from '../domain/partners/partner.ts';
import { EVIDENCE_KINDS, type SandboxChecklist, STEPS } from '../domain/partners/sandbox-checklist.ts';
import { timestamp } from '../domain/values/clock.ts';
import { evidenceFault } from '../domain/values/evidence.ts';
import type { PartnerId, UnitId } from '../domain/values/ids.ts';
import type { Environment } from '../domain/values/tenancy.ts';
import type { Instant } from '../domain/values/time.ts';
import type { EndpointView } from '../domain/webhooks/endpoint.ts';
import {
  answered,
  contactOrEmpty,
  cursor,
  environment,
  id,
  idText,
  moment,
  name,
  nextCursor,
  pageSize,
  token,
} from './fields.ts';
import { EVERYONE, MANAGER, noun, READERS } from './operation.ts';
import { toWire } from './wire.ts';

const { read, change } = noun('partners');

const partner = {
  partner_id: id<PartnerId>('The partner.'),
  name: described(z.string(), 'The name.'),
  incident_contact: described(
    z.nullable(z.string()),
    'Whom we tell at the partner about a security incident; null if the partner has named nobody.',
  ),
  validated_at: z.nullable(moment('When production was opened to the partner; null while it has only the sandbox.')),
  created_at: moment('When the partner was created.'),
};
const partnerView = described(z.object(partner), { id: 'Partner' });

const partnerParams = z.strictObject({ partner_id: idText<PartnerId>('The partner.') });

export const listPartners = read('list-partners', 'GET /v1/partners', {
  english: 'all partners, oldest first',
  portuguese: 'Listar parceiros',
  duties: EVERYONE,
  permission: {
    table: ['GetItem', 'BatchGetItem', 'Query'],
    reads: ['PARTNER', 'PARTNERS', 'UNIT'],
    writes: [],
  },
  query: z.strictObject({
    name: described(
      z.optional(
        z.string().check(
          z.trim(),
          z.maxLength(200),
          // The query is part of the address, and no address may hold personal data.
          z.refine(
            (text) => evidenceFault(text) === undefined,
            'is no name: leave keys, CPFs, telephones, e-mail addresses and invisible characters out',
          ),
        ),
      ),
      'Only partners whose name contains this text. Case and accents do not matter.',
    ),
    unit_id: z.optional(idText<UnitId>('Only the partner that has this unit.')),
    limit: pageSize(200, 100),
    cursor: z.optional(cursor()),
  }),
  answer: answered({
    partners: described(z.array(partnerView), 'Oldest first. A partner created a second ago may be missing.'),
    next_cursor: nextCursor(),
  }),
});

export const createPartner = change('create-partner', 'POST /v1/partners', {
  english: 'create a partner; it starts in the sandbox',
  portuguese: 'Criar parceiro',
  duties: MANAGER,
  permission: { reads: [], writes: ['AUTH', 'PARTNER', 'PARTNERS'] },
  body: z.strictObject({ name: name('The name.') }),
  answer: answered({ partner: partnerView }),
});

export const showPartner = read('show-partner', 'GET /v1/partners/{partner_id}', {
  english: 'a partner with its limits, units, keys and webhooks',
  portuguese: 'Ver parceiro',
  duties: EVERYONE,
  permission: { table: ['GetItem', 'Query'], reads: ['AUTH', 'PARTNER'], writes: [], secrets: ['keys'] },
  params: partnerParams,
  answer: answered({
    partner: described(
      z.object({
        ...partner,
        rates: described(z.object({ sandbox: z.int(), producao: z.int() }), 'Calls a minute, by environment.'),
        units: described(z.array(z.object({ unit_id: id<UnitId>('The unit.'), name: z.string() })), 'Oldest first.'),
        keys: z.object({
          live: described(z.int(), 'Keys that are accepted.'),
          revoked: described(z.int(), 'Keys that are no longer accepted.'),
          auth_item_bytes: described(z.int(), 'Size of the row that each call writes; at most 4096.'),
        }),
        webhooks: described(
          z.array(z.object({ environment: environment(), url: z.string(), enabled: z.boolean() })),
          'At most one for each environment.',
        ),
      }),
      { id: 'PartnerDetails' },
    ),
  }),
});

export const setIncidentContact = change('set-incident-contact', 'PUT /v1/incident-contacts/{partner_id}', {
  english: 'set whom we tell at a partner about a security incident; an empty text removes it',
  portuguese: 'Alterar contato para incidentes',
  duties: MANAGER,
  permission: { table: ['GetItem'], reads: ['PARTNER'], writes: ['PARTNER'] },
  params: partnerParams,
  body: z.strictObject({
    contact: contactOrEmpty('E-mail address and telephone number that somebody at the partner answers at any hour'),
    replaces: described(
      z.optional(z.string()),
      'The contact to replace, empty for none: refused if another contact is set by then.',
    ),
  }),
  answer: answered({ partner: partnerView }),
});

const checklist = {
  partner_id: id<PartnerId>('The partner.'),
  validated_at: partner.validated_at,
  complete: described(z.boolean(), 'Whether no step is missing.'),
  missing: described(z.array(z.enum(STEPS)), 'Steps of which the sandbox has no evidence.'),
  cut: described(
    z.boolean(),
    'Whether only the newest sandbox leads of a unit, or the newest events of the partner, were looked at, because there are too many.',
  ),
  steps: z.array(
    z.object({
      step: described(
        z.enum(STEPS),
        'reuse: a known CPF was sent again; replay: a submission was sent again with its Idempotency-Key; aprovado to erro: an analysis ended so, for which the sandbox has test CPFs; webhook: the endpoint answered an event with 2xx; resend: it answered a later attempt with 2xx.',
      ),
      exercised: z.boolean(),
      evidence: described(
        z.nullable(
          z.object({
            kind: z.enum(EVIDENCE_KINDS),
            id: z.union([z.int(), z.string()]),
            unit_id: id<UnitId>('The unit.'),
            at: moment('When the row was created, or the step was noted.'),
          }),
        ),
        'The row that proves the step.',
      ),
    }),
  ),
};

export const showSandboxChecklist = read('show-sandbox-checklist', 'GET /v1/sandbox-checklists/{partner_id}', {
  english: 'what a partner has shown in the sandbox, and what is missing before production',
  portuguese: 'Ver validação',
  duties: READERS,
  permission: {
    table: ['GetItem', 'BatchGetItem', 'Query'],
    reads: ['PARTNER', 'LEAD', 'LEADS', 'DELIVERY', 'DELIVERIES'],
    writes: [],
    indexes: ['byList'],
  },
  params: partnerParams,
  answer: answered(checklist),
});

export const validatePartner = change('validate-partner', 'POST /v1/partners/{partner_id}/validate', {
  english: 'open production to a partner whose sandbox keys have gone through the whole flow',
  portuguese: 'Validar parceiro para produção',
  duties: MANAGER,
  approval: 'every partner',
  permission: {
    table: ['GetItem', 'BatchGetItem', 'Query', 'ConditionCheckItem'],
    reads: ['AUTH', 'PARTNER', 'LEAD', 'LEADS', 'DELIVERY', 'DELIVERIES'],
    writes: ['PARTNER', 'DELIVERY'],
    indexes: ['byList'],
    secrets: ['keys'],
  },
  params: partnerParams,
  body: z.strictObject({
    incomplete: described(
      z._default(z.boolean(), false),
      'true: validate although steps are missing. Otherwise that is refused.',
    ),
    token: token('For repeating the call after a lost answer: the same token needs no further approval.'),
  }),
  answer: answered({ ...checklist, validated_at: moment('When production was opened to the partner.') }),
});

export const PARTNER_OPERATIONS = [
  listPartners,
  createPartner,
  showPartner,
  setIncidentContact,
  showSandboxChecklist,
  validatePartner,
] as const;

export const partnerBody = (profile: PartnerProfile) => toWire(partnerView, { ...profile, partnerId: profile.id });

interface Details {
  readonly auth: AuthState | undefined;
  readonly units: readonly PartnerUnit[];
  readonly keys: readonly KeyLabel[];
  /** `view` is undefined if no webhook is set. */
  readonly webhooks: readonly {
    readonly environment: Environment;
    readonly view: Pick<EndpointView, 'url' | 'enabled'> | undefined;
  }[];
}

/** No call of a partner without an auth item is admitted, so its rates are 0. */
export function partnerDetailsBody(
  profile: PartnerProfile,
  { auth, units, keys, webhooks }: Details,
): z.input<typeof showPartner.answer>['partner'] {
  const live = keys.filter((key) => key.live).length;
  return {
    ...partnerBody(profile),
    rates: auth?.limits ?? { sandbox: 0, producao: 0 },
    units: units.map((unit) => ({ unit_id: unit.id, name: unit.name })),
    keys: { live, revoked: keys.length - live, auth_item_bytes: auth?.bytes ?? 0 },
    webhooks: webhooks.flatMap(({ environment, view }) =>
      view ? [{ environment, url: view.url, enabled: view.enabled }] : [],
    ),
  };
}

/** `a1B2c (sandbox, unit 456 Centro)`. Null if there are no keys. */
export function keysText(keys: readonly KeyLabel[], units: readonly PartnerUnit[]): string | null {
  const names = new Map(units.map((unit) => [unit.id, unit.name]));
  const texts = keys
    .filter((key) => key.live)
    .map((key) => `${key.id} (${key.environment}, unit ${key.unitId} ${names.get(key.unitId)})`);
  return texts.join(', ') || null;
}

export function checklistBody(
  partner_id: number,
  validatedAt: Instant | undefined,
  { shown, missing, cut }: SandboxChecklist,
) {
  return {
    partner_id,
    validated_at: validatedAt === undefined ? null : timestamp(validatedAt),
    complete: missing.length === 0,
    missing: missing.slice(),
    cut,
    steps: STEPS.map((step) => {
      const row = shown[step];
      const evidence = row ? { kind: row.kind, id: row.id, unit_id: row.unitId, at: timestamp(row.at) } : null;
      return { step, exercised: row !== undefined, evidence };
    }),
  } satisfies Omit<z.input<typeof showSandboxChecklist.answer>, 'ok'>;
}
