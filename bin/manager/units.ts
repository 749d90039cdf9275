import type { Command } from 'commander';
import { drawId, type PartnerId, type UnitId } from '../../shared/domain/values/ids.ts';
import { createUnit, listUnits } from '../../shared/table/partner-register.ts';
import { example, id, name } from './arguments.ts';
import { existing } from './partners.ts';
import type { Session } from './session.ts';
import { moment } from './table.ts';

export function units(root: Command, session: Session): void {
  const noun = root
    .command('units')
    .description("a partner's units: data belongs to a unit")
    .addHelpText('after', example('units list --partner 123 --local'));

  noun
    .command('create')
    .description('make a unit')
    .requiredOption('--partner <id>', 'whose', id<PartnerId>)
    .requiredOption('--name <text>', 'what it is called', name)
    .addHelpText('after', example('units create --partner 123 --name "Unidade Centro" --local'))
    .action(async ({ partnerId, name: called }: { partnerId: PartnerId; name: string }) => {
      await existing(partnerId);
      const now = session.clock();
      const unitId = drawId<UnitId>(now);
      await session.change(partnerId, { unit: unitId }, () => createUnit(partnerId, unitId, called, now));
      session.printRecord({ partner: partnerId, unit: unitId, name: called }, [
        ['partner', partnerId],
        ['unit', unitId],
        ['name', called],
      ]);
    });

  noun
    .command('list')
    .description("a partner's units, oldest first")
    .requiredOption('--partner <id>', 'whose', id<PartnerId>)
    .addHelpText('after', example('units list --partner 123 --local'))
    .action(async ({ partnerId }: { partnerId: PartnerId }) => {
      await existing(partnerId);
      const found = await listUnits(partnerId);
      session.printTable(
        found,
        [
          { title: 'unit', value: (row) => row.id },
          { title: 'name', value: (row) => row.name, shrinks: true },
          { title: 'created', value: (row) => moment(row.createdAt) },
        ],
        found.map((unit) => ({ unit: unit.id, name: unit.name, createdAt: unit.createdAt })),
      );
    });
}
