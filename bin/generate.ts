import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedFiles } from '../shared/partner/generated-files.ts';

// Writes every generated file: npm run generate, after a change of the contract.
for (const { path, text } of await generatedFiles()) {
  writeFileSync(join(import.meta.dirname, '..', path), text);
  console.log(path);
}
