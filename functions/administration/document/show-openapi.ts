import document from '#shared/administration/document/openapi.json' with { type: 'json' };
import { showOpenapi } from '#shared/administration/operations.ts';
import { administrationDocument } from '#shared/http/administration/document.ts';

export const handler = administrationDocument(showOpenapi, document);
