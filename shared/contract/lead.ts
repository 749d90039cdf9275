import * as z from 'zod/mini';
import { type Lead, type LeadDraft, type LeadPatch, MARITAL_STATUSES } from '../domain/leads/lead.ts';
import { timestamp } from '../domain/values/clock.ts';
import { formatCpf } from '../domain/values/cpf.ts';
import type { LeadId } from '../domain/values/ids.ts';
import { reaisFromCentavos } from '../domain/values/money.ts';
import { described } from './described.ts';
import { fieldFailure } from './failures.ts';
import {
  cpf,
  day,
  email,
  futureDays,
  idField,
  type JsonObject,
  line,
  momentField,
  money,
  okay,
  oneOf,
  phone,
  prose,
} from './fields.ts';
import { type Notice, noticeList, noticesField } from './notices.ts';
import { readFields, withoutNulls } from './read-fields.ts';

/**
 * A field of a lead on the wire. A field that a known lead lacks is filled by the next POST with its CPF; `changed` is
 * there where PATCH takes the field.
 */
interface LeadField {
  readonly field: keyof LeadDraft;
  /** Its schema in POST, in PATCH, and in GET with the value that GET shows; each with its sentence. */
  readonly sent: z.ZodMiniType;
  readonly changed?: z.ZodMiniType;
  readonly shown: z.ZodMiniType;
  readonly value: (lead: Lead) => unknown;
}

/** The fields of a lead by their names on the wire, in the order of the document. */
const LEAD = {
  nome: {
    field: 'name',
    sent: described(line(), 'Nome completo do cliente, como no documento: a análise confere com ele.'),
    changed: described(
      z.optional(line()),
      'Nome completo corrigido; null não é aceito, pois o lead não fica sem nome.',
    ),
    shown: described(z.string(), 'Nome completo do cliente.'),
    value: (lead: Lead) => lead.name,
  },
  cpf: {
    field: 'cpf',
    sent: cpf(),
    shown: described(z.string(), 'CPF do cliente, sempre com pontuação.'),
    value: (lead: Lead) => formatCpf(lead.cpf),
  },
  telefone: {
    field: 'phone',
    sent: described(z.optional(phone()), 'Telefone do cliente com DDD; de 8 a 15 dígitos, com ou sem pontuação.'),
    changed: described(z.nullish(phone()), 'Novo telefone com DDD; null apaga o que há.'),
    shown: described(z.nullable(z.string()), 'Telefone como foi enviado; null quando não há.'),
    value: (lead: Lead) => lead.phone ?? null,
  },
  email: {
    field: 'email',
    sent: described(z.optional(email()), 'E-mail em que se fala com o cliente.'),
    changed: described(z.nullish(email()), 'Novo e-mail do cliente; null apaga o que há.'),
    shown: described(z.nullable(z.string()), 'E-mail do cliente; null quando não há.'),
    value: (lead: Lead) => lead.email ?? null,
  },
  data_nascimento: {
    field: 'birthDate',
    sent: described(
      z.optional(day()),
      'Data de nascimento do cliente, até hoje. Sem ela, a simulação supõe 35 anos e a análise a traz depois.',
    ),
    shown: described(z.nullable(z.string()), {
      description: 'Nascimento do cliente; null quando não há.',
      format: 'date',
    }),
    value: (lead: Lead) => lead.birthDate ?? null,
  },
  renda: {
    field: 'income',
    sent: described(
      z.optional(money()),
      'Renda mensal bruta do cliente, em reais; a simulação a usa quando não recebe outra.',
    ),
    changed: described(z.nullish(money()), 'Nova renda mensal bruta, em reais; null apaga a que há.'),
    shown: described(z.nullable(z.number()), 'Renda mensal bruta, em reais; null quando não há.'),
    value: (lead: Lead) => (lead.income === undefined ? null : reaisFromCentavos(lead.income)),
  },
  estado_civil: {
    field: 'maritalStatus',
    sent: described(z.optional(oneOf(MARITAL_STATUSES)), 'Situação civil do cliente, como no documento.'),
    changed: described(z.nullish(oneOf(MARITAL_STATUSES)), 'Nova situação civil; null apaga a que há.'),
    shown: described(z.nullable(z.enum(MARITAL_STATUSES)), 'Situação civil do cliente; null quando não há.'),
    value: (lead: Lead) => lead.maritalStatus ?? null,
  },
  origem: {
    field: 'origin',
    sent: described(z.optional(line()), 'De onde o lead veio, nas palavras do parceiro; só para os relatórios dele.'),
    shown: described(z.nullable(z.string()), 'De onde o lead veio, nas palavras do parceiro; null quando não há.'),
    value: (lead: Lead) => lead.origin ?? null,
  },
  observacao: {
    field: 'note',
    sent: described(
      z.optional(prose(2000)),
      'Anotação livre do parceiro; aceita quebras de linha e não vai a nenhum banco. No sandbox, sandbox:recusado e os outros desfechos escolhem o das análises.',
    ),
    changed: described(z.nullish(prose(2000)), 'Nova anotação, que substitui a anterior; null apaga a que há.'),
    shown: described(z.nullable(z.string()), 'Anotação do parceiro; null quando não há.'),
    value: (lead: Lead) => lead.note ?? null,
  },
} as const satisfies Readonly<Record<string, LeadField>>;

