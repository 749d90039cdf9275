import { ADMINISTRATION_FAILURES } from '../../../shared/administration/failures.ts';
import { type AdministrationClient, AdministrationRefusal } from '../administration-client.ts';
import type { CallAdministration } from './forward.ts';

/** Calls the administration API as the page asks: a refusal of the API is an answer like any other. */
export function callApi(client: Pick<AdministrationClient, 'send'>): CallAdministration {
  return async (operation, sent) => {
    try {
      return { status: 200, body: await client.send(operation, sent) };
    } catch (error) {
      if (!(error instanceof AdministrationRefusal) || !error.answer) throw error;
      return { status: ADMINISTRATION_FAILURES[error.code].status, body: error.answer };
    }
  };
}
