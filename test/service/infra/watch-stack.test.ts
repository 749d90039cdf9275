import { describe, expect, it } from 'vitest';
import { BANKS, OUTCOMES, PLATFORM_METRICS } from '../../../infra/metrics.ts';
import { readRunbook, runbookText } from '../../../infra/runbook.ts';
import { isPending, SITUATIONS } from '../../../shared/domain/analyses/analysis.ts';
import { POLL_PACES } from '../../../shared/domain/analyses/poll-schedule.ts';
import { TABLE_AGE_LIMIT } from '../../../shared/domain/simulations/pricing/notices.ts';
import { BANKS as BANKS_OF_THE_DOMAIN } from '../../../shared/domain/values/bank.ts';
import { METRICS, type MetricRow, NAMESPACE } from '../../../shared/runtime/metrics.ts';
import { filledInProd, type Resource, Synthesised } from '../../makers/synthesised.ts';

const prod = Synthesised.of('prod');
const dev = Synthesised.of('dev');
const subscribed = new Synthesised('staging', {
  alarmTargets: {
    page: [{ kind: 'slack', workspaceId: 'T0AAAAAAA', channelId: 'C0AAAAAAA' }],
    ticket: [{ kind: 'email', address: 'team@operator.example' }],
  },
});
const sections = readRunbook(runbookText());

const ofType = (stage: Synthesised, type: string) =>
  Object.entries(stage.watch.findResources(type) as Record<string, Resource>);

interface MetricStat {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: string }[];
}
interface AlarmProperties extends Partial<MetricStat> {
  readonly AlarmName: string;
  readonly AlarmDescription: string;
  readonly AlarmRule?: unknown;
  readonly AlarmActions?: readonly { readonly Ref: string }[];
  readonly ComparisonOperator: string;
  readonly Threshold: number;
  readonly Period?: number;
  readonly Statistic?: string;
  readonly ExtendedStatistic?: string;
  readonly EvaluationPeriods: number;
  readonly DatapointsToAlarm: number;
  readonly TreatMissingData: string;
  readonly Metrics?: readonly {
    readonly Id: string;
    readonly Expression?: string;
    readonly Period?: number;
    readonly MetricStat?: { readonly Metric: MetricStat; readonly Period: number; readonly Stat: string };
  }[];
}

const alarmsIn = (stage: Synthesised): AlarmProperties[] =>
  [...ofType(stage, 'AWS::CloudWatch::Alarm'), ...stage.serviceResources('AWS::CloudWatch::Alarm')].map(
    ([, { Properties }]) => Properties as unknown as AlarmProperties,
  );
const composites = (stage: Synthesised): AlarmProperties[] =>
  ofType(stage, 'AWS::CloudWatch::CompositeAlarm').map(
    ([, { Properties }]) => Properties as unknown as AlarmProperties,
  );
const named = (name: string): AlarmProperties => {
  const found = [...composites(prod), ...alarmsIn(prod)].find(
    ({ AlarmName }) => AlarmName === `partner-credit-prod-${name}`,
  );
  if (!found) throw new Error(`no alarm ${name}`);
  return found;
};

/** A metric as a line: namespace, name, names of its dimensions in order. */
const line = (namespace: string, name: string, dimensions: readonly string[]) =>
  `${namespace} ${name} {${[...dimensions].sort().join(',')}}`;

/** Metrics of a SEARCH or a Metrics Insights expression; none for math over other metrics. */
function inExpression(expression: string): string[] {
  const search = /^SEARCH\('\{([^}]+)\} MetricName="(\w+)"(?: \w+="\w+")+'/.exec(expression);
  if (search) {
    const [namespace, ...dimensions] = search[1]!.split(',');
    return [line(namespace!, search[2]!, dimensions)];
  }
  const rule = /^INSIGHT_RULE_METRIC\("([^"]+)", "MaxContributorValue"\)$/.exec(expression);
  if (rule) {
    const rules = ofType(prod, 'AWS::CloudWatch::InsightRule').map(([, { Properties }]) => Properties['RuleName']);
    expect(rules).toContain(rule[1]);
    return [];
  }
  expect(expression).not.toMatch(/SEARCH|SELECT/);
  return [];
}

