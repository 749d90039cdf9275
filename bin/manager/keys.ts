import type { Command } from 'commander';
import { LARGEST_RATE } from '#shared/administration/keys.ts';
import type { AnswerOf } from '#shared/administration/operations.ts';
import type { Shown } from '#shared/administration/wire.ts';
import { type NamedStart, NEEDED, startsLikeThis } from '#shared/domain/partners/key-start.ts';
import { DEFAULT_LIMIT, isInUse } from '#shared/domain/partners/partner.ts';
import type { KeyId, PartnerId } from '#shared/domain/values/ids.ts';
import type { FieldsOf } from './administration-client.ts';
import { id, type KeyNamed, keyNamed, name, since, wholeNumber } from './arguments.ts';
import { CommandError, UsageError } from './errors.ts';
import type { Session } from './session.ts';
import { moment, record, table } from './table.ts';
import { command, verb } from './verb.ts';

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
const ONCE = 'The key is shown only this once: the table keeps its hash, its first characters and its last four.';

type KeyLabel = Shown<AnswerOf<'list-keys'>>['keys'][number];

/**
 * Returns the partner of a key that a person has named. `option` is the partner that the person has named. Throws a
 * UsageError if nobody has named one, or if the key names another.
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

/** Returns a partner's keys that a person may mean. */
async function keysMeant(session: Session, partnerId: PartnerId, key: KeyNamed): Promise<KeyLabel[]> {
  const { keys: labels } = await session.ask('list-keys', { partner_id: partnerId });
  return labels.filter((label) => (key.kind === 'id' ? label.keyId === key.keyId : startsLikeThis(key, label)));
}

/** Returns a partner's key, live or not. Throws a CommandError if there is no such key. */
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

/** Returns a partner's live key by its id. Throws a CommandError if there is no such key, or if it is not live. */
async function liveKeyOf(session: Session, partnerId: PartnerId, keyId: KeyId): Promise<KeyLabel> {
  const found = await keyOf(session, partnerId, { kind: 'id', keyId });
  if (found.state !== 'live') throw new CommandError(`partner ${partnerId} has no live key ${keyId}: see keys list`);
  return found;
}

/** Returns a warning if a key was used in the last 7 days, to be shown before the key ends. */
const inUse = (session: Session, { lastUsedOn }: KeyLabel): string =>
  isInUse(lastUsedOn, session.clock()) ? ` It is in use: its last call came on ${lastUsedOn}.` : '';

const displayed = ({ prefix, lastFour }: KeyLabel) => `${prefix}…${lastFour}`;
const stateOf = ({ state }: Pick<KeyLabel, 'state'>) => state.replace('_', ' ');

export function keys(root: Command, session: Session): void {
  const noun = command(root, 'keys', "partners' keys", 'keys list --partner 123 --local');

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
    .about('owner of a key, by any start of it, or by the id that lists and logs show')
    .help(WHOSE_HELP)
    .takes({
      owner: { flags: '<key>', about: 'start of the key; with --partner its id', parse: keyNamed },
      partner_id: { about: 'id of the partner, if the key is named by its id', needed: false },
    })
    .run(async ({ owner, partner_id: named }) => {
      const partnerId = partnerOf(owner, named);
      warnOfSecret(session, owner);
      const who = session.ask('show-partner', { partner_id: partnerId }).then(({ partner }) => partner.name);
      if (owner.kind === 'partner') {
        const [name, labels] = await Promise.all([who, keysMeant(session, partnerId, owner)]);
        return showFitting(session, owner, { partner: partnerId, name }, labels);
      }
      const [name, label] = await Promise.all([who, keyOf(session, partnerId, owner)]);
      const { keyId: key, environment, unitId: unit, state } = label;
      const shown = { partner: partnerId, name, key, environment, unit, state };
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
      const { keyId } = await keyOf(session, partnerId, key);
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
      const old =
        token === undefined
          ? await liveKeyOf(session, partner, key)
          : await keyOf(session, partner, { kind: 'id', keyId: key });
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

/** Prints the partner that a start names, and those of its keys that begin like this. */
function showFitting(
  session: Session,
  { start, environment }: NamedStart,
  owner: { readonly partner: PartnerId; readonly name: string },
  labels: readonly KeyLabel[],
): void {
  session.note(`${start.length} characters name only the partner. ${NEEDED[environment].key} name the key.`);
  const fitting = labels.map(({ keyId: key, unitId: unit, state }) => ({ key, unit, state }));
  session.print({ ...owner, environment, keys: fitting }, () =>
    record(Object.entries({ ...owner, environment })).concat(
      '\n',
      table(
        fitting,
        [
          { title: 'key', value: (row) => row.key },
          { title: 'unit', value: (row) => row.unit },
          { title: 'state', value: stateOf },
        ],
        session.terminal.columns,
      ),
    ),
  );
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
