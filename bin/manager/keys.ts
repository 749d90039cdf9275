import type { Command } from 'commander';
import type { KeyLabel, Scope } from '../../shared/domain/partners/partner.ts';
import { drawId, type KeyId, type PartnerId, type UnitId } from '../../shared/domain/values/ids.ts';
import type { Environment } from '../../shared/domain/values/tenancy.ts';
import { SafeError } from '../../shared/runtime/log.ts';
import { createKey, listKeys, revokeKey, rotateKey } from '../../shared/table/api-keys.ts';
import { hasServiceKeys, initServiceKeys } from '../../shared/table/service-keys.ts';
import { environment, example, id, name, scopes } from './arguments.ts';
import { UsageError } from './errors.ts';
import { indexing } from './indexing.ts';
import { existing } from './partners.ts';
import { sealing } from './sealing.ts';
import type { Session } from './session.ts';
import { moment } from './table.ts';

interface Creation {
  readonly partnerId: PartnerId;
  readonly unitId: UnitId;
  readonly environment: Environment;
  readonly scopes?: readonly Scope[];
  readonly consultant?: number;
  readonly consultantName?: string;
  readonly token?: string;
}

const ONCE = 'This is the only time the key is shown; the table keeps its hash alone.';

/** A key of a partner, live or not. Throws a SafeError where there is none. */
async function known(partnerId: PartnerId, key: string): Promise<KeyLabel> {
  await existing(partnerId);
  const found = (await listKeys(partnerId)).find((label) => label.id === key);
  if (!found) throw new SafeError(`partner ${partnerId} has no key ${key}: see keys list`);
  return found;
}

/** A live key of a partner. Throws a SafeError where there is none. */
async function live(partnerId: PartnerId, key: string): Promise<KeyLabel> {
  const found = await known(partnerId, key);
  if (!found.live) throw new SafeError(`partner ${partnerId} has no live key ${key}: see keys list`);
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
        throw new SafeError('the service has its keys already: with others its rows could not be read');
      }
      await session.change('service', {}, initServiceKeys);
      session.print({ initialised: true }, () => 'the service has its sealing and index keys\n');
    });

  sealing(noun, session);
  indexing(noun, session);

  noun
    .command('create')
    .description('make a key of a partner; it is shown once')
    .requiredOption('--partner <id>', 'whose', id<PartnerId>)
    .requiredOption('--unit <id>', 'the unit whose data it opens', id<UnitId>)
    .addOption(environment('production needs a validated partner').default('sandbox'))
    .option('--scopes <list>', 'between commas; all where left out', scopes)
    .option('--consultant <id>', 'a consultant that it names', id<number>)
    .option('--consultant-name <text>', "the consultant's name", name)
    .option('--token <text>', 'repeated with the same, it gives the same key')
    .addHelpText('after', example('keys create --partner 123 --unit 456 --scopes leads,simulacoes --local'))
    .action(async ({ partnerId, unitId, consultant, consultantName, ...wanted }: Creation) => {
      if (consultant !== undefined && consultantName === undefined) {
        throw new UsageError('--consultant needs a name too: --consultant-name "..."');
      }
      await existing(partnerId);
      const now = session.clock();
      const named = consultantName && { id: consultant ?? drawId<number>(now), name: consultantName };
      const made = await session.change(
        partnerId,
        { unit: unitId, environment: wanted.environment, scopes: wanted.scopes?.join(',') ?? 'all' },
        () => createKey({ partnerId, unitId, ...wanted, ...(named && { consultant: named }) }, now),
        ({ keyId }) => ({ key: keyId }),
      );
      showOnce(session, { partner: partnerId, unit: unitId, environment: wanted.environment }, made);
    });

  noun
    .command('list')
    .description("a partner's keys, oldest first: never their text")
    .requiredOption('--partner <id>', 'whose', id<PartnerId>)
    .addHelpText('after', example('keys list --partner 123 --local'))
    .action(async ({ partnerId }: { partnerId: PartnerId }) => {
      await existing(partnerId);
      const found = await listKeys(partnerId);
      session.printTable(
        found,
        [
          { title: 'key', value: (row) => row.id },
          { title: 'ends in', value: (row) => row.lastFour },
          { title: 'environment', value: (row) => row.environment, shrinks: true },
          { title: 'unit', value: (row) => row.unitId },
          { title: 'scopes', value: (row) => row.scopes.join(',') || 'all', shrinks: true },
          { title: 'state', value: state },
          { title: 'created', value: (row) => moment(row.createdAt).slice(0, 10) },
        ],
        found.map(({ id: keyId, lastFour, prefix, live: opens, ...label }) => ({
          key: keyId,
          prefix,
          lastFour,
          ...label,
          state: state({ id: keyId, lastFour, prefix, live: opens, ...label }),
        })),
      );
    });

  noun
    .command('rotate')
    .description('replace a key at once: the old one opens nothing from the next call on')
    .argument('<key>', 'the id that keys list shows')
    .requiredOption('--partner <id>', 'whose', id<PartnerId>)
    .option('--token <text>', 'repeated with the same, it gives the same key')
    .addHelpText('after', example('keys rotate a1B2c --partner 123 --reason "INC-42, leaked" --local'))
    .action(async (key: string, { partnerId, token }: { partnerId: PartnerId; token?: string }) => {
      session.needsReason();
      const old = token === undefined ? await live(partnerId, key) : await known(partnerId, key);
      await session.confirm(`Key ${shown(old)} dies at once; the partner must put the new one in.`);
      const made = await session.change(
        partnerId,
        { replaced: old.id },
        () => rotateKey(partnerId, old.id, session.clock(), token),
        (fresh) => ({ key: fresh.keyId }),
      );
      showOnce(session, { partner: partnerId, unit: old.unitId, environment: old.environment, replaced: old.id }, made);
    });

  noun
    .command('revoke')
    .description('end a key: it opens nothing from the next call on')
    .argument('<key>', 'the id that keys list shows')
    .requiredOption('--partner <id>', 'whose', id<PartnerId>)
    .addHelpText('after', example('keys revoke a1B2c --partner 123 --reason "contract ended" --local'))
    .action(async (key: string, { partnerId }: { partnerId: PartnerId }) => {
      session.needsReason();
      const old = await live(partnerId, key);
      await session.confirm(`Key ${shown(old)} dies at once, for good.`);
      await session.change(partnerId, { key: old.id }, () => revokeKey(partnerId, old.id, session.clock()));
      session.print({ partner: partnerId, key: old.id, state: 'revoked' }, () => `key ${old.id} is revoked\n`);
    });
}

function showOnce(
  session: Session,
  about: Readonly<Record<string, string | number>>,
  { keyId, text }: { keyId: KeyId; text: string },
): void {
  session.note(ONCE);
  session.printRecord({ ...about, key: keyId, text }, [...Object.entries({ ...about, key: keyId }), ['text', text]]);
}