type LeadFields = typeof LEAD;
type WireName = keyof LeadFields;
const ROWS: readonly (readonly [string, LeadField])[] = Object.entries(LEAD);

/** One column of the table by the names on the wire, without the fields that lack it. */
type Column<Name extends keyof LeadField> = {
  -readonly [Wire in WireName as LeadFields[Wire] extends Record<Name, unknown>
    ? Wire
    : never]: LeadFields[Wire] extends {
    readonly [name in Name]: infer Value;
  }
    ? Value
    : never;
};
const column = <Name extends keyof LeadField>(name: Name): Column<Name> =>
  Object.fromEntries(ROWS.flatMap(([wire, row]) => (name in row ? [[wire, row[name]]] : []))) as Column<Name>;

/** What is known of a lead by the names on the wire, by the domain's names. */
type InDomain<Values> = {
  [Wire in keyof Values as Wire extends WireName ? LeadFields[Wire]['field'] : never]: Values[Wire];
};
function inDomain<Values extends object>(values: Values): InDomain<Values> {
  const entries = Object.entries(values).map(([wire, value]) => [LEAD[wire as WireName].field, value]);
  return Object.fromEntries(entries) as InDomain<Values>;
}

/** The names on the wire: a field of the domain that LEAD lacks does not compile. */
const WIRE_NAMES: Readonly<Record<keyof LeadDraft, WireName>> = Object.fromEntries(
  ROWS.map(([wire, { field }]) => [field, wire]),
) as { [Wire in WireName as LeadFields[Wire]['field']]: Wire };

/** Body of POST /v1/leads. */
export const leadInput = described(z.object(column('sent')), { id: 'LeadNovo' });

/** The draft that a body of POST /v1/leads describes, and the fields that its fingerprint covers. `now` in milliseconds. */
export function parseLead(body: JsonObject, now: number): { draft: LeadDraft; fields: object } {
  const fields = readFields(leadInput, withoutNulls(body), {
    faults: (valid) => futureDays(valid, ['data_nascimento'], now),
  });
  return { fields, draft: inDomain(fields) };
}

const { nome, email: newEmail, ...otherChanges } = column('changed');
/** Body of PATCH /v1/leads/{id}: only what changes. In the order in which the document has been published. */
export const leadPatchInput = described(z.object({ nome, email: newEmail, ...otherChanges }), { id: 'LeadAlteracao' });

/** Names that no PATCH may have: fields of a lead that never change, and fields that no body sets. */
const FIXED: readonly string[] = [
  ...ROWS.flatMap(([wire, row]) => ('changed' in row ? [] : [wire])),
  ...['unidade', 'unidade_id', 'consultor', 'consultor_id', 'lead_id', 'id'],
];

