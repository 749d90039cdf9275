import { logGroupNameOf, prefixOf, type Stage } from './stages.ts';

/** A Contributor Insights rule: counts lines of the functions' logs by who they are about. One rule costs less than a metric with a series for each partner. */
interface InsightRule {
  /** What a line must hold to count: the field, and its value. */
  readonly match: Readonly<Record<string, string | number>>;
  /** The field that names the contributor. */
  readonly key: string;
}

export const RULE_NAMES = ['refused-by-rate'] as const;
export type RuleName = (typeof RULE_NAMES)[number];

export const INSIGHT_RULES: Readonly<Record<RuleName, InsightRule>> = {
  /** Production calls that a partner's own rate refused. */
  'refused-by-rate': { match: { code: 'request_completed', status: 429, environment: 'producao' }, key: 'partner' },
};

/** Physical name of a rule. */
export const ruleNameOf = (stage: Stage, rule: RuleName): string => `${prefixOf(stage)}-${rule}`;

/** A rule as CloudWatch takes it, over the logs of all functions. */
export function ruleBodyOf(stage: Stage, rule: RuleName): string {
  const { match, key } = INSIGHT_RULES[rule];
  return JSON.stringify({
    Schema: { Name: 'CloudWatchLogRule', Version: 1 },
    LogGroupNames: [logGroupNameOf(stage, '*')],
    LogFormat: 'JSON',
    AggregateOn: 'Count',
    Contribution: {
      Keys: [`$.${key}`],
      Filters: Object.entries(match).map(([field, value]) => {
        const Match = `$.${field}`;
        return typeof value === 'number' ? { Match, EqualTo: value } : { Match, In: [value] };
      }),
    },
  });
}

/** Who a line of a function's log counts for; undefined where it does not match. */
export function contributorOf(rule: RuleName, line: Readonly<Record<string, unknown>>): string | undefined {
  const { match, key } = INSIGHT_RULES[rule];
  const matches = Object.entries(match).every(([field, value]) => line[field] === value);
  return matches && line[key] !== undefined ? String(line[key]) : undefined;
}
