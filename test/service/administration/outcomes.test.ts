import { expect, it } from 'vitest';
import { operatorReference } from '#shared/operator/operator-api.ts';
import { administration } from '#test/makers/administration.ts';
import { bookAnalysis } from '#test/makers/booked.ts';
import { makePartner, usePeers } from '#test/makers/peers.ts';
import { operatorContract } from '#test/unit/operator/openapi-document.ts';

usePeers();

it('record-outcomes takes bodies and gives answers that fit the written contract of the operator', async () => {
  const contract = await operatorContract();
  const { partnerId, unitId } = await makePartner();
  const analysis = await bookAnalysis({ partnerId, unitId });
  const { bank, queryNumber } = analysis;
  const told = { reference: operatorReference(analysis, analysis.id), bank, queryNumber, status: 'Aprovado' };
  const body = { submissions: [told, { ...told, bank: 'brb' }] };
  expect(contract.request('pushOutcomes').safeParse(body).success).toBe(true);
  const answer = (await administration('record-outcomes', { body })).body;
  expect(contract.response('pushOutcomes', 200).parse(answer)).toEqual(answer);
  const refused = (await administration('record-outcomes', { body: {} })).body;
  expect(contract.response('pushOutcomes', 400).parse(refused)).toEqual(refused);
});
