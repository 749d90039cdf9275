import document from '#shared/administration/document/openapi.json' with { type: 'json' };
import { showOpenapi } from '#shared/administration/operations.ts';
import { administrationDocument } from '#shared/http/administration/document.ts';

/** Serves the OpenAPI document of the administration to every caller with a duty. */
export const handler = administrationDocument(showOpenapi, document);
