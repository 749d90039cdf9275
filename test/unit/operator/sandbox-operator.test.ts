import { describe, expect, test } from 'vitest';
import type { Situation } from '#shared/domain/analyses/analysis.ts';
import { readStatus } from '#shared/domain/analyses/statuses.ts';
import { parseCpf } from '#shared/domain/values/cpf.ts';
import { forcedOutcome, forcedStatus, SandboxOperator } from '#shared/operator/sandbox-operator.ts';
import { makeAnalysis } from '#test/makers/analysis.ts';

const SUBMITTED = Date.UTC(2026, 5, 1, 12);
const analysis = makeAnalysis({ environment: 'sandbox', queryNumber: '', createdAt: SUBMITTED });

/**
 * CPF, slug, result of the bank submission, and the situations 9.999 s, 10 s, 299.999 s and 300 s after it
 * (shared/contract/README.md#sandbox, rule 2).
 */
const TABLE: readonly (readonly [string, string, 'accepted' | 'refused' | 'unknown', ...Situation[]])[] = [
  ['900.000.001-75', 'aprovado', 'accepted', 'em_analise', 'aprovado', 'aprovado', 'aprovado'],
  ['900.000.002-56', 'condicionado', 'accepted', 'em_analise', 'condicionado', 'condicionado', 'condicionado'],
  ['900.000.003-37', 'recusado', 'accepted', 'em_analise', 'recusado', 'recusado', 'recusado'],
  ['900.000.004-18', 'cancelado', 'accepted', 'em_analise', 'cancelado', 'cancelado', 'cancelado'],
  ['900.000.005-07', 'erro', 'accepted', 'em_analise', 'erro', 'erro', 'erro'],
  ['900.000.006-80', 'pendente', 'accepted', 'em_analise', 'em_analise', 'em_analise', 'em_analise'],
  ['900.000.007-60', 'aprovado_5min', 'accepted', 'em_analise', 'em_analise', 'em_analise', 'aprovado'],
  ['900.000.008-41', 'entrega_falha', 'refused', 'erro', 'erro', 'erro', 'erro'],
  ['900.000.009-22', 'webhook_falha', 'accepted', 'em_analise', 'aprovado', 'aprovado', 'aprovado'],
  ['900.000.010-66', 'nao_enviada', 'unknown', 'em_analise', 'em_analise', 'em_analise', 'em_analise'],
  ['529.982.247-25', 'aprovado', 'accepted', 'em_analise', 'aprovado', 'aprovado', 'aprovado'],
];

const RESULTS = {
  accepted: { queryNumber: 'SB-9001', rawStatus: 'Em análise' },
  refused: { rawStatus: 'Falha no envio ao banco', reason: 'test_cpf' },
  unknown: { fault: 'unanswerable' },
};
describe.each(TABLE)('the test CPF %s', (cpf, slug, result, ...situations) => {
  test(`the test CPF ${cpf}, with or without punctuation, forces ${slug}, and its submission is ${result}`, async () => {
    expect([cpf, parseCpf(cpf)!].map((one) => forcedOutcome(one))).toEqual([slug, slug]);
    const operator = new SandboxOperator(() => SUBMITTED + 20_000);
    const byForm = await operator.submit(analysis, { cpf });
    const byForced = await operator.submit({ ...analysis, forced: slug }, {});
    expect(byForm).toEqual(byForced);
    expect(byForm).toMatchObject({ kind: result, ...RESULTS[result as keyof typeof RESULTS] });
  });

  test(`an analysis with the test CPF ${cpf} becomes ${situations.at(-1)} within five minutes`, async () => {
    const read = [9_999, 10_000, 299_999, 300_000].map((age) => readStatus(forcedStatus(slug, age)));
    expect(read).toEqual(situations.map((situation) => ({ situation, known: true })));
  });
});

test('forcedStatus waits for the time that its caller sets, and thirty times as long for aprovado_5min', () => {
  const texts = (slug: string, ages: readonly number[]) => ages.map((age) => forcedStatus(slug, age, 2_000));
  expect(texts('recusado', [1_999, 2_000])).toEqual(['Em análise', 'Reprovado']);
  expect(texts('aprovado_5min', [59_999, 60_000])).toEqual(['Em análise', 'Aprovado']);
  expect(texts('entrega_falha', [0])).toEqual(['Falha no envio ao banco']);
  expect(texts('unknown', [1_999, 2_000])).toEqual(['Em análise', 'Aprovado']);
});

test('a poll of the sandbox answers only by clock and creation, with or without a query number', async () => {
  let now = SUBMITTED;
  const operator = new SandboxOperator(() => now);
  const subject = { ...analysis, forced: 'condicionado' };
  const known = { kind: 'known', queryNumber: 'SB-9001' };
  expect(await operator.query(subject)).toEqual({ ...known, rawStatus: 'Em análise' });
  now += 10_000;
  const numbered = { ...subject, queryNumber: 'SB-9001' };
  expect(await operator.query(numbered)).toEqual({ ...known, rawStatus: 'Aprovado com restrição' });
});

test.each(['entrega_falha', 'nao_enviada'])('the sandbox never received an analysis that %s forces', async (forced) => {
  const operator = new SandboxOperator(() => SUBMITTED);
  expect(await operator.query({ ...analysis, forced })).toEqual({ kind: 'absent' });
});
