import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { AddressCheck } from '../domain/webhooks/ports.ts';
import { codeOf, OutboundError } from './time-limit.ts';
import { loopbackAddresses, portOf, type VettedTarget } from './vetted-target.ts';

/** Returns all addresses of a host name. Throws if there are none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Reasons to refuse a URL as a target for webhooks, with the text that the manager sees. */
export const URL_REFUSALS = {
  url_invalida: 'A URL não é válida.',
  https_obrigatorio: 'A URL precisa começar com https://.',
  credenciais_na_url: 'A URL não pode conter usuário nem senha.',
  porta_nao_permitida: 'A porta precisa ser 443 ou 8443.',
  endereco_ip: 'A URL precisa de um nome de domínio, não de um endereço IP.',
  dominio_nao_publico: 'O domínio precisa ser um nome público completo, como webhooks.empresa.com.br.',
  dns_sem_resposta: 'O domínio não foi encontrado no DNS.',
  endereco_nao_publico: 'O domínio aponta para um endereço que não é público.',
} as const;
export type UrlRefusal = keyof typeof URL_REFUSALS;

export type Vetting =
  | { readonly vetted: true; readonly target: VettedTarget }
  /** `detail` names the cause, for example the address that is not public. */
  | { readonly vetted: false; readonly reason: UrlRefusal; readonly detail: string };

export interface VettingOptions {
  /** Whether loopback targets are accepted, on any port and also by plain http. Only for the local run. */
  readonly allowLocal?: boolean | undefined;
}

const LONGEST_URL = 2048;
const PORTS: readonly number[] = [443, 8443];

/**
 * Checks that a URL leads to the public internet and nowhere else. An IP address is refused in any spelling. Every
 * address of the name must be public: with a single private address the URL is refused.
 */
export async function vetPublicUrl(text: string, resolve: Resolve, options: VettingOptions = {}): Promise<Vetting> {
  const url = parse(text);
  if (!url) return refuse('url_invalida', text.slice(0, 200));
  const port = portOf(url);
  const local = options.allowLocal && port > 0 && !hasCredentials(url) ? loopbackAddresses(url) : undefined;
  if (local) return { vetted: true, target: { url, port, addresses: local } };

  const reason = refusalOf(url, port);
  if (reason) return refuse(reason, url.host);
  let addresses: readonly string[];
  try {
    addresses = await resolve(url.hostname);
  } catch (error) {
    return refuse('dns_sem_resposta', `${url.hostname}: ${codeOf(error) ?? 'sem resposta'}`);
  }
  if (addresses.length === 0) return refuse('dns_sem_resposta', url.hostname);
  const foreign = addresses.find((address) => !isPublicAddress(address));
  if (foreign !== undefined) return refuse('endereco_nao_publico', `${url.hostname}: ${foreign.slice(0, 64)}`);
  // IPv4 addresses come first, since functions without a VPC cannot reach IPv6 addresses.
  return { vetted: true, target: { url, port, addresses: addresses.toSorted((a, b) => isIP(a) - isIP(b)) } };
}

/** The returned function throws an OutboundError (`dns`, `blocked`). */
export function publicUrlsOnly(resolve: Resolve, options: VettingOptions): (url: string) => Promise<VettedTarget> {
  return async (url) => {
    const vetting = await vetPublicUrl(url, resolve, options);
    if (vetting.vetted) return vetting.target;
    const fault = vetting.reason === 'dns_sem_resposta' ? 'dns' : 'blocked';
    throw new OutboundError(fault, `${vetting.reason}: ${vetting.detail}`);
  };
}

export class PublicAddressCheck implements AddressCheck {
  readonly #resolve: Resolve;
  readonly #options: VettingOptions;

  constructor(resolve: Resolve, options: VettingOptions) {
    this.#resolve = resolve;
    this.#options = options;
  }

  async refusal(url: string): Promise<string | undefined> {
    const vetting = await vetPublicUrl(url, this.#resolve, this.#options);
    return vetting.vetted ? undefined : `${URL_REFUSALS[vetting.reason]} (${vetting.reason}: ${vetting.detail})`;
  }
}

function refuse(reason: UrlRefusal, detail: string): Vetting {
  return { vetted: false, reason, detail };
}

/**
 * Undefined if the text is no http or https URL. WHATWG's parser rewrites the host (decimal, hex, octal and short IPv4,
 * full-width digits, percent signs) to the form that is then judged and connected to. So check and connection cannot
 * read it differently. Blanks, control characters and backslashes, which the parser would drop or turn, are refused
 * first.
 */
function parse(text: string): URL | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  if (text.length > LONGEST_URL || /[\u0000-\u0020\u007f\\]/.test(text)) return undefined;
  const url = URL.parse(text);
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url : undefined;
}

const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Names that have another meaning, or none, in other networks (RFC 6761, RFC 6762, RFC 8375, ICANN's `internal`). */
const PRIVATE_DOMAINS: readonly string[] =
  'localhost local localdomain internal intranet private corp home lan arpa onion'.split(' ');

const hasCredentials = (url: URL) => url.username !== '' || url.password !== '';

function refusalOf(url: URL, port: number): UrlRefusal | undefined {
  if (url.protocol !== 'https:') return 'https_obrigatorio';
  if (hasCredentials(url)) return 'credenciais_na_url';
  if (!PORTS.includes(port)) return 'porta_nao_permitida';
  if (url.hostname.startsWith('[') || isIP(url.hostname)) return 'endereco_ip';
  const labels = url.hostname.split('.');
  // A trailing dot leads to an empty last label and is refused: certificates and SNI have no trailing dot.
  if (labels.length < 2 || url.hostname.length > 253 || !labels.every((label) => LABEL.test(label)))
    return 'dominio_nao_publico';
  const [topLevel = ''] = labels.slice(-1);
  return PRIVATE_DOMAINS.includes(topLevel) ? 'dominio_nao_publico' : undefined;
}

/** This address looks public, but at Azure the host itself answers there (wire server, DNS, health probes). */
const WIRE_SERVER = '168.63.129.16';

/**
 * Whether an address is global unicast by IANA's special-purpose registries. IANA has allocated only 2000::/3 of IPv6,
 * which excludes mapped, compatible, NAT64, unique-local, link-local and multicast addresses. 6to4, Teredo and ISATAP
 * addresses contain an IPv4 address, and are refused too.
 */
export function isPublicAddress(text: string): boolean {
  if (!isIP(text) || text.includes('%')) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast' || address.toString() === WIRE_SERVER) return false;
  if (address instanceof ipaddr.IPv4) return true;
  const [first, , , , fifth, sixth] = address.parts;
  if (first === undefined || fifth === undefined) return false;
  const isatap = (fifth & 0xfdff) === 0 && sixth === 0x5efe;
  return first >> 13 === 1 && !isatap;
}

/**
 * Asks the DNS for all A and AAAA records. getaddrinfo would also use search domains and /etc/hosts. And while a name
 * server does not answer, it blocks one of the four threads that all look-ups of the process share.
 */
export function dnsResolve(
  resolver: Pick<Resolver, 'resolve4' | 'resolve6'> = new Resolver({ timeout: 1500, tries: 2 }),
): Resolve {
  return async (host) => {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (addresses.length === 0 && failed) throw failed.reason;
    return addresses;
  };
}
