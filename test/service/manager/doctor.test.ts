import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Aws } from '../../../bin/manager/aws.ts';
import { awsFindings } from '../../../bin/manager/doctor-aws.ts';
import { type Stage, stageValues } from '../../../infra/stages.ts';
import { usePeers } from '../../makers/peers.ts';
import { startSignedAws } from '../../makers/signed-aws.ts';

usePeers();

describe('on AWS', () => {
  const stage: Stage = {
    ...stageValues('dev', {}),
    domain: { name: 'api.partner.invalid', certificateArn: 'arn:aws:acm:sa-east-1:000000000000:certificate/1' },
    alarmTargets: { page: [{ kind: 'email', address: 'plantao@operator.example' }], ticket: [] },
  };
  const complete = { status: 'UPDATE_COMPLETE', outputs: {} };
  const subscriptions = (...arns: readonly string[]) =>
    `<R>${arns.map((arn) => `<member><Endpoint>e</Endpoint><SubscriptionArn>${arn}</SubscriptionArn></member>`).join('')}</R>`;
  const certificate = (Status: string, days: number) =>
    JSON.stringify({
      Certificate: {
        Status,
        DomainName: 'api.partner.invalid',
        NotAfter: Math.floor(Date.now() / 1000) + days * 86_400,
      },
    });

  let before: NodeJS.ProcessEnv;
  beforeEach(() => {
    before = { ...process.env };
  });
  afterEach(() => {
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, before);
  });

  /** What is found where the stacks are as given and each service answers so. */
  async function find(stacks: Parameters<typeof startSignedAws>[0], told: Readonly<Record<string, string>>) {
    const aws = await startSignedAws(stacks, undefined, told);
    process.env['AWS_ENDPOINT_URL_STS'] = process.env['AWS_ENDPOINT_URL_SQS'];
    for (const service of ['CLOUDFORMATION', 'SNS', 'LAMBDA', 'APIGATEWAY', 'ACM', 'CLOUDTRAIL'])
      process.env[`AWS_ENDPOINT_URL_${service}`] = aws.url;
    const found = await awsFindings({ client: new Aws(stage.region), stage });
    await aws.close();
    return Object.fromEntries(found.map((finding) => [finding.check, finding]));
  }

  it('tells stacks, quotas, targets, certificate and host name that are not as the stage wants them', async () => {
    const found = await find(
      {
        'partner-credit-dev-data': complete,
        'partner-credit-dev-service': { status: 'ROLLBACK_COMPLETE', outputs: {} },
        'partner-credit-dev-administration': complete,
      },
      {
        lambda: '{"AccountLimit":{"ConcurrentExecutions":10}}',
        apigateway: '{"throttleSettings":{"rateLimit":10000,"burstLimit":5000}}',
        sns: subscriptions('PendingConfirmation'),
        acm: certificate('PENDING_VALIDATION', 300),
      },
    );
    expect(found['stack data']).toMatchObject({ state: 'ok' });
    expect(found['stack service']).toMatchObject({ state: 'MISSING', found: 'ROLLBACK_COMPLETE' });
    expect(found['stack watch']).toMatchObject({
      state: 'MISSING',
      cure: 'npx cdk deploy partner-credit-dev-watch -c stage=dev',
    });
    expect(found['quota of Lambda']).toMatchObject({ state: 'MISSING', cure: expect.stringContaining('L-B99A9384') });
    expect(found['quota of API Gateway']).toMatchObject({ state: 'ok' });
    expect(found['page targets']).toMatchObject({ state: 'MISSING', found: '0 of 1 confirmed' });
    expect(found['ticket targets']).toMatchObject({ state: 'ok' });
    expect(found['certificate']).toMatchObject({ state: 'MISSING', cure: expect.stringContaining('CNAME') });
    expect(found['host name']).toMatchObject({ state: 'MISSING', cure: expect.stringContaining('DomainTarget') });
  });

  it('finds in order what is, and says of what may not be asked that it is unknown', async () => {
    const found = await find(
      {},
      {
        lambda: '{"AccountLimit":{"ConcurrentExecutions":1000}}',
        sns: subscriptions('arn:aws:sns:sa-east-1:000000000000:partner-credit-dev-page:1'),
        acm: certificate('ISSUED', 200),
      },
    );
    expect(found['quota of Lambda']).toMatchObject({ state: 'ok' });
    expect(found['page targets']).toMatchObject({ state: 'ok', found: '1 of 1 confirmed' });
    expect(found['certificate']).toMatchObject({ state: 'ok' });
    expect(found['trail of management events']).toMatchObject({ state: 'unknown' });
    expect(found['quota of API Gateway']).toMatchObject({
      state: 'unknown',
      found: 'AWS refuses: You may not ask that',
    });
  });

  const MANAGEMENT = { Field: 'eventCategory', Equals: ['Management'] };
  it.each<[string, string, boolean, object]>([
    [
      'ok',
      'logs all management events',
      true,
      { EventSelectors: [{ IncludeManagementEvents: true, ReadWriteType: 'All' }] },
    ],
    ['ok', 'selects them', true, { AdvancedEventSelectors: [{ FieldSelectors: [MANAGEMENT] }] }],
    ['MISSING', 'is off', false, { EventSelectors: [{ IncludeManagementEvents: true, ReadWriteType: 'All' }] }],
    ['MISSING', 'logs data', true, { EventSelectors: [{ IncludeManagementEvents: false, ReadWriteType: 'All' }] }],
    [
      'MISSING',
      'logs writes',
      true,
      { EventSelectors: [{ IncludeManagementEvents: true, ReadWriteType: 'WriteOnly' }] },
    ],
    [
      'MISSING',
      'selects writes',
      true,
      { AdvancedEventSelectors: [{ FieldSelectors: [MANAGEMENT, { Field: 'readOnly', Equals: ['false'] }] }] },
    ],
  ])('finds %s, of use of the break-glass role, a trail that %s', async (state, _, IsLogging, selected) => {
    const trailList = [{ TrailARN: 'arn:aws:cloudtrail:sa-east-1:000000000000:trail/all' }];
    const found = await find({}, { cloudtrail: JSON.stringify({ trailList, IsLogging, ...selected }) });
    expect(found['trail of management events']).toMatchObject({ state });
  });

  it('finds no trail where there is none, and says how to make one; a certificate that ends', async () => {
    const without = await find({}, { cloudtrail: '{"trailList":[]}' });
    expect(without['trail of management events']).toMatchObject({
      state: 'MISSING',
      found: 'none: use of the break-glass role wakes nobody',
      cure: expect.stringContaining('management events'),
    });
    const ending = await find({}, { acm: certificate('ISSUED', 5) });
    expect(ending['certificate']).toMatchObject({ state: 'MISSING', cure: expect.stringContaining('renewed') });
  });
});
