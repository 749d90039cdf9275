import { afterEach, describe, expect, test } from 'vitest';
import type { Analysis } from '../../../shared/domain/analyses/analysis.ts';
import type { AnalysisId } from '../../../shared/domain/values/ids.ts';
import { httpOperatorApi, type OperatorObservation, operatorReference } from '../../../shared/operator/operator-api.ts';
import { makeAnalysis } from '../../makers/analysis.ts';
import { startPlainReceiver } from '../../makers/receiver.ts';
import { operatorContract } from './openapi-document.ts';

const TOKEN = 'batch-token';
const patient = () => new AbortController().signal;
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function clientOf(url: string, totalTimeout = 10_000) {
  const observed: OperatorObservation[] = [];
  const operator = httpOperatorApi({
    url,
    token: async () => TOKEN,
    totalTimeout,
    observe: (one) => observed.push(one),
  });
  closing.push(() => operator.close());
  return { ask: (of: readonly Analysis[], signal = patient()) => operator.queryBatch!(of, signal), operator, observed };
}

const referenceOf = (analysis: Analysis) => operatorReference(analysis, analysis.id);
const analysesOf = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    makeAnalysis({ id: (index + 1) as AnalysisId, queryNumber: `IT-${index + 1}` }),
  );
const submissionOf = (analysis: Analysis) => ({
  reference: referenceOf(analysis),
  bank: analysis.bank,
  queryNumber: analysis.queryNumber,
  status: 'Em análise',
});
const KNOWN = (analysis: Analysis) => ({ kind: 'known', queryNumber: analysis.queryNumber, rawStatus: 'Em análise' });
const ODD = { kind: 'unavailable', fault: 'analysis' };

/** An operator that answers each call so, what it was sent, and a client of it. */
async function operatorOf(status: number, body: string | object) {
  const seen: unknown[] = [];
  const receiver = await startPlainReceiver(async (request, response) => {
    const { method, url, headers } = request;
    const sent = JSON.parse((await request.toArray()).join(''));
    seen.push({ method, url, body: sent, authorization: headers.authorization });
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  closing.push(() => receiver.stop());
  return { ...clientOf(`http://127.0.0.1:${receiver.port}`), seen };
}

describe('a question about a batch', () => {
  test('is one call with bank and references, by the contract; each status comes in the order asked', async () => {
    const all = analysesOf(100);
    const { ask, observed, seen } = await operatorOf(200, { submissions: all.map(submissionOf).reverse() });
    expect(await ask(all)).toEqual(all.map(KNOWN));
    const body = { bank: 'itau', references: all.map(referenceOf) };
    expect(seen).toEqual([{ method: 'POST', url: '/situacoes', body, authorization: `Bearer ${TOKEN}` }]);
    expect((await operatorContract()).schema('BatchQuery').parse(body)).toEqual(body);
    expect(observed).toMatchObject([{ operation: 'query_batch', bank: 'itau', outcome: 'answered', fault: undefined }]);
  });

  test('leaves each without an answer to which not exactly one entry fits', async () => {
    const all = analysesOf(9);
    const told = all.map(submissionOf);
    const { ask } = await operatorOf(200, {
      submissions: [
        told[0],
        // 1 is left out; 2 comes twice; 3 is another bank's; 4 has another number; 5 a text that is too long.
        told[2],
        { ...told[2], status: 'Aprovado' },
        { ...told[3], bank: 'brb' },
        { ...told[4], queryNumber: 'IT-99' },
        { ...told[5], status: 'a'.repeat(201) },
        null,
        { ...told[6], reference: 'producao-1-1' },
        // An entry that does not fit takes nothing from one that does.
        { ...told[7], bank: 'brb' },
        told[7],
        told[8],
        { ...told[8], reference: 'producao-1-2' },
      ],
    });
    expect(await ask(all)).toEqual(all.map((one, index) => ([0, 7, 8].includes(index) ? KNOWN(one) : ODD)));
  });

  const whole = JSON.stringify({ submissions: analysesOf(2).map(submissionOf) });
  test.each([
    [404, '{}', 'unsupported'],
    [501, '{}', 'unsupported'],
    [202, whole, 'unsupported'],
    [500, whole, 'unavailable'],
    [200, '<html>', 'unsupported'],
    [200, '{"submissions":1}', 'unsupported'],
    [200, JSON.stringify({ submissions: [], filler: 'x'.repeat(1024 * 1024) }), 'unsupported'],
  ])('answered %i %.20s is none: %s', async (status, body, outcome) => {
    const { ask, observed } = await operatorOf(status, body);
    expect(await ask(analysesOf(2))).toBe(outcome);
    expect(observed).toMatchObject([{ outcome }]);
  });

  test('of which the answer is just below 1 MB is read', async () => {
    const all = analysesOf(2);
    const filler = 'x'.repeat(1024 * 1024 - 400);
    const { ask } = await operatorOf(200, { submissions: all.map(submissionOf), filler });
    expect(await ask(all)).toEqual(all.map(KNOWN));
  });

  test('ends with its signal', async () => {
    const { ask } = await operatorOf(200, '{}');
    expect(await ask(analysesOf(2), AbortSignal.abort())).toBe('unavailable');
  });
});
