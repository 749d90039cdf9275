import type { Command } from 'commander';
import { LARGEST_RATE } from '#shared/administration/keys.ts';
import type { AnswerOf } from '#shared/administration/operations.ts';
import type { Shown } from '#shared/administration/wire.ts';
import { DEFAULT_LIMIT, isInUse, KEY } from '#shared/domain/partners/partner.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import type { FieldsOf } from './administration-client.ts';
import { id, keyStart, name, since, wholeNumber } from './arguments.ts';
import { CommandError, UsageError } from './errors.ts';
import { indexing, sealing } from './service-keys.ts';
import type { Session } from './session.ts';
import { moment } from './table.ts';
import { command, verb } from './verb.ts';

interface KeyNamed {
  readonly keyId: string;
  readonly partnerId?: PartnerId;
}

/** Returns the key that a text names: by its start, or only by its id. */
const keyNamed = (text: string): KeyNamed => (text.length === KEY ? { keyId: text } : keyStart(text));

interface Calls {
  readonly key: KeyNamed;
  readonly partner?: PartnerId;
  readonly since: number;
}

const ONCE = 'The key is shown only this once: the table keeps only its hash.';

type KeyLabel = Shown<AnswerOf<'list-keys'>>['keys'][number];

/**
 * Returns a partner's key by its id, live or not. Throws a CommandError if there is no such key. Its message begins
 * with `option`, the option that named the key.
 */
async function keyOf(session: Session, partnerId: PartnerId, key: string, option = ''): Promise<KeyLabel> {
  const { keys: labels } = await session.ask('list-keys', { partner_id: partnerId });
  const found = labels.find((label) => label.keyId === key);
  if (!found) throw new CommandError(`${option}partner ${partnerId} has no key ${key}: see keys list`);
  return found;
}

/** Returns a partner's live key by its id. Throws a CommandError if there is no such key, or if it is not live. */
async function liveKeyOf(session: Session, partnerId: PartnerId, key: string): Promise<KeyLabel> {
  const found = await keyOf(session, partnerId, key);
  if (found.state !== 'live') throw new CommandError(`partner ${partnerId} has no live key ${key}: see keys list`);
  return found;
}

/** Returns a warning if a key was used in the last 7 days, to be shown before the key ends. */
const inUse = (session: Session, { lastUsedOn }: KeyLabel): string =>
  isInUse(lastUsedOn, session.clock()) ? ` It is in use: its last call came on ${lastUsedOn}.` : '';

const displayed = ({ prefix, lastFour }: KeyLabel) => `${prefix}…${lastFour}`;
const stateOf = ({ state }: Pick<KeyLabel, 'state'>) => state.replace('_', ' ');

