import type { Command } from 'commander';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { MOST_KEPT } from '#shared/domain/webhooks/waiting.ts';
import { command, id, token, verb } from './arguments.ts';
import { CommandError } from './errors.ts';
import type { Session } from './session.ts';
import { moment } from './table.ts';
import { webhookTrial } from './webhook-trial.ts';

interface OfPartner {
  readonly partnerId: PartnerId;
}

interface RotateOptions extends OfPartner {
  readonly overlap: boolean;
  readonly dropPrevious?: boolean;
  readonly token?: string;
}

/** Where the API stops counting the events that a change of the address is about. */
const ENOUGH = 1000;

const ONCE = 'This is the only time the secret is shown: give it to the partner by a safe way.';

const DOES_NOT_OPEN = 'does not open: webhook rotate --no-overlap makes a new one';

/** The webhook of a partner. Throws a CommandError where none is set. */
async function webhookOf(session: Session, partnerId: PartnerId) {
  const { webhook: found } = await session.ask('show-webhook', { partner_id: partnerId });
  if (!found) throw new CommandError(`partner ${partnerId} has no webhook: webhook set gives it one`);
  return found;
}

export function webhook(root: Command, session: Session): void {
  const noun = command(
    root,
    'webhook',
    "where a partner's events go, and the secret that signs them",
    'webhook show --partner 123 --local',
  );
  const partner = ['--partner <id>', 'whose', id<PartnerId>] as const;

  verb(noun, 'show', 'show-webhook', 'webhook show --partner 123 --local')
    .requiredOption(...partner)
    .action(async ({ partnerId }: OfPartner) => {
      const found = await webhookOf(session, partnerId);
      const { url, enabled, disabledBecause, failures, failingSince, previousUntil: overlap, kept } = found;
      const opens = found.secretOpens;
      session.printRecord(
        {
          ...{ partner: partnerId, url, enabled, disabledBecause, failures, failingSince, previousUntil: overlap },
          ...{ kept, secretOpens: opens },
        },
        [
          ['partner', partnerId],
          ['url', url],
          ['state', enabled ? 'enabled' : `disabled (${disabledBecause ?? 'manager'})`],
          ['failures in a row', failures],
          ['failing since', moment(failingSince)],
          ['kept events', kept === MOST_KEPT ? `${MOST_KEPT} or more` : kept],
          ['secret', opens ? 'set' : DOES_NOT_OPEN],
          ['old secret signs until', moment(overlap)],
        ],
      );
    });

  verb(noun, 'set', 'set-webhook', 'webhook set --partner 123 --url https://hooks.parceiro.com.br/eventos --local')
    .requiredOption(...partner)
    .requiredOption('--url <url>', 'https, port 443 or 8443, a public name')
    .action(({ partnerId, url }: OfPartner & { url: string }) => setAddress(partnerId, url, session));

  verb(noun, 'rotate', 'rotate-webhook-secret', 'webhook rotate --partner 123 --reason "yearly" --local')
    .requiredOption(...partner)
    .option('--no-overlap', 'the old secret is leaked: forget it at once')
    .option('--drop-previous', 'end an overlap that still runs')
    .option('--token <text>', 'repeated with the same, it gives the same secret', token)
    .action(async ({ partnerId, overlap, dropPrevious = false, token: wish }: RotateOptions) => {
      session.needsReason();
      await webhookOf(session, partnerId);
      await session.confirm(
        overlap
          ? 'The old secret signs for 24 h more; the partner must put the new one in.'
          : 'The old secret signs nothing from now on: until the new one is in, the partner verifies no event.',
      );
      const { secret, previousUntil } = await session.askOnce('rotate-webhook-secret', {
        partner_id: partnerId,
        overlap,
        drop_previous: dropPrevious,
        token: wish,
      });
      session.note(ONCE);
      session.printRecord({ partner: partnerId, secret, previousUntil }, [
        ['partner', partnerId],
        ['secret', secret],
        ['old one signs until', moment(previousUntil)],
      ]);
    });

  verb(noun, 'ping', 'ping-webhook', 'webhook ping --partner 123 --local')
    .requiredOption(...partner)
    .action(async ({ partnerId }: OfPartner) => {
      const { eventId, delivered, status, failure, milliseconds, detail } = await session.ask('ping-webhook', {
        partner_id: partnerId,
      });
      const result = { delivered, status, failure, milliseconds, detail };
      session.printRecord({ partner: partnerId, event: eventId, ...result }, [
        ['event', eventId],
        ['result', delivered ? 'delivered' : `failed: ${failure}`],
        ['status', status],
        ['took', `${milliseconds} ms`],
        ...(delivered ? [] : [['answer', detail?.slice(0, 500)] as const]),
      ]);
      if (!delivered) throw new CommandError('the endpoint did not take the test event');
    });

  verb(noun, 'enable', 'enable-webhook', 'webhook enable --partner 123 --local')
    .requiredOption(...partner)
    .action(async ({ partnerId }: OfPartner) => {
      let released = 0;
      const pages = session.pages('enable-webhook', { partner_id: partnerId });
      for await (const page of session.tracked('releasing', pages, (one, before) => before + one.released)) {
        released += page.released;
      }
      session.print(
        { partner: partnerId, enabled: true, released },
        () => `enabled; ${released} kept events are on their way\n`,
      );
    });

  verb(noun, 'disable', 'disable-webhook', 'webhook disable --partner 123 --reason "asked by the partner" --local')
    .requiredOption(...partner)
    .action(async ({ partnerId }: OfPartner) => {
      session.needsReason();
      await webhookOf(session, partnerId);
      await session.confirm(`Partner ${partnerId} gets no events until webhook enable.`);
      await session.ask('disable-webhook', { partner_id: partnerId });
      session.print({ partner: partnerId, enabled: false }, () => 'disabled; events are kept from now on\n');
    });

  webhookTrial(noun, session);
}

async function setAddress(partnerId: PartnerId, url: string, session: Session): Promise<void> {
  const { refusal, currentUrl, waiting } = await session.preview('set-webhook', { partner_id: partnerId, url });
  if (refusal !== undefined) throw new CommandError(refusal);
  if (waiting > 0) {
    const many = waiting === ENOUGH ? `${ENOUGH} or more (or too many to count)` : waiting;
    await session.confirm(`${many} events of partner ${partnerId} that wait for ${currentUrl} go to ${url}.`);
  }
  const replaces = currentUrl ?? null;
  const { enabled, secret } = await session.ask('set-webhook', { partner_id: partnerId, url, replaces });
  if (!enabled) session.note('It is still disabled: webhook enable sends what was kept meanwhile.');
  if (secret !== undefined) session.note(ONCE);
  session.printRecord({ partner: partnerId, url, enabled, secret }, [
    ['partner', partnerId],
    ['url', url],
    ...(secret === undefined ? [] : [['secret', secret] as const]),
  ]);
}
