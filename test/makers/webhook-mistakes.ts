/**
 * The usual mistakes of programs that call `verifyWebhook` of TypeScript or `verify_webhook` of Python, each with the
 * sentence that both answer. The other arguments of such a call are right.
 */
export interface WebhookMistake {
  readonly mistake: string;
  /** Returns the wrong argument. `call` has the right arguments. */
  readonly typescript: (call: WebhookCall) => Partial<Record<keyof WebhookCall, unknown>>;
  /** The wrong argument as a Python expression over the right arguments, by their names. */
  readonly python: string;
  readonly sentence: string;
}

interface WebhookCall {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secrets: string;
  readonly now: number;
}

const NO_BODY = 'body: deve ser os bytes do corpo como chegaram, nem vazio nem já lido como JSON';
const NO_HEADERS = 'webhook-id, webhook-timestamp, webhook-signature, x-service-signature';
const lacking = (names: string) =>
  `headers: falta ${names}; passe os do pedido (request.headers), nome e valor em texto: não META do Django, nem bytes do ASGI, nem um Map`;
const NO_SECRET = 'secrets: falta o segredo do webhook; confira a variável ou o arquivo de que ele vem';
const OTHER_SECRET =
  'secrets: deve ser só o segredo do webhook, inteiro, que começa por whsec_: sem aspas nem outro texto';
const NO_TIME = 'headers: webhook-timestamp deve ser um número de segundos desde 1970';
const TOO_OLD = 'o webhook não é dos últimos 5 minutos';
const TOO_NEW = 'o webhook está mais de 5 minutos no futuro; acerte o relógio deste servidor';
const twice = (name: string) => `headers: ${name} veio mais de uma vez; um proxy do caminho repete o cabeçalho`;
const NO_MOMENT = 'now: deve ser o momento em número, milissegundos em TypeScript e segundos em Python';

const bytes = (text: string) => Buffer.from(text);
/** Returns headers with their names as Django's META has them. */
const metaOf = (headers: WebhookCall['headers']) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [`HTTP_${name.toUpperCase().replaceAll('-', '_')}`, value]),
  );
const META = '{"HTTP_" + name.upper().replace("-", "_"): value for name, value in headers.items()}';
/** Returns headers without one of them. */
const without = ({ headers }: WebhookCall, absent: string) => ({
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== absent)),
});

const withoutHeader = (name: string): WebhookMistake => ({
  mistake: `headers without ${name}`,
  typescript: (call) => without(call, name),
  python: `{"headers": {name: value for name, value in headers.items() if name != "${name}"}}`,
  sentence: lacking(name),
});

const repeatedHeader = (name: string): WebhookMistake => ({
  mistake: `two headers ${name}`,
  typescript: ({ headers }) => ({ headers: { ...headers, [name]: `${headers[name]}, ${headers[name]}` } }),
  python: `{"headers": {**headers, "${name}": f"{headers['${name}']}, {headers['${name}']}"}}`,
  sentence: twice(name),
});

