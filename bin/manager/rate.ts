import type { Command } from 'commander';
import { LARGEST_RATE } from '../../shared/administration/keys.ts';
import { DEFAULT_LIMIT } from '../../shared/domain/partners/partner.ts';
import type { PartnerId } from '../../shared/domain/values/ids.ts';
import type { Environment } from '../../shared/domain/values/tenancy.ts';
import { environment, example, helpOf, id, whole } from './arguments.ts';
import type { Session } from './session.ts';

export function rate(root: Command, session: Session): void {
  const noun = root
    .command('rate')
    .description(`calls a minute; ${DEFAULT_LIMIT} where nothing else is set`)
    .addHelpText('after', example('rate set --partner 123 --environment producao --limit 600 --local'));

  const set = async (partnerId: PartnerId, of: Environment, wanted: number | null) => {
    const { limit } = await session.ask('set-rate', { partner_id: partnerId, environment: of, limit: wanted });
    session.print(
      { partner: partnerId, environment: of, limit },
      () => `partner ${partnerId}: ${limit} calls a minute in ${of}\n`,
    );
  };

  noun
    .command('set')
    .description(helpOf('set-rate'))
    .requiredOption('--partner <id>', 'whose', id<PartnerId>)
    .addOption(environment().makeOptionMandatory())
    .requiredOption('--limit <number>', 'calls a minute', whole(1, LARGEST_RATE))
    .addHelpText('after', example('rate set --partner 123 --environment producao --limit 600 --local'))
    .action((options: { partnerId: PartnerId; environment: Environment; limit: number }) =>
      set(options.partnerId, options.environment, options.limit),
    );

  noun
    .command('clear')
    .description('back to the usual limit')
    .requiredOption('--partner <id>', 'whose', id<PartnerId>)
    .addOption(environment().makeOptionMandatory())
    .addHelpText('after', example('rate clear --partner 123 --environment producao --local'))
    .action((options: { partnerId: PartnerId; environment: Environment }) =>
      set(options.partnerId, options.environment, null),
    );
}
