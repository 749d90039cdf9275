import { generatedTypes } from './client/generate.ts';
import { openapiDocument } from './openapi/openapi.ts';

/** A file of the repository that is made of the contract. */
interface GeneratedFile {
  /** From the repository's root. */
  readonly path: string;
  readonly text: string;
}

/** Every generated file as the contract makes it now. A test fails where the stored one differs. */
export async function generatedFiles(): Promise<GeneratedFile[]> {
  const document = openapiDocument();
  return [
    // The function serves this file, so that its first call derives nothing.
    { path: 'shared/partner/openapi/openapi.json', text: `${JSON.stringify(document, null, 2)}\n` },
    { path: 'shared/partner/client/generated.ts', text: await generatedTypes(document) },
  ];
}
