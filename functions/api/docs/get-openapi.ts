import { documentEndpoint } from '#shared/http/public-reply.ts';
import document from '#shared/partner/openapi/openapi.json' with { type: 'json' };

/** Serves the OpenAPI document of the partners' API. */
export const handler = documentEndpoint(document);
