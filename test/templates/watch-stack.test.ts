import { Stack } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { alarmsOf } from '#infra/alarms.ts';
import { ImpactAlarm } from '#infra/constructs/impact-alarm.ts';
import { isSearch, type Widget } from '#infra/dashboards/widget.ts';
import { boardsOf } from '#infra/dashboards.ts';
import { textOf } from '#infra/formula.ts';
import { contributorOf, LATENCY, LATENCY_WITH_BANKS } from '#infra/insight-rules.ts';
import type { MathSeries, MetricSeries } from '#infra/metrics.ts';
import { readRunbook, runbookText } from '#infra/runbook.ts';
import { stageValues } from '#infra/stages.ts';
import { ROUTES } from '#shared/contract/routes.ts';
import { POLL_PACES } from '#shared/domain/analyses/poll-schedule.ts';
import { UNKNOWN_KEYS_ASKED } from '#shared/domain/partners/api-key.ts';
import { BANKS } from '#shared/domain/values/bank.ts';
import { metricsDrawn, metricsWatched } from '../makers/series.ts';
import { FILLED_IN, filledInProd, propertiesOf, type Resource, Synthesised } from '../makers/synthesised.ts';

const prod = Synthesised.of('prod');
const dev = Synthesised.of('dev');
const subscribed = Synthesised.with('staging', {
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
  [stage.watch, stage.service].flatMap((stack) => propertiesOf(stack, 'AWS::CloudWatch::Alarm')) as never[];
const composites = (stage: Synthesised): AlarmProperties[] =>
  propertiesOf(stage.watch, 'AWS::CloudWatch::CompositeAlarm') as never[];
const named = (name: string): AlarmProperties => {
  const found = [...composites(prod), ...alarmsIn(prod)].find(
    ({ AlarmName }) => AlarmName === `partner-credit-prod-${name}`,
  );
  if (!found) throw new Error(`no alarm ${name}`);
  return found;
};

/** Settings of one line of a graph, after its metric. */
type LineSettings = { label?: string; expression?: string; stat?: string; period?: number; visible?: boolean };
type WidgetProperties = {
  title?: string;
  start?: string;
  setPeriodToTimeRange?: boolean;
  view?: string;
  alarms?: readonly string[];
  states?: readonly string[];
  metrics?: readonly (readonly (string | LineSettings)[])[];
  annotations?: { horizontal?: readonly { label?: string; value: number }[] };
};

interface Body {
  readonly periodOverride?: string;
  readonly widgets: readonly {
    readonly type: string;
    readonly x: number;
    readonly y: number;
    readonly height: number;
    readonly properties: WidgetProperties;
  }[];
}

/** Returns the body of each dashboard, by name. */
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

const bodies = dashboardBodies(prod);

it('topics let the account’s alarms publish, and accept only TLS', () => {
  const policies = propertiesOf(prod.watch, 'AWS::SNS::TopicPolicy');
  expect(policies).toHaveLength(2);
  const Condition = { Bool: { 'aws:SecureTransport': 'false' } };
  const Principal = { Service: 'cloudwatch.amazonaws.com' };
  const wanted = [
    { Effect: 'Deny', Action: 'sns:Publish', Condition },
    { Effect: 'Allow', Action: 'sns:Publish', Principal },
  ].map((statement) => expect.objectContaining(statement));
  for (const { PolicyDocument } of policies)
    expect(PolicyDocument).toMatchObject({ Statement: expect.arrayContaining(wanted) });
});

it('a backup or a copy of a table that has not succeeded sends a ticket, on a stage that keeps evidence', () => {
  const rules = (stage: Synthesised) =>
    propertiesOf(stage.watch, 'AWS::Events::Rule').filter(({ Name }) => String(Name).endsWith('-failed-copies'));
  const [rule, ...others] = rules(prod);
  expect(others).toEqual([]);
  expect(rules(dev)).toEqual([]);
  expect(rule?.['EventPattern']).toEqual({
    source: ['aws.backup'],
    'detail-type': ['Backup Job State Change', 'Copy Job State Change'],
    detail: {
      state: ['FAILED', 'ABORTED', 'EXPIRED', 'PARTIAL'],
      resourceArn: propertiesOf(prod.data, 'AWS::DynamoDB::GlobalTable').map(({ TableName }) => ({
        suffix: `:table/${TableName}`,
      })),
    },
  });
  expect(rule?.['Targets']).toMatchObject([{ Arn: { Ref: expect.stringMatching(/^Ticket/) } }]);
  expect(JSON.stringify(rule?.['Targets'])).toContain('#upkeep');
  const published = (stage: Synthesised) =>
    propertiesOf(stage.watch, 'AWS::IAM::Role')
      .map((role) => JSON.stringify(role))
      .filter((role) => role.includes('events.amazonaws.com'))
      .map((role) => (role.match(/"Ref":"(Page|Ticket)/g) ?? []).length);
  expect(published(prod)).toEqual([2]);
  expect(published(dev)).toEqual([1]);
});

it('topics reach only the e-mail addresses and chats that the stage names', () => {
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

describe('alarms', () => {
  it('an alarm whose section the runbook does not have cannot be synthesised', () => {
    const stage = stageValues('dev');
    const [row] = alarmsOf(stage);
    const make = (section: string) =>
      new ImpactAlarm(new Stack(), 'Alarm', { ...row!, section, setting: { stage, topics: {} } });
    expect(() => make(row!.section)).not.toThrow();
    expect(() => make('no-such-section')).toThrow(
      `alarm ${row!.name} leads to infra/RUNBOOK.md#no-such-section, which is missing`,
    );
  });

  it('every alarm says what it means and links an existing section of the runbook', () => {
    const all = [...alarmsIn(prod), ...composites(prod)];
    expect(all.length).toBeGreaterThan(50);
    for (const { AlarmName, AlarmDescription } of all) {
      const [, impact, section] =
        /(?:page|ticket|rollback|part|clock): (.+\.) What to do: \S+#([\w-]+)$/.exec(AlarmDescription) ?? [];
      expect(impact?.length, AlarmName).toBeGreaterThanOrEqual(30);
      expect(sections.keys()).toContain(section);
      expect(AlarmDescription.length).toBeLessThanOrEqual(1024);
    }
  });

  it('alarms link every section of the runbook except the six procedures', () => {
    const procedures = [
      'consent-withdrawal',
      'break-glass',
      'wrong-token',
      'lost-keys',
      'region-loss',
      'first-deployment',
    ];
    const all = filledInProd();
    const used = new Set(
      [...alarmsIn(all), ...composites(all)].map(({ AlarmDescription }) => AlarmDescription.split('#')[1]),
    );
    expect(Array.from(sections.keys()).filter((name) => !used.has(name))).toEqual(procedures);
  });

  it('alarms of the outside probe are made only once it has its key', () => {
    const of = (stage: Synthesised) =>
      alarmsIn(stage)
        .filter(({ MetricName }) => MetricName === 'ProbeSuccess' || MetricName === 'CertificateDays')
        .map((one) => [one.AlarmName, one.EvaluationPeriods, one.DatapointsToAlarm, one.TreatMissingData]);
    expect(of(prod)).toEqual([]);
    expect(of(filledInProd())).toEqual([
      ['partner-credit-prod-outside-probe', 3, 2, 'breaching'],
      ['partner-credit-prod-certificate-days', 1, 1, 'notBreaching'],
    ]);
  });

  it('alarms notify the topic of their level; parts and release alarms notify nobody', () => {
    const topicOf = { page: /^Page/, ticket: /^Ticket/ } as const;
    for (const { AlarmName, AlarmDescription, AlarmActions } of [...alarmsIn(prod), ...composites(prod)]) {
      const level = /^(page|ticket|rollback|part|clock): /.exec(AlarmDescription)?.[1];
      if (level === 'page' || level === 'ticket') {
        expect(AlarmActions, AlarmName).toHaveLength(1);
        expect(AlarmActions![0]!.Ref).toMatch(topicOf[level]);
      } else {
        expect(AlarmActions, AlarmName).toBeUndefined();
      }
    }
  });
  it('bank-trouble stays on for longer than the longest pace of the poller', () => {
    const { EvaluationPeriods, Metrics: [query] = [] } = named('bank-trouble');
    const paces = POLL_PACES.map(({ everyMinutes }) => everyMinutes);
    expect(EvaluationPeriods * (query?.Period ?? 0)).toBeGreaterThan(60 * Math.max(...paces));
  });

  it.each([
    ['bank-failing', 'AVG("OperatorErrors")', '"bank"'],
    ['bank-trouble', 'MAX("BankTrouble")', '"bank", "kind"'],
    ['partner-unreached', 'MAX("PartnerUnreached")', '"partner", "kind"'],
  ])('%s asks for each series of production, so that each notifies by itself', (name, of, by) => {
    const { Metrics: [query, ...others] = [], EvaluationPeriods } = named(name);
    const [all] = of.split('(');
    expect(query?.Expression).toBe(
      `SELECT ${of} FROM SCHEMA("PartnerCredit", "stage", "environment", ${by}) WHERE "stage" = 'prod' AND "environment" = 'producao' GROUP BY ${by} ORDER BY ${all}() DESC`,
    );
    expect(others).toEqual([]);
    // Metrics Insights looks back three hours at most.
    expect(EvaluationPeriods * (query?.Period ?? 0)).toBeLessThanOrEqual(3 * 3_600);
  });

  it('clock-wrong rings if runs were refused in three of five minutes, and not if no run was refused', () => {
    const { MetricName, Period, Statistic, Threshold, ...rest } = named('clock-wrong');
    expect(MetricName).toBe('RunsWithWrongClock');
    expect(Period).toBe(60);
    expect(Statistic).toBe('Sum');
    expect(Threshold).toBe(1);
    expect(rest.DatapointsToAlarm).toBe(3);
    expect(rest.EvaluationPeriods).toBe(5);
    expect(rest.TreatMissingData).toBe('notBreaching');
  });

  it('prod has at most 20 alarms that notify somebody, six of them pages', () => {
    const all = filledInProd();
    const telling = [...alarmsIn(all), ...composites(all)].filter(({ AlarmActions }) => AlarmActions);
    expect(telling.length).toBeLessThanOrEqual(20);
    expect(telling.filter(({ AlarmDescription }) => AlarmDescription.startsWith('page'))).toHaveLength(6);
  });

  it('alarms of availability and latency read what AWS measures, because a crashed function writes nothing', () => {
    const read = alarmsIn(prod).filter(({ AlarmName }) => /-(error-budget|latency|writing-calls)(-|$)/.test(AlarmName));
    expect(read).toHaveLength(4 + 3 + 1);
    for (const { Metrics = [] } of read) expect(JSON.stringify(Metrics)).not.toContain('PartnerCredit');
    const named = JSON.stringify(read).match(/partner-credit-prod-(failed-writes|slow-calls|slow-bank-calls)(?=\\)/g);
    const rules = propertiesOf(prod.watch, 'AWS::CloudWatch::InsightRule').filter(({ RuleName }) =>
      named?.includes(String(RuleName)),
    );
    expect(rules).toHaveLength(3);
    for (const { RuleBody } of rules)
      expect(JSON.parse(String(RuleBody)).LogGroupNames).toEqual(['/partner-credit-prod/access']);
  });

  it('rules over the log name at most four fields, and at most ten texts in a list', () => {
    const rules = propertiesOf(prod.watch, 'AWS::CloudWatch::InsightRule');
    expect(rules).toHaveLength(4);
    for (const { RuleBody } of rules) {
      const { Keys, Filters } = JSON.parse(String(RuleBody)).Contribution;
      expect(Keys.length).toBeLessThanOrEqual(4);
      expect(Filters.length).toBeLessThanOrEqual(4);
      for (const { In = [], NotIn = [] } of Filters) expect([...In, ...NotIn].length).toBeLessThanOrEqual(10);
    }
  });

  it('each operation of the partners’ API counts as slow by exactly one rule, except reset and test', () => {
    const slow = ['slow-calls', 'slow-bank-calls'] as const;
    for (const { operation, method, path } of ROUTES) {
      const line = { method, route: path, status: '200', latency_ms: LATENCY_WITH_BANKS + 1 };
      const counted = slow.filter((rule) => contributorOf(rule, line) !== undefined);
      expect(counted.length, operation).toBe(['reset-sandbox', 'test-webhook'].includes(operation) ? 0 : 1);
      const quick = { ...line, latency_ms: counted[0] === 'slow-calls' ? LATENCY : LATENCY_WITH_BANKS };
      expect(slow.filter((rule) => contributorOf(rule, quick) !== undefined)).toEqual([]);
    }
  });

  it('failed-writes counts each failed call of the flow that writes, and no other call', () => {
    const counted = ROUTES.filter(({ method, path }) =>
      contributorOf('failed-writes', { method, route: path, status: '500', latency_ms: 1 }),
    );
    expect(counted.map(({ operation }) => operation)).toEqual([
      'create-lead',
      'update-lead',
      'create-simulation',
      'submit-analyses',
      'withdraw-consent',
    ]);
    const accepted = { method: 'POST', route: '/v1/leads', status: '499', latency_ms: 1 };
    expect(contributorOf('failed-writes', accepted)).toBeUndefined();
  });

  it('alarms read only production if a metric has environments', () => {
    const dimensions = alarmsIn(prod)
      .filter(({ AlarmName }) => !AlarmName.endsWith('-worker-silent'))
      .flatMap((alarm) => [alarm, ...(alarm.Metrics ?? []).map(({ MetricStat: stat }) => stat?.Metric)])
      .flatMap((metric) => metric?.Dimensions ?? []);
    const environments = dimensions.filter(({ Name }) => Name === 'environment').map(({ Value }) => Value);
    expect(environments.length).toBeGreaterThan(20);
    expect(new Set(environments)).toEqual(new Set(['producao']));
  });

  it('authentication-failures rings for many invalid keys, many new production keys and forged keys', () => {
    expect(JSON.stringify(named('authentication-failures').AlarmRule)).toMatch(/ALARM.* OR ALARM.* OR ALARM/);
    const { Threshold, Metrics } = named('authentication-failures-part-2');
    const stat = { Metric: { MetricName: 'ProductionKeysMade' }, Period: 86_400, Stat: 'Sum' };
    expect(Threshold).toBe(3);
    expect(Metrics).toMatchObject([{ Expression: 'FILL(made, 0)' }, { Id: 'made', MetricStat: stat }]);
    expect(named('authentication-failures-part-3')).toMatchObject({
      MetricName: 'UnknownKeysAsked',
      Statistic: 'Sum',
      Period: 60,
      Threshold: UNKNOWN_KEYS_ASKED,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    });
  });

  it('secrets-away rings if a container fails to fetch its secrets again in ten minutes', () => {
    expect(named('secrets-away')).toMatchObject({
      MetricName: 'SecretRefreshesFailed',
      Statistic: 'Sum',
      Period: 300,
      EvaluationPeriods: 2,
      DatapointsToAlarm: 2,
      Threshold: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData: 'notBreaching',
    });
  });

  it('copies-missing rings if no job was completed for 26 hours, and counts the copies if there is another account', () => {
    const { AlarmActions, Dimensions, ...rest } = named('copies-missing');
    expect(rest).toMatchObject({
      Namespace: 'AWS/Backup',
      MetricName: 'NumberOfBackupJobsCompleted',
      Statistic: 'Sum',
      Period: 3_600,
      EvaluationPeriods: 26,
      DatapointsToAlarm: 26,
      Threshold: 1,
      ComparisonOperator: 'LessThanThreshold',
      TreatMissingData: 'breaching',
    });
    expect(AlarmActions).toBeUndefined();
    const vaults = propertiesOf(prod.data, 'AWS::Backup::BackupVault').map(({ BackupVaultName }) => BackupVaultName);
    expect(Dimensions).toEqual([{ Name: 'BackupVaultName', Value: vaults[0] }]);
    const copies = alarmsIn(filledInProd()).find(({ AlarmName }) => AlarmName.endsWith('-copies-missing'));
    const other = FILLED_IN.evidence?.copyVaultArn?.split(':').at(-1);
    expect(copies?.MetricName).toBe('NumberOfCopyJobsCompleted');
    expect(copies?.Dimensions).toEqual([{ Name: 'BackupVaultName', Value: other }]);
    expect(alarmsIn(subscribed).filter(({ AlarmName }) => AlarmName.endsWith('-copies-missing'))).toEqual([]);
  });

  it('a page that joins alarms is on with any of them, and such a ticket only in office hours', () => {
    const ruleOf = (name: string) => JSON.stringify(named(name).AlarmRule);
    expect(ruleOf('calls-fail')).toMatch(/ OR .*writingcallsfail/);
    expect(ruleOf('calls-fail')).not.toContain(' AND ');
    expect(ruleOf('upkeep')).toMatch(/ OR .* AND .*officehours/);
  });

  it('all-banks-failing rings only if two banks fail, and every other bank that has calls', () => {
    const { Metrics: [formula, ...others] = [] } = named('all-banks-failing');
    expect(formula?.Expression).toMatch(/^IF\(.* >= 2, MIN\(METRICS\(\)\), 0\)$/);
    expect(others.map(({ Id }) => Id)).toEqual(BANKS);
  });

  it('a stage without alarm targets makes only the alarms of releases', () => {
    expect(ofType(dev, 'AWS::CloudWatch::Alarm')).toEqual([]);
    expect(ofType(dev, 'AWS::CloudWatch::InsightRule')).toEqual([]);
    expect(dev.serviceResources('AWS::CloudWatch::Alarm').length).toBeGreaterThan(15);
    expect(ofType(subscribed, 'AWS::CloudWatch::Alarm').length).toBeGreaterThan(30);
  });

  it('alarms use at most 10 metrics in an expression, and no SEARCH', () => {
    for (const { Metrics = [] } of alarmsIn(prod)) {
      expect(Metrics.filter((one) => one.MetricStat).length).toBeLessThanOrEqual(10);
      for (const { Expression } of Metrics) expect(Expression ?? '').not.toContain('SEARCH');
    }
  });
});

describe('metrics', () => {
  const stage = stageValues('prod', {});
  const shown = [...metricsWatched(alarmsOf(stage)), ...metricsDrawn(boardsOf(stage))];

  it('metrics use the names of resources in the other stacks', () => {
    const values = (dimension: string) => [...new Set(shown.flatMap(({ dimensions }) => dimensions[dimension] ?? []))];
    const names = (type: string, property: string) =>
      [prod.data, prod.service, prod.administration].flatMap((stack) =>
        propertiesOf(stack, type).map((properties) => properties[property]),
      );
    const [api, administration] = ['partner-credit-prod', 'partner-credit-prod-administration'];
    expect(values('ApiName').sort()).toEqual([api, administration]);
    expect(names('AWS::ApiGateway::RestApi', 'Name').sort()).toEqual([api, administration]);
    expect(values('Stage')).toEqual([...new Set(names('AWS::ApiGateway::Stage', 'StageName'))]);
    for (const queue of values('QueueName')) expect(names('AWS::SQS::Queue', 'QueueName')).toContain(queue);
    // No alarm or widget shows the ledger of erasures, which gets one entry for each erasure.
    expect(values('TableName')).toEqual(names('AWS::DynamoDB::GlobalTable', 'TableName').slice(0, 1));
    const functions = names('AWS::Lambda::Function', 'FunctionName');
    expect(values('FunctionName').length).toBeGreaterThan(8);
    for (const name of values('FunctionName')) expect(functions).toContain(name);
    const vaults = propertiesOf(prod.data, 'AWS::Backup::BackupVault').map(({ BackupVaultName }) => BackupVaultName);
    expect(values('BackupVaultName')).toEqual(vaults);
    expect(values('WebACL')).toEqual(names('AWS::WAFv2::WebACL', 'Name').filter((name) => name === api));
  });

  it('table-refuses compares the refused calls with all updates and transactions', () => {
    const refusing = metricsWatched(alarmsOf(stage).filter(({ name }) => name === 'table-refuses'));
    for (const counted of ['SystemErrors', 'SuccessfulRequestLatency']) {
      const operations = refusing
        .filter(({ name }) => name === counted)
        .map(({ dimensions }) => dimensions['Operation']);
      expect(operations).toEqual(['UpdateItem', 'TransactWriteItems']);
    }
  });

  it('metrics of alarms and dashboards name only their own stage', () => {
    for (const [, { Properties }] of [
      ...ofType(subscribed, 'AWS::CloudWatch::Alarm'),
      ...ofType(dev, 'AWS::CloudWatch::Dashboard'),
    ])
      expect(JSON.stringify(Properties)).not.toMatch(/"prod"|'prod'|partner-credit-prod/);
  });
});

it('dashboards show every alarm that notifies somebody exactly once', () => {
  const widgets = [...bodies.values()].flatMap((body) => body.widgets);
  const shown = widgets.flatMap(({ properties: { title, alarms = [] } }) =>
    title?.startsWith('Alarms: ') ? alarms : [],
  );
  const telling = [...ofType(prod, 'AWS::CloudWatch::Alarm'), ...ofType(prod, 'AWS::CloudWatch::CompositeAlarm')]
    .filter(([, { Properties }]) => Properties['AlarmActions'])
    .map(([id]) => id);
  for (const id of telling) expect(shown.filter((other) => other === id)).toEqual([id]);
});

describe('the first row of each dashboard', () => {
  const rows = alarmsOf(stageValues('prod')).filter(({ level }) => level !== 'clock');
  const idsOf = (about: string) =>
    rows
      .filter((row) => row.about === about)
      .map(({ name }) => `partner-credit-prod-${name}`)
      .sort();
  const nameOf = (id: string) => {
    const { Properties } = prod.watch.toJSON()['Resources'][id];
    return Properties.AlarmName ?? Properties.CompositeAlarmName;
  };

  it.each([...bodies])('%s begins with the alarms that are on about us, the banks and partners', (_, { widgets }) => {
    const lights = widgets.slice(0, 6).filter(({ type }) => type === 'alarm');
    const shown = lights.map(({ properties: { title, states, alarms = [] } }) => ({
      title,
      states,
      alarms: alarms.map(nameOf).sort(),
    }));
    const states = ['ALARM'];
    expect(shown).toEqual([
      { title: 'Us: alarms that are on', states, alarms: idsOf('us') },
      { title: 'The banks: alarms that are on', states, alarms: idsOf('bank') },
      { title: 'Partners: alarms that are on', states, alarms: idsOf('partner') },
    ]);
  });

  it('a light shows a figure below its alarms, in the same columns', () => {
    for (const [, { widgets }] of bodies) {
      for (const first of [0, 2, 4]) {
        const [alarms, figure] = widgets.slice(first, first + 2);
        expect(figure!.properties.view).toBe('singleValue');
        expect(figure!.x).toBe(alarms!.x);
        expect(figure!.y).toBe(alarms!.y + alarms!.height);
      }
    }
  });
});

/** Returns what a line of a graph shows, by its label: a formula, or a metric with its dimensions and its statistic. */
function lineOf(line: readonly (string | LineSettings)[]): readonly [label: string | undefined, shown: string] {
  const settings = line.find((part) => typeof part === 'object') ?? {};
  const [namespace, name, ...dimensions] = line.filter((part) => typeof part === 'string');
  const { label, expression, stat = 'Average', period = 300 } = settings;
  const pairs = dimensions.flatMap((value, index) => (index % 2 === 0 ? [`${value}=${dimensions[index + 1]}`] : []));
  return [label, expression ?? `${namespace} ${name} ${pairs.sort().join()} ${stat} ${period}`];
}

function seriesText(series: MetricSeries | MathSeries): string {
  if (series.kind === 'math') return textOf(series.formula);
  const { namespace, name, dimensions, statistic, period } = series;
  const pairs = Object.entries(dimensions).map(([dimension, value]) => `${dimension}=${value}`);
  return `${namespace} ${name} ${pairs.sort().join()} ${statistic} ${period / 1_000}`;
}

it.each(boardsOf(stageValues('prod')))(
  'each line of a graph of the dashboard $name has the label of its metric',
  (board) => {
    const widgets = bodies.get(`partner-credit-prod-${board.name}`)?.widgets ?? [];
    // CloudWatch has a widget for the alarms of a light, and another one for its figure.
    const drawn = board.rows
      .flat()
      .flatMap((widget): Widget[] => (widget.kind === 'light' ? [widget, widget] : [widget]));
    expect(widgets).toHaveLength(drawn.length);
    for (const [index, widget] of drawn.entries()) {
      const { metrics = [], annotations, title } = widgets[index]?.properties ?? {};
      if (widget.kind !== 'graph') continue;
      expect(title).toBe(widget.title);
      const levels = annotations?.horizontal?.map(({ label, value }) => [label, value]);
      expect(levels).toEqual(widget.thresholds && Object.entries(widget.thresholds));
      if (isSearch(widget.lines)) continue;
      const visible = metrics.filter(
        (line) => !line.some((part) => typeof part === 'object' && part.visible === false),
      );
      const lines = Object.entries(widget.lines).map(([label, series]) => [label, seriesText(series)]);
      expect(visible.map(lineOf)).toEqual(lines);
    }
  },
);

it('dashboards keep the period in a widget’s title, whatever time range is shown', () => {
  for (const [name, { periodOverride }] of bodies) expect(periodOverride, name).toBe('inherit');
  const tiles = [...bodies.values()]
    .flatMap(({ widgets }) => widgets)
    .filter(({ properties }) => properties.view === 'singleValue' && !properties.title?.endsWith('(%)'));
  expect(tiles.map(({ properties }) => [properties.setPeriodToTimeRange, properties.start])).toEqual([
    [true, '-P30D'],
    [true, '-P30D'],
  ]);
});

it('the runbook names rules as CloudFormation does, with the stack’s name cut to 24 characters', () => {
  const named = [...runbookText().matchAll(/`(partner-credit-prod-serv[^`]*?)\.\.\.Minute\.\.\.`/g)].map(
    ([, name]) => name,
  );
  expect(Array.from(new Set(named))).toEqual([`${'partner-credit-prod-service'.slice(0, 24)}-`]);
  const rules = prod.serviceResources('AWS::Events::Rule').filter(([id]) => id.includes('Minute'));
  expect(rules.map(([, { Properties }]) => Properties['Name'])).toEqual(rules.map(() => undefined));
  expect(rules).not.toEqual([]);
});

it('every query of the runbook is saved over log groups that the service writes', () => {
  const groups = new Set(
    [prod.service, prod.administration].flatMap((stack) =>
      propertiesOf(stack, 'AWS::Logs::LogGroup').map(({ LogGroupName }) => LogGroupName),
    ),
  );
  const saved = propertiesOf(prod.watch, 'AWS::Logs::QueryDefinition');
  // A query over more groups than Logs Insights can read is saved in parts.
  const names = new Set(saved.map(({ Name }) => String(Name).replace(/-\d+$/, '')));
  const wanted = Array.from(sections.values()).flatMap(({ queries }) => queries.map(({ name }) => name));
  expect(Array.from(names).sort()).toEqual(wanted.map((name) => `partner-credit-prod/${name}`).sort());
  for (const { Name, LogGroupNames } of saved)
    expect((LogGroupNames as string[]).length, String(Name)).toBeLessThanOrEqual(50);
  for (const { LogGroupNames } of saved) for (const name of LogGroupNames as string[]) expect(groups).toContain(name);
});
