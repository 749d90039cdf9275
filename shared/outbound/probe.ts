import type { TLSSocket } from 'node:tls';
import type { Clock } from '../domain/values/clock.ts';
import { connectPinned, type HttpClient, httpClient } from './http-client.ts';
import { OutboundError, withTimeLimit } from './time-limit.ts';
import { vetConfiguredUrl } from './vetted-target.ts';

/** The calls of a probe: what anybody may ask, and what a key may. */
const PATHS = { health: '/health', signed_in: '/v1/me' } as const;
export type ProbedCall = keyof typeof PATHS;

/** What one look from outside has seen. */
export interface Probed {
  /** Why a call failed: its status, or the client's class of fault; nothing where both were answered 200. */
  readonly faults: Readonly<Partial<Record<ProbedCall, string>>>;
  /** Milliseconds of the signed-in call, connection included; undefined where it got no answer. */
  readonly latency: number | undefined;
  /** Whole days for which the certificate of the name is still valid; undefined without TLS. */
  readonly certificateDays: number | undefined;
}

export interface ProbeSettings {
  /** Base URL, as partners have it. */
  readonly url: string;
  /** A sandbox key. */
  readonly key: string;
  readonly clock: Clock;
  /** PEM certificates to trust instead of the usual roots. */
  readonly ca?: string;
}

/** Milliseconds that a call may take, look-up and TLS included: partners' clients give up about then. */
const TIME_LIMIT = 5_000;
/** Bytes; both answers are far smaller. */
const READ_LIMIT = 16_384;
const DAY = 86_400_000;

/** Calls the service as a partner does, each call over a connection of its own. Never throws for what a call meets. */
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
        const { valid_to: until } = (socket as TLSSocket).getPeerCertificate();
        certificateDays = Math.floor((Date.parse(until) - clock()) / DAY);
      });
      return socket;
    },
  });
  const health = await answerOf(client, `${url}${PATHS.health}`, {}, clock);
  const signedIn = await answerOf(client, `${url}${PATHS.signed_in}`, { 'x-api-key': key }, clock);
  client.close();
  return {
    faults: {
      ...(health.fault !== undefined && { health: health.fault }),
      ...(signedIn.fault !== undefined && { signed_in: signedIn.fault }),
    },
    latency: signedIn.latency,
    certificateDays,
  };
}

async function answerOf(
  client: HttpClient,
  url: string,
  headers: Readonly<Record<string, string>>,
  clock: Clock,
): Promise<{ readonly fault?: string; readonly latency: number | undefined }> {
  const begun = clock();
  try {
    const { status } = await withTimeLimit(TIME_LIMIT, undefined, (stop) =>
      client.send({ url, method: 'GET', headers }, stop),
    );
    return { ...(status !== 200 && { fault: `http_${status}` }), latency: clock() - begun };
  } catch (error) {
    if (error instanceof OutboundError) return { fault: error.fault, latency: undefined };
    throw error;
  }
}
