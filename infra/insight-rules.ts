import { ROUTES, type Route } from '#shared/contract/routes.ts';
import { type Milliseconds, seconds } from '#shared/domain/values/time.ts';
import { logGroupNameOf, prefixOf, type Stage } from './stages.ts';

/**
 * A line of a log counts only if all fields of `match` pass. Contributor Insights takes at most ten texts in a list.
 */
type Test =
  | { readonly is: string | number }
  | { readonly in: readonly string[] }
  | { readonly notIn: readonly string[] }
  | { readonly above: number };

/** Counts lines of logs by contributor, at less cost than a metric with a series for each partner. */
interface InsightRule {
  /** Logs that the rule reads: those of all functions, or the access log of the partners' gateway. */
  readonly logs: 'functions' | 'access';
  /** Contributor Insights takes at most four fields. */
  readonly match: Readonly<Record<string, Test>>;
  readonly keys: readonly string[];
}

export const RULE_NAMES = ['refused-by-rate', 'failed-writes', 'slow-calls', 'slow-bank-calls'] as const;
export type RuleName = (typeof RULE_NAMES)[number];

/** Longest time that a caller should wait for an answer of most operations. */
export const LATENCY: Milliseconds = seconds(3);
export const LATENCY_WITH_BANKS: Milliseconds = seconds(15);

const pathsOf = (isWanted: (route: Route) => boolean): readonly string[] =>
  Array.from(new Set(ROUTES.filter(isWanted).map(({ path }) => path)));
const ASKING_BANKS: readonly string[] = ['create-simulation', 'submit-analyses'];
/**
 * Paths of the operations that may take longer. The rules also count `GET /v1/analises` here: it shares a path with
 * `submit-analyses`.
 */
const PATHS_WITH_BANKS = pathsOf(({ operation }) => ASKING_BANKS.includes(operation));
/**
 * A reset takes as long as the sandbox is large, and a test as long as the receiver. No broker waits for these calls.
 */
const UNHURRIED_PATHS = pathsOf(({ operation }) => ['reset-sandbox', 'test-webhook'].includes(operation));

const FLOW_SCOPES: readonly string[] = ['leads', 'simulacoes', 'analises'];
const WRITING_PATHS = pathsOf(({ method, scope }) => method !== 'GET' && FLOW_SCOPES.includes(scope));

/** Every status of a failure of this service or of the operator. The access log has no other status above 499. */
const FAILED = ['500', '501', '502', '503', '504'];

export const INSIGHT_RULES: Readonly<Record<RuleName, InsightRule>> = {
  'refused-by-rate': {
    logs: 'functions',
    match: { code: { is: 'request_completed' }, status: { is: 429 }, environment: { is: 'producao' } },
    keys: ['partner'],
  },
  /** The gateway's log also has the calls of functions that crash or run out of time. */
  'failed-writes': {
    logs: 'access',
    match: { status: { in: FAILED }, method: { in: ['POST', 'PATCH'] }, route: { in: WRITING_PATHS } },
    keys: ['method', 'route'],
  },
  'slow-calls': {
    logs: 'access',
    match: { latency_ms: { above: LATENCY }, route: { notIn: PATHS_WITH_BANKS.concat(UNHURRIED_PATHS) } },
    keys: ['method', 'route'],
  },
  'slow-bank-calls': {
    logs: 'access',
    match: { latency_ms: { above: LATENCY_WITH_BANKS }, route: { in: PATHS_WITH_BANKS } },
    keys: ['method', 'route'],
  },
};

export const ruleNameOf = (stage: Stage, rule: RuleName): string => `${prefixOf(stage)}-${rule}`;

export function ruleBodyOf(stage: Stage, rule: RuleName): string {
  const { logs, match, keys } = INSIGHT_RULES[rule];
  return JSON.stringify({
    Schema: { Name: 'CloudWatchLogRule', Version: 1 },
    LogGroupNames: [logGroupNameOf(stage, logs === 'access' ? logs : '*')],
    LogFormat: 'JSON',
    AggregateOn: 'Count',
    Contribution: {
      Keys: keys.map((key) => `$.${key}`),
      Filters: Object.entries(match).map(([field, test]) => ({ Match: `$.${field}`, ...filterOf(test) })),
    },
  });
}

function filterOf(test: Test) {
  if ('in' in test) return { In: test.in };
  if ('notIn' in test) return { NotIn: test.notIn };
  if ('above' in test) return { GreaterThan: test.above };
  return typeof test.is === 'number' ? { EqualTo: test.is } : { In: [test.is] };
}

function passes(value: unknown, test: Test): boolean {
  if ('in' in test) return test.in.includes(String(value));
  if ('notIn' in test) return !test.notIn.includes(String(value));
  if ('above' in test) return typeof value === 'number' && value > test.above;
  return value === test.is;
}

/** Returns undefined if the rule does not count the line. */
export function contributorOf(rule: RuleName, line: Readonly<Record<string, unknown>>): string | undefined {
  const { match, keys } = INSIGHT_RULES[rule];
  const matches = Object.entries(match).every(([field, test]) => passes(line[field], test));
  if (!matches || keys.some((key) => line[key] === undefined)) return undefined;
  return keys.map((key) => String(line[key])).join(' ');
}
