import { TLSSocket } from 'node:tls';
import type { Clock } from '../domain/values/clock.ts';
import { days, type Milliseconds, seconds } from '../domain/values/time.ts';
import type { Cached } from '../runtime/cached.ts';
import { cachedSecret } from '../runtime/secret.ts';
import { connectPinned, type HttpClient, httpClient } from './http-client.ts';
import { OutboundError, withTimeLimit } from './time-limit.ts';
import { vetConfiguredUrl } from './vetted-target.ts';

const PATHS = { health: '/health', signed_in: '/v1/me' } as const;
export type ProbedCall = keyof typeof PATHS;

export interface Probed {
  /** The status that was not 200, or the fault of the HTTP client. A call that was answered 200 has no entry. */
  readonly faults: Readonly<Partial<Record<ProbedCall, string>>>;
  /** Time that the signed-in call took, including its connection. Undefined if it got no answer. */
  readonly latency: Milliseconds | undefined;
  /** Whole days for which the certificate of the name is still valid. Undefined if no TLS connection was made. */
  readonly certificateDays: number | undefined;
}

export interface ProbeSettings {
  readonly url: string;
  /** A sandbox key. */
  readonly key: string;
  readonly clock: Clock;
  readonly ca?: string;
}

/** Time limit of a call, including look-up and TLS. The function's timeout must hold two calls and the key's fetch. */
const TIME_LIMIT: Milliseconds = seconds(5);
const READ_LIMIT = 16_384;

export class ServiceProbe {
  readonly #url: string;
  readonly #key: Cached<string | undefined>;
  readonly #clock: Clock;

  constructor({ url, keySecret, clock }: { readonly url: string; readonly keySecret: string; readonly clock: Clock }) {
    this.#url = url;
    this.#key = cachedSecret(
      () => keySecret,
      (text) => text,
    );
    this.#clock = clock;
  }

  /** Undefined while the key is not written. */
  async look(): Promise<Probed | undefined> {
    const key = await this.#key.get();
    return key === undefined ? undefined : probe({ url: this.#url, key, clock: this.#clock });
  }
}

/** Calls the service as a partner does, each call on a connection of its own. Never throws if a call fails. */
export async function probe({ url, key, clock, ca }: ProbeSettings): Promise<Probed> {
  let certificateDays: number | undefined;
  const client = httpClient({
    vet: vetConfiguredUrl,
    connectTimeout: TIME_LIMIT,
    readLimit: READ_LIMIT,
    clock,
    ca,
    connect: (target, secure) => {
      const socket = connectPinned(target, secure);
      socket.once('secureConnect', () => {
        if (!(socket instanceof TLSSocket)) return;
        const { valid_to: until } = socket.getPeerCertificate();
        certificateDays = Math.floor((Date.parse(until) - clock()) / days(1));
      });
      return socket;
    },
  });
  const health = await answerOf(client, `${url}${PATHS.health}`, {}, clock);
  const signedIn = await answerOf(client, `${url}${PATHS.signed_in}`, { 'x-api-key': key }, clock);
  client.close();
  const faults: Partial<Record<ProbedCall, string>> = {};
  if (health.fault !== undefined) faults.health = health.fault;
  if (signedIn.fault !== undefined) faults.signed_in = signedIn.fault;
  return { faults, latency: signedIn.latency, certificateDays };
}

async function answerOf(
  client: HttpClient,
  url: string,
  headers: Readonly<Record<string, string>>,
  clock: Clock,
): Promise<{ readonly fault: string | undefined; readonly latency: Milliseconds | undefined }> {
  const begun = clock();
  try {
    const { status } = await withTimeLimit(TIME_LIMIT, undefined, (stop) =>
      client.send({ url, method: 'GET', headers }, stop),
    );
    return { fault: status === 200 ? undefined : `http_${status}`, latency: clock() - begun };
  } catch (error) {
    if (error instanceof OutboundError) return { fault: error.fault, latency: undefined };
    throw error;
  }
}
