import { administrationAnswer } from '../../../shared/administration/failures.ts';
import { type AdministrationClient, AdministrationRefusal } from '../administration-client.ts';
import type { CallAdministration } from './forward.ts';

/** Calls the administration API as the page asks: a refusal of the API, or of a lost answer, is an answer like any other. */
export function callApi(client: Pick<AdministrationClient, 'send'>): CallAdministration {
  return async (operation, sent) => {
    try {
      return { status: 200, body: await client.send(operation, sent) };
    } catch (error) {
      if (!(error instanceof AdministrationRefusal)) throw error;
      const { code, message, answer } = error;
      const { status, body } = administrationAnswer({ code, text: message, fields: undefined }, 'panel');
      return { status, body: answer ?? body };
    }
  };
}
