import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { CREDENTIALS } from '#infra/local/aws/dynamodb.ts';
import { serve } from '#infra/local/listen.ts';
import { namesOf, stageValues } from '#infra/stages.ts';
import { parseApiKey } from '#shared/domain/partners/api-key.ts';
import { managerOn, managerProcess } from '#test/makers/manager.ts';
import { makePartner, usePeers } from '#test/makers/peers.ts';
import { type ServedAdministration, serveAdministration } from '#test/makers/served-administration.ts';

/** The outputs of stacks by the stack's name, as CloudFormation returns them. */
type Outputs = Readonly<Record<string, Readonly<Record<string, string>>>>;

const sha256 = (data: string) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();

/**
 * Starts a server in place of AWS. It accepts a call only if the signature is right (Signature Version 4, computed here
 * from its specification). It answers DescribeStacks, and passes calls to execute-api on to an API with bearer tokens.
 */
async function startSignedAws(outputs: Outputs, api: { readonly url: string; readonly token: string }) {
  /** The services of the accepted calls, in order. */
  const services: string[] = [];
  const { url, close } = await serve((request, response) => {
    void text(request).then(async (body) => {
      const service = signedService(request, body);
      if (service === undefined) return response.writeHead(403).end('{"message":"The signature does not match"}');
      services.push(service);
      if (service === 'cloudformation') {
        const { status, xml } = describeStacks(outputs, new URLSearchParams(body));
        return response.writeHead(status, { 'content-type': 'text/xml' }).end(xml);
      }
      if (service !== 'execute-api') {
        return response.writeHead(400).end('{"__type":"AccessDeniedException","message":"You may not ask that"}');
      }
      const passed = await fetch(api.url + request.url, {
        method: request.method!,
        headers: { authorization: `Bearer ${api.token}`, 'content-type': 'application/json' },
        ...(body !== '' && { body }),
      });
      response.writeHead(passed.status, { 'content-type': 'application/json' }).end(await passed.text());
    });
  });
  return { url, services, close };
}

/** Returns the service for which a call is signed with the tests' credentials. Undefined if the signature is wrong. */
function signedService({ method, url, headers }: IncomingMessage, body: string): string | undefined {
  const told =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/;
  const found = told.exec(headers.authorization ?? '');
  if (!found) return undefined;
  const [, access, day, region, service, signedHeaders, signature] = found as unknown as string[];
  const names = signedHeaders!.split(';');
  // A signature without the host would be valid for any host.
  if (access !== CREDENTIALS.accessKeyId || !names.includes('host')) return undefined;
  const [path = '', query = ''] = url!.split('?', 2);
  const canonical = [
    method,
    path.split('/').map(encodeURIComponent).join('/'),
    query.split('&').sort().join('&'),
    ...names.map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    signedHeaders,
    sha256(body),
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = [day!, region!, service!, 'aws4_request'].reduce<string | Buffer>(
    (key, part) => hmac(key, part),
    `AWS4${CREDENTIALS.secretAccessKey}`,
  );
  return hmac(key, toSign).toString('hex') === signature ? service : undefined;
}

/** Code with which CloudFormation refuses to describe a stack. Undefined if it answers. */
let refusal: string | undefined;

function describeStacks(outputs: Outputs, parameters: URLSearchParams) {
  const name = parameters.get('StackName') ?? '';
  if (refusal !== undefined) {
    const error = `<Code>${refusal}</Code><Message>CloudFormation refuses</Message>`;
    return { status: 400, xml: `<ErrorResponse><Error><Type>Sender</Type>${error}</Error></ErrorResponse>` };
  }
  if (parameters.get('Action') !== 'DescribeStacks' || !(name in outputs)) {
    const error = `<Code>ValidationError</Code><Message>Stack with id ${name} does not exist</Message>`;
    return { status: 400, xml: `<ErrorResponse><Error><Type>Sender</Type>${error}</Error></ErrorResponse>` };
  }
  const members = Object.entries(outputs[name]!).map(
    ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  const stack = `<member><StackStatus>CREATE_COMPLETE</StackStatus><Outputs>${members.join('')}</Outputs></member>`;
  const result = `<DescribeStacksResult><Stacks>${stack}</Stacks></DescribeStacksResult>`;
  return { status: 200, xml: `<DescribeStacksResponse>${result}</DescribeStacksResponse>` };
}

const peers = usePeers();
const dev = managerOn('--stage', 'dev');
let served: ServedAdministration;
let aws: Awaited<ReturnType<typeof startSignedAws>>;

beforeAll(async () => {
  served = await serveAdministration(peers);
  const outputs: Record<string, string> = {};
  const stacks = { 'partner-credit-dev-administration': outputs };
  aws = await startSignedAws(stacks, { url: served.url, token: served.tokens['manager']! });
  outputs['AdministrationUrl'] = `${aws.url}/`;
});
afterAll(async () => {
  await aws?.close();
  await served?.close();
});

// The tests set the environment of a shell with AWS credentials, with every endpoint on this machine.
let before: NodeJS.ProcessEnv;
beforeEach(() => {
  before = { ...process.env };
  process.env['AWS_ENDPOINT_URL_STS'] = process.env['AWS_ENDPOINT_URL_SQS'];
  process.env['AWS_ENDPOINT_URL_CLOUDFORMATION'] = aws.url;
  process.env['MANAGER_EMULATED_STAGE'] = 'dev';
  delete process.env['LOCAL_WEBHOOK_TARGETS'];
  refusal = undefined;
});
afterEach(() => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, before);
});

