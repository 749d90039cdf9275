/** Where a connection may go. */
export interface VettedTarget {
  readonly url: URL;
  readonly port: number;
  /** The only addresses that are dialled, in this order; undefined leaves the look-up of a configured name to the system. */
  readonly addresses: readonly string[] | undefined;
}

/** The host name or address of a URL, without the brackets around IPv6. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** The port of a URL; 0 where it says 0, which is nobody's port and never the default. */
export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'http:' ? 80 : 443;
}
