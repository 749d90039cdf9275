import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { generatedFiles } from '../../../shared/partner/generated-files.ts';

it.each(await generatedFiles())('$path is what the contract makes: if not, npm run generate', ({ path, text }) => {
  expect(readFileSync(join(import.meta.dirname, '../../..', path), 'utf8')).toBe(text);
});
