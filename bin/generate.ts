import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { customerFields, partnerPeople } from '../infra/security/personal-fields.ts';
import { administrationDocument } from '../shared/administration/document/openapi.ts';
import { generatedTypes, PYTHON_CLIENT_PATH, packageFiles, pythonClient } from '../shared/partner/client/clients.ts';
import { generatorProfile } from '../shared/partner/openapi/generator-profile.ts';
import { openapiDocument } from '../shared/partner/openapi/openapi.ts';

const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;

const ROOT = join(import.meta.dirname, '..');

/**
 * Returns a document with new content in its blocks, each between `<!-- generated: <name> -->` and `<!-- end -->`.
 * Throws an Error if the document has no block of a name.
 */
function withBlocks(path: string, contents: Readonly<Record<string, string>>): { path: string; text: string } {
  let text = readFileSync(join(ROOT, path), 'utf8');
  for (const [name, content] of Object.entries(contents)) {
    const [begin, end] = [`<!-- generated: ${name} -->`, '<!-- end -->'];
    const from = text.indexOf(begin);
    const to = text.indexOf(end, from);
    if (from < 0 || to < 0) throw new Error(`${path} has no block ${begin} to ${end}`);
    text = `${text.slice(0, from)}${begin}\n\n${content}\n\n${text.slice(to)}`;
  }
  return { path, text };
}

/**
 * Returns every generated file with its path from the repository's root. The files are made from the contract, the
 * administration's operations, the recorded costs and the formats of rows. A test fails if a stored file differs.
 */
export async function generatedFiles() {
  const document = openapiDocument();
  return [
    // The functions serve these files as they are stored, so that their first call builds nothing.
    { path: 'shared/partner/openapi/openapi.json', text: json(document) },
    { path: 'shared/partner/openapi/openapi-3.0.json', text: json(generatorProfile(document)) },
    { path: 'shared/partner/client/generated.ts', text: await generatedTypes(document) },
    { path: PYTHON_CLIENT_PATH, text: pythonClient(document) },
    ...packageFiles(document).map(({ path, text }) => ({ path: `shared/partner/client/${path}`, text })),
    { path: 'shared/administration/document/openapi.json', text: json(administrationDocument()) },
    withBlocks('infra/security/PRIVACY.md', { customers: customerFields(), 'people of partners': partnerPeople() }),
  ];
}

// Run by npm run generate, after a change of the contract, of the administration's operations, or of the formats
// of rows.
if (import.meta.main) {
  for (const { path, text } of await generatedFiles()) {
    writeFileSync(join(ROOT, path), text);
    console.log(path);
  }
}
