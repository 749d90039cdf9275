import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { administrationDocument } from '../shared/administration/document/openapi.ts';
import { generatedTypes, PYTHON_CLIENT_PATH, packageFiles, pythonClient } from '../shared/partner/client/clients.ts';
import { generatorProfile } from '../shared/partner/openapi/generator-profile.ts';
import { openapiDocument } from '../shared/partner/openapi/openapi.ts';

const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;

/**
 * Every generated file as the contract and the administration's operations make it, by its path from the repository's root.
 * A test fails where the stored one differs.
 */
export async function generatedFiles() {
  const document = openapiDocument();
  return [
    // The functions serve these files, so that their first call derives nothing.
    { path: 'shared/partner/openapi/openapi.json', text: json(document) },
    { path: 'shared/partner/openapi/openapi-3.0.json', text: json(generatorProfile(document)) },
    { path: 'shared/partner/client/generated.ts', text: await generatedTypes(document) },
    { path: PYTHON_CLIENT_PATH, text: pythonClient(document) },
    ...packageFiles(document).map(({ path, text }) => ({ path: `shared/partner/client/${path}`, text })),
    { path: 'shared/administration/document/openapi.json', text: json(administrationDocument()) },
  ];
}

// npm run generate, after a change of the contract or of the administration's operations.
if (import.meta.main) {
  for (const { path, text } of await generatedFiles()) {
    writeFileSync(join(import.meta.dirname, '..', path), text);
    console.log(path);
  }
}
