import type { Command } from 'commander';
import { testEventOf } from '../../shared/contract/event.ts';
import type { PartnerId } from '../../shared/domain/values/ids.ts';
import { type EndpointView, ROTATION_OVERLAP, type WebhookEndpoint } from '../../shared/domain/webhooks/endpoint.ts';
import { dnsResolve, URL_REFUSALS, vetPublicUrl } from '../../shared/outbound/vet-public-url.ts';
import { localWebhookTargets } from '../../shared/runtime/env.ts';
import { SafeError } from '../../shared/runtime/log.ts';
import { countSuspended, listDeliveries, release } from '../../shared/table/replays.ts';
import {
  changeWebhookUrl,
  disableWebhook,
  enableWebhook,
  rotateWebhookSecret,
  setWebhook,
  webhookOpens,
} from '../../shared/table/webhook-endpoints.ts';
import { newWebhookSecret } from '../../shared/webhook/sign.ts';
import * as wiring from '../../shared/wiring.ts';
import { example, id } from './arguments.ts';
import { existing } from './partners.ts';
import type { Session } from './session.ts';
import { moment } from './table.ts';
import { webhookTrial } from './webhook-trial.ts';

interface Whose {
  readonly partnerId: PartnerId;
}

interface RotateOptions extends Whose {
  readonly overlap: boolean;
  readonly dropPrevious?: boolean;
}

/** Events that are counted before a change of the address asks about them. */
const ENOUGH = 1000;

const ONCE = 'This is the only time the secret is shown: give it to the partner by a safe way.';

const DOES_NOT_OPEN = 'does not open: webhook rotate --no-overlap makes a new one';

/** The endpoint of a partner without its secrets. Throws a SafeError where none is set. */
async function viewOf(partnerId: PartnerId): Promise<EndpointView> {
  await existing(partnerId);
  const endpoint = await wiring.webhookEndpoints().view(partnerId);
  if (!endpoint) throw new SafeError(`partner ${partnerId} has no webhook: webhook set gives it one`);
  return endpoint;
}

/** The same with its secrets. Throws a SafeError also where they do not open. */
async function endpointOf(partnerId: PartnerId): Promise<WebhookEndpoint> {
  await viewOf(partnerId);
  if (!(await webhookOpens(partnerId))) throw new SafeError(`the secret of partner ${partnerId} ${DOES_NOT_OPEN}`);
  return (await wiring.webhookEndpoints().get(partnerId))!;
}

/** How many events of a partner are on their way or kept, up to a number that says enough. */
async function liveEvents(partnerId: PartnerId): Promise<number> {
  let live = 0;
  for await (const _ of listDeliveries(partnerId, { states: ['pendente', 'suspensa'] })) {
    if (++live === ENOUGH) break;
  }
  return live;
}

/** Throws a SafeError that says why webhooks must not go to a URL. */
async function vet(url: string): Promise<void> {
  const vetting = await vetPublicUrl(url, dnsResolve(), { allowLocal: localWebhookTargets() });
  if (!vetting.vetted) {
    throw new SafeError(`${URL_REFUSALS[vetting.reason]} (${vetting.reason}: ${vetting.detail})`);
  }
}

