import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { generatedFiles } from '../../../bin/generate.ts';

it.each(await generatedFiles())('$path is what its sources make: if not, npm run generate', ({ path, text }) => {
  expect(readFileSync(join(import.meta.dirname, '../../..', path), 'utf8')).toBe(text);
});
