import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reachQueues } from '../../../bin/manager/stage.ts';
import { namesOf, stageValues } from '../../../infra/stages.ts';
import { endpointsOfPeers, managerOn, managerProcess } from '../../makers/manager.ts';
import { makePartner, usePeers } from '../../makers/peers.ts';

const peers = usePeers();

const dev = managerOn('--stage', 'dev');

describe('a stage on AWS', () => {
  // What a shell with AWS credentials has set, with every endpoint on this machine.
  let before: NodeJS.ProcessEnv;
  beforeEach(() => {
    before = { ...process.env };
    process.env['AWS_ENDPOINT_URL_STS'] = process.env['AWS_ENDPOINT_URL_SQS'];
    process.env['LOCAL_WEBHOOK_TARGETS'] = 'true';
    process.env['MANAGER_EMULATED_STAGE'] = 'dev';
  });
  afterEach(() => {
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, before);
  });

  it('has the names that the template gives', () => {
    const names = namesOf(stageValues('dev'));
    expect(names.table).toBe(peers.blueprint.table.TableName);
    expect([names.keysSecret, names.operatorSecret].sort()).toEqual(
      peers.blueprint.secrets.map(({ name }) => name).sort(),
    );
    expect([names.deliveryQueue, names.deadLetterQueue].sort()).toEqual(
      peers.blueprint.queues.map(({ name }) => name).sort(),
    );
  });

  it('is reached by the physical names, and the audit names the caller as AWS does', async () => {
    const { partnerId } = await makePartner();
    for (const name of ['TABLE_NAME', 'KEYS_SECRET', 'DELIVERY_QUEUE_URL', 'DELIVERY_DLQ_URL'])
      delete process.env[name];
    const listed = await dev(['partners', 'list', '--json']);
    expect([listed.code, listed.err]).toEqual([0, '']);
    expect(listed.json().map((row: { partner: number }) => row.partner)).toContain(partnerId);
    expect((await dev(['units', 'create', '--partner', partnerId, '--name', 'Sul'])).code).toBe(0);
    const [row] = (await dev(['audit', 'list', '--partner', partnerId, '--json'])).json();
    expect(row).toMatchObject({ action: 'units create', who: expect.stringMatching(/^arn:aws:/) });
    await reachQueues('dev');
    expect(process.env['DELIVERY_QUEUE_URL']).toMatch(/\/000000000000\/partner-credit-dev-deliveries$/);
    expect(process.env['DELIVERY_DLQ_URL']).toMatch(/\/000000000000\/partner-credit-dev-deliveries-dead$/);
  });

  it('takes no webhook to this machine, whatever the shell has set', async () => {
    const { partnerId } = await makePartner();
    const ran = await dev(['webhook', 'set', '--partner', partnerId, '--url', 'http://127.0.0.1:8080/hooks']);
    expect([ran.code, ran.out]).toEqual([1, '']);
    expect(ran.err).toContain('https_obrigatorio');
  });

  it('is not asked for while the shell leads elsewhere', async () => {
    delete process.env['MANAGER_EMULATED_STAGE'];
    const { code, err } = await dev(['partners', 'list']);
    expect([code, err]).toEqual([2, expect.stringContaining('AWS_ENDPOINT_URL_DYNAMODB')]);
    expect(err).toContain('would lead elsewhere than to stage dev');
  });

  it('that is not deployed is named as the cause', async () => {
    process.env['MANAGER_EMULATED_STAGE'] = 'staging';
    const { code, err } = await managerOn('--stage', 'staging')(['partners', 'list']);
    expect([code, err]).toEqual([1, 'manager: this stage has no such table or secret: deploy its stacks first\n']);
  });

  it("refuses credentials of another account than the stage's", async () => {
    process.env['CDK_DEFAULT_ACCOUNT'] = '111122223333';
    const { code, err } = await dev(['partners', 'list']);
    expect([code, err]).toEqual([1, expect.stringContaining('stage dev is in 111122223333')]);
  });

  it('needs somebody who is signed in', async () => {
    const env = { AWS_EC2_METADATA_DISABLED: 'true' };
    const { code, err } = await managerProcess('/nowhere.json')(['partners', 'list', '--stage', 'dev'], { env });
    expect([code, err]).toEqual([1, expect.stringContaining('sign in (aws sso login)')]);
  });
});

describe('the local run', () => {
  it('that has ended is named as the cause', async () => {
    const { AWS_ENDPOINT_URL_DYNAMODB: endpoint } = process.env;
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] = 'http://127.0.0.1:9';
    const file = endpointsOfPeers();
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] = endpoint;
    const { code, err } = await managerProcess(file)(['partners', 'list', '--local']);
    expect([code, err]).toEqual([1, expect.stringContaining('is the local run still up (npm start)')]);
  });
});