/** The changes that a body of PATCH asks for. Throws `campo_nao_alteravel` where it names a field that stays. */
export function parseLeadPatch(body: JsonObject): LeadPatch {
  const fields = readFields(leadPatchInput, body);
  const fixed = FIXED.filter((field) => Object.hasOwn(body, field));
  if (fixed.length > 0) {
    throw fieldFailure('campo_nao_alteravel', fixed, 'não se altera depois da criação do lead; retire o campo');
  }
  return inDomain(fields);
}

const leadId = () => idField('Identificador do lead na unidade; guarde-o, as outras chamadas partem dele.');

export const leadCreated = described(
  z.object({
    ok: okay(),
    lead_id: leadId(),
    reaproveitado: described(
      z.boolean(),
      'true quando o CPF já era um lead da unidade: vale o lead que existia, completado com o que lhe faltava.',
    ),
    avisos: noticeList(),
  }),
  { id: 'LeadCriado' },
);

const KEPT_CHANGEABLE = 'O lead já existia com outro valor, que continua; para trocá-lo, use PATCH /v1/leads/{id}.';
const KEPT_FIXED = 'O lead já existia com outro valor, que continua: este campo não se altera.';

/**
 * The answer to POST /v1/leads. `conflicting`: of a lead that was known already, the fields that keep their value although
 * the body brings another; undefined where the lead is new.
 */
export function leadCreatedBody(
  leadId: LeadId,
  conflicting?: readonly (keyof LeadDraft)[],
  unknown: readonly Notice[] = [],
): z.input<typeof leadCreated> {
  const notices = (conflicting ?? []).map((field) => {
    const campo = WIRE_NAMES[field];
    return { campo, motivo: 'changed' in LEAD[campo] ? KEPT_CHANGEABLE : KEPT_FIXED };
  });
  return { ok: true, lead_id: leadId, reaproveitado: conflicting !== undefined, ...noticesField(notices, unknown) };
}

export const leadUpdated = described(
  z.object({
    ok: okay(),
    lead_id: leadId(),
    atualizado: described(z.array(z.string()), 'Nomes dos campos cujo valor mudou de fato; vazio quando nada mudou.'),
    avisos: noticeList(),
  }),
  { id: 'LeadAlterado' },
);

export function leadUpdatedBody(
  leadId: LeadId,
  changed: readonly (keyof LeadPatch)[],
  unknown: readonly Notice[] = [],
): z.input<typeof leadUpdated> {
  const atualizado = changed.map((field) => WIRE_NAMES[field]);
  return { ok: true, lead_id: leadId, atualizado, ...noticesField(unknown) };
}

export const leadFound = described(
  z.object({
    ok: okay(),
    lead: described(
      z.object({
        lead_id: leadId(),
        ...column('shown'),
        criado_em: momentField('Momento em que o lead foi criado, UTC.'),
        atualizado_em: momentField('Momento da última alteração, UTC; o da criação enquanto nada mudou.'),
        expira_em: z.optional(
          described(z.string(), {
            description:
              'Quando o lead e o que está ligado a ele serão eliminados por falta de uso, UTC; ausente sem aviso em curso. Qualquer uso (alteração, simulação, análise ou o mesmo CPF em POST /v1/leads) encerra o aviso.',
            format: 'date-time',
            examples: ['2026-10-31T12:00:00.000Z'],
          }),
        ),
      }),
      { id: 'Lead' },
    ),
  }),
  { id: 'LeadConsultado' },
);

/** `endsAt`: when the lead's data end, in milliseconds; undefined without a notice. */
export function leadFoundBody(lead: Lead, endsAt?: number): z.input<typeof leadFound> {
  const shown = Object.fromEntries(ROWS.map(([wire, { value }]) => [wire, value(lead)])) as {
    [Wire in WireName]: ReturnType<LeadFields[Wire]['value']>;
  };
  return {
    ok: true,
    lead: {
      lead_id: lead.id,
      ...shown,
      criado_em: timestamp(lead.createdAt),
      atualizado_em: timestamp(lead.updatedAt),
      ...(endsAt !== undefined && { expira_em: timestamp(endsAt) }),
    },
  };
}
