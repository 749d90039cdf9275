import { type components, LISTS, OPERATIONS, type operations } from './generated.ts';

export type { components, operations } from './generated.ts';

type Operation = keyof typeof OPERATIONS;
type Content<T> = T extends { content: { 'application/json': infer Json } }
  ? Json
  : T extends { content: object }
    ? Uint8Array
    : never;
/** O que a operação pede: o `id` do caminho, o `body`, a `query`. */
type Asked<O extends Operation> = (operations[O]['parameters'] extends { path: { id: infer Id } }
  ? { id: Id }
  : unknown) &
  (operations[O] extends { requestBody: infer Sent }
    ? { body: Content<Sent> }
    : { body?: Content<operations[O]['requestBody']> }) & { query?: NonNullable<operations[O]['parameters']['query']> };
/** O corpo de sucesso da operação; bytes onde é um PDF. */
type Given<O extends Operation, R = operations[O]['responses']> = {
  [Status in keyof R]: Status extends 200 | 201 | 202 ? Content<R[Status]> : never;
}[keyof R];

export type Failure = components['schemas']['Erro'];
export type Event = components['schemas']['EventoResultado' | 'EventoErro' | 'EventoConta' | 'EventoTeste'];
/** Onde é obrigatória, gere-a e guarde-a antes da chamada: é o que permite repetir o pedido depois de uma queda do programa. Onde não é, uma é gerada se faltar. */
type Keyed<O extends Operation> = (typeof OPERATIONS)[O][2] extends 'required'
  ? { idempotencyKey: string }
  : { idempotencyKey?: string };
export type Input<O extends Operation> = Asked<O> & Keyed<O> & { signal?: AbortSignal };
/** O que segue o nome da operação: pode faltar onde nada é obrigatório. */
type Rest<I> = object extends I ? [input?: I] : [input: I];
/** O que `call` lê de qualquer Input. */
interface AnyInput {
  id?: unknown;
  query?: unknown;
  body?: unknown;
  idempotencyKey?: string;
  signal?: AbortSignal;
}

/** As partes de um Input. Outro nome costuma ser um filtro escrito fora de `query`, que a API não receberia. */
const PARTS: readonly string[] = ['id', 'query', 'body', 'idempotencyKey', 'signal'];

type List = keyof typeof LISTS;
/** O que `iterate` pede: o mesmo que a lista, menos o lugar da página. `limit` é o tamanho de cada página. */
export type ListInput<O extends List> = Omit<Asked<O>, 'query' | 'body'> & {
  query?: Omit<NonNullable<Asked<O>['query']>, 'offset' | 'cursor'>;
  signal?: AbortSignal;
};
/** Um item de uma lista. */
export type Item<O extends List> =
  Given<O> extends Readonly<Record<(typeof LISTS)[O][0], readonly (infer One)[]>> ? One : never;

export interface Answer<Body> {
  body: Body;
  status: number;
  /** true quando é a resposta original de uma chamada anterior com a mesma Idempotency-Key. */
  replay: boolean;
  requestId: string;
}
export interface Options {
  /** O endereço recebido com a chave. */
  baseUrl: string;
  /** A chave do parceiro: um segredo, que fica só no servidor. Espaços e quebras de linha nas pontas são retirados. */
  key: string;
  /** Tentativas por chamada, a primeira incluída: 5 se não for dito. */
  attempts?: number;
  /** A maior espera, em segundos, entre duas tentativas: 65. Um Retry-After maior encerra a chamada. */
  longestWait?: number;
  /** Quanto dura no máximo uma tentativa, em segundos: 35. */
  timeout?: number;
}

/** Uma recusa. Decida por `failure.codigo` e informe `failure.request_id` ao suporte. */
export class PartnerError extends Error {
  override readonly name = 'PartnerError';
  readonly status: number;
  readonly failure: Failure;
  /** Os segundos do Retry-After da resposta; undefined quando ela não o trouxe. */
  readonly retryAfter: number | undefined;
  constructor(status: number, failure: Failure, retryAfter?: number) {
    super(`${status} ${failure.codigo}: ${failure.erro}`);
    this.status = status;
    this.failure = failure;
    this.retryAfter = retryAfter;
  }
}

