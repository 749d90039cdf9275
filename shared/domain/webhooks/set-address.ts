import type { EndpointOwner, EndpointView } from './endpoint.ts';
import type { AddressCheck, DeliveryArchive, SentAddress, WebhookSettings, WebhookViews } from './ports.ts';
import { newWebhookSecret } from './secret.ts';
import { waitingFor } from './waiting.ts';

/** Facts that a caller needs before it changes the address to which a partner's events of one environment go. */
export interface AddressPlan {
  /** The endpoint as it is now. Undefined if there is none. */
  readonly before: EndpointView | undefined;
  /** Why webhooks must not go to the new address. Undefined if they may. */
  readonly refusal: string | undefined;
  /** Number of events that are on their way or kept, and would go to the new address (see `waitingFor`). */
  readonly waiting: number;
}

interface PlanDeps {
  readonly webhooks: WebhookViews;
  readonly archive: Pick<DeliveryArchive, 'page'>;
  readonly addresses: AddressCheck;
}

/** Returns the plan for a new address. If there is no endpoint yet, no events are counted. */
export async function planAddress(
  owner: EndpointOwner,
  url: string,
  { webhooks, archive, addresses }: PlanDeps,
  inTime: () => boolean,
): Promise<AddressPlan> {
  const [before, refused] = await Promise.all([webhooks.view(owner), addresses.refusal(url)]);
  const waiting = before ? await waitingFor(owner, archive, inTime) : 0;
  return { before, refusal: refused, waiting };
}

interface NewAddress extends SentAddress {
  readonly owner: EndpointOwner;
  /** The address that the caller saw. Null if it saw that there is none, undefined if the caller does not say. */
  readonly replaces: string | null | undefined;
  /** Whether production was open to the partner when the caller looked. */
  readonly inProduction: boolean;
  readonly now: number;
}

/** Whether a call with the same token has set this address, and nobody has set one since then. */
export const isSet = ({ url, setBy }: SentAddress, before: EndpointView | undefined): boolean =>
  setBy !== undefined && before?.setBy === setBy && before.url === url;

/**
 * Sets the owner's first address, with a new secret, or changes the address that `before` shows. `secret` of the
 * result is null if the address was changed: the secret stays. Changes nothing if `isSet`. Returns undefined if
 * another change was faster, or if the caller saw another address. The caller has to look at the address again. Throws
 * a ChangedMeanwhile if it is an address of production and production was opened to the partner meanwhile.
 */
export async function setAddress(
  { owner, replaces, inProduction, now, ...sent }: NewAddress,
  before: EndpointView | undefined,
  settings: Pick<WebhookSettings, 'set' | 'changeUrl' | 'firstSecret'>,
): Promise<{ readonly enabled: boolean; readonly secret: string | null } | undefined> {
  if (!before) {
    const secret = newWebhookSecret();
    return (await settings.set(owner, sent, secret, now, { inProduction })) ? { enabled: true, secret } : undefined;
  }
  if (sent.setBy !== undefined && isSet(sent, before)) {
    const secret = await settings.firstSecret(owner, sent.setBy);
    return { enabled: before.enabled, secret: secret ?? null };
  }
  if (replaces !== undefined && replaces !== before.url) return undefined;
  const changed = await settings.changeUrl(owner, sent, now, before, { inProduction });
  return changed && { enabled: changed.enabled, secret: null };
}
