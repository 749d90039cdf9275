import * as z from 'zod/mini';
import {
  conflictingFields,
  type Lead,
  type LeadDraft,
  type LeadPatch,
  MARITAL_STATUSES,
} from '../domain/leads/lead.ts';
import { timestamp } from '../domain/values/clock.ts';
import { formatCpf } from '../domain/values/cpf.ts';
import type { LeadId } from '../domain/values/ids.ts';
import { reaisFromCentavos } from '../domain/values/money.ts';
import type { Environment } from '../domain/values/tenancy.ts';
import type { Instant } from '../domain/values/time.ts';
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
  personName,
  phone,
  prose,
} from './fields.ts';
import { firstNotices, type Notice, noticeList } from './notices.ts';
import { readFields, withoutNulls } from './read-fields.ts';

const NOTE_WITHOUT_PEOPLE =
  'Não escreva nela dados pessoais de outras pessoas nem dados sensíveis, como os de saúde, pois ela fica guardada com o lead.';

/** Body of POST /v1/leads. For a known CPF only fields that the lead lacks are stored; in the sandbox also the name. */
export const leadInput = described(
  z.object({
    nome: described(personName(), 'Nome completo do cliente, como no documento: a análise confere com ele.'),
    cpf: cpf(),
    telefone: described(z.optional(phone()), 'Telefone do cliente com DDD; de 8 a 15 dígitos, com ou sem pontuação.'),
    email: described(z.optional(email()), 'E-mail em que se fala com o cliente.'),
    data_nascimento: described(
      z.optional(day()),
      'Data de nascimento do cliente, até hoje. Sem ela, a simulação supõe 35 anos e a análise a traz depois.',
    ),
    renda: described(
      z.optional(money()),
      'Renda mensal bruta do cliente, em reais; a simulação a usa quando não recebe outra.',
    ),
    estado_civil: described(z.optional(oneOf(MARITAL_STATUSES)), 'Situação civil do cliente, como no documento.'),
    origem: described(z.optional(line()), 'De onde o lead veio, nas palavras do parceiro; só para os relatórios dele.'),
    observacao: described(
      z.optional(prose(2000)),
      `Anotação livre do parceiro; aceita quebras de linha e não vai a nenhum banco. ${NOTE_WITHOUT_PEOPLE} No sandbox, sandbox:recusado e os outros desfechos escolhem o das análises.`,
    ),
  }),
  { id: 'LeadNovo' },
);

/** Body of PATCH /v1/leads/{id}: only the fields that change. Their order is that of the published document. */
export const leadPatchInput = described(
  z.object({
    nome: described(
      z.optional(personName()),
      'Nome completo corrigido; null não é aceito, pois o lead não fica sem nome.',
    ),
    email: described(z.nullish(email()), 'Novo e-mail do cliente; null apaga o que há.'),
    telefone: described(z.nullish(phone()), 'Novo telefone com DDD; null apaga o que há.'),
    renda: described(z.nullish(money()), 'Nova renda mensal bruta, em reais; null apaga a que há.'),
    estado_civil: described(z.nullish(oneOf(MARITAL_STATUSES)), 'Nova situação civil; null apaga a que há.'),
    observacao: described(
      z.nullish(prose(2000)),
      `Nova anotação, que substitui a anterior; null apaga a que há. ${NOTE_WITHOUT_PEOPLE}`,
    ),
  }),
  { id: 'LeadAlteracao' },
);

const WIRE_NAMES: Readonly<Record<keyof LeadDraft, keyof typeof leadInput.shape>> = {
  name: 'nome',
  cpf: 'cpf',
  phone: 'telefone',
  email: 'email',
  birthDate: 'data_nascimento',
  income: 'renda',
  maritalStatus: 'estado_civil',
  origin: 'origem',
  note: 'observacao',
};

/** Also returns the fields that the fingerprint of the Idempotency-Key covers. */
export function parseLead(body: JsonObject, now: Instant): { draft: LeadDraft; fields: object } {
  const fields = readFields(leadInput, withoutNulls(body), {
    faults: (valid) => futureDays(valid, ['data_nascimento'], now),
  });
  const draft = {
    name: fields.nome,
    cpf: fields.cpf,
    phone: fields.telefone,
    email: fields.email,
    birthDate: fields.data_nascimento,
    income: fields.renda,
    maritalStatus: fields.estado_civil,
    origin: fields.origem,
    note: fields.observacao,
  };
  return { draft, fields };
}

