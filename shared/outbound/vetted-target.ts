import { isIPv4 } from 'node:net';

/** A target that was vetted: a connection to it may be opened. */
export interface VettedTarget {
  readonly url: URL;
  readonly port: number;
  /** Only these addresses may be dialled, in this order. Undefined for a configured name, which the system looks up. */
  readonly addresses: readonly string[] | undefined;
}

export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

/** Returns 0 if the URL says 0, which is no valid port and never means the default. */
export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'http:' ? 80 : 443;
}

/**
 * Returns the target of a URL from our own configuration. The URL must be https, so that a certificate proves the
 * host's name, or plain http to this machine. Throws a TypeError for anything else; the error does not repeat the URL.
 */
export function vetConfiguredUrl(text: string): VettedTarget {
  const url = URL.parse(text);
  if (!url) throw new TypeError('it is not a URL');
  const addresses = loopbackAddresses(url);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && addresses))
    throw new TypeError('the URL must be https; plain http is for loopback only');
  if (url.username || url.password || url.search || url.hash)
    throw new TypeError('the URL must carry no user, query or fragment');
  const port = portOf(url);
  if (port === 0) throw new TypeError('port 0 is no port');
  url.pathname = url.pathname.replace(/\/+$/, '');
  return { url, port, addresses };
}

/**
 * Undefined if the URL leads elsewhere. Names under localhost are never looked up in the DNS (RFC 6761). WHATWG's
 * parser has already brought every spelling of 127.0.0.0/8 and ::1 to its canonical form.
 */
export function loopbackAddresses(url: URL): readonly string[] | undefined {
  const host = hostOf(url);
  if (host === 'localhost' || host.endsWith('.localhost')) return ['127.0.0.1', '::1'];
  return host === '::1' || (isIPv4(host) && host.startsWith('127.')) ? [host] : undefined;
}
