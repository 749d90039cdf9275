import type { oas31 } from 'zod-openapi';
import { REQUEST_ID } from './examples.ts';

export const HEADERS = {
  'X-Request-Id': {
    description: 'Identifica a chamada para o suporte; nos erros, igual a `request_id`. Opaco.',
    required: true,
    schema: { type: 'string', examples: [REQUEST_ID] },
  },
  'RateLimit-Policy': {
    description: 'O limite que vale para o parceiro neste ambiente: `q` chamadas a cada `w` segundos.',
    required: true,
    schema: { type: 'string', pattern: '^"padrao";q=\\d+;w=60$', examples: ['"padrao";q=120;w=60'] },
  },
  RateLimit: {
    description: 'O que resta do limite: `r` chamadas, até que a contagem recomece em `t` segundos.',
    required: true,
    schema: { type: 'string', pattern: '^"padrao";r=\\d+;t=\\d+$', examples: ['"padrao";r=117;t=42'] },
  },
  'Retry-After': {
    description: 'Depois de quantos segundos vale repetir a chamada.',
    required: true,
    schema: { type: 'integer', minimum: 1, examples: [2] },
  },
  'Idempotent-Replay': {
    description:
      'Presente, com `true`, quando esta é a resposta original de uma chamada anterior com a mesma Idempotency-Key: nada foi feito de novo.',
    schema: { type: 'string', const: 'true' },
  },
  'WWW-Authenticate': {
    description:
      'Como se apresentar. O gateway da AWS entrega este cabeçalho com o nome `x-amzn-Remapped-WWW-Authenticate`.',
    schema: { type: 'string', examples: ['Bearer'] },
  },
  Link: {
    description: 'Onde o guia explica este `codigo`: um caminho com `rel="help"`, no mesmo endereço.',
    schema: { type: 'string', examples: ['</docs/erros#campo_invalido>; rel="help"'] },
  },
  Allow: {
    description: 'Os métodos que o caminho aceita; vem com `metodo_nao_permitido`.',
    schema: { type: 'string', examples: ['GET, PATCH'] },
  },
  ETag: {
    description: 'Identifica este conteúdo; envie-o em `If-None-Match` para receber 304 enquanto nada muda.',
    required: true,
    schema: { type: 'string', pattern: '^"[^"]+"$', examples: ['"3f2a9c1d"'] },
  },
  'Cache-Control': {
    description: 'Por quanto tempo uma cópia serve sem perguntar de novo.',
    required: true,
    schema: { type: 'string', examples: ['public, max-age=300'] },
  },
} satisfies Readonly<Record<string, oas31.HeaderObject>>;
type HeaderName = keyof typeof HEADERS;

// The gateway can answer these statuses by itself, and does not know the headers of the rate.
const MAY_LACK_RATE: readonly number[] = [400, 403, 413, 429, 500, 502, 503, 504];
const RETRY_AFTER: readonly number[] = [409, 429, 502, 503, 504];

/** Returns a reference, or the header's own description if it may be absent. */
export function header(name: HeaderName, always = true): oas31.HeaderObject | oas31.ReferenceObject {
  return always ? { $ref: `#/components/headers/${name}` } : { ...HEADERS[name], required: false };
}

export function headersOf(
  status: number,
  { keyed, replays = false, cacheable = false }: { keyed: boolean; replays?: boolean; cacheable?: boolean },
): oas31.HeadersObject {
  const headers: Partial<Record<HeaderName, oas31.HeaderObject | oas31.ReferenceObject>> = {
    'X-Request-Id': header('X-Request-Id'),
  };
  if (keyed && status !== 401) {
    const always = !MAY_LACK_RATE.includes(status);
    headers['RateLimit-Policy'] = header('RateLimit-Policy', always);
    headers.RateLimit = header('RateLimit', always);
  }
  if (status === 401) headers['WWW-Authenticate'] = header('WWW-Authenticate');
  if (RETRY_AFTER.includes(status)) headers['Retry-After'] = header('Retry-After');
  if (status >= 400) headers.Link = header('Link');
  if (replays) headers['Idempotent-Replay'] = header('Idempotent-Replay');
  if (cacheable) {
    headers.ETag = header('ETag');
    headers['Cache-Control'] = header('Cache-Control');
  }
  return headers;
}
