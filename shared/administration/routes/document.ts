import { type AdministrationRoute, EVERYONE } from '../route.ts';

/** The document of this API. */
export const DOCUMENT_ROUTES = [
  {
    operation: 'show-openapi',
    noun: 'document',
    method: 'GET',
    path: '/openapi.json',
    duties: EVERYONE,
    audited: false,
  },
] as const satisfies readonly AdministrationRoute[];
