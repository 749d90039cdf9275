import type { Bank } from '#shared/domain/values/bank.ts';

/** A bank's subdomains are the bank's, too. */
const DOMAINS: Readonly<Record<Bank, readonly string[]>> = {
  bradesco: ['banco.bradesco', 'bradesco.com.br'],
  itau: ['itau.com.br'],
  santander: ['santander.com.br'],
  inter: ['inter.co', 'bancointer.com.br'],
  brb: ['brb.com.br'],
  cashme: ['cashme.com.br'],
};

export function isPageOf(bank: Bank, address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, port, username, password } = new URL(address);
  if (protocol !== 'https:' || port !== '' || username !== '' || password !== '') return false;
  return DOMAINS[bank].some((domain) => hostname === domain || hostname.endsWith(`.${domain}`));
}
