import type { Command } from 'commander';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { MOST_KEPT } from '#shared/domain/webhooks/waiting.ts';
import { CommandError } from './errors.ts';
import type { Session } from './session.ts';
import { moment } from './table.ts';
import { command, verb } from './verb.ts';
import { webhookTrial } from './webhook-trial.ts';

/** Number at which the API stops counting the events that wait for the old address. */
const COUNTED_UP_TO = 1000;

const ONCE = 'The secret is shown only this once: send it to the partner in a safe way.';

const DOES_NOT_OPEN = 'does not open: webhook rotate --no-overlap makes a new one';

/** Returns the webhook of a partner. Throws a CommandError if none is set. */
async function webhookOf(session: Session, partnerId: PartnerId) {
  const { webhook } = await session.ask('show-webhook', { partner_id: partnerId });
  if (!webhook) throw new CommandError(`partner ${partnerId} has no webhook: webhook set gives it one`);
  return webhook;
}

export function webhook(root: Command, session: Session): void {
  const noun = command(
    root,
    'webhook',
    "where a partner's events go, and the secret that signs them",
    'webhook show --partner 123 --local',
  );

  verb(noun, 'show', 'show-webhook', 'webhook show --partner 123 --local')
    .takes({ partner_id: 'id of the partner' })
    .run(async ({ partner_id: partner }) => {
      const found = await webhookOf(session, partner);
      const { url, enabled, disabledBecause, failures, failingSince, previousUntil, kept, secretOpens } = found;
      session.printRecord(
        { partner, url, enabled, disabledBecause, failures, failingSince, previousUntil, kept, secretOpens },
        [
          ['partner', partner],
          ['url', url],
          ['state', enabled ? 'enabled' : `disabled (${disabledBecause ?? 'manager'})`],
          ['failures in a row', failures],
          ['failing since', moment(failingSince)],
          ['kept events', kept === MOST_KEPT ? `${MOST_KEPT} or more` : kept],
          ['secret', secretOpens ? 'set' : DOES_NOT_OPEN],
          ['old secret signs until', moment(previousUntil)],
        ],
      );
    });

  verb(noun, 'set', 'set-webhook', 'webhook set --partner 123 --url https://hooks.parceiro.com.br/eventos --local')
    .takes({ partner_id: 'id of the partner', url: 'https, port 443 or 8443, a public name' })
    .run(({ partner_id, url }) => setAddress(partner_id, url, session));

  verb(noun, 'rotate', 'rotate-webhook-secret', 'webhook rotate --partner 123 --reason "yearly" --local')
    .takes({
      partner_id: 'id of the partner',
      overlap: 'the old secret is leaked: it signs nothing from now on',
      drop_previous: 'end an overlap that still runs',
      token: 'the same call with the same token returns the same secret',
    })
    .run(async (given) => {
      const { partner_id: partner, overlap } = given;
      session.needsReason();
      await webhookOf(session, partner);
      await session.confirm(
        overlap
          ? 'The old secret still signs for 24 h. In this time the partner must start to use the new one.'
          : 'The old secret signs nothing from now on. Until the partner uses the new one, it can verify no event.',
      );
      const { secret, previousUntil } = await session.askOnce('rotate-webhook-secret', given);
      session.note(ONCE);
      session.printRecord({ partner, secret, previousUntil }, [
        ['partner', partner],
        ['secret', secret],
        ['old one signs until', moment(previousUntil)],
      ]);
    });

  verb(noun, 'ping', 'ping-webhook', 'webhook ping --partner 123 --local')
    .takes({ partner_id: 'id of the partner' })
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
      const partner = given.partner_id;
      session.printRecord({ partner, event, delivered, status, failure, milliseconds, detail }, pairs);
      if (!delivered) throw new CommandError('the endpoint did not accept the test event');
    });

  verb(noun, 'enable', 'enable-webhook', 'webhook enable --partner 123 --local')
    .takes({ partner_id: 'id of the partner' })
    .run(async (given) => {
      let released = 0;
      const pages = session.pages('enable-webhook', given);
      for await (const page of session.tracked('releasing', pages, ({ released: onPage }, before) => before + onPage)) {
        released += page.released;
      }
      const done = { partner: given.partner_id, enabled: true, released };
      session.print(done, () => `enabled; ${released} kept events are on their way\n`);
    });

  verb(noun, 'disable', 'disable-webhook', 'webhook disable --partner 123 --reason "asked by the partner" --local')
    .takes({ partner_id: 'id of the partner' })
    .run(async (given) => {
      const partner = given.partner_id;
      session.needsReason();
      await webhookOf(session, partner);
      await session.confirm(`Partner ${partner} gets no events until webhook enable.`);
      await session.ask('disable-webhook', given);
      session.print({ partner, enabled: false }, () => 'disabled; events are kept from now on\n');
    });

  webhookTrial(noun, session);
}

async function setAddress(partner: PartnerId, url: string, session: Session): Promise<void> {
  const { refusal, currentUrl, waiting } = await session.preview('set-webhook', { partner_id: partner, url });
  if (refusal !== undefined) throw new CommandError(refusal);
  if (waiting > 0) {
    const many = waiting === COUNTED_UP_TO ? `${COUNTED_UP_TO} or more (or too many to count)` : waiting;
    await session.confirm(`${many} events of partner ${partner} that wait for ${currentUrl} will go to ${url}.`);
  }
  const replaces = currentUrl ?? null;
  const { enabled, secret } = await session.ask('set-webhook', { partner_id: partner, url, replaces });
  if (!enabled) session.note('The webhook is still disabled: webhook enable sends the events that were kept.');
  const pairs: [string, string | number][] = [
    ['partner', partner],
    ['url', url],
  ];
  if (secret !== undefined) {
    session.note(ONCE);
    pairs.push(['secret', secret]);
  }
  session.printRecord({ partner, url, enabled, secret }, pairs);
}
