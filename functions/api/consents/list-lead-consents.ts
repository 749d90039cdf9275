import { consentList, consentListBody } from '#shared/contract/consent.ts';
import { parsePage } from '#shared/contract/page.ts';
import { listLeadConsents } from '#shared/contract/routes.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import { endpoint } from '#shared/http/partner/endpoint.ts';
import { queryFields } from '#shared/http/partner/fields.ts';
import { answer } from '#shared/http/partner/reply.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = endpoint(listLeadConsents, wiring.admission, { consents: wiring.consents })
  .use(queryFields(parsePage))
  .handler(async ({ caller, id, input: page }, { consents }) => {
    const found = await consents.page(caller, id, page);
    if (!found) throw new Failure('nao_encontrado');
    return answer(200, consentList, consentListBody(found, page));
  });
