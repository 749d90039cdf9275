import { beforeAll, expect, it } from 'vitest';
import type { Analysis } from '../../../shared/domain/analyses/analysis.ts';
import { operatorReference } from '../../../shared/operator/operator-api.ts';
import { administration } from '../../makers/administration.ts';
import { bookAnalysis } from '../../makers/booked.ts';
import { type MadePartner, makePartner, usePeers } from '../../makers/peers.ts';
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

it('an outcome that the operator tells travels by the operator’s written contract', async () => {
  const contract = await operatorContract();
  const analysis = await kept();
  const body = { submissions: [told(analysis), told(analysis, { bank: 'brb' })] };
  expect(contract.request('pushOutcomes').safeParse(body).success).toBe(true);
  const answer = (await administration('record-outcomes', { body })).body;
  expect(contract.response('pushOutcomes', 200).parse(answer)).toEqual(answer);
  const refused = (await administration('record-outcomes', { body: {} })).body;
  expect(contract.response('pushOutcomes', 400).parse(refused)).toEqual(refused);
});
