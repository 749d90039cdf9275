import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { described } from '../../../shared/contract/described.ts';

test('a schema that is described anew keeps its words for those who hold it', () => {
  const first = described(z.string(), { description: 'O primeiro.', format: 'date' });
  const second = described(first, 'O segundo.');
  expect(z.globalRegistry.get(first)).toEqual({ description: 'O primeiro.', format: 'date' });
  expect(z.globalRegistry.get(second)).toEqual({ description: 'O segundo.', format: 'date' });
  expect(second.parse('x')).toBe('x');
});
