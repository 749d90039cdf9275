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

// An attempt does not know the names of an analysis's people, and does not read its form to find them. So everything
// that looks like a name is masked in a receiver's failure page.

/** Capitalised words of error pages that are no names, as `fold` returns them. */
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
/** A capitalised word. Without a limit, a page of apostrophes would be read to its end from each apostrophe. */
const WORD = String.raw`\p{Lu}[\p{L}\p{M}'’-]{1,40}`;
const IN_CAPITALS = new RegExp(String.raw`(?<![\p{L}\p{N}])${WORD}(?: (?:(?:${PARTICLE}) )?${WORD})+`, 'gu');
/** The value of a field for a name, in any spelling: `"nome":"marina alves"`, `cliente=MARINA`. */
const IN_A_FIELD =
  /((?<!\p{L})(?:(?:full|first|last|user|customer|client)?[_ ]?name|sobrenome|nome(?:_\p{L}+)?|cliente|customer|titular|comprador|m[ãa]e|c[ôo]njuge(?:_nome)?)["']?\s{0,3}[:=]\s{0,3}["']?)(?![\d*])[\p{L}][\p{L}\p{M}'’. -]{0,100}/giu;

function maskNames(page: string): string {
  return page
    .replace(IN_A_FIELD, (all, label: string) => (/(?:error|exception)$/i.test(all) ? all : `${label}${MASK}`))
    .replace(IN_CAPITALS, (words) =>
      words.replace(/[\p{L}\p{M}'’-]+/gu, (word) =>
        IS_PARTICLE.test(word) || PAGE_WORDS.has(fold(word)) ? word : MASK,
      ),
    );
}

/** Source: shared/contract/README.md#delivery, rule 5. `read`: most bytes that are read of a failure's body. */
const SEND_LIMITS: { readonly connect: Milliseconds; readonly total: Milliseconds; readonly read: number } = {
  connect: seconds(5),
  total: ANSWER_WITHIN,
  read: 16_384,
};

const KEPT_BYTES = 2_048;

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
  /** Whether loopback targets are accepted. Only for the local run: see vetPublicUrl. */
  readonly allowLocal: boolean;
  readonly clock: Clock;
  readonly ca?: string | undefined;
  /** Opens the connection to a vetted target. Only tests set it. */
  readonly connect?: Connect;
}

/**
 * The headers of a 2xx are enough for success: its body may break off or never end. A redirect is never followed. Each
 * attempt has a connection of its own. It must go to the present address of the name, and a frozen container would find
 * a kept connection dead in the middle of an attempt that counts. Throws only for an endpoint whose secret is
 * malformed.
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
      if (error instanceof OutboundError) return fail(FAILURES[error.fault], keptText(error.message), milliseconds());
      throw error;
    }
  }
}

const isSuccess = (status: number) => status >= 200 && status < 300;

const fail = (failure: FailureClass, detail: string, milliseconds: Milliseconds): AttemptResult => ({
  delivered: false,
  failure,
  milliseconds,
  detail: cut(detail),
});

const BUSY: readonly number[] = [429, 503];

/** The status decides, whether the body is complete or not. */
function judge({ status, headers, body }: OutboundAnswer, milliseconds: Milliseconds, now: Instant): AttemptResult {
  if (isSuccess(status)) return { delivered: true, status, milliseconds };
  const failure = status < 400 ? 'http_3xx' : status < 500 ? 'http_4xx' : 'http_5xx';
  const encoding = headers['content-encoding'];
  const detail =
    encoding && encoding !== 'identity' ? `(content-encoding: ${encoding})` : maskNames(keptText(body.toString()));
  const retryAfter = BUSY.includes(status) ? retryAfterMilliseconds(headers['retry-after'], now) : undefined;
  return { delivered: false, failure, milliseconds, detail: cut(detail), status, retryAfter };
}

/** Splits no character. Masking comes before the cut, since a cut could leave half of what has to be masked. */
const cut = (text: string) => new TextDecoder().decode(Buffer.from(text).subarray(0, KEPT_BYTES), { stream: true });

const SECONDS = /^\d+$/;
/**
 * Accepts the three date forms of RFC 9110, 5.6.7, and some that are close to them. The three are in GMT, although
 * asctime's form does not say so.
 */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d{2}:\d{2}:\d{2}/;

/**
 * Undefined unless the header is a Retry-After of RFC 9110, 10.2.3. The wait is at least 0 and at most
 * LONGEST_RETRY_WAIT.
 */
export function retryAfterMilliseconds(header: string | undefined, now: Instant): Milliseconds | undefined {
  const text = header?.trim() ?? '';
  const asked = SECONDS.test(text) ? seconds(Number(text)) : HTTP_DATE.test(text) ? parseDate(text) - now : Number.NaN;
  return Number.isNaN(asked) ? undefined : Math.min(Math.max(asked, 0), LONGEST_RETRY_WAIT);
}

const parseDate = (text: string): Instant => Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