it('namesOf returns the names that the template of a stage on AWS has', () => {
  const names = namesOf(stageValues('dev'));
  expect(names.table).toBe(peers.blueprint.table.TableName);
  const { keysSecret, retiredKeysSecret, operatorSecret, probeSecret } = names;
  expect([keysSecret, retiredKeysSecret, operatorSecret, probeSecret].sort()).toEqual(
    peers.blueprint.secrets.map(({ name }) => name).sort(),
  );
  expect([names.deliveryQueue, names.deadLetterQueue].sort()).toEqual(
    peers.blueprint.queues.map(({ name }) => name).sort(),
  );
});

it("the manager finds a stage on AWS by its stack's output, and signs each call with the caller's credentials", async () => {
  const { partnerId } = await makePartner();
  const listed = await dev(['partners', 'list', '--name', 'de té+&=*\'(!) "%2F', '--json']);
  expect(listed.code).toBe(0);
  expect(listed.err).toBe('');
  expect(listed.json().partners).toEqual([]);
  const searched = await dev(['partners', 'list', '--name', 'PARCEIRO de', '--json']);
  expect(searched.code).toBe(0);
  expect(searched.err).toBe('');
  const found = searched.json().partners;
  expect(found.map((row: { partner_id: number }) => row.partner_id)).toContain(partnerId);
  expect((await dev(['units', 'create', '--partner', partnerId, '--name', 'Sul', '--reason', 'r'])).code).toBe(0);
  const [row] = (await dev(['audit', 'list', '--partner', partnerId, '--json'])).json().entries;
  expect(row).toMatchObject({ action: 'create-unit', who: expect.stringMatching(/^arn:aws:sts::/) });
  expect(new Set(aws.services)).toEqual(new Set(['cloudformation', 'execute-api']));
});

it('the manager finds a stage on AWS by MANAGER_ADMINISTRATION_URL without reading the stack', async () => {
  process.env['MANAGER_ADMINISTRATION_URL'] = aws.url;
  delete process.env['AWS_ENDPOINT_URL_CLOUDFORMATION'];
  expect(await dev(['partners', 'list'])).toMatchObject({ code: 0, err: '' });
});

it('the manager names stage, account and caller before a change of a stage on AWS that cannot be undone', async () => {
  const { partnerId, keys } = await makePartner();
  const { keyId = '' } = parseApiKey(keys.sandbox) ?? {};
  const asked = await dev(['keys', 'revoke', keyId, '--partner', partnerId, '--reason', 'r'], { answers: ['n'] });
  expect(asked.err).toMatch(/Stage dev, account \d{12}, as \S+: end a key/);
  expect(asked.code).toBe(1);
  expect(asked.err).toContain('nothing was changed');
});

it('the manager calls no stage on AWS while the shell has AWS endpoints of another place', async () => {
  delete process.env['MANAGER_EMULATED_STAGE'];
  const { code, err } = await dev(['partners', 'list']);
  expect(code).toBe(2);
  expect(err).toContain('AWS_ENDPOINT_URL_DYNAMODB');
  expect(err).toContain('would lead elsewhere than to stage dev');
});

it('the manager names the missing stack if a stage on AWS is not deployed', async () => {
  process.env['MANAGER_EMULATED_STAGE'] = 'staging';
  const { code, err } = await managerOn('--stage', 'staging')(['partners', 'list']);
  expect(code).toBe(1);
  expect(err).toBe('manager: this stage has no stack partner-credit-staging-administration: deploy its stacks first\n');
});

it.each([
  [
    'AccessDenied',
    'you may not read the outputs of stack partner-credit-dev-administration: set MANAGER_ADMINISTRATION_URL',
  ],
  ['AccessDeniedException', 'you may not read the outputs of stack partner-credit-dev-administration'],
  ['OptInRequired', 'CloudFormation refuses'],
])('the manager tells a refusal of CloudFormation with %s as what it is', async (code, told) => {
  refusal = code;
  const { code: exit, err } = await dev(['partners', 'list']);
  expect(exit).toBe(1);
  expect(err).toContain(told);
});

it('the manager refuses credentials of another account than that of the stage', async () => {
  process.env['CDK_DEFAULT_ACCOUNT'] = '111122223333';
  const { code, err } = await dev(['partners', 'list']);
  expect(code).toBe(1);
  expect(err).toContain('stage dev is in 111122223333');
});

it('the manager refuses --duty for a stage on AWS, where a role says what its people may do', async () => {
  const { code, err } = await dev(['partners', 'list', '--duty', 'manager']);
  expect(code).toBe(2);
  expect(err).toContain('--duty is for --local');
});

it('the manager asks people without AWS credentials to sign in', async () => {
  const env = { AWS_EC2_METADATA_DISABLED: 'true' };
  const { code, err } = await managerProcess('/nowhere.json')(['partners', 'list', '--stage', 'dev'], { env });
  expect(code).toBe(1);
  expect(err).toContain('sign in (aws sso login)');
});
