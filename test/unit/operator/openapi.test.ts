import { createConfig, lint } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import { BANKS } from '../../../shared/domain/values/bank.ts';
import { OPERATOR_CONTRACT, operatorContract } from './openapi-document.ts';

test('the contract is a valid OpenAPI 3.1 document by the recommended rules', async () => {
  const problems = await lint({ ref: OPERATOR_CONTRACT, config: await createConfig({ extends: ['recommended'] }) });
  expect(problems.map(({ ruleId, message, location }) => ({ ruleId, message, at: location[0]?.pointer }))).toEqual([]);
});

test('the contract names the banks of the domain', async () => {
  const bank = (await operatorContract()).schema('Bank');
  expect(bank).toMatchObject({ options: BANKS });
});
