import { documentEndpoint } from '#shared/http/public-reply.ts';
import document from '#shared/partner/openapi/openapi-3.0.json' with { type: 'json' };

/** The interface's description for code generators, in OpenAPI 3.0. */
export const handler = documentEndpoint(document);
