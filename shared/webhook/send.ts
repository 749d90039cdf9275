import type { Clock } from '../domain/values/clock.ts';
import { keptText } from '../domain/values/masked-text.ts';
import { ANSWER_WITHIN, type AttemptResult, type FailureClass } from '../domain/webhooks/delivery.ts';
import type { WebhookSender } from '../domain/webhooks/ports.ts';
import { type Connect, httpClient, type OutboundAnswer } from '../outbound/http-client.ts';
import { OutboundError, type OutboundFault } from '../outbound/outbound-error.ts';
import { withTimeLimit } from '../outbound/time-limit.ts';
import { publicUrlsOnly, type Resolve } from '../outbound/vet-public-url.ts';
import { namelessPage } from './nameless-page.ts';
import { retryAfterMilliseconds } from './retry-after.ts';
import { sign } from './sign.ts';

/** Milliseconds until the connection must stand, milliseconds for the whole attempt, bytes of a failure's body that are read. Source: contract, Webhooks. */
const SEND_LIMITS = { connect: 5_000, total: ANSWER_WITHIN, read: 16_384 } as const;

/** Bytes of a failure that are kept, as text. */
const KEPT = 2_048;

const FAILURES: Readonly<Record<OutboundFault, FailureClass>> = {
  blocked: 'bloqueado',
  dns: 'dns',
  connection: 'conexao',
  tls: 'tls',
  timeout: 'timeout',
  aborted: 'timeout',
  too_large: 'conexao',
};

export interface SenderOptions {
  readonly resolve: Resolve;
  /** Only for the local run: see vetPublicUrl. */
  readonly allowLocal: boolean;
  readonly clock: Clock;
  readonly limits?: Partial<Record<keyof typeof SEND_LIMITS, number>>;
  /** PEM certificates to trust instead of the usual roots. */
  readonly ca?: string | undefined;
  /** How a vetted target is dialled. The product never sets it. */
  readonly connect?: Connect;
}

/**
 * Sends attempts: signs, posts to a public address and judges the answer. A 2xx is success as soon as its headers are
 * in: its body is not read, and whether it breaks off or never ends changes nothing. A redirect is never followed and
 * fails as http_3xx. Each attempt has a connection of its own: it must go where the name points by now, a partner gets
 * few events an hour, and a frozen container would find a kept connection dead in the middle of an attempt that counts.
 * Throws only for an endpoint whose secret is malformed.
 */
export function webhookSender(options: SenderOptions): WebhookSender {
  const { resolve, clock, ca, connect } = options;
  const limits = { ...SEND_LIMITS, ...options.limits };
  const client = httpClient({
    vet: publicUrlsOnly(resolve, options),
    connectTimeout: limits.connect,
    readLimit: limits.read,
    clock,
    ca,
    connect,
  });

  return {
    async send({ url, ...secrets }, message, attempt, now) {
      const body = Buffer.from(message.body, 'utf8');
      const headers = {
        'Content-Type': 'application/json',
        Accept: '*/*',
        'Accept-Encoding': 'identity',
        'User-Agent': 'pmc-webhooks/1.0',
        ...sign(secrets, { eventId: message.eventId, type: message.type, body, attempt }, now),
      };
      const request = {
        url,
        method: 'POST',
        headers,
        body,
        needsBody: (status: number) => !isSuccess(status),
      } as const;
      const began = clock();
      const milliseconds = () => Math.max(0, clock() - began);
      try {
        const answer = await withTimeLimit(limits.total, undefined, (stop) => client.send(request, stop));
        return judge(answer, milliseconds(), clock());
      } catch (error) {
        if (error instanceof OutboundError)
          return failed(FAILURES[error.fault], keptText(error.message), milliseconds());
        throw error;
      }
    },
  };
}

const isSuccess = (status: number) => status >= 200 && status < 300;

function failed(failure: FailureClass, detail: string, milliseconds: number) {
  return { delivered: false, failure, milliseconds, detail: cut(detail) } as const;
}

const BUSY: readonly number[] = [429, 503];

/** A failure's status decides, whether its body is whole or not. */
function judge({ status, headers, body }: OutboundAnswer, milliseconds: number, now: number): AttemptResult {
  if (isSuccess(status)) return { delivered: true, status, milliseconds };
  const failure = status < 400 ? 'http_3xx' : status < 500 ? 'http_4xx' : 'http_5xx';
  const encoding = headers['content-encoding'];
  const detail =
    encoding && encoding !== 'identity' ? `(content-encoding: ${encoding})` : namelessPage(keptText(body.toString()));
  return {
    ...failed(failure, detail, milliseconds),
    status,
    ...(BUSY.includes(status) && { retryAfter: retryAfterMilliseconds(headers['retry-after'], now) }),
  };
}

/** At most 2 KB of UTF-8, of a text that may be kept: cut last, for a cut could leave half of what is masked. No character is split. */
const cut = (text: string) => new TextDecoder().decode(Buffer.from(text).subarray(0, KEPT), { stream: true });
