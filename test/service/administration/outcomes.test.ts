import { beforeAll, describe, expect, it } from 'vitest';
import type { Analysis } from '../../../shared/domain/analyses/analysis.ts';
import { operatorReference } from '../../../shared/operator/operator-api.ts';
import * as wiring from '../../../shared/wiring.ts';
import { administration } from '../../makers/administration.ts';
import { bookAnalysis } from '../../makers/booked.ts';
import { type MadePartner, makePartner, usePeers } from '../../makers/peers.ts';
import { rowsOf } from '../../makers/rows.ts';
import { operatorContract } from '../../unit/operator/openapi-document.ts';

usePeers();

let made: MadePartner;
beforeAll(async () => {
  made = await makePartner();
});

const kept = (changes: Partial<Analysis> = {}) =>
  bookAnalysis({ partnerId: made.partnerId, unitId: made.unitId, ...changes });

/** An outcome as the operator tells it. */
const told = (analysis: Analysis, changes: object = {}) => ({
  reference: operatorReference(analysis, analysis.id),
  bank: analysis.bank,
  queryNumber: analysis.queryNumber,
  status: 'Aprovado',
  ...changes,
});

async function push(...submissions: readonly unknown[]) {
  const { status, body } = await administration('record-outcomes', { body: { submissions } });
  expect(status).toBe(200);
  return body.results.map(({ result, reason }: { result: string; reason: string | null }) => reason ?? result);
}

const now = (analysis: Analysis) => wiring.analyses().get(analysis, analysis.id);
const eventsOf = async (analysis: Analysis) =>
  (await rowsOf('DELIVERY#')).filter(({ body }) => JSON.parse(String(body)).data.analise_id === analysis.id);

describe('an outcome that the operator tells', () => {
  it('is recorded with one event, and told again it is known', async () => {
    const analysis = await kept();
    const status = 'Aprovado com restrição';
    expect(await push(told(analysis, { status }))).toEqual(['recorded']);
    const again = [told(analysis, { status }), told(analysis, { status: status.toLowerCase() })];
    expect(await push(...again)).toEqual(['known', 'known']);
    expect(await now(analysis)).toMatchObject({ situation: 'condicionado', rawStatus: status, sequence: 1 });
    expect(await eventsOf(analysis)).toHaveLength(1);
  });

  it('travels by the operator’s written contract', async () => {
    const contract = await operatorContract();
    const analysis = await kept();
    const body = { submissions: [told(analysis), told(analysis, { bank: 'brb' })] };
    expect(contract.request('pushOutcomes').safeParse(body).success).toBe(true);
    const answer = (await administration('record-outcomes', { body })).body;
    expect(contract.response('pushOutcomes', 200).parse(answer)).toEqual(answer);
    const refused = (await administration('record-outcomes', { body: {} })).body;
    expect(contract.response('pushOutcomes', 400).parse(refused)).toEqual(refused);
  });
});

describe('a push that is none', () => {
  const one = { reference: 'producao-1-1', bank: 'itau', queryNumber: 'IT-1', status: 'Aprovado' };

  it.each([
    ['with an empty list', { submissions: [] }, 400, 'field_invalid'],
    ['with 101', { submissions: Array(101).fill(one) }, 400, 'field_invalid'],
    ['with a reason, as people give one', { submissions: [one], reason: 'because' }, 400, 'field_unknown'],
    ['above 64 KiB', { submissions: [{ ...one, filler: 'x'.repeat(65_536) }] }, 413, 'body_too_large'],
  ])('%s is refused as a whole', async (_, body, status, code) => {
    const answer = await administration('record-outcomes', { body });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });
});
