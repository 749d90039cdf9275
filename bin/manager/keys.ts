import type { Command } from 'commander';
import { LARGEST_RATE } from '#shared/administration/keys.ts';
import type { AnswerOf } from '#shared/administration/operations.ts';
import type { Shown } from '#shared/administration/wire.ts';
import { DEFAULT_LIMIT, KEY, type KeyOwner, type Scope } from '#shared/domain/partners/partner.ts';
import type { KeyId, PartnerId, UnitId } from '#shared/domain/values/ids.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import { command, environment, id, keyStart, name, scopes, since, token, verb, whole } from './arguments.ts';
import { CommandError, UsageError } from './errors.ts';
import { indexing, sealing } from './service-keys.ts';
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

interface RateOptions {
  readonly partnerId: PartnerId;
  readonly environment: Environment;
  readonly limit?: number;
}

/** A key by its start, or by its id alone. */
const keyNamed = (text: string): Pick<KeyOwner, 'keyId'> & Partial<KeyOwner> =>
  text.length === KEY ? { keyId: text as KeyId } : keyStart(text);

type Calls = { readonly key: ReturnType<typeof keyNamed>; readonly partnerId?: PartnerId; readonly since: number };

const ONCE = 'This is the only time the key is shown; the table keeps its hash alone.';

type KeyLabel = Shown<AnswerOf<'list-keys'>>['keys'][number];

/** A key of a partner, live or not. Throws a CommandError where there is none, which begins with the `option` that named it. */
async function known(session: Session, partnerId: PartnerId, key: string, option = ''): Promise<KeyLabel> {
  const { keys: labels } = await session.ask('list-keys', { partner_id: partnerId });
  const found = labels.find((label) => label.keyId === key);
  if (!found) throw new CommandError(`${option}partner ${partnerId} has no key ${key}: see keys list`);
  return found;
}

/** A live key of a partner. Throws a CommandError where there is none. */
async function live(session: Session, partnerId: PartnerId, key: string): Promise<KeyLabel> {
  const found = await known(session, partnerId, key);
  if (found.state !== 'live') throw new CommandError(`partner ${partnerId} has no live key ${key}: see keys list`);
  return found;
}

const displayed = ({ prefix, lastFour }: KeyLabel) => `${prefix}…${lastFour}`;
const stateOf = ({ state }: Pick<KeyLabel, 'state'>) => state.replace('_', ' ');

