import * as z from 'zod/mini';
import { type Lead, type LeadDraft, type LeadPatch, MARITAL_STATUSES } from '../domain/leads/lead.ts';
import { timestamp } from '../domain/values/clock.ts';
import { formatCpf } from '../domain/values/cpf.ts';
import type { LeadId } from '../domain/values/ids.ts';
import { reaisFromCentavos } from '../domain/values/money.ts';
import { described } from './described.ts';
import { idField, momentField, okay } from './fields.ts';
import { type Notice, noticeList, noticesField } from './notices.ts';

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
  const atualizado = changed.map((field) => DRAFT_NAMES[field]);
  return { ok: true, lead_id: leadId, atualizado, ...noticesField(unknown) };
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
      }),
      { id: 'Lead' },
    ),
  }),
  { id: 'LeadConsultado' },
);

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
