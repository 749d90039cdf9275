import { documentEndpoint } from '#shared/http/public-reply.ts';
import document from '#shared/partner/openapi/openapi-3.0.json' with { type: 'json' };

export const handler = documentEndpoint(document);
