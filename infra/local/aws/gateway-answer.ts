import type { AnswerPlan } from '../blueprint.ts';
import type { CallContext } from './gateway-event.ts';

export interface HttpAnswer {
  readonly status: number;
  /** Names and values; a name may occur more than once. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

// API Gateway keeps these for itself: a function's value arrives under another name.
const REMAPPED = new Set([
  'connection',
  'content-length',
  'date',
  'expect',
  'host',
  'max-forwards',
  'proxy-authenticate',
  'server',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'www-authenticate',
]);

function scalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** What a caller gets for the answer of a proxy function; undefined where API Gateway would call it malformed. */
export function answerOf(result: unknown): HttpAnswer | undefined {
  if (typeof result !== 'object' || result === null) return undefined;
  const { statusCode, headers, multiValueHeaders, body, isBase64Encoded } = result as Record<string, unknown>;
  const status = Number(statusCode);
  if (!Number.isInteger(status) || status < 200 || status > 599) return undefined;
  if (body !== undefined && body !== null && typeof body !== 'string') return undefined;
  const pairs: [string, string][] = [];
  const add = (name: string, value: string): void => {
    pairs.push([REMAPPED.has(name.toLowerCase()) ? `x-amzn-remapped-${name.toLowerCase()}` : name, value]);
  };
  const multiple = Object.entries((multiValueHeaders ?? {}) as Record<string, unknown>);
  for (const [name, values] of multiple) {
    if (!Array.isArray(values)) return undefined;
    for (const value of values) add(name, String(value));
  }
  for (const [name, value] of Object.entries((headers ?? {}) as Record<string, unknown>)) {
    if (!scalar(value)) return undefined;
    if (!multiple.some(([other]) => other.toLowerCase() === name.toLowerCase())) add(name, String(value));
  }
  if (!pairs.some(([name]) => name.toLowerCase() === 'content-type')) pairs.push(['Content-Type', 'application/json']);
  return { status, headers: pairs, body: Buffer.from(body ?? '', isBase64Encoded === true ? 'base64' : 'utf8') };
}

/** An answer of the gateway itself, from the template's gateway response. */
export function gatewayAnswer(plan: AnswerPlan, context: CallContext): HttpAnswer {
  const values: Readonly<Record<string, string>> = {
    extendedRequestId: context.extendedRequestId,
    requestId: context.requestId,
    stage: context.stage,
  };
  const headers = Object.entries(plan.headers).map(([name, value]): [string, string] => [
    name,
    value.startsWith("'") ? value.slice(1, -1) : (values[value.replace(/^context\./, '')] ?? ''),
  ]);
  return {
    status: plan.status,
    headers: [['Content-Type', 'application/json'], ...headers],
    body: Buffer.from(plan.body.replace(/\$context\.(\w+)/g, (_, name: string) => values[name] ?? '')),
  };
}
