import * as z from 'zod';
import { explainedBody, listDeliveries } from '../../../shared/administration/deliveries.ts';
import { orNotFound } from '../../../shared/administration/failures.ts';
import { ENVIRONMENTS } from '../../../shared/domain/values/tenancy.ts';
import { administrationRead } from '../../../shared/http/administration-endpoint.ts';
import { invalidField } from '../../../shared/http/administration-parse.ts';
import { cursorOf, placeIn } from '../../../shared/http/cursor.ts';
import * as wiring from '../../../shared/wiring.ts';

export const handler = administrationRead(
  'list-deliveries',
  listDeliveries,
  { clock: wiring.clock, register: wiring.partnerRegister, archive: wiring.deliveryArchive },
  async ({ query }, { register, archive }) => {
    const { partner_id, unit_id: unitId, environment, state, analysis_id, since, until, limit, cursor } = query;
    orNotFound(await register.get(partner_id), `partner ${partner_id}`);
    if (analysis_id === undefined) {
      const filter = { unitId, environment, since, until, states: state && [state] };
      const page = await archive.page(partner_id, filter, 'newest', limit, placeIn(z.string(), cursor));
      const rows = await archive.explained(page.items);
      return { deliveries: rows.map(explainedBody), next_cursor: cursorOf(page.next) };
    }
    if (unitId === undefined) throw invalidField('analysis_id', 'needs its unit_id');
    const tenancies = ENVIRONMENTS.filter((one) => (environment ?? one) === one).map((one) => ({
      unitId,
      environment: one,
    }));
    const found = (await Promise.all(tenancies.map((tenancy) => archive.ofAnalysis(tenancy, analysis_id)))).flat();
    const own = found.filter((row) => row.partnerId === partner_id && (state ?? row.state) === row.state);
    return { deliveries: (await archive.explained(own)).map(explainedBody), next_cursor: null };
  },
);