/** O endereço sem a barra do fim. Lança TypeError, sem repetir o valor, quando com ele uma chamada iria a outro lugar. */
function addressOf(baseUrl: string): string {
  const address = String(baseUrl).trim().replace(/\/+$/, '');
  // Um ? ou # tomaria o caminho para si; um @ faria do nome um usuário.
  if (/[\s?#@\\]/.test(address) || !URL.canParse(address))
    throw new TypeError('baseUrl: deve ser o endereço recebido com a chave, como https://api.exemplo.com.br');
  const { protocol, hostname } = new URL(address);
  const local = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  if (protocol !== 'https:' && !(protocol === 'http:' && local))
    throw new TypeError('baseUrl: só https, para não expor a chave');
  return address;
}

/** A chave sem os espaços das pontas. Lança TypeError quando um cabeçalho não a levaria; o erro de `fetch` a mostraria. */
function keyOf(key: string): string {
  const text = String(key).trim();
  if (!/^pmc_[0-9A-Za-z_]+$/.test(text))
    throw new TypeError('key: deve ser só a chave, que começa por pmc_: sem aspas, espaços nem outro texto');
  return text;
}

/** O que a tabela tem com esse nome. Lança TypeError, sem repetir o nome, quando não tem nada. */
function known<T extends object, N extends keyof T>(table: T, name: N, example: string): T[N] {
  if (Object.hasOwn(table, name)) return table[name];
  throw new TypeError(`operation: deve ser um nome da referência, o do endereço da página, como ${example}`);
}

/** As formas dos ids do caminho. Um texto de outra forma chamaria outra rota, como `../../sandbox/reinicio?`. */
const ID_FORMS = {
  number: { form: /^[1-9][0-9]{0,15}$/, cure: 'deve ser um número inteiro positivo, como o que a criação devolveu' },
  event: { form: /^evt_[a-z2-7]{32}$/, cure: 'deve ser o id de um evento: evt_ e 32 letras e algarismos' },
} as const;

/** O caminho da operação com o id. Lança TypeError, sem repetir o valor, quando o id não tem a forma de um id. */
function pathOf(operation: Operation, id: unknown): string {
  const [, path, , idForm] = OPERATIONS[operation];
  if (idForm === 'none') return path;
  const { form, cure } = ID_FORMS[idForm];
  if (!form.test(String(id))) throw new TypeError(`${operation}: id ${cure}`);
  return path.replace('{id}', encodeURIComponent(String(id)));
}

type Outcome = { answer: Answer<unknown> } | { error: unknown; again: boolean; wait: number | undefined };

/** Chama a API. Repete, com a mesma Idempotency-Key, o que vale repetir: quedas da rede, 409 em andamento, 429 e 5xx; de um POST sem chave, só 429. */
export class PartnerClient {
  readonly #options: Required<Options>;
  constructor({ baseUrl, key, attempts = 5, longestWait = 65, timeout = 35 }: Options) {
    this.#options = { baseUrl: addressOf(baseUrl), key: keyOf(key), attempts, longestWait, timeout };
  }

  /** Faz uma chamada. Lança PartnerError quando a API recusa, e o erro de `fetch` quando ninguém responde. */
  async call<O extends Operation>(operation: O, ...[input]: Rest<Input<O>>): Promise<Answer<Given<O>>> {
    return (await this.#call(operation, input)) as Answer<Given<O>>;
  }

  /**
   * Os itens de uma lista, um por vez, por todas as páginas, cada um uma vez: um item que entra na lista entre duas
   * páginas empurra os outros, e o último de uma viria de novo na seguinte. Onde há `offset`, com um filtro de `situacao`
   * todas as páginas são lidas antes do primeiro item: reenviar um item o tira do filtro, e a página seguinte pularia outro. Lança o que
   * `call` lança.
   */
  async *iterate<O extends List>(list: O, ...[input]: Rest<ListInput<O>>): AsyncGenerator<Item<O>, void, undefined> {
    const [items, itemId, place] = known(LISTS, list, 'list-lead-analyses');
    const { query, ...rest }: AnyInput = input ?? {};
    const seen = new Set<unknown>();
    const filtered = place === 'offset' && (fieldOf(query, 'situacao') ?? undefined) !== undefined;
    const kept: Item<O>[] = [];
    for (let at: unknown = place === 'offset' ? 0 : undefined; ; ) {
      const { body, status, requestId } = await this.#call(list, { ...rest, query: { ...Object(query), [place]: at } });
      const page: unknown = fieldOf(body, items);
      if (!isListOf<Item<O>>(page)) throw new PartnerError(status, foreign(requestId));
      for (const item of page) {
        const own = fieldOf(item, itemId) ?? undefined;
        if (own === undefined || !seen.has(own)) {
          if (filtered) kept.push(item);
          else yield item;
        }
        seen.add(own);
      }
      // Não pelo que veio: uma página pode ter menos itens que o limite, e outras depois dela.
      at = place === 'offset' ? Number(at) + Number(fieldOf(body, 'limit')) : fieldOf(body, 'proximo_cursor');
      if (fieldOf(body, 'tem_mais') !== true) break;
    }
    yield* kept;
  }

  async #call(operation: Operation, input: AnyInput = {}): Promise<Answer<unknown>> {
    const { id, query, body, idempotencyKey, signal } = input;
    const { baseUrl, key, attempts, longestWait, timeout } = this.#options;
    const [method, , keyed] = known(OPERATIONS, operation, 'create-lead');
    if (Object.keys(input).some((part) => !PARTS.includes(part)))
      throw new TypeError(
        `${operation}: só ${PARTS.join(', ')}; um filtro de lista vai em query, como { query: { limit: 50 } }`,
      );
    if (keyed === 'required' && !idempotencyKey)
      throw new TypeError(`${operation}: falta a idempotencyKey; gere-a e guarde-a antes da chamada`);
    if (idempotencyKey !== undefined && !/^[ -+\--~]+$/.test(idempotencyKey))
      throw new TypeError(
        `${operation}: idempotencyKey deve ter só letras sem acento, algarismos e sinais, em uma linha e sem vírgula`,
      );
    const url = new URL(baseUrl + pathOf(operation, id));
    for (const [name, value] of Object.entries(query ?? {}))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const headers = new Headers({ 'X-API-Key': key });
    if (body !== undefined) headers.set('Content-Type', 'application/json');
    if (keyed !== 'none') headers.set('Idempotency-Key', idempotencyKey ?? crypto.randomUUID());
    const content = body === undefined ? null : JSON.stringify(body);
    const init = { method, headers, redirect: 'manual', body: content } as const;
    for (let attempt = 1; ; attempt++) {
      const limit = AbortSignal.timeout(timeout * 1000);
      const given = { ...init, signal: signal ? AbortSignal.any([signal, limit]) : limit };
      // Sem chave, um POST cuja resposta se perdeu pode ter sido feito.
      const outcome = await send(url, given, method !== 'POST' || keyed !== 'none');
      if ('answer' in outcome) return outcome.answer;
      signal?.throwIfAborted();
      const wait = outcome.wait ?? Math.random() * 0.5 * 2 ** attempt;
      if (!outcome.again || attempt >= attempts || wait > longestWait) throw outcome.error;
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, wait * 1000);
        signal?.addEventListener('abort', () => resolve(clearTimeout(timer)), { once: true });
      });
    }
  }
}

