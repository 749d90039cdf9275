import { logGroupNameOf, prefixOf, type Stage } from './stages.ts';

/**
 * A Contributor Insights rule: it counts lines of the functions' logs by contributor, for example by partner. One rule
 * costs less than a metric with one series for each partner.
 */
interface InsightRule {
  /** Fields and values that a line must have to count. */
  readonly match: Readonly<Record<string, string | number>>;
  /** Field that names the contributor. */
  readonly key: string;
}

export const RULE_NAMES = ['refused-by-rate'] as const;
export type RuleName = (typeof RULE_NAMES)[number];

export const INSIGHT_RULES: Readonly<Record<RuleName, InsightRule>> = {
  /** Production calls that the partner's own rate limit refused. */
  'refused-by-rate': { match: { code: 'request_completed', status: 429, environment: 'producao' }, key: 'partner' },
};

/** Returns the physical name of a rule. */
export const ruleNameOf = (stage: Stage, rule: RuleName): string => `${prefixOf(stage)}-${rule}`;

/** Returns a rule as CloudWatch takes it, over the logs of all functions. */
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

/** Returns the contributor of a line of a function's log. Returns undefined if the rule does not count the line. */
export function contributorOf(rule: RuleName, line: Readonly<Record<string, unknown>>): string | undefined {
  const { match, key } = INSIGHT_RULES[rule];
  const matches = Object.entries(match).every(([field, value]) => line[field] === value);
  return matches && line[key] !== undefined ? String(line[key]) : undefined;
}
