import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { namesOf, stageValues } from '../../../infra/stages.ts';
import { managerOn, managerProcess } from '../../makers/manager.ts';
import { makePartner, usePeers } from '../../makers/peers.ts';
import { type ServedAdministration, serveAdministration } from '../../makers/served-administration.ts';
import { type SignedAws, startSignedAws } from '../../makers/signed-aws.ts';

const peers = usePeers();

const dev = managerOn('--stage', 'dev');
let served: ServedAdministration;
let aws: SignedAws;

beforeAll(async () => {
  served = await serveAdministration(peers);
  const stacks: Record<string, { status: string; outputs: Record<string, string> }> = {
    'partner-credit-dev-administration': { status: 'CREATE_COMPLETE', outputs: {} },
  };
  aws = await startSignedAws(stacks, { url: served.url, token: served.tokens['manager']! });
  stacks['partner-credit-dev-administration']!.outputs['AdministrationUrl'] = `${aws.url}/`;
});
afterAll(async () => {
  await aws?.close();
  await served?.close();
});

describe('a stage on AWS', () => {
  // What a shell with AWS credentials has set, with every endpoint on this machine.
  let before: NodeJS.ProcessEnv;
  beforeEach(() => {
    before = { ...process.env };
    process.env['AWS_ENDPOINT_URL_STS'] = process.env['AWS_ENDPOINT_URL_SQS'];
    process.env['AWS_ENDPOINT_URL_CLOUDFORMATION'] = aws.url;
    process.env['MANAGER_EMULATED_STAGE'] = 'dev';
    delete process.env['LOCAL_WEBHOOK_TARGETS'];
  });
  afterEach(() => {
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, before);
  });

  it('has the names that the template gives', () => {
    const names = namesOf(stageValues('dev'));
    expect(names.table).toBe(peers.blueprint.table.TableName);
    expect([names.keysSecret, names.operatorSecret, names.probeSecret].sort()).toEqual(
      peers.blueprint.secrets.map(({ name }) => name).sort(),
    );
    expect([names.deliveryQueue, names.deadLetterQueue].sort()).toEqual(
      peers.blueprint.queues.map(({ name }) => name).sort(),
    );
  });

  it("is found by its stack's output, and each call is signed by the caller's credentials", async () => {
    const { partnerId } = await makePartner();
    const listed = await dev(['partners', 'list', '--name', 'de té+&=*\'(!) "%2F', '--json']);
    expect([listed.code, listed.err, listed.json()]).toEqual([0, '', []]);
    const searched = await dev(['partners', 'list', '--name', 'PARCEIRO de', '--json']);
    expect([searched.code, searched.err]).toEqual([0, '']);
    const found = searched.json();
    expect(found.map((row: { partner: number }) => row.partner)).toContain(partnerId);
    expect((await dev(['units', 'create', '--partner', partnerId, '--name', 'Sul'])).code).toBe(0);
    const [row] = (await dev(['audit', 'list', '--partner', partnerId, '--json'])).json();
    expect(row).toMatchObject({ action: 'create-unit', who: expect.stringMatching(/^arn:aws:sts::/) });
    expect(new Set(aws.services)).toEqual(new Set(['cloudformation', 'execute-api']));
  });

  it('is found where MANAGER_ADMINISTRATION_URL says, without reading the stack', async () => {
    process.env['MANAGER_ADMINISTRATION_URL'] = aws.url;
    delete process.env['AWS_ENDPOINT_URL_CLOUDFORMATION'];
    expect(await dev(['partners', 'list'])).toMatchObject({ code: 0, err: '' });
  });

  it('names stage, account and caller before what cannot be undone', async () => {
    const { partnerId } = await makePartner();
    const ran = await dev(['webhook', 'set', '--partner', partnerId, '--url', 'https://203.0.113.7/']);
    expect(ran.code).toBe(1);
    const asked = await dev(['operator', 'set-token', '--reason', 'r'], { answers: ['the-new-operator-token', 'n'] });
    expect(asked.err).toMatch(/Stage dev, account \d{12}, as \S+: The token in use is replaced/);
    expect([asked.code, asked.err]).toEqual([1, expect.stringContaining('nothing was changed')]);
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
    expect([code, err]).toEqual([
      1,
      'manager: this stage has no stack partner-credit-staging-administration: deploy its stacks first\n',
    ]);
  });

  it("refuses credentials of another account than the stage's", async () => {
    process.env['CDK_DEFAULT_ACCOUNT'] = '111122223333';
    const { code, err } = await dev(['partners', 'list']);
    expect([code, err]).toEqual([1, expect.stringContaining('stage dev is in 111122223333')]);
  });

  it('takes no duty: a role says what its people may do', async () => {
    const { code, err } = await dev(['partners', 'list', '--duty', 'manager']);
    expect([code, err]).toEqual([2, expect.stringContaining('--duty is for --local')]);
  });

  it('needs somebody who is signed in', async () => {
    const env = { AWS_EC2_METADATA_DISABLED: 'true' };
    const { code, err } = await managerProcess('/nowhere.json')(['partners', 'list', '--stage', 'dev'], { env });
    expect([code, err]).toEqual([1, expect.stringContaining('sign in (aws sso login)')]);
  });
});
