import { STATUS_CODES } from 'node:http';
import type { Clock } from '../domain/values/clock.ts';
import { MASK } from '../domain/values/cpf.ts';
import { keptText } from '../domain/values/masked-text.ts';
import { fold } from '../domain/values/nearest-name.ts';
import { type Instant, type Milliseconds, seconds } from '../domain/values/time.ts';
import {
  ANSWER_WITHIN,
  type AttemptResult,
  type FailureClass,
  LONGEST_RETRY_WAIT,
  type Message,
} from '../domain/webhooks/delivery.ts';
import type { SendingEndpoint, WebhookSender } from '../domain/webhooks/ports.ts';
import { type Connect, type HttpClient, httpClient, type OutboundAnswer } from '../outbound/http-client.ts';
import { OutboundError, type OutboundFault, withTimeLimit } from '../outbound/time-limit.ts';
import { publicUrlsOnly, type Resolve } from '../outbound/vet-public-url.ts';
import { sign } from './sign.ts';

// People's names are taken out of a receiver's failure page: an attempt knows nobody's name, and reads none to find out.

/** What error pages say in capitals, folded: HTTP's own phrases, and what servers and frameworks add. */
const PAGE_WORDS: ReadonlySet<string> = new Set(
  fold(
    `${Object.values(STATUS_CODES).join(' ')} Access Amazon Apache API Application App Authentication Bad Cloudflare Connection
    Database Denied Error Exception Failed Failure Fatal Function Host HTTP HTTPS IIS Internal Invalid JSON Key Lambda Laravel
    Message Microsoft Missing Nginx Node Not Null Object Page PHP Please Port POST Proxy Python Reference Runtime Server
    Signature Site SQL Stack Status Symfony Syntax System Temporarily The Tomcat Trace Try Type Ubuntu Unexpected Unix Unknown
    URL Web Webhook Whitelabel Win64
    Acesso Assinatura Autenticação Banco Campo Chave Dados Erro Esgotado Evento Falha Indisponível Interna Interno Inválida
    Inválido Manutenção Método Não Negado Obrigatório Página Permitido Requisição Servidor Serviço Tempo Token`,
  ).split(/[\s'-]+/),
);
const PARTICLE = 'da|das|de|del|do|dos|du|e|van|von';
const IS_PARTICLE = new RegExp(`^(?:${PARTICLE})$`);
/** Of bounded length: a page of apostrophes alone would be looked through from each of them to its end. */
const WORD = String.raw`\p{Lu}[\p{L}\p{M}'’-]{1,40}`;
/** Words in capitals side by side, as a name is written. */
const IN_CAPITALS = new RegExp(String.raw`(?<![\p{L}\p{N}])${WORD}(?: (?:(?:${PARTICLE}) )?${WORD})+`, 'gu');
/** What a field of a name holds, however it is written: `"nome":"marina alves"`, `cliente=MARINA`. */
const IN_A_FIELD =
  /((?<!\p{L})(?:(?:full|first|last|user|customer|client)?[_ ]?name|sobrenome|nome(?:_\p{L}+)?|cliente|customer|titular|comprador|m[ãa]e|c[ôo]njuge(?:_nome)?)["']?\s{0,3}[:=]\s{0,3}["']?)(?![\d*])[\p{L}][\p{L}\p{M}'’. -]{0,100}/giu;

/** A page with `***` for what stands in it as names do: in a field of a name, or in capitals side by side. */
function namelessPage(page: string): string {
  return page
    .replace(IN_A_FIELD, (all, label: string) => (/(?:error|exception)$/i.test(all) ? all : `${label}${MASK}`))
    .replace(IN_CAPITALS, (words) =>
      words.replace(/[\p{L}\p{M}'’-]+/gu, (word) =>
        IS_PARTICLE.test(word) || PAGE_WORDS.has(fold(word)) ? word : MASK,
      ),
    );
}

/**
 * Time until the connection must stand, time for the whole attempt, bytes of a failure's body that are read. Source:
 * shared/contract/README.md#delivery, rule 5.
 */
const SEND_LIMITS: { readonly connect: Milliseconds; readonly total: Milliseconds; readonly read: number } = {
  connect: seconds(5),
  total: ANSWER_WITHIN,
  read: 16_384,
};

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
export class HttpWebhookSender implements WebhookSender {
  readonly #client: HttpClient;
  readonly #clock: Clock;

  constructor({ resolve, allowLocal, clock, ca, connect }: SenderOptions) {
    this.#clock = clock;
    this.#client = httpClient({
      vet: publicUrlsOnly(resolve, { allowLocal }),
      connectTimeout: SEND_LIMITS.connect,
      readLimit: SEND_LIMITS.read,
      clock,
      ca,
      connect,
    });
  }

  async send(endpoint: SendingEndpoint, message: Message, attempt: number, now: Instant): Promise<AttemptResult> {
    const body = Buffer.from(message.body, 'utf8');
    const { eventId, type } = message;
    const request = {
      url: endpoint.url,
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: '*/*',
        'Accept-Encoding': 'identity',
        'User-Agent': 'pmc-webhooks/1.0',
        ...sign(endpoint, { eventId, type, body, attempt }, now),
      },
      body,
      needsBody: (status: number) => !isSuccess(status),
    } as const;
    const began = this.#clock();
    const milliseconds = () => Math.max(0, this.#clock() - began);
    try {
      const answer = await withTimeLimit(SEND_LIMITS.total, undefined, (stop) => this.#client.send(request, stop));
      return judge(answer, milliseconds(), this.#clock());
    } catch (error) {
      if (error instanceof OutboundError) return failed(FAILURES[error.fault], keptText(error.message), milliseconds());
      throw error;
    }
  }
}

const isSuccess = (status: number) => status >= 200 && status < 300;

/** An attempt that got no answer. */
const failed = (failure: FailureClass, detail: string, milliseconds: Milliseconds): AttemptResult => ({
  delivered: false,
  failure,
  milliseconds,
  detail: cut(detail),
});

const BUSY: readonly number[] = [429, 503];

/** A failure's status decides, whether its body is whole or not. */
function judge({ status, headers, body }: OutboundAnswer, milliseconds: Milliseconds, now: Instant): AttemptResult {
  if (isSuccess(status)) return { delivered: true, status, milliseconds };
  const failure = status < 400 ? 'http_3xx' : status < 500 ? 'http_4xx' : 'http_5xx';
  const encoding = headers['content-encoding'];
  const detail =
    encoding && encoding !== 'identity' ? `(content-encoding: ${encoding})` : namelessPage(keptText(body.toString()));
  const retryAfter = BUSY.includes(status) ? retryAfterMilliseconds(headers['retry-after'], now) : undefined;
  return { delivered: false, failure, milliseconds, detail: cut(detail), status, retryAfter };
}

/** At most 2 KB of UTF-8, of a text that may be kept: cut last, for a cut could leave half of what is masked. No character is split. */
const cut = (text: string) => new TextDecoder().decode(Buffer.from(text).subarray(0, KEPT), { stream: true });

const SECONDS = /^\d+$/;
/** Any of the three forms of RFC 9110, 5.6.7; all are in GMT, though asctime's does not say so. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d{2}:\d{2}:\d{2}/;

/**
 * The wait from `now` that a Retry-After header asks for, seconds or HTTP date (RFC 9110, 10.2.3): 0 for a date
 * gone by, at most the longest wait that is ever honoured; undefined for anything else.
 */
export function retryAfterMilliseconds(header: string | undefined, now: Instant): Milliseconds | undefined {
  const text = header?.trim() ?? '';
  const asked = SECONDS.test(text) ? seconds(Number(text)) : HTTP_DATE.test(text) ? httpDate(text) - now : Number.NaN;
  return Number.isNaN(asked) ? undefined : Math.min(Math.max(asked, 0), LONGEST_RETRY_WAIT);
}

const httpDate = (text: string): Instant => Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
