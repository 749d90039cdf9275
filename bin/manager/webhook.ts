import type { Command } from 'commander';
import { testEventOf } from '../../shared/contract/event.ts';
import type { PartnerId } from '../../shared/domain/ids.ts';
import type { WebhookEndpoint } from '../../shared/domain/partner.ts';
import { localWebhookTargets } from '../../shared/runtime/env.ts';
import { OperatorError } from '../../shared/runtime/log.ts';
import * as wiring from '../../shared/runtime/wiring.ts';
import {
  changeWebhookUrl,
  disableWebhook,
  enableWebhook,
  ROTATION_OVERLAP,
  rotateWebhookSecret,
  setWebhook,
} from '../../shared/table/partners.ts';
import { listDeliveries, release } from '../../shared/table/replays.ts';
import { dnsResolve, URL_REFUSALS, vetWebhookUrl } from '../../shared/webhook/address.ts';
import { newWebhookSecret } from '../../shared/webhook/sign.ts';
import { example, id } from './arguments.ts';
import { existing } from './partners.ts';
import type { Session } from './session.ts';
import { moment } from './table.ts';
import { webhookTrial } from './webhook-trial.ts';

interface Whose {
  readonly partner: PartnerId;
}

const ONCE = 'This is the only time the secret is shown: give it to the partner by a safe way.';

/** The endpoint of a partner. Throws an OperatorError where none is set. */
async function endpointOf(partner: PartnerId): Promise<WebhookEndpoint> {
  await existing(partner);
  const endpoint = await wiring.partners().endpoint(partner);
  if (!endpoint) throw new OperatorError(`partner ${partner} has no webhook: webhook set gives it one`);
  return endpoint;
}

