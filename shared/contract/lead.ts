import * as z from 'zod';
import { type Lead, type LeadDraft, type LeadPatch, MARITAL_STATUSES } from '../domain/leads/lead.ts';
import { timestamp } from '../domain/values/clock.ts';
import { formatCpf } from '../domain/values/cpf.ts';
import type { Failure } from '../domain/values/failure.ts';
import type { LeadId } from '../domain/values/ids.ts';
import { reaisFromCentavos } from '../domain/values/money.ts';
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

const leadId = () => idField('Identificador do lead na unidade; guarde-o, as outras chamadas partem dele.');

/** Body of POST /v1/leads. */
export const leadInput = z
  .object({
    nome: line().describe('Nome completo do cliente, como no documento: a análise confere com ele.'),
    cpf: cpf(),
    telefone: phone().optional().describe('Telefone do cliente com DDD; de 8 a 15 dígitos, com ou sem pontuação.'),
    email: email().optional().describe('E-mail em que se fala com o cliente.'),
    data_nascimento: day()
      .optional()
      .describe(
        'Data de nascimento do cliente, até hoje. Sem ela, a simulação supõe 35 anos e a análise a traz depois.',
      ),
    renda: money()
      .optional()
      .describe('Renda mensal bruta do cliente, em reais; a simulação a usa quando não recebe outra.'),
    estado_civil: oneOf(MARITAL_STATUSES).optional().describe('Situação civil do cliente, como no documento.'),
    origem: line().optional().describe('De onde o lead veio, nas palavras do parceiro; só para os relatórios dele.'),
    observacao: prose(2000)
      .optional()
      .describe('Anotação livre do parceiro; aceita quebras de linha e não vai a nenhum banco.'),
  })
  .meta({ id: 'LeadNovo' });

/** The draft that a body of POST /v1/leads describes, and the fields that its fingerprint covers. `now` in milliseconds. */
export function parseLead(body: JsonObject, now: number): { draft: LeadDraft; fields: object } {
  const fields = readFields(leadInput, withoutNulls(body), {
    faults: (valid) => futureDays(valid, ['data_nascimento'], now),
  });
  return {
    fields,
    draft: {
      name: fields.nome,
      cpf: fields.cpf,
      phone: fields.telefone,
      email: fields.email,
      birthDate: fields.data_nascimento,
      income: fields.renda,
      maritalStatus: fields.estado_civil,
      origin: fields.origem,
      note: fields.observacao,
    },
  };
}

export const leadCreated = z
  .object({
    ok: okay(),
    lead_id: leadId(),
    reaproveitado: z
      .boolean()
      .describe(
        'true quando o CPF já era um lead da unidade: vale o lead que existia, completado com o que lhe faltava.',
      ),
    avisos: noticeList(),
  })
  .meta({ id: 'LeadCriado' });

/**
 * The answer to POST /v1/leads. `kept`: of a lead that was known already, the fields whose value stays although the body
 * brings another; undefined where the lead is new.
 */
export function leadCreatedBody(
  leadId: LeadId,
  kept?: readonly (keyof LeadDraft)[],
  unknown: readonly Notice[] = [],
): z.input<typeof leadCreated> {
  const stays = (kept ?? []).map((field) => ({ campo: DRAFT_NAMES[field], motivo: STAYS[field] ?? STAYS_CHANGEABLE }));
  return { ok: true, lead_id: leadId, reaproveitado: kept !== undefined, ...noticesField(unknown, stays) };
}

