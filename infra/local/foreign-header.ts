import type { IncomingHttpHeaders } from 'node:http';

export type ForeignHeader = 'host' | 'origin';

/** Accepts any port, because a forwarded port differs from the server's own. */
const LOOPBACK = /^(127(\.\d{1,3}){3}|localhost|\[::1\])(:\d+)?$/i;

/**
 * Returns the header because of which a local server refuses a call. Undefined if the server may answer.
 * - `host`: a foreign page whose name leads to this machine (DNS rebinding) sends that name.
 * - `origin`: browsers send Origin with each POST and each call to another origin; programs send none.
 *
 * Every loopback name is accepted: the panel calls the sign-in on another port, and a partner's page in development has
 * its own port.
 */
export function foreignHeader({ host = '', origin }: IncomingHttpHeaders): ForeignHeader | undefined {
  if (!LOOPBACK.test(host)) return 'host';
  if (origin === undefined) return undefined;
  const page = /^https?:\/\/(.+)$/.exec(origin)?.[1] ?? '';
  return LOOPBACK.test(page) ? undefined : 'origin';
}

export const REFUSALS: Readonly<Record<ForeignHeader, string>> = {
  host: 'This server answers only calls that name this machine: use 127.0.0.1, localhost or [::1] in the address.\n',
  origin: 'This server answers only programs and pages of this machine: this call comes from a page of another host.\n',
};
