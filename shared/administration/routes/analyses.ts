import { type AdministrationRoute, PARTNER_CARE, READERS } from '../route.ts';

/** Analyses that wait, and outcomes that the operator tells. */
export const ANALYSIS_ROUTES = [
  {
    operation: 'list-pending-analyses',
    noun: 'analyses',
    method: 'GET',
    path: '/v1/analyses',
    duties: READERS,
    audited: false,
    paged: true,
  },
  {
    operation: 'show-analysis',
    noun: 'analyses',
    method: 'GET',
    path: '/v1/analyses/{analysis_id}',
    duties: READERS,
    audited: false,
  },
  {
    operation: 'poll-analysis',
    noun: 'analyses',
    method: 'POST',
    path: '/v1/analyses/{analysis_id}/poll',
    duties: PARTNER_CARE,
    audited: true,
  },
  // The operator's own words, as the whole of shared/operator/operator.openapi.yaml: a machine calls it, and no person.
  {
    operation: 'record-outcomes',
    noun: 'analyses',
    method: 'POST',
    path: '/resultados',
    duties: ['operator'],
    audited: false,
  },
] as const satisfies readonly AdministrationRoute[];
