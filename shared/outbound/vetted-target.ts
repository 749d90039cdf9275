import { isIPv4 } from 'node:net';

/** Where a connection may go. */
export interface VettedTarget {
  readonly url: URL;
  readonly port: number;
  /** The only addresses that are dialled, in this order; undefined leaves the look-up of a configured name to the system. */
  readonly addresses: readonly string[] | undefined;
}

/** The host name or address of a URL, without the brackets around IPv6. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

/** The port of a URL; 0 where it says 0, which is nobody's port and never the default. */
export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'http:' ? 80 : 443;
}

/**
 * The target of a URL from our own configuration, without a trailing slash: https to any host, whose certificate
 * proves its name, or plain http to this machine. Throws a TypeError, which does not repeat the URL, for anything else.
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
 * The addresses of a URL on this machine; undefined where it is elsewhere. Names under localhost never ask the DNS
 * (RFC 6761). WHATWG's parser has already brought every spelling of 127.0.0.0/8 and ::1 to its canonical form.
 */
export function loopbackAddresses(url: URL): readonly string[] | undefined {
  const host = hostOf(url);
  if (host === 'localhost' || host.endsWith('.localhost')) return ['127.0.0.1', '::1'];
  return host === '::1' || (isIPv4(host) && host.startsWith('127.')) ? [host] : undefined;
}
