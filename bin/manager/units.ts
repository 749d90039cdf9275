import type { Command } from 'commander';
import { drawId, type PartnerId, type UnitId } from '../../shared/domain/values/ids.ts';
import { createUnit, listUnits, presentUnit } from '../../shared/table/partner-register.ts';
import { documentText, example, id, name } from './arguments.ts';
import { UsageError } from './errors.ts';
import { existing } from './partners.ts';
import type { Session } from './session.ts';
import { moment } from './table.ts';

/** What the options of `units present` hold. */
interface Presentation {
  readonly name?: string;
  readonly creci?: string;
  readonly contact?: string;
}

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
    .command('present')
    .description("how the documents for a unit's clients name it; an empty text removes one")
    .requiredOption('--partner <id>', 'whose', id<PartnerId>)
    .requiredOption('--unit <id>', 'which', id<UnitId>)
    .option('--name <text>', 'what it is called', name)
    .option('--creci <text>', 'its registration with the council of estate agents', documentText)
    .option('--contact <text>', 'how a client reaches it', documentText)
    .addHelpText(
      'after',
      example('units present --partner 123 --unit 456 --creci "12.345-J SP" --contact "(11) 3456-7890" --local'),
    )
    .action(async ({ partnerId, unitId, ...texts }: { partnerId: PartnerId; unitId: UnitId } & Presentation) => {
      if (Object.keys(texts).length === 0) throw new UsageError('say what to set: --name, --creci or --contact');
      await existing(partnerId);
      await session.change(partnerId, { unit: unitId }, () => presentUnit(partnerId, unitId, texts));
      session.printRecord({ partner: partnerId, unit: unitId, ...texts }, [
        ['partner', partnerId],
        ['unit', unitId],
        ...Object.entries(texts).map(([field, text]) => [field, text === '' ? 'removed' : text] as const),
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
          { title: 'creci', value: (row) => row.creci ?? '' },
          { title: 'contact', value: (row) => row.contact ?? '', shrinks: true },
          { title: 'created', value: (row) => moment(row.createdAt) },
        ],
        found.map(({ id: unit, ...rest }) => ({ unit, ...rest })),
      );
    });
}