/** Throws an OperatorError that says why webhooks must not go to a URL. */
async function vet(url: string): Promise<void> {
  const vetting = await vetWebhookUrl(url, dnsResolve(), { allowLocal: localWebhookTargets() });
  if (!vetting.vetted) {
    throw new OperatorError(`${URL_REFUSALS[vetting.reason]} (${vetting.reason}: ${vetting.detail})`);
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
    .action(async ({ partner }: Whose) => {
      const { url, enabled, disabledBecause, health, previousUntil } = await endpointOf(partner);
      const overlap = previousUntil !== undefined && previousUntil > session.clock() ? previousUntil : undefined;
      const { failures, failingSince } = health;
      session.printRecord({ partner, url, enabled, disabledBecause, failures, failingSince, previousUntil: overlap }, [
        ['partner', partner],
        ['url', url],
        ['state', enabled ? 'enabled' : `disabled (${disabledBecause ?? 'manager'})`],
        ['failures in a row', failures],
        ['failing since', moment(failingSince)],
        ['old secret signs until', moment(overlap)],
      ]);
    });

  noun
    .command('set')
    .description('set the address; the first time makes the secret too, which is shown once')
    .requiredOption(...whose)
    .requiredOption('--url <url>', 'https, port 443 or 8443, a public name')
    .addHelpText('after', example('webhook set --partner 123 --url https://hooks.parceiro.com.br/eventos --local'))
    .action(async ({ partner, url }: Whose & { url: string }) => {
      await existing(partner);
      await vet(url);
      const before = await wiring.partners().endpoint(partner);
      const host = new URL(url).host;
      if (before) {
        await session.change(partner, { host }, () => changeWebhookUrl(partner, url, session.clock()));
        if (!before.enabled) session.note('It is still disabled: webhook enable sends what was kept meanwhile.');
        return session.printRecord({ partner, url, enabled: before.enabled }, [
          ['partner', partner],
          ['url', url],
        ]);
      }
      const secret = newWebhookSecret();
      await session.change(partner, { host }, () => setWebhook(partner, url, secret, session.clock()));
      session.note(ONCE);
      session.printRecord({ partner, url, enabled: true, secret }, [
        ['partner', partner],
        ['url', url],
        ['secret', secret],
      ]);
    });

  noun
    .command('rotate')
    .description('make a new secret, shown once; the old one signs beside it for 24 h')
    .requiredOption(...whose)
    .option('--no-overlap', 'the old secret is leaked: forget it at once')
    .addHelpText('after', example('webhook rotate --partner 123 --reason "yearly" --local'))
    .action(async ({ partner, overlap }: Whose & { overlap: boolean }) => {
      session.needsReason();
      await endpointOf(partner);
      await session.confirm(
        overlap
          ? 'The old secret signs for 24 h more; the partner must put the new one in.'
          : 'The old secret signs nothing from now on: until the new one is in, the partner verifies no event.',
      );
      const secret = newWebhookSecret();
      const now = session.clock();
      const kept = overlap ? ROTATION_OVERLAP : 0;
      await session.change(partner, { overlap }, () => rotateWebhookSecret(partner, secret, kept, now));
      const previousUntil = overlap ? now + kept : undefined;
      session.note(ONCE);
      session.printRecord({ partner, secret, previousUntil }, [
        ['partner', partner],
        ['secret', secret],
        ['old one signs until', moment(previousUntil)],
      ]);
    });

  noun
    .command('ping')
    .description('send a signed test event and say what comes back; a disabled webhook gets it too')
    .requiredOption(...whose)
    .addHelpText('after', example('webhook ping --partner 123 --local'))
    .action(async ({ partner }: Whose) => {
      const endpoint = await endpointOf(partner);
      const now = session.clock();
      const event = testEventOf(partner, now);
      const result = await session.change(
        partner,
        { event: event.event },
        () => wiring.sender().send(endpoint, event, 1, now),
        (attempt) => ({ delivered: attempt.delivered }),
      );
      session.printRecord({ partner, event: event.event, ...result }, [
        ['event', event.event],
        ['result', result.delivered ? 'delivered' : `failed: ${result.failure}`],
        ['status', result.status],
        ['took', `${result.milliseconds} ms`],
        ...(result.delivered ? [] : [['answer', result.detail.slice(0, 500)] as const]),
      ]);
      if (!result.delivered) throw new OperatorError('the endpoint did not take the test event');
    });

  noun
    .command('enable')
    .description('enable a webhook, with no failure on record, and send what was kept meanwhile')
    .requiredOption(...whose)
    .addHelpText('after', example('webhook enable --partner 123 --local'))
    .action(async ({ partner }: Whose) => {
      await endpointOf(partner);
      await session.queues();
      const { released } = await session.change(
        partner,
        {},
        async () => {
          await enableWebhook(partner, session.clock());
          return { released: await releaseAll(partner, session) };
        },
        (made) => made,
      );
      session.print({ partner, enabled: true, released }, () => `enabled; ${released} kept events are on their way\n`);
    });

  noun
    .command('disable')
    .description('send nothing more: events are kept until the webhook is enabled again')
    .requiredOption(...whose)
    .addHelpText('after', example('webhook disable --partner 123 --reason "asked by the partner" --local'))
    .action(async ({ partner }: Whose) => {
      session.needsReason();
      await endpointOf(partner);
      await session.confirm(`Partner ${partner} gets no events until webhook enable.`);
      await session.change(partner, {}, () => disableWebhook(partner, 'manager', session.clock()));
      session.print({ partner, enabled: false }, () => 'disabled; events are kept from now on\n');
    });

  webhookTrial(noun, session);
}

async function releaseAll(partner: PartnerId, session: Session): Promise<number> {
  const queue = wiring.deliveryQueue();
  let kept = 0;
  // Only a bar needs to know how many there are.
  if (session.terminal.interactive) {
    for await (const _ of listDeliveries(partner, { states: ['suspensa'] })) kept += 1;
  }
  const progress = session.progress('releasing', kept);
  let released = 0;
  for await (const page of release(partner, session.clock())) {
    await queue.send(page, session.clock());
    released += page.length;
    progress.step(page.length);
  }
  progress.end();
  return released;
}