const isChangeable = (wireName: string): boolean => Object.hasOwn(leadPatchInput.shape, wireName);

/** Names that a PATCH must not have: fields of a lead that never change, and fields that no body sets. */
const FIXED: readonly string[] = Object.keys(leadInput.shape)
  .filter((wireName) => !isChangeable(wireName))
  .concat('unidade', 'unidade_id', 'consultor', 'consultor_id', 'lead_id', 'id');

/** Throws `campo_nao_alteravel` if the body names a field that never changes. */
export function parseLeadPatch(body: JsonObject): LeadPatch {
  const fields = readFields(leadPatchInput, body);
  const fixed = FIXED.filter((field) => Object.hasOwn(body, field));
  if (fixed.length > 0) {
    throw fieldFailure('campo_nao_alteravel', fixed, 'não se altera depois da criação do lead; retire o campo');
  }
  return {
    name: fields.nome,
    email: fields.email,
    phone: fields.telefone,
    income: fields.renda,
    maritalStatus: fields.estado_civil,
    note: fields.observacao,
  };
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

/** Returns a notice if only the sandbox changes the name: in production the lead would keep its name. */
export function renameNotices(lead: LeadDraft, draft: LeadDraft, environment: Environment): readonly Notice[] {
  const isKept = conflictingFields(lead, draft, environment).includes('name');
  if (isKept || !conflictingFields(lead, draft, 'producao').includes('name')) return [];
  const motivo =
    'O lead deste CPF de teste passa a ter este nome, só no sandbox; em produção, o nome que havia continua.';
  return [{ campo: 'nome', motivo }];
}

/**
 * `conflicting` lists the fields that keep their value although the body has another. Undefined if the lead is new.
 */
export function leadCreatedBody(
  leadId: LeadId,
  conflicting?: readonly (keyof LeadDraft)[],
  unknown: readonly Notice[] = [],
): z.input<typeof leadCreated> {
  const notices = (conflicting ?? []).map((field) => {
    const campo = WIRE_NAMES[field];
    return { campo, motivo: isChangeable(campo) ? KEPT_CHANGEABLE : KEPT_FIXED };
  });
  return {
    ok: true,
    lead_id: leadId,
    reaproveitado: conflicting !== undefined,
    avisos: firstNotices(notices, unknown),
  };
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
  return { ok: true, lead_id: leadId, atualizado, avisos: firstNotices(unknown) };
}

export const leadFound = described(
  z.object({
    ok: okay(),
    lead: described(
      z.object({
        lead_id: leadId(),
        nome: described(z.string(), 'Nome completo do cliente.'),
        cpf: described(z.string(), 'CPF do cliente, sempre com pontuação.'),
        telefone: described(z.nullable(z.string()), 'Telefone como foi enviado; null quando não há.'),
        email: described(z.nullable(z.string()), 'E-mail do cliente; null quando não há.'),
        data_nascimento: described(z.nullable(z.string()), {
          description: 'Nascimento do cliente; null quando não há.',
          format: 'date',
        }),
        renda: described(z.nullable(z.number()), 'Renda mensal bruta, em reais; null quando não há.'),
        estado_civil: described(z.nullable(z.enum(MARITAL_STATUSES)), 'Situação civil do cliente; null quando não há.'),
        origem: described(z.nullable(z.string()), 'De onde o lead veio, nas palavras do parceiro; null quando não há.'),
        observacao: described(z.nullable(z.string()), 'Anotação do parceiro; null quando não há.'),
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

/** `endsAt` is undefined if no notice of retention is running. */
export function leadFoundBody(lead: Lead, endsAt?: Instant): z.input<typeof leadFound> {
  return {
    ok: true,
    lead: {
      lead_id: lead.id,
      nome: lead.name,
      cpf: formatCpf(lead.cpf),
      telefone: lead.phone ?? null,
      email: lead.email ?? null,
      data_nascimento: lead.birthDate ?? null,
      renda: lead.income === undefined ? null : reaisFromCentavos(lead.income),
      estado_civil: lead.maritalStatus ?? null,
      origem: lead.origin ?? null,
      observacao: lead.note ?? null,
      criado_em: timestamp(lead.createdAt),
      atualizado_em: timestamp(lead.updatedAt),
      expira_em: endsAt === undefined ? undefined : timestamp(endsAt),
    },
  };
}