export function keys(root: Command, session: Session): void {
  const noun = command(root, 'keys', "partners' keys, and the service's own", 'keys list --partner 123 --local');

  verb(noun, 'init', 'init-service-keys', 'keys init --stage dev').action(async () => {
    await session.ask('init-service-keys', {});
    session.print({ initialised: true }, () => 'the service has its sealing and index keys\n');
  });

  sealing(noun, session);
  indexing(noun, session);

  verb(noun, 'create', 'create-key', 'keys create --partner 123 --unit 456 --scopes leads,simulacoes --local')
    .requiredOption('--partner <id>', 'whose', id<PartnerId>)
    .requiredOption('--unit <id>', 'the unit whose data it opens', id<UnitId>)
    .addOption(environment('production needs a validated partner').default('sandbox'))
    .option('--scopes <list>', 'between commas; all where left out', scopes)
    .option('--consultant <id>', 'a consultant that it names', id<number>)
    .option('--consultant-name <text>', "the consultant's name", name)
    .option('--token <text>', 'repeated with the same, it gives the same key', token)
    .action(async ({ partnerId, unitId, consultant, consultantName, ...wanted }: Creation) => {
      if (consultant !== undefined && consultantName === undefined) {
        throw new UsageError('--consultant needs a name too: --consultant-name "..."');
      }
      const issued = await session.askOnce('create-key', {
        partner_id: partnerId,
        unit_id: unitId,
        environment: wanted.environment,
        ...(wanted.scopes && { scopes: [...wanted.scopes] }),
        ...(consultantName && { consultant: { ...(consultant && { id: consultant }), name: consultantName } }),
        token: wanted.token,
      });
      showOnce(session, { partner: partnerId, unit: unitId, environment: wanted.environment }, issued);
    });

  verb(noun, 'list', 'list-keys', 'keys list --partner 123 --local')
    .requiredOption('--partner <id>', 'whose', id<PartnerId>)
    .action(async ({ partnerId }: { partnerId: PartnerId }) => {
      const { keys: found } = await session.ask('list-keys', { partner_id: partnerId });
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
        ],
        found.map(({ partnerId: _, ...label }) => ({ ...label, state: stateOf(label) })),
      );
    });

  verb(noun, 'whose', 'list-keys', 'keys whose pmc_sandbox_00000001za1B2c --local')
    .description('whose a key is, by the start that lists and logs show')
    .argument('<start>', 'of the key, 18 characters or 26; never the whole key', keyStart)
    .action(async ({ partnerId, keyId }: KeyOwner) => {
      const [{ partner }, { state, unitId, environment: of }] = await Promise.all([
        session.ask('show-partner', { partner_id: partnerId }),
        known(session, partnerId, keyId),
      ]);
      const shown = { partner: partnerId, name: partner.name, key: keyId, environment: of, unit: unitId };
      session.printRecord({ ...shown, state }, Object.entries({ ...shown, state: stateOf({ state }) }));
    });

  command(noun, 'calls', 'calls by a key, and from where', 'keys calls --key a1B2c --partner 123 --since 3d --local')
    .requiredOption('--key <start>', 'as keys whose takes it, or with --partner its id', keyNamed)
    .option('--partner <id>', 'whose', id<PartnerId>)
    .requiredOption('--since <moment>', '2026-11-20T09:00:00-03:00, or 90m, 2h, 3d ago', since(session.clock))
    .action(async ({ key: { keyId, ...owner }, partnerId = owner.partnerId, since: from }: Calls) => {
      if (partnerId === undefined) throw new UsageError('--key by its id needs its --partner <id>');
      const search = { partnerId, keyId, since: from, until: session.clock() };
      if (from >= search.until) throw new UsageError('--since is in the future: say since when the key may be leaked');
      await known(session, partnerId, keyId, '--key: ');
      // Loaded here: no other command waits for the client of the logs.
      const { callsHere, callsOnAws, FACTS } = await import('./key-calls.ts');
      session.printTable(
        session.stage.aws ? await callsOnAws(session.stage.aws, search) : callsHere(session.stage, search),
        FACTS.map((title) => ({ title, value: (call) => (title === 'at' ? moment(call.at) : call[title]) })),
      );
    });

  verb(noun, 'rotate', 'rotate-key', 'keys rotate a1B2c --partner 123 --reason "INC-42, leaked" --local')
    .argument('<key>', 'the id that keys list shows')
    .requiredOption('--partner <id>', 'whose', id<PartnerId>)
    .option('--token <text>', 'repeated with the same, it gives the same key', token)
    .action(async (key: string, { partnerId, token: wish }: { partnerId: PartnerId; token?: string }) => {
      session.needsReason();
      const old = await (wish === undefined ? live : known)(session, partnerId, key);
      await session.confirm(`Key ${displayed(old)} dies at once; the partner must put the new one in.`);
      const issued = await session.askOnce('rotate-key', { key_id: old.keyId, partner_id: partnerId, token: wish });
      const { unitId: unit, environment: of, replaced } = issued;
      showOnce(session, { partner: partnerId, unit, environment: of, replaced }, issued);
    });

  verb(noun, 'revoke', 'revoke-key', 'keys revoke a1B2c --partner 123 --reason "contract ended" --local')
    .argument('<key>', 'the id that keys list shows')
    .requiredOption('--partner <id>', 'whose', id<PartnerId>)
    .action(async (key: string, { partnerId }: { partnerId: PartnerId }) => {
      session.needsReason();
      const old = await live(session, partnerId, key);
      await session.confirm(`Key ${displayed(old)} dies at once, for good.`);
      await session.ask('revoke-key', { key_id: old.keyId, partner_id: partnerId });
      session.print({ partner: partnerId, key: old.keyId, state: 'revoked' }, () => `key ${old.keyId} is revoked\n`);
    });
}

/** The noun of the rate that a partner's keys share in an environment. */
export function rate(root: Command, session: Session): void {
  const example = 'rate set --partner 123 --environment producao --limit 600 --local';
  const noun = command(root, 'rate', `calls a minute; ${DEFAULT_LIMIT} where nothing else is set`, example);
  const ofPartner = (verb: Command) =>
    verb.requiredOption('--partner <id>', 'whose', id<PartnerId>).addOption(environment().makeOptionMandatory());
  const set = async ({ partnerId, environment: of, limit: wanted }: RateOptions) => {
    const fields = { partner_id: partnerId, environment: of, limit: wanted ?? null };
    const { limit } = await session.ask('set-rate', fields);
    session.print(
      { partner: partnerId, environment: of, limit },
      () => `partner ${partnerId}: ${limit} calls a minute in ${of}\n`,
    );
  };
  ofPartner(verb(noun, 'set', 'set-rate', example))
    .requiredOption('--limit <number>', 'calls a minute', whole(1, LARGEST_RATE))
    .action(set);
  const clearing = 'rate clear --partner 123 --environment producao --local';
  ofPartner(command(noun, 'clear', 'back to the usual limit', clearing)).action(set);
}

function showOnce(
  session: Session,
  about: Readonly<Record<string, string | number>>,
  { keyId, text }: { readonly keyId: string; readonly text: string },
): void {
  session.note(ONCE);
  session.printRecord({ ...about, key: keyId, text }, [...Object.entries({ ...about, key: keyId }), ['text', text]]);
}
