import { documentEndpoint } from '#shared/http/public-reply.ts';
import document from '#shared/partner/openapi/openapi.json' with { type: 'json' };

/** The interface's description. */
export const handler = documentEndpoint(document);
