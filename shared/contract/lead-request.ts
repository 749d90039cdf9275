import * as z from 'zod/mini';
import { type LeadDraft, type LeadPatch, MARITAL_STATUSES } from '../domain/leads/lead.ts';
import { described } from './described.ts';
import { fieldFailure } from './failures.ts';
import { cpf, day, email, futureDays, type JsonObject, line, money, oneOf, phone, prose } from './fields.ts';
import { readFields, withoutNulls } from './read-fields.ts';

/** Body of POST /v1/leads. */
export const leadInput = described(
  z.object({
    nome: described(line(), 'Nome completo do cliente, como no documento: a análise confere com ele.'),
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
      'Anotação livre do parceiro; aceita quebras de linha e não vai a nenhum banco.',
    ),
  }),
  { id: 'LeadNovo' },
);

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

/** Body of PATCH /v1/leads/{id}: only what changes. */
export const leadPatchInput = described(
  z.object({
    nome: described(z.optional(line()), 'Nome completo corrigido; null não é aceito, pois o lead não fica sem nome.'),
    email: described(z.nullish(email()), 'Novo e-mail do cliente; null apaga o que há.'),
    telefone: described(z.nullish(phone()), 'Novo telefone com DDD; null apaga o que há.'),
    renda: described(z.nullish(money()), 'Nova renda mensal bruta, em reais; null apaga a que há.'),
    estado_civil: described(z.nullish(oneOf(MARITAL_STATUSES)), 'Nova situação civil; null apaga a que há.'),
    observacao: described(z.nullish(prose(2000)), 'Nova anotação, que substitui a anterior; null apaga a que há.'),
  }),
  { id: 'LeadAlteracao' },
);

/** Fields of a lead that no call alters, by their names on the wire. */
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