function inAlarms(stage: Synthesised): string[] {
  const of = ({ Namespace, MetricName, Dimensions = [] }: MetricStat) =>
    line(
      Namespace,
      MetricName,
      Dimensions.map(({ Name }) => Name),
    );
  return alarmsIn(stage).flatMap((alarm) => [
    ...(alarm.MetricName ? [of(alarm as MetricStat)] : []),
    ...(alarm.Metrics ?? []).flatMap(({ Expression, MetricStat: stat }) =>
      stat ? [of(stat.Metric)] : inExpression(Expression!),
    ),
  ]);
}

interface Widget {
  readonly type: string;
  readonly y: number;
  readonly properties: {
    readonly markdown?: string;
    readonly start?: string;
    readonly setPeriodToTimeRange?: boolean;
    readonly view?: string;
    readonly title?: string;
    readonly query?: string;
    readonly alarms?: readonly string[];
    readonly metrics?: readonly (readonly (string | { readonly expression?: string; readonly visible?: boolean })[])[];
  };
}

interface Body {
  readonly periodOverride?: string;
  readonly widgets: Widget[];
}

/** The body of each dashboard, by its name. */
function dashboardBodies(stage: Synthesised): Map<string, Body> {
  return new Map(
    ofType(stage, 'AWS::CloudWatch::Dashboard').map(([, { Properties }]) => {
      const parts = (Properties['DashboardBody'] as { 'Fn::Join': [string, unknown[]] })['Fn::Join'][1];
      const body = parts
        .map((part) =>
          typeof part === 'string' ? part : ((part as { 'Fn::GetAtt'?: string[] })['Fn::GetAtt']?.[0] ?? 'region'),
        )
        .join('');
      return [String(Properties['DashboardName']), JSON.parse(body) as Body];
    }),
  );
}

/** The widgets of each dashboard, by its name. */
const dashboards = (stage: Synthesised): Map<string, Widget[]> =>
  new Map([...dashboardBodies(stage)].map(([name, { widgets }]) => [name, widgets]));

function inDashboards(stage: Synthesised): string[] {
  return [...dashboards(stage).values()].flat().flatMap(({ properties: { metrics = [] } }) => {
    // CloudWatch writes a repeated namespace, name or dimension as dots.
    let before: readonly unknown[] = [];
    return metrics.flatMap((entry) => {
      if (typeof entry[0] !== 'string') return inExpression((entry[0] as { expression: string }).expression);
      const words = entry
        .filter((word) => typeof word === 'string')
        .map((word, index) => (word === '.' ? String(before[index]) : word));
      before = words;
      return [
        line(
          words[0]!,
          words[1]!,
          words.slice(2).filter((_, index) => index % 2 === 0),
        ),
      ];
    });
  });
}

const rows = Object.entries<MetricRow>(METRICS);
const OWN = rows.flatMap(([name, { by = [], total }]) => [
  line(NAMESPACE, name, ['stage', ...by]),
  ...(total ? [line(NAMESPACE, name, ['stage', 'environment'])] : []),
]);
/** Sets of dimensions that AWS documents for the metrics in use. */
const DIMENSIONS: Readonly<Record<keyof typeof PLATFORM_METRICS, readonly (readonly string[])[]>> = {
  'AWS/ApiGateway': [['ApiName', 'Stage']],
  'AWS/Lambda': [[], ['FunctionName'], ['FunctionName', 'Resource']],
  'AWS/DynamoDB': [['TableName'], ['GlobalSecondaryIndexName', 'TableName'], ['Operation', 'TableName']],
  'AWS/SQS': [['QueueName']],
  'AWS/WAFV2': [['Region', 'Rule', 'WebACL']],
};
const PLATFORM = (Object.keys(PLATFORM_METRICS) as (keyof typeof PLATFORM_METRICS)[]).flatMap((namespace) =>
  PLATFORM_METRICS[namespace].flatMap((name) => DIMENSIONS[namespace].map((set) => line(namespace, name, set))),
);

