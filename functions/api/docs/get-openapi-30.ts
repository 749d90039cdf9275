import { documentEndpoint } from '#shared/http/public-reply.ts';
import document from '#shared/partner/openapi/openapi-3.0.json' with { type: 'json' };

/** Serves the document of the partners' API in OpenAPI 3.0, for code generators. */
export const handler = documentEndpoint(document);
