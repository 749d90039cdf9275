import type { PartnerId } from '../values/ids.ts';
import type { EndpointView } from './endpoint.ts';
import type { DeliveryArchive } from './ports.ts';
import { waitingFor } from './waiting.ts';

/** A new address for a partner's events, before anything is changed. */
export interface AddressPlan {
  /** The endpoint as it is. Undefined if the partner has none. */
  readonly before: EndpointView | undefined;
  /** Why webhooks must not go to the new address. Undefined if they may. */
  readonly refusal: string | undefined;
  /** Events that are on their way or kept, and would go to the new address. */
  readonly waiting: number;
}

interface PlanDeps {
  readonly webhooks: { view(partnerId: PartnerId): Promise<EndpointView | undefined> };
  readonly archive: Pick<DeliveryArchive, 'page'>;
  readonly refusal: (url: string) => Promise<string | undefined>;
}

/** Reads what a new address would change. An endpoint that is not there yet has no waiting events. */
export async function planAddress(
  partnerId: PartnerId,
  url: string,
  { webhooks, archive, refusal }: PlanDeps,
  inTime: () => boolean,
): Promise<AddressPlan> {
  const [before, refused] = await Promise.all([webhooks.view(partnerId), refusal(url)]);
  const waiting = before ? await waitingFor(partnerId, archive, inTime) : 0;
  return { before, refusal: refused, waiting };
}

/** The writes by which an endpoint gets its address. Each one tells whether its condition held. */
interface AddressStore {
  /** False if the partner has an endpoint by now. */
  set(partnerId: PartnerId, url: string, secret: string, now: number): Promise<boolean>;
  /** Undefined if the address is not the one that it replaces. */
  changeUrl(
    partnerId: PartnerId,
    url: string,
    now: number,
    replaces?: string,
  ): Promise<{ readonly enabled: boolean } | undefined>;
}

interface NewAddress {
  readonly partnerId: PartnerId;
  readonly url: string;
  /** The address that the caller has seen; null if it has seen that there is none, undefined if it does not say. */
  readonly replaces: string | null | undefined;
  readonly now: number;
}

/**
 * Sets the first address of a partner, with a new secret, or changes the one that `before` shows. Returns undefined if
 * another change was faster: then the caller has to look at the address again.
 */
export async function setAddress(
  { partnerId, url, replaces, now }: NewAddress,
  before: EndpointView | undefined,
  settings: AddressStore,
  newSecret: () => string,
): Promise<{ readonly enabled: boolean; readonly secret: string | null } | undefined> {
  if (!before) {
    const secret = newSecret();
    return (await settings.set(partnerId, url, secret, now)) ? { enabled: true, secret } : undefined;
  }
  if (replaces === null) return undefined;
  const changed = await settings.changeUrl(partnerId, url, now, replaces);
  return changed && { enabled: changed.enabled, secret: null };
}
