import type { Command } from 'commander';
import { REFUSALS_KEPT } from '#shared/domain/partners/partner.ts';
import { UsageError } from './errors.ts';
import type { Session } from './session.ts';
import { moment } from './table.ts';
import { command, verb } from './verb.ts';

const NOT_SHOWN = `
The same list as GET /v1/erros of the partner. It has no call of production,
none with an invalid key (401), none above the rate (429), and no failure of
ours (5xx).
`;

export function units(root: Command, session: Session): void {
  const noun = command(root, 'units', "a partner's units: data belongs to a unit", 'units list --partner 123 --local');

  verb(noun, 'create', 'create-unit', 'units create --partner 123 --name "Unidade Centro" --local')
    .takes({ partner_id: 'id of the partner', name: 'name of the unit' })
    .run(async (given) => {
      const { unit } = await session.ask('create-unit', given);
      session.printRecord({ partner: given.partner_id, unit: unit.unitId, name: given.name });
    });

  verb(
    noun,
    'present',
    'present-unit',
    'units present --partner 123 --unit 456 --creci "12.345-J SP" --contact "(11) 3456-7890" --local',
  )
    .takes({
      partner_id: 'id of the partner',
      unit_id: 'id of the unit',
      name: 'name of the unit',
      creci: "the unit's registration with the council of estate agents",
      contact: 'how a client reaches the unit',
    })
    .run(async (given) => {
      const { partner_id: partner, unit_id: unit, ...texts } = given;
      const set = Object.entries(texts).filter(([, text]) => text !== undefined);
      if (set.length === 0) throw new UsageError('say what to set: --name, --creci or --contact');
      await session.ask('present-unit', given);
      session.printRecord({ partner, unit, ...texts }, [
        ['partner', partner],
        ['unit', unit],
        ...set.map(([field, text]) => [field, text === '' ? 'removed' : text] as const),
      ]);
    });

  verb(noun, 'list', 'list-units', 'units list --partner 123 --local')
    .takes({ partner_id: 'id of the partner' })
    .run(async (given) => {
      const { units: found } = await session.ask('list-units', given);
      session.printTable(
        found,
        [
          { title: 'unit', value: (row) => row.unitId },
          { title: 'name', value: (row) => row.name, shrinks: true },
          { title: 'creci', value: (row) => row.creci ?? '' },
          { title: 'contact', value: (row) => row.contact ?? '', shrinks: true },
          { title: 'created', value: (row) => moment(row.createdAt) },
        ],
        found.map(({ unitId: unit, partnerId: _, ...rest }) => ({ unit, ...rest })),
      );
    });

  verb(noun, 'refusals', 'list-refusals', 'units refusals --partner 123 --unit 456 --local')
    .takes({ partner_id: 'id of the partner', unit_id: 'id of the unit' })
    .help(NOT_SHOWN)
    .run(async (given) => {
      const { calls } = await session.ask('list-refusals', given);
      session.printTable(calls, [
        { title: 'at', value: (row) => moment(row.at) },
        { title: 'call', value: (row) => `${row.method} ${row.path}` },
        { title: 'code', value: (row) => row.code },
        { title: 'fields', value: (row) => row.fields.join(','), shrinks: true },
        { title: 'request', value: (row) => row.requestId, shrinks: true },
      ]);
      if (calls.length === REFUSALS_KEPT.newest)
        session.note(`The list ends after the newest ${REFUSALS_KEPT.newest}: there may be older ones.`);
    });
}
