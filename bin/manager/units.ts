import type { Command } from 'commander';
import type { PartnerId, UnitId } from '#shared/domain/values/ids.ts';
import { command, documentText, id, name, verb } from './arguments.ts';
import { UsageError } from './errors.ts';
import type { Session } from './session.ts';
import { moment } from './table.ts';

/** What the options of `units present` hold. */
interface Presentation {
  readonly name?: string;
  readonly creci?: string;
  readonly contact?: string;
}

export function units(root: Command, session: Session): void {
  const noun = command(root, 'units', "a partner's units: data belongs to a unit", 'units list --partner 123 --local');

  verb(noun, 'create', 'create-unit', 'units create --partner 123 --name "Unidade Centro" --local')
    .requiredOption('--partner <id>', 'whose', id<PartnerId>)
    .requiredOption('--name <text>', 'what it is called', name)
    .action(async ({ partnerId, name: called }: { partnerId: PartnerId; name: string }) => {
      const { unit } = await session.ask('create-unit', { partner_id: partnerId, name: called });
      session.printRecord({ partner: partnerId, unit: unit.unitId, name: called });
    });

  verb(
    noun,
    'present',
    'present-unit',
    'units present --partner 123 --unit 456 --creci "12.345-J SP" --contact "(11) 3456-7890" --local',
  )
    .requiredOption('--partner <id>', 'whose', id<PartnerId>)
    .requiredOption('--unit <id>', 'which', id<UnitId>)
    .option('--name <text>', 'what it is called', name)
    .option('--creci <text>', 'its registration with the council of estate agents', documentText)
    .option('--contact <text>', 'how a client reaches it', documentText)
    .action(async ({ partnerId, unitId, ...texts }: { partnerId: PartnerId; unitId: UnitId } & Presentation) => {
      if (Object.keys(texts).length === 0) throw new UsageError('say what to set: --name, --creci or --contact');
      await session.ask('present-unit', { unit_id: unitId, partner_id: partnerId, ...texts });
      session.printRecord({ partner: partnerId, unit: unitId, ...texts }, [
        ['partner', partnerId],
        ['unit', unitId],
        ...Object.entries(texts).map(([field, text]) => [field, text === '' ? 'removed' : text] as const),
      ]);
    });

  verb(noun, 'list', 'list-units', 'units list --partner 123 --local')
    .requiredOption('--partner <id>', 'whose', id<PartnerId>)
    .action(async ({ partnerId }: { partnerId: PartnerId }) => {
      const { units: found } = await session.ask('list-units', { partner_id: partnerId });
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
}