const DRAFT_NAMES: Readonly<Record<keyof LeadDraft, string>> = {
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
const STAYS_CHANGEABLE = 'O lead já existia com outro valor, que continua; para trocá-lo, use PATCH /v1/leads/{id}.';
const STAYS_FIXED = 'O lead já existia com outro valor, que continua: este campo não se altera.';
const STAYS: Readonly<Partial<Record<keyof LeadDraft, string>>> = { birthDate: STAYS_FIXED, origin: STAYS_FIXED };

/** Body of PATCH /v1/leads/{id}: only what changes. */
export const leadPatchInput = z
  .object({
    nome: line().optional().describe('Nome completo corrigido; null não é aceito, pois o lead não fica sem nome.'),
    email: email().nullish().describe('Novo e-mail do cliente; null apaga o que há.'),
    telefone: phone().nullish().describe('Novo telefone com DDD; null apaga o que há.'),
    renda: money().nullish().describe('Nova renda mensal bruta, em reais; null apaga a que há.'),
    estado_civil: oneOf(MARITAL_STATUSES).nullish().describe('Nova situação civil; null apaga a que há.'),
    observacao: prose(2000).nullish().describe('Nova anotação, que substitui a anterior; null apaga a que há.'),
  })
  .meta({ id: 'LeadAlteracao' });

const FIXED = [
  'cpf',
  'data_nascimento',
  'origem',
  'unidade',
  'unidade_id',
  'consultor',
  'consultor_id',
  'lead_id',
  'id',
] as const;

/** The changes that a body of PATCH asks for. Throws `campo_nao_alteravel` where it names a field that stays. */
export function parseLeadPatch(body: JsonObject): LeadPatch {
  const fields = readFields(leadPatchInput, body);
  const fixed = FIXED.filter((field) => Object.hasOwn(body, field));
  if (fixed.length > 0) {
    throw fieldFailure('campo_nao_alteravel', fixed, 'não se altera depois da criação do lead; retire o campo');
  }
  return {
    ...(fields.nome !== undefined && { name: fields.nome }),
    ...(fields.email !== undefined && { email: fields.email }),
    ...(fields.telefone !== undefined && { phone: fields.telefone }),
    ...(fields.renda !== undefined && { income: fields.renda }),
    ...(fields.estado_civil !== undefined && { maritalStatus: fields.estado_civil }),
    ...(fields.observacao !== undefined && { note: fields.observacao }),
  };
}

export const leadUpdated = z
  .object({
    ok: okay(),
    lead_id: leadId(),
    atualizado: z.array(z.string()).describe('Nomes dos campos cujo valor mudou de fato; vazio quando nada mudou.'),
    avisos: noticeList(),
  })
  .meta({ id: 'LeadAlterado' });

export function leadUpdatedBody(
  leadId: LeadId,
  changed: readonly (keyof LeadPatch)[],
  unknown: readonly Notice[] = [],
): z.input<typeof leadUpdated> {
  const atualizado = changed.map((field) => DRAFT_NAMES[field]);
  return { ok: true, lead_id: leadId, atualizado, ...noticesField(unknown) };
}

export const leadFound = z
  .object({
    ok: okay(),
    lead: z
      .object({
        lead_id: leadId(),
        nome: z.string().describe('Nome completo do cliente.'),
        cpf: z.string().describe('CPF do cliente, sempre com pontuação.'),
        telefone: z.string().nullable().describe('Telefone como foi enviado; null quando não há.'),
        email: z.string().nullable().describe('E-mail do cliente; null quando não há.'),
        data_nascimento: z
          .string()
          .nullable()
          .meta({ description: 'Nascimento do cliente; null quando não há.', format: 'date' }),
        renda: z.number().nullable().describe('Renda mensal bruta, em reais; null quando não há.'),
        estado_civil: z.enum(MARITAL_STATUSES).nullable().describe('Situação civil do cliente; null quando não há.'),
        origem: z.string().nullable().describe('De onde o lead veio, nas palavras do parceiro; null quando não há.'),
        observacao: z.string().nullable().describe('Anotação do parceiro; null quando não há.'),
        criado_em: momentField('Momento em que o lead foi criado, UTC.'),
        atualizado_em: momentField('Momento da última alteração, UTC; o da criação enquanto nada mudou.'),
      })
      .meta({ id: 'Lead' }),
  })
  .meta({ id: 'LeadConsultado' });

export function leadFoundBody(lead: Lead): z.input<typeof leadFound> {
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
    },
  };
}

/** The failure of a body whose lead this unit does not have. */
export function leadNotFound(): Failure {
  const reason = 'não existe nesta unidade e neste ambiente; use o lead_id que a criação devolveu';
  return fieldFailure('lead_nao_encontrado', ['lead_id'], reason);
}
