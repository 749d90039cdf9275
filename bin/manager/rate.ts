import type { Command } from 'commander';
import { LARGEST_RATE } from '../../shared/administration/keys.ts';
import { DEFAULT_LIMIT } from '../../shared/domain/partners/partner.ts';
import type { PartnerId } from '../../shared/domain/values/ids.ts';
import type { Environment } from '../../shared/domain/values/tenancy.ts';
import { command, environment, id, verb, whole } from './arguments.ts';
import type { Session } from './session.ts';

export function rate(root: Command, session: Session): void {
  const noun = command(
    root,
    'rate',
    `calls a minute; ${DEFAULT_LIMIT} where nothing else is set`,
    'rate set --partner 123 --environment producao --limit 600 --local',
  );

  const set = async (partnerId: PartnerId, of: Environment, wanted: number | null) => {
    const { limit } = await session.ask('set-rate', { partner_id: partnerId, environment: of, limit: wanted });
    session.print(
      { partner: partnerId, environment: of, limit },
      () => `partner ${partnerId}: ${limit} calls a minute in ${of}\n`,
    );
  };

  verb(noun, 'set', 'set-rate', 'rate set --partner 123 --environment producao --limit 600 --local')
    .requiredOption('--partner <id>', 'whose', id<PartnerId>)
    .addOption(environment().makeOptionMandatory())
    .requiredOption('--limit <number>', 'calls a minute', whole(1, LARGEST_RATE))
    .action((options: { partnerId: PartnerId; environment: Environment; limit: number }) =>
      set(options.partnerId, options.environment, options.limit),
    );

  command(noun, 'clear', 'back to the usual limit', 'rate clear --partner 123 --environment producao --local')
    .requiredOption('--partner <id>', 'whose', id<PartnerId>)
    .addOption(environment().makeOptionMandatory())
    .action((options: { partnerId: PartnerId; environment: Environment }) =>
      set(options.partnerId, options.environment, null),
    );
}