export function webhook(root: Command, session: Session): void {
  const noun = root
    .command('webhook')
    .description("where a partner's events go, and the secret that signs them")
    .addHelpText('after', example('webhook show --partner 123 --local'));
  const whose = ['--partner <id>', 'whose', id<PartnerId>] as const;

  noun
    .command('show')
    .description('a webhook; never its secret')
    .requiredOption(...whose)
    .addHelpText('after', example('webhook show --partner 123 --local'))
    .action(async ({ partnerId }: Whose) => {
      const { url, enabled, disabledBecause, health, previousUntil } = await viewOf(partnerId);
      const [kept, opens] = await Promise.all([countSuspended(partnerId), webhookOpens(partnerId)]);
      const overlap = previousUntil !== undefined && previousUntil > session.clock() ? previousUntil : undefined;
      const { failures, failingSince } = health;
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
          ['kept events', kept],
          ['secret', opens ? 'set' : DOES_NOT_OPEN],
          ['old secret signs until', moment(overlap)],
        ],
      );
    });

  noun
    .command('set')
    .description('set the address; the first time makes the secret too, which is shown once')
    .requiredOption(...whose)
    .requiredOption('--url <url>', 'https, port 443 or 8443, a public name')
    .addHelpText('after', example('webhook set --partner 123 --url https://hooks.parceiro.com.br/eventos --local'))
    .action(async ({ partnerId, url }: Whose & { url: string }) => {
      await existing(partnerId);
      await vet(url);
      const before = await wiring.webhookEndpoints().view(partnerId);
      const host = new URL(url).host;
      if (before) {
        const live = await liveEvents(partnerId);
        if (live > 0) {
          const many = live === ENOUGH ? `${ENOUGH} or more` : live;
          await session.confirm(`${many} events of partner ${partnerId} that wait for ${before.url} go to ${url}.`);
        }
        await session.change(partnerId, { host }, () => changeWebhookUrl(partnerId, url, session.clock()));
        if (!before.enabled) session.note('It is still disabled: webhook enable sends what was kept meanwhile.');
        return session.printRecord({ partner: partnerId, url, enabled: before.enabled }, [
          ['partner', partnerId],
          ['url', url],
        ]);
      }
      const secret = newWebhookSecret();
      await session.change(partnerId, { host }, async () => {
        if (await setWebhook(partnerId, url, secret, session.clock())) return;
        throw new SafeError(`partner ${partnerId} has just been given a webhook by someone else: see webhook show`);
      });
      session.note(ONCE);
      session.printRecord({ partner: partnerId, url, enabled: true, secret }, [
        ['partner', partnerId],
        ['url', url],
        ['secret', secret],
      ]);
    });

  noun
    .command('rotate')
    .description('make a new secret, shown once; the old one signs beside it for 24 h')
    .requiredOption(...whose)
    .option('--no-overlap', 'the old secret is leaked: forget it at once')
    .option('--drop-previous', 'end an overlap that still runs')
    .addHelpText('after', example('webhook rotate --partner 123 --reason "yearly" --local'))
    .action(async ({ partnerId, overlap, dropPrevious = false }: RotateOptions) => {
      session.needsReason();
      await viewOf(partnerId);
      await session.confirm(
        overlap
          ? 'The old secret signs for 24 h more; the partner must put the new one in.'
          : 'The old secret signs nothing from now on: until the new one is in, the partner verifies no event.',
      );
      const secret = newWebhookSecret();
      const now = session.clock();
      const kept = overlap ? ROTATION_OVERLAP : 0;
      await session.change(partnerId, { overlap, dropPrevious }, () =>
        rotateWebhookSecret(partnerId, secret, { overlap: kept, dropPrevious }, now),
      );
      const previousUntil = overlap ? now + kept : undefined;
      session.note(ONCE);
      session.printRecord({ partner: partnerId, secret, previousUntil }, [
        ['partner', partnerId],
        ['secret', secret],
        ['old one signs until', moment(previousUntil)],
      ]);
    });

  noun
    .command('ping')
    .description('send a signed test event and say what comes back; a disabled webhook gets it too')
    .requiredOption(...whose)
    .addHelpText('after', example('webhook ping --partner 123 --local'))
    .action(async ({ partnerId }: Whose) => {
      const endpoint = await endpointOf(partnerId);
      const now = session.clock();
      const event = testEventOf(partnerId, now);
      const result = await session.change(
        partnerId,
        { event: event.eventId },
        () => wiring.sender().send(endpoint, event, 1, now),
        (attempt) => ({ delivered: attempt.delivered }),
      );
      session.printRecord({ partner: partnerId, event: event.eventId, ...result }, [
        ['event', event.eventId],
        ['result', result.delivered ? 'delivered' : `failed: ${result.failure}`],
        ['status', result.status],
        ['took', `${result.milliseconds} ms`],
        ...(result.delivered ? [] : [['answer', result.detail.slice(0, 500)] as const]),
      ]);
      if (!result.delivered) throw new SafeError('the endpoint did not take the test event');
    });

  noun
    .command('enable')
    .description('enable a webhook, with no failure on record, and send what was kept meanwhile')
    .requiredOption(...whose)
    .addHelpText('after', example('webhook enable --partner 123 --local'))
    .action(async ({ partnerId }: Whose) => {
      await viewOf(partnerId);
      await session.queues();
      const { released } = await session.change(
        partnerId,
        {},
        async () => {
          await enableWebhook(partnerId, session.clock());
          return { released: await releaseAll(partnerId, session) };
        },
        (made) => made,
      );
      session.print(
        { partner: partnerId, enabled: true, released },
        () => `enabled; ${released} kept events are on their way\n`,
      );
    });

  noun
    .command('disable')
    .description('send nothing more: events are kept until the webhook is enabled again')
    .requiredOption(...whose)
    .addHelpText('after', example('webhook disable --partner 123 --reason "asked by the partner" --local'))
    .action(async ({ partnerId }: Whose) => {
      session.needsReason();
      await viewOf(partnerId);
      await session.confirm(`Partner ${partnerId} gets no events until webhook enable.`);
      await session.change(partnerId, {}, () => disableWebhook(partnerId, 'manager', session.clock()));
      session.print({ partner: partnerId, enabled: false }, () => 'disabled; events are kept from now on\n');
    });

  webhookTrial(noun, session);
}

async function releaseAll(partnerId: PartnerId, session: Session): Promise<number> {
  const queue = wiring.deliveryQueue();
  let kept = 0;
  // Only a bar needs to know how many there are.
  if (session.terminal.interactive) {
    for await (const _ of listDeliveries(partnerId, { states: ['suspensa'] })) kept += 1;
  }
  const progress = session.progress('releasing', kept);
  let released = 0;
  for await (const page of release(partnerId, session.clock())) {
    await queue.send(page, session.clock());
    released += page.length;
    progress.step(page.length);
  }
  progress.end();
  return released;
}
