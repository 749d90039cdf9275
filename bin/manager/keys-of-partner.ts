import type { Command } from 'commander';
import type { AnswerOf } from '#shared/administration/operations.ts';
import { NEEDED, startsLikeThis } from '#shared/domain/partners/key-start.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { id, type KeyNamed, keyNamed, since } from './arguments.ts';
import { command } from './command.ts';
import { CommandError, UsageError } from './errors.ts';
import type { Session } from './session.ts';
import { type Column, moment, record, table } from './table.ts';

interface Calls {
  readonly key: KeyNamed;
  readonly partner?: PartnerId;
  readonly since: number;
}

const { producao: PRODUCTION, sandbox: SANDBOX } = NEEDED;
const WHOSE_HELP = `
${PRODUCTION.partner} characters of a key name the partner, and ${PRODUCTION.key} name the key (sandbox: ${SANDBOX.partner}
and ${SANDBOX.key}). The rest of a key is secret, and is not needed.
`;

type KeyLabel = AnswerOf<'list-keys'>['keys'][number];

/**
 * `option` is the partner that the person has named. Throws a UsageError if nobody has named a partner, or if the key
 * names another partner.
 */
function partnerOf(key: KeyNamed, option: PartnerId | undefined): PartnerId {
  if (key.kind === 'id') {
    if (option === undefined) throw new UsageError('a key named by its id needs its --partner <id>');
    return option;
  }
  if (option !== undefined && option !== key.partnerId)
    throw new UsageError(`the key belongs to partner ${key.partnerId}: leave --partner out`);
  return key.partnerId;
}

async function keysMeant(session: Session, partnerId: PartnerId, key: KeyNamed): Promise<KeyLabel[]> {
  const { keys: labels } = await session.ask('list-keys', { partner_id: partnerId });
  return labels.filter((label) =>
    key.kind === 'id' ? label.key_id === key.keyId : startsLikeThis(key, { ...label, keyId: label.key_id }),
  );
}

/** Throws a CommandError if there is no such key, live or not. */
async function keyOf(
  session: Session,
  partnerId: PartnerId,
  key: Exclude<KeyNamed, { readonly kind: 'partner' }>,
): Promise<KeyLabel> {
  const [found] = await keysMeant(session, partnerId, key);
  if (!found)
    throw new CommandError(
      `partner ${partnerId} has no key ${key.kind === 'id' ? key.keyId : key.start}: see keys list`,
    );
  return found;
}

/** Warns that the secret part of the typed key was not used, and that the shell's history may still have it. */
function warnOfSecret(session: Session, key: KeyNamed): void {
  if (key.kind === 'key' && key.hasSecret)
    session.note(
      `Only ${key.start} was used. What follows is secret, and may now be in the history of your shell: delete it there.`,
    );
}

const COLUMNS: readonly Column<Pick<KeyLabel, 'key_id' | 'environment' | 'unit_id' | 'state'>>[] = [
  { title: 'key', value: (row) => row.key_id },
  { title: 'environment', value: (row) => row.environment },
  { title: 'unit', value: (row) => row.unit_id },
  { title: 'state', value: (row) => row.state },
];

export function keysOfPartner(noun: Command, session: Session): void {
  command(
    noun,
    'whose',
    'owner of a key, by any start of it, or by the id that lists and logs show',
    'keys whose pmc_sandbox_00000001za1B2c --local',
    'keys whose a1B2c --partner 123 --local',
  )
    .addHelpText('after', WHOSE_HELP)
    .argument('<key>', 'start of the key; with --partner its id', keyNamed)
    .option('--partner <id>', 'id of the partner, if the key is named by its id', id)
    .action(async (owner: KeyNamed, { partner: named }: { partner?: PartnerId }) => {
      const partnerId = partnerOf(owner, named);
      warnOfSecret(session, owner);
      const [{ partner }, labels] = await Promise.all([
        session.ask('show-partner', { partner_id: partnerId }),
        owner.kind === 'partner' ? keysMeant(session, partnerId, owner) : keyOf(session, partnerId, owner),
      ]);
      if (owner.kind === 'partner')
        session.note(
          `${owner.start.length} characters name only the partner. ${NEEDED[owner.environment].key} name the key.`,
        );
      const keys = [labels]
        .flat()
        .map(({ key_id, environment, unit_id, state }) => ({ key_id, environment, unit_id, state }));
      const { name } = partner;
      session.print({ partner_id: partnerId, name, keys }, () =>
        record([
          ['partner', partnerId],
          ['name', name],
        ]).concat('\n', table(keys, COLUMNS, session.terminal.columns)),
      );
    });

  command(
    noun,
    'calls',
    'calls made with a key, and from which addresses',
    'keys calls --key a1B2c --partner 123 --since 3d --local',
  )
    .requiredOption('--key <start>', 'start of the key, as in keys whose; with --partner its id', keyNamed)
    .option('--partner <id>', 'id of the partner', id)
    .requiredOption('--since <moment>', '2026-11-20T09:00:00-03:00, or 90m, 2h, 3d ago', since(session.clock))
    .action(async ({ key, partner, since: from }: Calls) => {
      const partnerId = partnerOf(key, partner);
      if (key.kind === 'partner') {
        const { start, environment } = key;
        throw new UsageError(
          `--key names only partner ${partnerId}: the key needs ${NEEDED[environment].key} characters, ${start.length} were given`,
        );
      }
      warnOfSecret(session, key);
      const until = session.clock();
      if (from >= until) throw new UsageError('--since is in the future: say since when the key may be leaked');
      const { key_id: keyId } = await keyOf(session, partnerId, key);
      const search = { partnerId, keyId, since: from, until };
      // Imported here, so that no other command waits for the client of the logs.
      const { callsHere, callsOnAws, FACTS } = await import('./key-calls.ts');
      session.printTable(
        session.stage.aws ? await callsOnAws(session.stage.aws, search) : callsHere(session.stage, search),
        FACTS.map((title) => ({ title, value: (call) => (title === 'at' ? moment(call.at) : call[title]) })),
      );
    });
}