describe('topics', () => {
  it('are one that wakes someone and one that waits, both under the customer key', () => {
    const topics = ofType(prod, 'AWS::SNS::Topic').map(([, { Properties }]) => Properties);
    expect(topics.map(({ TopicName }) => TopicName).sort()).toEqual([
      'partner-credit-prod-page',
      'partner-credit-prod-ticket',
    ]);
    for (const { KmsMasterKeyId } of topics) expect(JSON.stringify(KmsMasterKeyId)).toContain('OperationsKey');
  });

  it('let the account’s alarms publish, over TLS only', () => {
    const policies = ofType(prod, 'AWS::SNS::TopicPolicy');
    expect(policies).toHaveLength(2);
    for (const [, { Properties }] of policies) {
      expect(Properties['PolicyDocument']).toMatchObject({
        Statement: expect.arrayContaining([
          expect.objectContaining({
            Effect: 'Deny',
            Action: 'sns:Publish',
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          }),
          expect.objectContaining({
            Effect: 'Allow',
            Action: 'sns:Publish',
            Principal: { Service: 'cloudwatch.amazonaws.com' },
          }),
        ]),
      });
    }
  });

  it('reach whom the stage says, by e-mail or in a chat, and else no one', () => {
    expect(ofType(prod, 'AWS::SNS::Subscription')).toEqual([]);
    const [[, subscription] = []] = ofType(subscribed, 'AWS::SNS::Subscription');
    expect(subscription?.Properties).toMatchObject({
      Protocol: 'email',
      Endpoint: 'team@operator.example',
      TopicArn: { Ref: ofType(subscribed, 'AWS::SNS::Topic').find(([id]) => id.startsWith('Ticket'))![0] },
    });
    const [[, chat] = []] = ofType(subscribed, 'AWS::Chatbot::SlackChannelConfiguration');
    expect(chat?.Properties).toMatchObject({
      SlackWorkspaceId: 'T0AAAAAAA',
      SlackChannelId: 'C0AAAAAAA',
      SnsTopicArns: [{ Ref: ofType(subscribed, 'AWS::SNS::Topic').find(([id]) => id.startsWith('Page'))![0] }],
    });
  });
});

