import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { administrationDocument } from '../shared/administration/document/openapi.ts';
import { generatedFiles } from '../shared/partner/generated-files.ts';

// Writes every generated file: npm run generate, after a change of the contract or of the administration's routes.
const administration = {
  path: 'shared/administration/document/openapi.json',
  text: `${JSON.stringify(administrationDocument(), null, 2)}\n`,
};
for (const { path, text } of [...(await generatedFiles()), administration]) {
  writeFileSync(join(import.meta.dirname, '..', path), text);
  console.log(path);
}