const fieldOf = (value: unknown, field: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined;
const isListOf = <One>(value: unknown): value is readonly One[] => Array.isArray(value);

/** A recusa de uma resposta que não é do serviço. */
const foreign = (requestId: string): Failure => ({
  erro: 'A resposta não é do serviço.',
  codigo: 'erro_interno',
  request_id: requestId,
});

/** Milissegundos desde 1970 de uma data de HTTP, em uma das três formas da RFC 9110, 5.6.7; NaN quando não é uma. */
function momentOf(date: string): number {
  if (!/^[A-Z][a-z]+,? [A-Za-z0-9 -]{6,11} \d\d:\d\d:\d\d (GMT|\d{4})$/.test(date)) return Number.NaN;
  return Date.parse(date.replace(/ \d{4}$/, '$& GMT'));
}

/** Os segundos do Retry-After, que pode ser uma data (RFC 9110, 10.2.3); undefined quando não é nem um nem outra. */
function retryAfter(headers: Headers): number | undefined {
  const told = headers.get('retry-after') ?? '';
  if (/^\d{1,9}$/.test(told)) return Number(told);
  const until = momentOf(told);
  if (Number.isNaN(until)) return undefined;
  // Pelo relógio de quem respondeu: o daqui pode estar errado.
  const answered = momentOf(headers.get('date') ?? '');
  return Math.max(0, Math.ceil((until - (Number.isNaN(answered) ? Date.now() : answered)) / 1000));
}

async function send(url: URL, init: RequestInit, repeatable: boolean): Promise<Outcome> {
  try {
    const response = await fetch(url, init);
    const { status, headers } = response;
    const requestId = headers.get('x-request-id') ?? '';
    const type = headers.get('content-type')?.split(';')[0];
    const json = type === 'application/json';
    // Outro sucesso é de um proxy.
    if (response.ok && (json || type === 'application/pdf')) {
      const body = json ? await response.json() : new Uint8Array(await response.arrayBuffer());
      return { answer: { body, status, replay: headers.get('idempotent-replay') === 'true', requestId } };
    }
    const told = (await response.json().catch(() => undefined)) as Failure | undefined;
    const failure = typeof told?.codigo === 'string' ? told : foreign(requestId);
    const refused = status === 429 || failure.codigo === 'idempotencia_em_andamento';
    const again = refused || (repeatable && [500, 502, 503, 504].includes(status));
    const wait = retryAfter(headers);
    return { error: new PartnerError(status, failure, wait), again, wait };
  } catch (error) {
    return { error, again: repeatable, wait: undefined };
  }
}

/** O que verifyWebhook recusa: um argumento de outra forma, uma assinatura que não vale, um evento de outro momento. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

// Não instanceof: o Jest e outros ambientes têm os seus próprios construtores.
const tagOf = (value: unknown): string => Object.prototype.toString.call(value);
const isHeaders = (value: unknown): value is Headers => tagOf(value) === '[object Headers]';
const isArrayBuffer = (value: unknown): value is ArrayBuffer => tagOf(value) === '[object ArrayBuffer]';

type Bytes = Uint8Array<ArrayBuffer>;
const utf8 = (text: string): Bytes => new TextEncoder().encode(text);
const base64 = (text: string): Bytes => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const hex = (text: string): Bytes => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

/** Os bytes do corpo. Lança WebhookError quando não há nenhum, e quando veio o que um leitor de JSON fez deles. */
function webhookBody(body: unknown): Bytes {
  if (typeof body === 'string' && body !== '') return utf8(body);
  if (isArrayBuffer(body) && body.byteLength > 0) return new Uint8Array(body);
  if (ArrayBuffer.isView(body) && body.byteLength > 0)
    return Uint8Array.from(new Uint8Array(body.buffer, body.byteOffset, body.byteLength));
  throw new WebhookError('body: deve ser os bytes do corpo como chegaram, nem vazio nem já lido como JSON');
}

/** Os cabeçalhos, pelo nome em minúsculas. Lança WebhookError quando um que todo evento tem falta ou veio repetido. */
function webhookHeaders(headers: unknown): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  if (isHeaders(headers))
    headers.forEach((value, name) => {
      found.set(name, value);
    });
  else
    for (const [name, value] of Object.entries(headers ?? {})) {
      const texts: unknown[] = [value].flat();
      if (texts.every((text) => typeof text === 'string')) found.set(name.toLowerCase(), texts.join(','));
    }
  const needed = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'x-service-signature'];
  const missing = needed.filter((name) => !found.get(name));
  const repeated = needed.filter((name) => name !== 'webhook-signature' && found.get(name)?.includes(','));
  if (repeated.length > 0)
    throw new WebhookError(
      `headers: ${repeated.join(', ')} veio mais de uma vez; um proxy do caminho repete o cabeçalho`,
    );
  if (missing.length === 0) return found;
  const cure =
    'passe os do pedido (request.headers), nome e valor em texto: não META do Django, nem bytes do ASGI, nem um Map';
  throw new WebhookError(`headers: falta ${missing.join(', ')}; ${cure}`);
}

