import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import type * as z from 'zod/mini';
import { outcomeQuery } from '#shared/contract/analysis.ts';
import { analysisInput } from '#shared/contract/analysis-request.ts';
import { withdrawalInput } from '#shared/contract/consent-withdrawal.ts';
import { deliveryQuery } from '#shared/contract/delivery.ts';
import { ALIASES, NAMES } from '#shared/contract/field-aliases.ts';
import type { JsonObject } from '#shared/contract/fields.ts';
import { leadInput, leadPatchInput } from '#shared/contract/lead.ts';
import { firstNotices } from '#shared/contract/notices.ts';
import { readFields } from '#shared/contract/read-fields.ts';
import { simulationInput } from '#shared/contract/simulation-request.ts';
import { unknownFields, withMisnamed } from '#shared/contract/unknown-fields.ts';
import { plainName } from '#shared/domain/values/nearest-name.ts';
import { failureOf } from '#test/makers/bad-input.ts';

const SCHEMAS: readonly z.ZodMiniObject[] = [leadInput, leadPatchInput, simulationInput, analysisInput];
const schema = fc.constantFrom(...SCHEMAS);
const IGNORED = 'Campo desconhecido; foi ignorado.';
const meant = (field: string) => `Campo desconhecido; quis dizer ${field}?`;

/** Names of every kind: any text, digits with any punctuation, names that objects inherit. */
const name = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 90 }),
  fc.string({ unit: fc.constantFrom(...'0123456789.-/ _x'), maxLength: 90 }),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', '', '\u202e', '900.000.001-75'),
);
const body = fc.dictionary(name, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 40 });

test.each([
  [leadInput, { NOME: 'Ana' }, 'nome', '(veio NOME: quis dizer nome?)'],
  [leadInput, { document: '1' }, 'cpf', '(veio document: quis dizer cpf?)'],
  [leadInput, { data: { name: 'Ana' } }, 'nome', '(veio name dentro de outro objeto: envie os campos sem ele)'],
  [simulationInput, { leadId: 1 }, 'lead_id', '(veio leadId: quis dizer lead_id?)'],
  [analysisInput, { simulacao_id: 1 }, 'lead_id', '(veio simulacao_id: quis dizer lead_id?)'],
  [leadInput, { nada: {} }, 'nome', ''],
  [leadInput, { data: { data: { name: 'Ana' } } }, 'nome', ''],
])('withMisnamed names the unknown field that probably means a missing field: %#', (of, sent, field, hint) => {
  const [fault] = withMisnamed([{ field, reason: 'é obrigatório' }], of, sent as JsonObject);
  expect(fault).toEqual({ field, reason: ['é obrigatório', hint].filter(Boolean).join(' ') });
});

it('the refusal of a missing field suggests the unknown field that probably means it', () => {
  expect(failureOf(() => readFields(simulationInput, { leadId: 1 })).fields).toEqual([
    { field: 'lead_id', reason: expect.stringContaining('quis dizer lead_id?') },
    { field: 'bancos', reason: 'é obrigatório; preencha o campo' },
  ]);
});

test.each<[z.ZodMiniObject, string, string]>([
  [deliveryQuery, 'limite', meant('limit')],
  [deliveryQuery, 'status', meant('situacao')],
  [deliveryQuery, 'page', 'Campo desconhecido; não há páginas por número; use limit e offset.'],
  [simulationInput, 'prazo_meses', meant('prazo')],
  [simulationInput, 'banco_id', meant('bancos')],
  [simulationInput, 'conjuge_renda', meant('segundo_proponente.renda')],
  [simulationInput, 'entrada', 'Campo desconhecido; a entrada é valor_imovel menos valor_financiado.'],
  [simulationInput, 'amount', meant('valor_financiado')],
  [simulationInput, 'uf_imovel', meant('uf')],
  [analysisInput, 'uf_imovel', IGNORED],
  [leadInput, 'birth_date', meant('data_nascimento')],
  [leadInput, 'telefonne', meant('telefone')],
  [leadInput, 'prazo_meses', IGNORED],
  [analysisInput, 'cidade', meant('municipio')],
  [analysisInput, 'idempotency_key', 'Campo desconhecido; a chave de idempotência vai no cabeçalho Idempotency-Key.'],
  [analysisInput, 'cor_favorita', IGNORED],
])('unknownFields names the field that was probably meant: %#', (known, campo, motivo) => {
  expect(unknownFields(known, { [campo]: 1 })).toEqual([{ campo, motivo }]);
});

it('unknownFields looks into the objects that a schema has, and into no other object', () => {
  const known = { fgts: { value: 10, amount: 10, valor: 1 }, segundo_proponente: { income: 1 }, bancos: [{}] };
  const others = { extra: { renda: 1 }, other: { a: 1, b: 1, c: 1, renda: 1 } };
  const notices = unknownFields(simulationInput, { ...known, ...others });
  expect(notices.map(({ campo, motivo }) => [campo, motivo])).toEqual([
    ['fgts.value', meant('valor')],
    ['fgts.amount', meant('valor')],
    ['segundo_proponente.income', meant('renda')],
    ['extra', 'Campo desconhecido; envie os campos sem este objeto em volta.'],
    ['other', IGNORED],
  ]);
});

it('unknownFields counts each unknown field, names the first 20 in the body’s order, and never fails', () => {
  fc.assert(
    fc.property(schema, body, (known, sent) => {
      const strange = Object.keys(sent).filter((field) => !Object.hasOwn(known.shape, field));
      const notices = unknownFields(known, sent);
      expect(notices).toHaveLength(strange.length);
      // A notice shows at most 64 printable characters of a name, and never four digits of one number.
      for (const { campo } of notices) expect(campo).toMatch(/^\P{C}{0,64}$/u);
      for (const { campo } of notices) expect(campo).not.toMatch(/\p{N}(?:[^\p{L}\p{N}]*\p{N}){3}/u);
    }),
  );
});

it('each alias occurs once', () => {
  const names = Object.values(NAMES).flatMap((list) => list.split(' '));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

it('no field of a body is an alias of another field of the body', () => {
  const paired = [...SCHEMAS, withdrawalInput, deliveryQuery, outcomeQuery].flatMap(({ shape }) =>
    Object.keys(shape).flatMap((field) => {
      const meant = ALIASES.get(plainName(field))?.find((target) => target !== field && target in shape);
      return meant === undefined ? [] : [`${field} is an alias of ${meant} in field-aliases.ts`];
    }),
  );
  expect(paired).toEqual([]);
});

it('each alias is a plain name, and means a field that some body has', () => {
  const paths = new Set(
    [...SCHEMAS, deliveryQuery, outcomeQuery]
      .flatMap(({ shape }) => Object.keys(shape))
      .concat('valor', 'participacao'),
  );
  for (const [alias, targets] of ALIASES) {
    expect(alias).toBe(plainName(alias));
    for (const target of targets) expect(paths.has(target.split('.')[0]!) ? '' : target).toBe('');
  }
});

it('avisos is absent if there is nothing to say, and has at most 20 entries, of which the last counts the rest', () => {
  const notice = { campo: 'a', motivo: 'b' };
  expect(firstNotices([], [])).toBeUndefined();
  expect(firstNotices(Array(20).fill(notice))).toEqual(Array(20).fill(notice));
  const notices = firstNotices(Array(15).fill(notice), Array(17).fill(notice));
  expect(notices).toHaveLength(20);
  expect(notices?.at(-1)).toEqual({ campo: 'avisos', motivo: expect.stringContaining('Há mais 13 avisos') });
});
