import { generatedTypes } from './client/partner-client.ts';
import { PYTHON_CLIENT_FILE, pythonClient } from './client/python-client.ts';
import { generatorProfile } from './openapi/generator-profile.ts';
import { openapiDocument } from './openapi/openapi.ts';

/** A file of the repository that is made of the contract. */
interface GeneratedFile {
  /** From the repository's root. */
  readonly path: string;
  readonly text: string;
}

const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;

/** Every generated file as the contract makes it now. A test fails where the stored one differs. */
export async function generatedFiles(): Promise<GeneratedFile[]> {
  const document = openapiDocument();
  return [
    // The functions serve these files, so that their first call derives nothing.
    { path: 'shared/partner/openapi/openapi.json', text: json(document) },
    { path: 'shared/partner/openapi/openapi-3.0.json', text: json(generatorProfile(document)) },
    { path: 'shared/partner/client/generated.ts', text: await generatedTypes(document) },
    { path: `shared/partner/client/python/${PYTHON_CLIENT_FILE}`, text: pythonClient(document) },
  ];
}
