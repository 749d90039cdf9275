import { type Graph, isSearch } from '#infra/dashboards/widget.ts';
import type { MathSeries, MetricSeries } from '#infra/metrics.ts';
import { NAMESPACE } from '#shared/runtime/metrics.ts';

export interface QueryBehind {
  readonly logs: string;
  readonly query: readonly string[];
}

/** Queries by namespace, for metrics that AWS counts without our log lines. They find log lines that show the same. */
const OF_AWS: Readonly<Record<string, QueryBehind>> = {
  'AWS/ApiGateway': {
    logs: 'the gateway’s accesses',
    query: ['fields @timestamp, route, method, status, latency_ms, request_id', 'sort status desc', 'limit 50'],
  },
  'AWS/Lambda': {
    logs: 'the functions drawn',
    query: ['filter @type = "REPORT"', 'fields @timestamp, @log, @duration', 'sort @duration desc', 'limit 50'],
  },
  'AWS/DynamoDB': {
    logs: 'the functions of the API',
    query: [
      'filter code = "request_completed"',
      'fields @timestamp, operation, status, table_calls, table_units, request_id',
      'sort table_units desc',
      'limit 50',
    ],
  },
  'AWS/SQS': {
    logs: 'deliver-webhook',
    query: [
      'filter code = "delivery_attempted"',
      'fields @timestamp, partner, unit, next, failure, request_id',
      'sort @timestamp desc',
      'limit 50',
    ],
  },
  'AWS/WAFV2': {
    logs: 'the firewall',
    query: ['fields @timestamp, terminatingRuleId, httpRequest.httpMethod', 'sort @timestamp desc', 'limit 50'],
  },
};

/** For our own metrics, the query finds log lines with the values. Throws an Error for an unknown namespace. */
export function queryBehind(lines: Graph['lines']): QueryBehind {
  const drawn = listMetrics(lines);
  const [first] = drawn;
  if (!first) throw new Error('a graph draws no metric');
  const { namespace } = first;
  if (namespace !== NAMESPACE) {
    const known = OF_AWS[namespace];
    if (!known) throw new Error(`no query is known for ${namespace}`);
    return known;
  }
  const names = [...new Set(drawn.map(({ name }) => name))];
  const dimensions = [...new Set(drawn.flatMap(({ dimensions }) => dimensions))].filter((name) => name !== 'stage');
  const fields = ['@timestamp', '@log'].concat(dimensions, names);
  const query = [`filter ${names.map((name) => `ispresent(${name})`).join(' or ')}`];
  const { environment } = first;
  if (environment !== undefined && drawn.every((one) => one.environment === environment)) {
    query.push(`filter environment = "${environment}"`);
  }
  query.push(`fields ${fields.join(', ')}`, 'sort @timestamp desc', 'limit 50');
  return { logs: 'all functions', query };
}

function listMetrics(lines: Graph['lines']) {
  if (isSearch(lines)) {
    const { name, by, fixed } = lines;
    return [
      { namespace: NAMESPACE, name, dimensions: [...Object.keys(fixed), ...by], environment: fixed['environment'] },
    ];
  }
  return Object.values(lines)
    .flatMap(metricsIn)
    .map(({ namespace, name, dimensions }) => ({
      namespace,
      name,
      dimensions: Object.keys(dimensions),
      environment: dimensions['environment'],
    }));
}

const metricsIn = (series: MetricSeries | MathSeries): readonly MetricSeries[] =>
  series.kind === 'metric' ? [series] : Object.values(series.of);
