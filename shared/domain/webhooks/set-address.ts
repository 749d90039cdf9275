import type { EndpointOwner, EndpointView } from './endpoint.ts';
import type { AddressCheck, DeliveryArchive, SentAddress, WebhookSettings, WebhookViews } from './ports.ts';
import { newWebhookSecret } from './secret.ts';
import { waitingFor } from './waiting.ts';

export interface AddressPlan {
  readonly before: EndpointView | undefined;
  /** Undefined if webhooks may go to the new address. */
  readonly refusal: string | undefined;
  readonly waiting: number;
}

interface PlanDeps {
  readonly webhooks: WebhookViews;
  readonly archive: Pick<DeliveryArchive, 'page'>;
  readonly addresses: AddressCheck;
}

/** If there is no endpoint yet, no events are counted. */
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
  /** Address that the caller saw: null if it saw none, undefined if it does not say. */
  readonly replaces: string | null | undefined;
  readonly inProduction: boolean;
  readonly now: number;
}

/** Whether a call with the same token set this address. False if somebody has set another address since. */
export const isSet = ({ url, setBy }: SentAddress, before: EndpointView | undefined): boolean =>
  setBy !== undefined && before?.setBy === setBy && before.url === url;

/**
 * `secret` of the result is null if the address was changed: the secret stays. Changes nothing if `isSet`. Returns
 * undefined if another change was faster, or if the caller saw another address. The caller has to look at the address
 * again. Throws a ChangedMeanwhile if it is an address of production and production was opened to the partner
 * meanwhile.
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
