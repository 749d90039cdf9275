import { createSecureContext, type SecureContext } from 'node:tls';
import type { Clock } from '../domain/values/clock.ts';
import type { AttemptResult, FailureClass } from '../domain/webhooks/delivery.ts';
import type { WebhookSender } from '../domain/webhooks/ports.ts';
import { type Resolve, type Vetting, vetWebhookUrl } from './address.ts';
import {
  AttemptTimer,
  type Connect,
  connectPinned,
  LimitReached,
  type PostAnswer,
  PostFailed,
  type PostLimits,
  post,
} from './post.ts';
import { retryAfterMilliseconds } from './retry-after.ts';
import { sign } from './sign.ts';

/** Source: contract, Webhooks. */
export const SEND_LIMITS: PostLimits = { connect: 5_000, total: 15_000, read: 16_384 };

/** Bytes of a failure that are kept, as text. */
const KEPT = 2_048;

export interface SenderOptions {
  readonly resolve: Resolve;
  /** Only for the local run: see vetWebhookUrl. */
  readonly allowLocal: boolean;
  readonly clock: Clock;
  readonly limits?: Partial<PostLimits>;
  /** PEM certificates to trust instead of the usual roots. */
  readonly ca?: string | undefined;
  /** How a vetted target is dialled. The product never sets it. */
  readonly connect?: Connect;
}

/**
 * Sends attempts: vets the URL anew, signs, posts to the vetted address and judges the answer. 2xx whose body ends, or
 * goes on past the read limit, is success: an answer that breaks off is none, and the partner's dedupe by id covers
 * the second delivery. Redirects fail as http_3xx and are never followed. Throws only for an endpoint whose secret is
 * malformed.
 */
export function webhookSender(options: SenderOptions): WebhookSender {
  const limits = { ...SEND_LIMITS, ...options.limits };
  let context: SecureContext | undefined;
  const connection = {
    connect: options.connect ?? connectPinned,
    secureContext: () => {
      context ??= createSecureContext(options.ca ? { ca: options.ca } : {});
      return context;
    },
  };

  return {
    async send(endpoint, message, attempt, now) {
      const body = Buffer.from(message.body, 'utf8');
      const headers = {
        'Content-Type': 'application/json',
        Accept: '*/*',
        'Accept-Encoding': 'identity',
        'User-Agent': 'pmc-webhooks/1.0',
        ...sign(endpoint, { eventId: message.eventId, type: message.type, body, attempt }, now),
      };
      const began = options.clock();
      const milliseconds = () => Math.max(0, options.clock() - began);
      const timer = new AttemptTimer(limits);
      try {
        const vetting = await beforeLimit(vetWebhookUrl(endpoint.url, options.resolve, options), timer.signal);
        if (!vetting.vetted) return { ...unreachable(vetting), milliseconds: milliseconds() };
        const answer = await post(vetting.target, headers, body, { ...connection, timer }, limits);
        return judge(answer, milliseconds(), options.clock());
      } catch (error) {
        if (error instanceof PostFailed) return failed(error.failure, error.message, milliseconds());
        if (error instanceof LimitReached) return failed('dns', error.message, milliseconds());
        throw error;
      } finally {
        timer.stop();
      }
    },
  };
}

/** The look-up cannot be called off, but the attempt need not wait for it. */
function beforeLimit<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}

function unreachable(vetting: Extract<Vetting, { vetted: false }>) {
  const failure: FailureClass = vetting.reason === 'dns_sem_resposta' ? 'dns' : 'bloqueado';
  return { delivered: false, failure, detail: `${vetting.reason}: ${vetting.detail}` } as const;
}

function failed(failure: FailureClass, detail: string | Buffer, milliseconds: number) {
  return { delivered: false, failure, milliseconds, detail: clean(Buffer.from(detail)) } as const;
}

const BUSY: readonly number[] = [429, 503];

function judge(answer: PostAnswer, milliseconds: number, now: number): AttemptResult {
  const { status, headers, broken } = answer;
  if (status >= 200 && status < 300) {
    if (!broken) return { delivered: true, status, milliseconds };
    return { ...failed(broken instanceof LimitReached ? 'timeout' : 'conexao', broken.message, milliseconds), status };
  }
  const failure = status < 400 ? 'http_3xx' : status < 500 ? 'http_4xx' : 'http_5xx';
  const encoding = headers['content-encoding'];
  const detail = encoding && encoding !== 'identity' ? Buffer.from(`(content-encoding: ${encoding})`) : answer.start;
  return {
    ...failed(failure, detail, milliseconds),
    status,
    ...(BUSY.includes(status) && { retryAfter: retryAfterMilliseconds(headers['retry-after'], now) }),
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** At most 2 KB of UTF-8 without what would steer the terminal of the person who reads it. */
function clean(bytes: Buffer): string {
  const text = prefix(bytes).replace(UNSAFE, ' ');
  return prefix(Buffer.from(text));
}

/** The text of the first 2 KB; a character that the cut splits is left out. */
function prefix(bytes: Buffer): string {
  return new TextDecoder().decode(bytes.subarray(0, KEPT), { stream: true });
}
