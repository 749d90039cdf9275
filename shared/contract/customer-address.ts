import ipaddr from 'ipaddr.js';
import type { Environment } from '../domain/values/tenancy.ts';
import type { Notice } from './notices.ts';

/** Ranges, by the library's names, from which no customer's consent can have come. */
const IMPOSSIBLE: ReadonlySet<string> = new Set(['unspecified', 'loopback', 'linkLocal', 'multicast', 'broadcast']);
/** Ranges that mean another machine in each network, and those of documentation: evidence, but of nobody in particular. */
const NOT_PUBLIC: ReadonlySet<string> = new Set([
  'private',
  'carrierGradeNat',
  'uniqueLocal',
  'deprecatedSiteLocal',
  'reserved',
]);

/** An address inside IPv6 (`::ffff:127.0.0.1`) counts as the IPv4 address that it is. */
const rangeOf = (address: string) => ipaddr.process(address).range();

/** Whether an IP address (v4 or v6, without a zone) cannot be a customer's; the sandbox takes what a test machine has. */
export function isNobodysAddress(address: string, environment: Environment): boolean {
  return environment === 'producao' && IMPOSSIBLE.has(rangeOf(address));
}

/** What the answer says of a consent from an address that is not public. Source: contract.md, Order of checks. */
export function addressNotices(address: string, environment: Environment): readonly Notice[] {
  if (environment !== 'producao' || !NOT_PUBLIC.has(rangeOf(address))) return [];
  const motivo =
    'É um endereço privado ou de documentação e foi registrado assim; como prova do consentimento, envie o IP público do cliente.';
  return [{ campo: 'consentimento_ip', motivo }];
}
