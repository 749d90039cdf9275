import type { Clock } from '../../shared/domain/values/clock.ts';
import type { AttemptResult, Message } from '../../shared/domain/webhooks/delivery.ts';
import { vetPublicUrl } from '../../shared/outbound/vet-public-url.ts';
import { webhookSender } from '../../shared/webhook/send.ts';
import { newWebhookSecret } from '../../shared/webhook/sign.ts';

// The service's own sender of webhooks, which reaches nothing but this machine: no name resolves.

const nowhere = async () => [];

/** Whether a URL leads to this machine by a loopback address, with nothing in it that the sender would refuse. */
export const isOnThisMachine = async (url: string): Promise<boolean> =>
  (await vetPublicUrl(url, nowhere, { allowLocal: true })).vetted;

interface LocalSending {
  readonly url: string;
  /** Signing secrets, the one in force first; the second signs too, as during a rotation. */
  readonly secrets: readonly [string, ...string[]];
  /** Signs by a secret that nobody knows. */
  readonly forged: boolean;
  /** The attempt that it says it is, from 1. */
  readonly attempt: number;
}

/** Sends an event to this machine as the service would, and gives what came of it. */
export function sendToThisMachine(message: Message, to: LocalSending, clock: Clock): Promise<AttemptResult> {
  const [secret, previousSecret] = to.forged ? [newWebhookSecret()] : to.secrets;
  const now = clock();
  const sender = webhookSender({ resolve: nowhere, allowLocal: true, clock });
  return sender.send(
    { url: to.url, secret: secret!, previousSecret, previousUntil: now + 1 },
    message,
    to.attempt,
    now,
  );
}
