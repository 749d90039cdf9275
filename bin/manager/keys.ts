import type { Command } from 'commander';
import { drawId, type KeyId, type PartnerId, type UnitId } from '../../shared/domain/ids.ts';
import type { Environment, Scope } from '../../shared/domain/partner.ts';
import { OperatorError } from '../../shared/runtime/log.ts';
import { createKey, type KeyLabel, listKeys, revokeKey, rotateKey } from '../../shared/table/partner-keys.ts';
import { hasServiceKeys, initServiceKeys } from '../../shared/table/service-keys.ts';
import { environment, example, id, name, scopes } from './arguments.ts';
import { UsageError } from './errors.ts';
import { existing } from './partners.ts';
import { sealing } from './sealing.ts';
import type { Session } from './session.ts';
import { moment } from './table.ts';

interface Creation {
  readonly partner: PartnerId;
  readonly unit: UnitId;
  readonly environment: Environment;
  readonly scopes?: readonly Scope[];
  readonly consultant?: number;
  readonly consultantName?: string;
}

const ONCE = 'This is the only time the key is shown; the table keeps its hash alone.';

/** A live key of a partner. Throws an OperatorError where there is none. */
async function live(partner: PartnerId, key: string): Promise<KeyLabel> {
  await existing(partner);
  const found = (await listKeys(partner)).find((label) => label.id === key);
  if (!found?.live) throw new OperatorError(`partner ${partner} has no live key ${key}: see keys list`);
  return found;
}

const shown = ({ prefix, lastFour }: KeyLabel) => `${prefix}…${lastFour}`;
const state = (key: KeyLabel) => (key.live ? 'live' : key.revokedAt === undefined ? 'never live' : 'revoked');

export function keys(root: Command, session: Session): void {
  const noun = root
    .command('keys')
    .description("partners' keys, and the service's own")
    .addHelpText('after', example('keys list --partner 123 --local'));

  noun
    .command('init')
    .description("write the service's own sealing and index keys, once for each stage")
    .addHelpText('after', example('keys init --stage dev'))
    .action(async () => {
      if (await hasServiceKeys()) {
        throw new OperatorError('the service has its keys already: with others its rows could not be read');
      }
      await session.change('service', {}, initServiceKeys);
      session.print({ initialised: true }, () => 'the service has its sealing and index keys\n');
    });

  sealing(noun, session);

  noun
    .command('create')
    .description('make a key of a partner; it is shown once')
    .requiredOption('--partner <id>', 'whose', id<PartnerId>)
    .requiredOption('--unit <id>', 'the unit whose data it opens', id<UnitId>)
    .addOption(environment('production needs a validated partner').default('sandbox'))
    .option('--scopes <list>', 'between commas; all where left out', scopes)
    .option('--consultant <id>', 'a consultant that it names', id<number>)
    .option('--consultant-name <text>', "the consultant's name", name)
    .addHelpText('after', example('keys create --partner 123 --unit 456 --scopes leads,simulacoes --local'))
    .action(async ({ partner, unit, consultant, consultantName, ...wanted }: Creation) => {
      if (consultant !== undefined && consultantName === undefined) {
        throw new UsageError('--consultant needs a name too: --consultant-name "..."');
      }
      await existing(partner);
      const now = session.clock();
      const named = consultantName && { id: consultant ?? drawId<number>(now), name: consultantName };
      const made = await session.change(
        partner,
        { unit, environment: wanted.environment, scopes: wanted.scopes?.join(',') ?? 'all' },
        () => createKey({ partner, unit, ...wanted, ...(named && { consultant: named }) }, now),
        ({ key }) => ({ key }),
      );
      showOnce(session, { partner, unit, environment: wanted.environment }, made);
    });

  noun
    .command('list')
    .description("a partner's keys, oldest first: never their text")
    .requiredOption('--partner <id>', 'whose', id<PartnerId>)
    .addHelpText('after', example('keys list --partner 123 --local'))
    .action(async ({ partner }: { partner: PartnerId }) => {
      await existing(partner);
      const found = await listKeys(partner);
      session.printTable(
        found,
        [
          { title: 'key', value: (row) => row.id },
          { title: 'ends in', value: (row) => row.lastFour },
          { title: 'environment', value: (row) => row.environment, shrinks: true },
          { title: 'unit', value: (row) => row.unit },
          { title: 'scopes', value: (row) => row.scopes.join(',') || 'all', shrinks: true },
          { title: 'state', value: state },
          { title: 'created', value: (row) => moment(row.createdAt).slice(0, 10) },
        ],
        found.map(({ id: key, lastFour, prefix, live: opens, ...label }) => ({
          key,
          prefix,
          lastFour,
          ...label,
          state: state({ id: key, lastFour, prefix, live: opens, ...label }),
        })),
      );
    });

  noun
    .command('rotate')
    .description('replace a key at once: the old one opens nothing from the next call on')
    .argument('<key>', 'the id that keys list shows')
    .requiredOption('--partner <id>', 'whose', id<PartnerId>)
    .addHelpText('after', example('keys rotate a1B2c --partner 123 --reason "INC-42, leaked" --local'))
    .action(async (key: string, { partner }: { partner: PartnerId }) => {
      session.needsReason();
      const old = await live(partner, key);
      await session.confirm(`Key ${shown(old)} dies at once; the partner must put the new one in.`);
      const made = await session.change(
        partner,
        { replaced: old.id },
        () => rotateKey(partner, old.id, session.clock()),
        (fresh) => ({ key: fresh.key }),
      );
      showOnce(session, { partner, unit: old.unit, environment: old.environment, replaced: old.id }, made);
    });

  noun
    .command('revoke')
    .description('end a key: it opens nothing from the next call on')
    .argument('<key>', 'the id that keys list shows')
    .requiredOption('--partner <id>', 'whose', id<PartnerId>)
    .addHelpText('after', example('keys revoke a1B2c --partner 123 --reason "contract ended" --local'))
    .action(async (key: string, { partner }: { partner: PartnerId }) => {
      session.needsReason();
      const old = await live(partner, key);
      await session.confirm(`Key ${shown(old)} dies at once, for good.`);
      await session.change(partner, { key: old.id }, () => revokeKey(partner, old.id, session.clock()));
      session.print({ partner, key: old.id, state: 'revoked' }, () => `key ${old.id} is revoked\n`);
    });
}

function showOnce(
  session: Session,
  about: Readonly<Record<string, string | number>>,
  { key, text }: { key: KeyId; text: string },
): void {
  session.note(ONCE);
  session.printRecord({ ...about, key, text }, [...Object.entries({ ...about, key }), ['text', text]]);
}