export function keys(root: Command, session: Session): void {
  const noun = command(root, 'keys', "partners' keys, and the service's own", 'keys list --partner 123 --local');

  verb(noun, 'init', 'init-service-keys', 'keys init --stage dev').run(async () => {
    await session.ask('init-service-keys', {});
    session.print({ initialised: true }, () => 'the service has its sealing, index and derivation keys\n');
  });

  sealing(noun, session);
  indexing(noun, session);

  verb(noun, 'create', 'create-key', 'keys create --partner 123 --unit 456 --scopes leads,simulacoes --local')
    .takes({
      partner_id: 'id of the partner',
      unit_id: 'the unit whose data it opens',
      environment: { about: 'production needs a validated partner', fallback: 'sandbox' },
      scopes: 'separated by commas; all scopes without it',
      consultantId: { flags: '--consultant <id>', about: 'id of the consultant who uses the key', parse: id },
      consultantName: { flags: '--consultant-name <text>', about: "the consultant's name", parse: name },
      token: 'the same call with the same token returns the same key',
    })
    .run(async ({ consultantId, consultantName, token, ...fields }) => {
      if (consultantId !== undefined && consultantName === undefined) {
        throw new UsageError('--consultant needs a name too: --consultant-name "..."');
      }
      const consultant = consultantName === undefined ? undefined : { id: consultantId, name: consultantName };
      const issued = await session.askOnce('create-key', { ...fields, consultant, token });
      const { partner_id: partner, unit_id: unit, environment } = fields;
      showOnce(session, { partner, unit, environment }, issued);
    });

  verb(noun, 'list', 'list-keys', 'keys list --partner 123 --local')
    .takes({ partner_id: 'id of the partner' })
    .run(async (given) => {
      const { keys: found } = await session.ask('list-keys', given);
      session.printTable(
        found,
        [
          { title: 'key', value: (row) => row.keyId },
          { title: 'ends in', value: (row) => row.lastFour },
          { title: 'environment', value: (row) => row.environment, shrinks: true },
          { title: 'unit', value: (row) => row.unitId },
          { title: 'scopes', value: (row) => row.scopes.join(',') || 'all', shrinks: true },
          { title: 'state', value: stateOf },
          { title: 'created', value: (row) => moment(row.createdAt).slice(0, 10) },
          { title: 'last used', value: (row) => row.lastUsedOn },
        ],
        found.map(({ partnerId: _, ...label }) => ({ ...label, state: stateOf(label) })),
      );
    });

  verb(
    noun,
    'whose',
    'list-keys',
    'keys whose pmc_sandbox_00000001za1B2c --local',
    'keys whose a1B2c --partner 123 --local',
  )
    .about('owner of a key, by the start or the id that lists and logs show')
    .takes({
      owner: {
        flags: '<key>',
        about: 'start of the key: 18 or 26 characters, never all of it; with --partner its id',
        parse: keyNamed,
      },
      partner_id: { about: 'id of the partner, if the key is named by its id', needed: false },
    })
    .run(async ({ owner, partner_id: named }) => {
      const { keyId: key, partnerId = named } = owner;
      if (partnerId === undefined) throw new UsageError('a key named by its id needs its --partner <id>');
      if (named !== undefined && named !== partnerId)
        throw new UsageError(`the key belongs to partner ${partnerId}: leave --partner out`);
      const [{ partner }, { state, unitId: unit, environment }] = await Promise.all([
        session.ask('show-partner', { partner_id: partnerId }),
        keyOf(session, partnerId, key),
      ]);
      const shown = { partner: partnerId, name: partner.name, key, environment, unit, state };
      session.printRecord(shown, Object.entries({ ...shown, state: stateOf({ state }) }));
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
    .action(async ({ key, partner: partnerId = key.partnerId, since: from }: Calls) => {
      if (partnerId === undefined) throw new UsageError('--key with an id needs its --partner <id>');
      const until = session.clock();
      if (from >= until) throw new UsageError('--since is in the future: say since when the key may be leaked');
      const { keyId } = await keyOf(session, partnerId, key.keyId, '--key: ');
      const search = { partnerId, keyId, since: from, until };
      // Imported here, so that no other command waits for the client of the logs.
      const { callsHere, callsOnAws, FACTS } = await import('./key-calls.ts');
      session.printTable(
        session.stage.aws ? await callsOnAws(session.stage.aws, search) : callsHere(session.stage, search),
        FACTS.map((title) => ({ title, value: (call) => (title === 'at' ? moment(call.at) : call[title]) })),
      );
    });

  verb(noun, 'rotate', 'rotate-key', 'keys rotate a1B2c --partner 123 --reason "INC-42, leaked" --local')
    .takes({
      key_id: { flags: '<key>', about: 'the id that keys list shows' },
      partner_id: 'id of the partner',
      token: 'the same call with the same token returns the same key',
    })
    .run(async (given) => {
      session.needsReason();
      const { key_id: key, partner_id: partner, token } = given;
      const old = await (token === undefined ? liveKeyOf : keyOf)(session, partner, key);
      await session.confirm(
        `Key ${displayed(old)} ends at once; the partner must use the new one.${inUse(session, old)}`,
      );
      const issued = await session.askOnce('rotate-key', given);
      const { unitId: unit, environment, replaced } = issued;
      showOnce(session, { partner, unit, environment, replaced }, issued);
    });

  verb(noun, 'revoke', 'revoke-key', 'keys revoke a1B2c --partner 123 --reason "contract ended" --local')
    .takes({ key_id: { flags: '<key>', about: 'the id that keys list shows' }, partner_id: 'id of the partner' })
    .run(async (given) => {
      session.needsReason();
      const { key_id: key, partner_id: partner } = given;
      const old = await liveKeyOf(session, partner, key);
      await session.confirm(`Key ${displayed(old)} ends at once, for good.${inUse(session, old)}`);
      await session.ask('revoke-key', given);
      session.print({ partner, key, state: 'revoked' }, () => `key ${key} is revoked\n`);
    });
}

/** Adds `rate`: the limit of calls that a partner's keys share in an environment. */
export function rate(root: Command, session: Session): void {
  const example = 'rate set --partner 123 --environment producao --limit 600 --local';
  const noun = command(root, 'rate', `limit of calls a minute; ${DEFAULT_LIMIT} if none is set`, example);

  const set = async (fields: FieldsOf<'set-rate'>) => {
    const { partner_id: partner, environment } = fields;
    const { limit } = await session.ask('set-rate', fields);
    session.print(
      { partner, environment, limit },
      () => `partner ${partner}: ${limit} calls a minute in ${environment}\n`,
    );
  };

  verb(noun, 'set', 'set-rate', example)
    .takes({
      partner_id: 'id of the partner',
      environment: 'environment',
      limit: { flags: '--limit <number>', about: 'calls a minute', parse: wholeNumber(1, LARGEST_RATE) },
    })
    .run(set);

  verb(noun, 'clear', 'set-rate', 'rate clear --partner 123 --environment producao --local')
    .about("remove a partner's limit in one environment: the usual limit applies again")
    .takes({ partner_id: 'id of the partner', environment: 'environment' })
    .run((given) => set({ ...given, limit: null }));
}

/** Prints a key, which the service shows only this once. */
function showOnce(
  session: Session,
  about: Readonly<Record<string, string | number>>,
  { keyId, text }: { readonly keyId: string; readonly text: string },
): void {
  session.note(ONCE);
  session.printRecord({ ...about, key: keyId, text });
}