describe('alarms', () => {
  it('all say what they mean and lead to a section of the runbook that exists', () => {
    const all = [...alarmsIn(prod), ...composites(prod)];
    expect(all.length).toBeGreaterThan(60);
    for (const { AlarmName, AlarmDescription } of all) {
      const [, impact, section] =
        /(?:page|ticket|rollback): (.+\.) What to do: \S+#([\w-]+)$/.exec(AlarmDescription) ?? [];
      expect([AlarmName, impact?.length ?? 0]).toEqual([AlarmName, expect.toSatisfy((length: number) => length >= 30)]);
      expect(sections.keys()).toContain(section);
      expect(AlarmDescription.length).toBeLessThanOrEqual(1024);
    }
  });

  it('need every section of the runbook but those that are no answer to an alarm', () => {
    const procedures = ['break-glass', 'wrong-token', 'region-loss', 'lost-keys', 'first-deployment'];
    const all = filledInProd();
    const used = new Set(
      [...alarmsIn(all), ...composites(all)].map(({ AlarmDescription }) => AlarmDescription.split('#')[1]),
    );
    expect([...sections.keys()].filter((name) => !used.has(name))).toEqual(procedures);
  });

  it('of the look from outside are made once it has its key: before, its silence would page', () => {
    const of = (stage: Synthesised) =>
      alarmsIn(stage)
        .filter(({ MetricName }) => MetricName === 'ProbeSuccess' || MetricName === 'CertificateDays')
        .map(({ AlarmName, EvaluationPeriods, DatapointsToAlarm, TreatMissingData }) => [
          AlarmName,
          EvaluationPeriods,
          DatapointsToAlarm,
          TreatMissingData,
        ]);
    expect(of(prod)).toEqual([]);
    expect(of(filledInProd())).toEqual([
      ['partner-credit-prod-outside-probe', 3, 2, 'breaching'],
      ['partner-credit-prod-certificate-days', 1, 1, 'notBreaching'],
    ]);
  });

  it('have names of their own', () => {
    const names = [...alarmsIn(prod), ...composites(prod)].map(({ AlarmName }) => AlarmName);
    expect(new Set(names).size).toBe(names.length);
  });

  it('tell the topic of their level; parts of another and those of releases tell none', () => {
    const topicOf = { page: /^Page/, ticket: /^Ticket/ } as const;
    for (const { AlarmName, AlarmDescription, AlarmActions } of [...alarmsIn(prod), ...composites(prod)]) {
      const level = /^(page|ticket|rollback): /.exec(AlarmDescription)?.[1];
      if (level === 'page' || level === 'ticket') {
        expect([AlarmName, AlarmActions?.length]).toEqual([AlarmName, 1]);
        expect(AlarmActions![0]!.Ref).toMatch(topicOf[level]);
      } else {
        expect([AlarmName, AlarmActions]).toEqual([AlarmName, undefined]);
        expect(AlarmName).toMatch(/-part-\d$|-release-/);
      }
    }
  });

  /** Name, level, comparison, threshold, periods that count of those looked at, seconds a period, statistic. */
  const PLAIN: readonly [string, string, string, number, string, number, string][] = [
    ['lambda-concurrency', 'ticket', '>', 800, '3 of 5', 300, 'Maximum'],
    ['duration-submit-analyses', 'ticket', '>', 22_400, '3 of 5', 300, 'Maximum'],
    ['duration-deliver-webhook', 'ticket', '>', 24_000, '3 of 5', 300, 'Maximum'],
    ['poller-silent', 'page', '<', 4, '5 of 5', 60, 'SampleCount'],
    ['sweeper-silent', 'page', '<', 1, '5 of 5', 60, 'SampleCount'],
    ['oldest-pending-day', 'ticket', '>', 1440, '1 of 1', 7200, 'Maximum'],
    ['oldest-pending-week', 'ticket', '>', 10_080, '1 of 1', 7200, 'Maximum'],
    ['operator-unauthorized', 'page', '>=', 1, '1 of 1', 300, 'Sum'],
    ['unknown-status', 'ticket', '>=', 1, '1 of 1', 300, 'Sum'],
    ['dead-letters', 'ticket', '>=', 1, '1 of 1', 300, 'Maximum'],
    ['dead-letters-many', 'page', '>=', 50, '1 of 1', 300, 'Maximum'],
    ['in-flight', 'ticket', '>', 60_000, '1 of 1', 300, 'Maximum'],
    ['sweeper-repairs', 'ticket', '>', 0, '3 of 45', 60, 'Sum'],
    ['endpoint-disabled', 'ticket', '>=', 1, '1 of 1', 300, 'Maximum'],
    ['delivery-exhausted', 'ticket', '>=', 1, '1 of 1', 300, 'Sum'],
    ['authentication-failures', 'ticket', '>', 100, '1 of 1', 300, 'Sum'],
  ];
  const SIGNS: Readonly<Record<string, string>> = {
    GreaterThanThreshold: '>',
    GreaterThanOrEqualToThreshold: '>=',
    LessThanThreshold: '<',
  };
  const shapeOf = (alarm: AlarmProperties) => [
    SIGNS[alarm.ComparisonOperator],
    alarm.Threshold,
    `${alarm.DatapointsToAlarm} of ${alarm.EvaluationPeriods}`,
  ];

  it.each(PLAIN)(
    '%s is a %s at %s %d, %s periods of %d s, %s',
    (name, level, sign, threshold, periods, seconds, statistic) => {
      const alarm = named(name);
      expect(alarm.AlarmDescription).toMatch(new RegExp(`^${level}: `));
      expect(shapeOf(alarm)).toEqual([sign, threshold, periods]);
      expect([alarm.Period, alarm.Statistic ?? alarm.ExtendedStatistic]).toEqual([seconds, statistic]);
      expect(alarm.TreatMissingData).toBe(name.endsWith('-silent') ? 'breaching' : 'notBreaching');
    },
  );

  /** Name, level, comparison, threshold, periods, seconds a period, what the expression must hold. */
  const MATH: readonly [string, string, string, number, string, number, RegExp][] = [
    ['most-calls-fail', 'page', '>', 50, '1 of 1', 900, /^IF\(calls >= 5/],
    ['latency-create-lead', 'ticket', '>', 3000, '3 of 3', 300, /samples >= 20/],
    ['latency-create-simulation', 'ticket', '>', 15_000, '3 of 3', 300, /samples >= 20/],
    ['latency-submit-analyses', 'ticket', '>', 15_000, '3 of 3', 300, /samples >= 20/],
    ['lambda-throttles', 'page', '>=', 10, '3 of 5', 300, /^SUM/],
    ['nothing-submitted', 'page', '>', 50, '1 of 1', 900, /calls >= 3/],
    ['poll-lag', 'page', '>', 180, '2 of 2', 300, /samples >= 20/],
    ['bank-failing-itau', 'ticket', '>', 20, '1 of 1', 900, /calls >= 10/],
    ['webhook-delay', 'page', '>', 120, '2 of 2', 300, /samples >= 10/],
    [
      'worker-silent',
      'page',
      '>=',
      1,
      '10 of 10',
      60,
      /^IF\(visible >= 1, IF\(FILL\(live, 0\) \+ FILL\(sandbox, 0\) >= 1, 0, 1\), 0\)$/,
    ],
    ['webhook-first-try', 'ticket', '<', 80, '1 of 1', 3600, /attempts >= 20/],
    ['firewall-blocks', 'ticket', '>', 20, '1 of 1', 900, />= 100/],
    ['table-throttles', 'page', '>', 1, '3 of 5', 300, /^IF\(SUM\(\[.*\) >= 10/],
    ['table-errors', 'page', '>', 1, '3 of 5', 300, /^IF\(SUM\(\[.*\) >= 10/],
    [
      'partner-rate',
      'ticket',
      '>',
      300,
      '1 of 1',
      900,
      /^INSIGHT_RULE_METRIC\("partner-credit-prod-refused-by-rate", "MaxContributorValue"\)$/,
    ],
  ];

  it.each(MATH)(
    '%s is a %s at %s %d, %s periods of %d s, with its sample',
    (name, level, sign, threshold, periods, seconds, expression) => {
      const alarm = named(name);
      expect(alarm.AlarmDescription).toMatch(new RegExp(`^${level}: `));
      expect(shapeOf(alarm)).toEqual([sign, threshold, periods]);
      expect(alarm.Metrics!.find(({ Expression }) => Expression)!.Expression).toMatch(expression);
      for (const { Period, MetricStat: stat } of alarm.Metrics!.filter((one) => one.MetricStat ?? one.Period))
        expect(stat?.Period ?? Period).toBe(seconds);
      expect(alarm.TreatMissingData).toBe(name.endsWith('-silent') ? 'breaching' : 'notBreaching');
    },
  );

  it.each(['oldest-pending-day', 'oldest-pending-week'])(
    '%s looks at so long a time that every waiting analysis is met in it, so that it does not end and begin again',
    (name) => {
      const window = named(name).Period! / 60;
      expect(window).toBeGreaterThan(Math.max(...POLL_PACES.map(({ everyMinutes }) => everyMinutes)));
    },
  );

  it.each([
    ['error-budget-fast', 'page', 1.44, 3600, 300, 50],
    ['error-budget-slow', 'ticket', 0.6, 21_600, 1800, 200],
  ])(
    '%s is a %s above %d percent in two windows, %d and %d s, from %d calls on',
    (name, level, threshold, long, short, least) => {
      expect(named(name).AlarmDescription).toMatch(new RegExp(`^${level}: `));
      const windows = [1, 2].map((part) => named(`${name}-part-${part}`));
      for (const window of windows) expect(shapeOf(window)).toEqual(['>', threshold, '1 of 1']);
      expect(windows.map(({ Metrics }) => Metrics![1]!.MetricStat!.Period)).toEqual([long, short]);
      expect(windows[0]!.Metrics![0]!.Expression).toContain(`calls >= ${least}`);
      for (const { Metrics } of windows)
        expect(Metrics!.slice(1).map(({ MetricStat: stat }) => stat!.Metric.Namespace)).toEqual([
          'AWS/ApiGateway',
          'AWS/ApiGateway',
        ]);
    },
  );

  it('read production alone where the sandbox is told apart', () => {
    const dimensions = alarmsIn(prod)
      .filter(({ AlarmName }) => !AlarmName.endsWith('-worker-silent'))
      .flatMap((alarm) => [alarm, ...(alarm.Metrics ?? []).map(({ MetricStat: stat }) => stat?.Metric)])
      .flatMap((metric) => metric?.Dimensions ?? []);
    const environments = dimensions.filter(({ Name }) => Name === 'environment').map(({ Value }) => Value);
    expect(environments.length).toBeGreaterThan(20);
    expect(new Set(environments)).toEqual(new Set(['producao']));
  });

  it('say that all banks fail where each of them does', () => {
    const rule = JSON.stringify(named('all-banks-failing').AlarmRule);
    for (const bank of BANKS) expect(rule).toMatch(new RegExp(`ALARM.*bankfailing${bank}`, 'i'));
    expect(rule).not.toContain(' OR ');
  });

  it('are not made where nobody would be told, but for those that take deployments back', () => {
    expect(ofType(dev, 'AWS::CloudWatch::Alarm')).toEqual([]);
    expect(ofType(dev, 'AWS::CloudWatch::InsightRule')).toEqual([]);
    expect(dev.serviceResources('AWS::CloudWatch::Alarm').length).toBeGreaterThan(15);
    expect(ofType(subscribed, 'AWS::CloudWatch::Alarm').length).toBeGreaterThan(30);
  });

  it('ticket pricing tables once offers say that they are old, and for a day after the last simulation', () => {
    const alarm = alarmsIn(prod).find(({ AlarmName }) => AlarmName.endsWith('pricing-tables-old'));
    expect(alarm).toMatchObject({
      MetricName: 'TableAgeDays',
      Statistic: 'Maximum',
      ComparisonOperator: 'GreaterThanThreshold',
      Threshold: TABLE_AGE_LIMIT,
      Period: 86_400,
    });
  });

  it('stay within what CloudWatch takes: 10 metrics an expression, no SEARCH', () => {
    for (const { Metrics = [] } of alarmsIn(prod)) {
      expect(Metrics.filter((one) => one.MetricStat).length).toBeLessThanOrEqual(10);
      for (const { Expression } of Metrics) expect(Expression ?? '').not.toContain('SEARCH');
    }
  });
});

describe('metrics', () => {
  const shown = [...inAlarms(prod), ...inDashboards(prod)];

  it('named by alarms and widgets all exist, with these dimensions', () => {
    expect(shown.length).toBeGreaterThan(200);
    expect(shown.filter((one) => !OWN.includes(one) && !PLATFORM.includes(one))).toEqual([]);
  });

  it('that the functions emit are all on an alarm or a widget', () => {
    expect(OWN.filter((one) => !shown.includes(one))).toEqual([]);
  });

  it('that the platform emits and that are listed are all used', () => {
    for (const [namespace, names] of Object.entries(PLATFORM_METRICS))
      for (const name of names) expect(shown.some((one) => one.startsWith(`${namespace} ${name} `))).toBe(true);
  });

  it('name this stage, and no other', () => {
    for (const [, { Properties }] of [
      ...ofType(subscribed, 'AWS::CloudWatch::Alarm'),
      ...ofType(dev, 'AWS::CloudWatch::Dashboard'),
    ])
      expect(JSON.stringify(Properties)).not.toMatch(/"prod"|'prod'|partner-credit-prod/);
  });

  it('tell banks and outcomes apart as the service does', () => {
    expect(BANKS).toEqual(BANKS_OF_THE_DOMAIN);
    expect(OUTCOMES).toEqual(SITUATIONS.filter((situation) => !isPending(situation)));
  });
});

describe('dashboards', () => {
  const all = dashboards(prod);

  it('are three', () => {
    expect([...all.keys()].sort()).toEqual(
      ['partners', 'platform', 'product'].map((board) => `partner-credit-prod-${board}`),
    );
  });

  it.each([...all])('%s begins with its alarms, then says how to read it and links the runbook', (_, widgets) => {
    expect(widgets[0]).toMatchObject({ type: 'alarm', y: 0 });
    expect(widgets[0]!.properties.alarms!.length).toBeGreaterThan(3);
    expect(widgets[1]!.type).toBe('text');
    expect(widgets[1]!.properties.markdown).toMatch(/\*\*.+\?\*\* .{100,}\[runbook\]\(https:\/\/\S+RUNBOOK\.md\)/s);
  });

  it('show every alarm that tells someone, once', () => {
    const shown = [...all.values()].flatMap(([first]) => first!.properties.alarms!);
    const telling = [...ofType(prod, 'AWS::CloudWatch::Alarm'), ...ofType(prod, 'AWS::CloudWatch::CompositeAlarm')]
      .filter(([, { Properties }]) => Properties['AlarmActions'])
      .map(([id]) => id);
    expect([...shown].sort()).toEqual(telling.sort());
  });

  it('keep the period that a title names, whatever time is shown', () => {
    for (const [name, { periodOverride, widgets }] of dashboardBodies(prod)) {
      expect([name, periodOverride]).toEqual([name, 'inherit']);
      for (const { properties } of widgets.filter((widget) => widget.properties.view === 'singleValue'))
        expect(properties).toMatchObject({ setPeriodToTimeRange: true, start: '-P30D' });
    }
    const tiles = dashboards(prod)
      .get('partner-credit-prod-platform')!
      .filter(({ properties }) => properties.view === 'singleValue');
    expect(tiles).toHaveLength(2);
  });

  it('have no empty widget, and none without a title', () => {
    for (const { type, properties } of [...all.values(), ...dashboards(dev).values()].flat()) {
      if (type === 'metric')
        expect([properties.title, properties.metrics?.length ?? 0]).not.toEqual([properties.title, 0]);
      if (type !== 'text') expect(properties.title).toMatch(/\S{3,}/);
    }
  });

  it('show units by their logs: a dimension for each would cost more than the service', () => {
    expect(rows.flatMap(([, { by = [] }]): readonly string[] => by)).not.toContain('unit');
    const queries = all.get('partner-credit-prod-partners')!.flatMap(({ properties }) => properties.query ?? []);
    expect(queries.join('\n')).toMatch(/by partner, unit/);
  });
});

it('has a runbook that names rules by the names that CloudFormation gives them: the stack’s, cut to 24 characters', () => {
  const named = [...runbookText().matchAll(/`(partner-credit-prod-serv[^`]*?)\.\.\.Minute\.\.\.`/g)].map(
    ([, name]) => name,
  );
  expect(named).toEqual([`${'partner-credit-prod-service'.slice(0, 24)}-`]);
  const rules = prod.serviceResources('AWS::Events::Rule').filter(([id]) => id.includes('Minute'));
  expect(rules.map(([, { Properties }]) => Properties['Name'])).toEqual(rules.map(() => undefined));
  expect(rules).not.toEqual([]);
});

it('saves every query of the runbook, over log groups that the service writes', () => {
  const groups = new Set(
    [prod.service, prod.administration].flatMap((stack) =>
      Object.values(stack.findResources('AWS::Logs::LogGroup') as Record<string, Resource>).map(
        ({ Properties }) => Properties['LogGroupName'],
      ),
    ),
  );
  const saved = ofType(prod, 'AWS::Logs::QueryDefinition').map(([, { Properties }]) => Properties);
  expect(saved.map(({ Name }) => Name).sort()).toEqual(
    [...sections.values()].flatMap(({ queries }) => queries.map(({ name }) => `partner-credit-prod/${name}`)).sort(),
  );
  // Logs Insights reads no more at once.
  for (const { Name, LogGroupNames } of saved)
    expect([Name, (LogGroupNames as string[]).length <= 50]).toEqual([Name, true]);
  for (const { LogGroupNames } of saved) for (const name of LogGroupNames as string[]) expect(groups).toContain(name);
});

it('leaves room below the limit of 500 resources', () => {
  expect(Object.keys(prod.watch.toJSON()['Resources']).length).toBeLessThan(250);
});
