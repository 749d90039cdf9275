import { expect, test } from 'vitest';
import { fold } from '../../../../shared/domain/values/fold.ts';

test('names are folded: accents, case and spaces', () => {
  expect(fold('  José\tDA  Conceição\u00a0Müller ')).toBe('jose da conceicao muller');
});
