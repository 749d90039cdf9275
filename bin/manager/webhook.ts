import type { Command } from 'commander';
import type { AnswerOf } from '#shared/administration/operations.ts';
import type { Shown } from '#shared/administration/wire.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS, type Environment } from '#shared/domain/values/tenancy.ts';
import { MOST_SUSPENDED } from '#shared/domain/webhooks/waiting.ts';
import { CommandError } from './errors.ts';
import { collected, type Session } from './session.ts';
import { type Column, minuteText, moment, record } from './table.ts';
import { command, verb } from './verb.ts';
import { webhookTrial } from './webhook-trial.ts';

/** Number at which the API stops counting the events that wait for the old address. */
const COUNTED_UP_TO = 1000;

const ONCE = 'The secret is shown only this once: send it to the partner in a safe way.';

const DOES_NOT_OPEN = 'does not open: webhook rotate --no-overlap makes a new one';

/** Option of every verb that is about one webhook. */
const ENVIRONMENT = 'the environment whose events the webhook gets';

/** Returns a partner's webhooks. Throws a CommandError if none is set, or none in the wanted environment. */
async function webhooksOf(session: Session, partner: PartnerId, environment?: Environment) {
  const { webhooks } = await session.ask('show-webhook', { partner_id: partner });
  const found = webhooks.filter((webhook) => (environment ?? webhook.environment) === webhook.environment);
  const where = environment === undefined ? '' : ` in ${environment}`;
  if (found.length === 0) throw new CommandError(`partner ${partner} has no webhook${where}: webhook set gives it one`);
  return found;
}

export function webhook(root: Command, session: Session): void {
  const noun = command(
    root,
    'webhook',
    "where a partner's events of an environment go, and the secret that signs them",
    'webhook show --partner 123 --local',
  );

  verb(noun, 'failing', 'list-failing-webhooks', 'webhook failing --local').run(async () => {
    const found = await collected(session.pages('list-failing-webhooks', {}), (page) => page.webhooks);
    session.printTable(found, FAILING_COLUMNS);
  });

  verb(noun, 'show', 'show-webhook', 'webhook show --partner 123 --local')
    .takes({ partner_id: 'id of the partner' })
    .run(async ({ partner_id: partner }) => {
      const found = await webhooksOf(session, partner);
      session.print(found, () => found.map(shownRecord).join('\n'));
    });

  verb(
    noun,
    'set',
    'set-webhook',
    'webhook set --partner 123 --url https://hooks.parceiro.com.br/eventos --local',
    'webhook set --partner 123 --environment sandbox --url https://teste.parceiro.com.br/eventos --local',
  )
    .takes({
      partner_id: 'id of the partner',
      environment: { about: 'only this environment; without it: sandbox, then producao', needed: false },
      url: 'https, port 443 or 8443, a public name',
      token: 'the same call with the same token changes nothing more',
    })
    .run(({ partner_id, environment, ...sent }) =>
      setAddresses(partner_id, environment === undefined ? ENVIRONMENTS : [environment], sent, session),
    );

  verb(
    noun,
    'rotate',
    'rotate-webhook-secret',
    'webhook rotate --partner 123 --environment producao --reason "yearly" --local',
  )
    .takes({
      partner_id: 'id of the partner',
      environment: ENVIRONMENT,
      overlap: 'the old secret is leaked: it signs nothing from now on',
      drop_previous: 'end an overlap that still runs',
      token: 'the same call with the same token returns the same secret',
    })
    .run(async (given) => {
      const { partner_id: partner, environment, overlap } = given;
      session.needsReason();
      await webhooksOf(session, partner, environment);
      await session.confirm(
        overlap
          ? 'The old secret still signs for 24 h. In this time the partner must start to use the new one.'
          : 'The old secret signs nothing from now on. Until the partner uses the new one, it can verify no event.',
      );
      const { secret, previousUntil } = await session.askOnce('rotate-webhook-secret', given);
      session.note(ONCE);
      session.printRecord({ partner, environment, secret, previousUntil }, [
        ['partner', partner],
        ['environment', environment],
        ['secret', secret],
        ['old one signs until', moment(previousUntil)],
      ]);
    });

  verb(noun, 'ping', 'ping-webhook', 'webhook ping --partner 123 --environment sandbox --local')
    .takes({ partner_id: 'id of the partner', environment: ENVIRONMENT })
    .run(async (given) => {
      const {
        eventId: event,
        delivered,
        status,
        failure,
        milliseconds,
        detail,
      } = await session.ask('ping-webhook', given);
      const pairs: [string, string | number | undefined][] = [
        ['event', event],
        ['result', delivered ? 'delivered' : `failed: ${failure}`],
        ['status', status],
        ['took', `${milliseconds} ms`],
      ];
      if (!delivered) pairs.push(['answer', detail?.slice(0, 500)]);
      const { partner_id: partner, environment } = given;
      session.printRecord({ partner, environment, event, delivered, status, failure, milliseconds, detail }, pairs);
      if (!delivered) throw new CommandError('the endpoint did not accept the test event');
    });

  verb(noun, 'enable', 'enable-webhook', 'webhook enable --partner 123 --environment producao --local')
    .takes({ partner_id: 'id of the partner', environment: ENVIRONMENT })
    .run(async (given) => {
      let released = 0;
      const pages = session.pages('enable-webhook', given);
      for await (const page of session.tracked('releasing', pages, ({ released: onPage }, before) => before + onPage)) {
        released += page.released;
      }
      const { partner_id: partner, environment } = given;
      const done = { partner, environment, enabled: true, released };
      session.print(done, () => `enabled; ${released} suspended events are on their way\n`);
    });

  verb(
    noun,
    'disable',
    'disable-webhook',
    'webhook disable --partner 123 --environment producao --reason "asked by the partner" --local',
  )
    .takes({ partner_id: 'id of the partner', environment: ENVIRONMENT })
    .run(async (given) => {
      const { partner_id: partner, environment } = given;
      session.needsReason();
      await webhooksOf(session, partner, environment);
      await session.confirm(`Partner ${partner} gets no events of ${environment} until webhook enable.`);
      await session.ask('disable-webhook', given);
      session.print({ partner, environment, enabled: false }, () => 'disabled; events are kept from now on\n');
    });

  webhookTrial(noun, session);
}

