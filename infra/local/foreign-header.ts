import type { IncomingHttpHeaders } from 'node:http';

/** A header that shows that a call does not come from this machine's own pages and programs. */
export type ForeignHeader = 'host' | 'origin';

/** A loopback address or `localhost`, with any port: a forwarded port is another than the server's own. */
const LOOPBACK = /^(127(\.\d{1,3}){3}|localhost|\[::1\])(:\d+)?$/i;

/**
 * Returns the header by which a local server refuses a call; undefined if it may answer.
 * - `host`: the call names another host. A foreign page whose name leads to this machine (DNS rebinding) sends that name.
 * - `origin`: the call comes from a page of another host. Browsers send Origin with each POST and each call that crosses
 *   origins; programs send none.
 *
 * `own` is the only host that the server answers as, with its port. Without it every loopback name is right: the hosted
 * panel calls the sign-in on another port, and a partner's page in development comes from a port of its own.
 */
export function foreignHeader({ host = '', origin }: IncomingHttpHeaders, own?: string): ForeignHeader | undefined {
  const isOurs = (name: string) => (own === undefined ? LOOPBACK.test(name) : name === own);
  if (!isOurs(host)) return 'host';
  if (origin === undefined) return undefined;
  const page = /^https?:\/\/(.+)$/.exec(origin)?.[1] ?? '';
  return isOurs(page) ? undefined : 'origin';
}

/** What a caller is told, by the header for which its call is refused. */
export const REFUSALS: Readonly<Record<ForeignHeader, string>> = {
  host: 'This server answers only calls that name this machine: use 127.0.0.1, localhost or [::1] in the address.\n',
  origin: 'This server answers only programs and pages of this machine: this call comes from a page of another host.\n',
};