export const WEBHOOK_MISTAKES: readonly WebhookMistake[] = [
  {
    mistake: 'a body that was parsed as JSON',
    typescript: ({ body }) => ({ body: JSON.parse(body) }),
    python: '{"body": json.loads(body)}',
    sentence: NO_BODY,
  },
  { mistake: 'a body that is a list', typescript: () => ({ body: [1] }), python: '{"body": [1]}', sentence: NO_BODY },
  { mistake: 'a number as body', typescript: () => ({ body: 7 }), python: '{"body": 7}', sentence: NO_BODY },
  {
    mistake: 'no body',
    typescript: () => ({ body: null }),
    python: '{"body": None}',
    sentence: NO_BODY,
  },
  { mistake: 'an empty text as body', typescript: () => ({ body: '' }), python: '{"body": ""}', sentence: NO_BODY },
  {
    mistake: 'a body that other code has consumed',
    typescript: () => ({ body: bytes('') }),
    python: '{"body": b""}',
    sentence: NO_BODY,
  },
  {
    mistake: 'a stream as body',
    typescript: ({ body }) => ({ body: new Blob([body]).stream() }),
    python: '{"body": io.BytesIO(body)}',
    sentence: NO_BODY,
  },
  ...['webhook-id', 'webhook-timestamp', 'webhook-signature', 'x-service-signature'].map(withoutHeader),
  {
    mistake: 'an empty header',
    typescript: ({ headers }) => ({ headers: { ...headers, 'webhook-id': '' } }),
    python: '{"headers": {**headers, "webhook-id": ""}}',
    sentence: lacking('webhook-id'),
  },
  {
    mistake: 'META of Django as headers',
    typescript: ({ headers }) => ({ headers: metaOf(headers) }),
    python: `{"headers": ${META}}`,
    sentence: lacking(NO_HEADERS),
  },
  {
    mistake: 'the headers of an ASGI scope',
    typescript: ({ headers }) => ({
      headers: Object.entries(headers).map(([name, value]) => [bytes(name), bytes(value)]),
    }),
    python: '{"headers": [(name.encode(), value.encode()) for name, value in headers.items()]}',
    sentence: lacking(NO_HEADERS),
  },
  {
    mistake: 'an ASGI scope’s headers by name',
    typescript: ({ headers }) => ({
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, bytes(value)])),
    }),
    python: '{"headers": {name.encode(): value.encode() for name, value in headers.items()}}',
    sentence: lacking(NO_HEADERS),
  },
  {
    mistake: 'a Map, or pairs of texts, as headers',
    typescript: ({ headers }) => ({ headers: new Map(Object.entries(headers)) }),
    python: '{"headers": list(headers.items())}',
    sentence: lacking(NO_HEADERS),
  },
  {
    mistake: 'no headers',
    typescript: () => ({ headers: null }),
    python: '{"headers": None}',
    sentence: lacking(NO_HEADERS),
  },
  {
    mistake: 'a text as headers',
    typescript: ({ headers }) => ({ headers: headers['webhook-id'] }),
    python: '{"headers": headers["webhook-id"]}',
    sentence: lacking(NO_HEADERS),
  },
  { mistake: 'an empty secret', typescript: () => ({ secrets: '' }), python: '{"secrets": ""}', sentence: NO_SECRET },
  {
    mistake: 'a blank secret',
    typescript: () => ({ secrets: ' \n' }),
    python: '{"secrets": " \\n"}',
    sentence: NO_SECRET,
  },
  {
    mistake: 'a secret of a variable that is not set',
    typescript: () => ({ secrets: null }),
    python: '{"secrets": None}',
    sentence: NO_SECRET,
  },
  {
    mistake: 'a list of no secrets',
    typescript: () => ({ secrets: [] }),
    python: '{"secrets": []}',
    sentence: NO_SECRET,
  },
  {
    mistake: 'an empty secret after the right secret',
    typescript: ({ secrets }) => ({ secrets: [secrets, ''] }),
    python: '{"secrets": [secrets, ""]}',
    sentence: NO_SECRET,
  },
  {
    mistake: 'a secret without whsec_',
    typescript: ({ secrets }) => ({ secrets: secrets.slice('whsec_'.length) }),
    python: '{"secrets": secrets[len("whsec_"):]}',
    sentence: OTHER_SECRET,
  },
  {
    mistake: 'a secret in quotation marks',
    typescript: ({ secrets }) => ({ secrets: `"${secrets}"` }),
    python: `{"secrets": f'"{secrets}"'}`,
    sentence: OTHER_SECRET,
  },
  {
    mistake: 'a secret without its last character',
    typescript: ({ secrets }) => ({ secrets: secrets.slice(0, -1) }),
    python: '{"secrets": secrets[:-1]}',
    sentence: OTHER_SECRET,
  },
  {
    mistake: 'a secret as bytes',
    typescript: ({ secrets }) => ({ secrets: bytes(secrets) }),
    python: '{"secrets": secrets.encode()}',
    sentence: OTHER_SECRET,
  },
  {
    mistake: 'an object as secret',
    typescript: () => ({ secrets: Object.create(null) }),
    python: '{"secrets": object()}',
    sentence: OTHER_SECRET,
  },
  {
    mistake: 'a number as secret',
    typescript: () => ({ secrets: 7 }),
    python: '{"secrets": 7}',
    sentence: OTHER_SECRET,
  },
  ...['webhook-id', 'webhook-timestamp', 'x-service-signature'].map(repeatedHeader),
  {
    mistake: 'a timestamp that is no number',
    typescript: ({ headers }) => ({ headers: { ...headers, 'webhook-timestamp': '2026-11-26T12:00:00Z' } }),
    python: '{"headers": {**headers, "webhook-timestamp": "2026-11-26T12:00:00Z"}}',
    sentence: NO_TIME,
  },
  {
    mistake: 'an event of more than 5 minutes ago',
    typescript: ({ now }) => ({ now: now + 301_000 }),
    python: '{"now": now + 301}',
    sentence: TOO_OLD,
  },
  {
    mistake: 'an event of more than 5 minutes from now',
    typescript: ({ now }) => ({ now: now - 301_000 }),
    python: '{"now": now - 301}',
    sentence: TOO_NEW,
  },
  {
    mistake: 'a moment in the wrong unit',
    typescript: ({ now }) => ({ now: now / 1000 }),
    python: '{"now": now * 1000}',
    sentence: NO_MOMENT,
  },
  {
    mistake: 'a moment as text',
    typescript: ({ now }) => ({ now: String(now) }),
    python: '{"now": str(now)}',
    sentence: NO_MOMENT,
  },
  {
    mistake: 'a moment as a date',
    typescript: ({ now }) => ({ now: new Date(now) }),
    python: '{"now": datetime.datetime.fromtimestamp(now)}',
    sentence: NO_MOMENT,
  },
  {
    mistake: 'a moment that is no number',
    typescript: () => ({ now: Number.NaN }),
    python: '{"now": float("nan")}',
    sentence: NO_MOMENT,
  },
];