/** Os segredos sem os espaços das pontas. Lança WebhookError quando um não é um segredo: com um vazio, qualquer um assinaria. */
function webhookSecrets(secrets: unknown): readonly string[] {
  const given: unknown[] = [secrets].flat();
  const held = given.map((secret) => (typeof secret === 'string' ? secret.trim() : secret));
  if (held.length === 0 || held.some((secret) => secret === '' || secret === undefined || secret === null))
    throw new WebhookError('secrets: falta o segredo do webhook; confira a variável ou o arquivo de que ele vem');
  const form = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$/;
  return held.map((secret) => {
    if (typeof secret === 'string' && form.test(secret)) return secret;
    throw new WebhookError(
      'secrets: deve ser só o segredo do webhook, inteiro, que começa por whsec_: sem aspas nem outro texto',
    );
  });
}

/**
 * Verifica as duas assinaturas de um evento e o devolve. Lança WebhookError quando uma não vale, quando o evento não é
 * dos últimos 5 minutos, e, antes de qualquer conta, quando um argumento tem outra forma.
 * `body`: os bytes como chegaram, antes de qualquer JSON.parse. `secrets`: o segredo em vigor; numa troca, os dois.
 * `now`: milissegundos desde 1970, como os de Date.now().
 */
export async function verifyWebhook(
  body: Uint8Array | ArrayBuffer | string,
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>,
  secrets: string | readonly string[],
  now = Date.now(),
): Promise<Event> {
  const bytes = webhookBody(body);
  const found = webhookHeaders(headers);
  const held = webhookSecrets(secrets);
  // Menos que 1e11 é um momento em segundos.
  if (typeof now !== 'number' || !(now >= 1e11 && now < 1e15))
    throw new WebhookError('now: deve ser o momento em número, milissegundos em TypeScript e segundos em Python');
  const header = (name: string) => found.get(name) ?? '';
  const time = header('webhook-timestamp');
  if (!/^\d{1,15}$/.test(time))
    throw new WebhookError('headers: webhook-timestamp deve ser um número de segundos desde 1970');
  const age = now / 1000 - Number(time);
  if (age > 300) throw new WebhookError('o webhook não é dos últimos 5 minutos');
  if (age < -300) throw new WebhookError('o webhook está mais de 5 minutos no futuro; acerte o relógio deste servidor');
  const holds = async (signed: Bytes, received: readonly Bytes[], key: (secret: string) => Bytes) => {
    for (const secret of held) {
      const hmac = { name: 'HMAC', hash: 'SHA-256' };
      const imported = await crypto.subtle.importKey('raw', key(secret), hmac, false, ['verify']);
      for (const signature of received) if (await crypto.subtle.verify('HMAC', imported, signature, signed)) return;
    }
    throw new WebhookError('a assinatura do webhook não vale');
  };
  const service = ['x-service-signature', 'x-service-signature-anterior'].map((name) => hex(header(name).slice(7)));
  await holds(bytes, service, utf8);
  const standard = header('webhook-signature').match(/(?<=^v1,| v1,)[A-Za-z0-9+/]{43}=/g) ?? [];
  const signed = Uint8Array.from([...utf8(`${header('webhook-id')}.${time}.`), ...bytes]);
  await holds(signed, standard.map(base64), (secret) => base64(secret.slice('whsec_'.length)));
  return JSON.parse(new TextDecoder().decode(bytes));
}