type FailingWebhook = Shown<AnswerOf<'list-failing-webhooks'>>['webhooks'][number];

const stateText = ({ enabled, disabledBecause }: Pick<FailingWebhook, 'enabled' | 'disabledBecause'>) =>
  enabled ? 'enabled' : `disabled (${disabledBecause ?? 'manager'})`;

const FAILING_COLUMNS: readonly Column<FailingWebhook>[] = [
  { title: 'partner', value: ({ partnerId }) => partnerId },
  { title: 'environment', value: ({ environment }) => environment },
  {
    title: 'failing since',
    value: ({ failingSince }) => (failingSince === undefined ? '-' : minuteText(failingSince)),
  },
  { title: 'failures', value: ({ failures }) => failures },
  { title: 'state', value: stateText },
  { title: 'url', value: ({ url }) => url, shrinks: true },
];

type ShownWebhook = Awaited<ReturnType<typeof webhooksOf>>[number];

/** Returns a webhook in the form for people. */
function shownRecord(shown: ShownWebhook): string {
  const { partnerId, environment, url, urlDigest, suspended, secretOpens } = shown;
  return record([
    ['partner', partnerId],
    ['environment', environment],
    ['url', url],
    ['digest in the audit', urlDigest],
    ['state', stateText(shown)],
    ['failures in a row', shown.failures],
    ['failing since', moment(shown.failingSince)],
    ['suspended events', suspended === MOST_SUSPENDED ? `${MOST_SUSPENDED} or more` : suspended],
    ['secret', secretOpens ? 'set' : DOES_NOT_OPEN],
    ['old secret signs until', moment(shown.previousUntil)],
  ]);
}

interface SentAddress {
  readonly url: string;
  readonly token: string | undefined;
}

/** Sets the address of some environments, one after the other. If one fails, says which ones were set before. */
async function setAddresses(
  partner: PartnerId,
  environments: readonly Environment[],
  sent: SentAddress,
  session: Session,
): Promise<void> {
  const done: Environment[] = [];
  for (const environment of environments) {
    try {
      await setAddress(partner, environment, sent, session);
    } catch (error) {
      if (done.length > 0)
        session.note(`The address of ${done.join(', ')} was set. What follows is about ${environment}.`);
      throw error;
    }
    done.push(environment);
  }
}

/**
 * Sets the address of one environment and prints the result at once: if the next environment fails, the secret of this
 * one has been shown.
 */
async function setAddress(
  partner: PartnerId,
  environment: Environment,
  { url, token }: SentAddress,
  session: Session,
): Promise<void> {
  const named = { partner_id: partner, environment, url };
  const { refusal, currentUrl, waiting } = await session.preview('set-webhook', named);
  if (refusal !== undefined) throw new CommandError(refusal);
  if (waiting > 0) {
    const many = waiting === COUNTED_UP_TO ? `${COUNTED_UP_TO} or more (or too many to count)` : waiting;
    await session.confirm(
      `${many} events of partner ${partner} in ${environment} that wait for ${currentUrl} will go to ${url}.`,
    );
  }
  const replaces = currentUrl ?? null;
  const { enabled, secret } = await session.askOnce('set-webhook', { ...named, replaces, token });
  if (!enabled)
    session.note(`The webhook of ${environment} is still disabled: webhook enable sends the events that were kept.`);
  const pairs: [string, string | number][] = [
    ['partner', partner],
    ['environment', environment],
    ['url', url],
  ];
  if (secret !== undefined) {
    session.note(ONCE);
    pairs.push(['secret', secret]);
  }
  session.printRecord({ partner, environment, url, enabled, secret }, pairs);
}
