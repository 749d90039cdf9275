import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { CREDENTIALS } from '../../infra/local/aws/dynamodb.ts';
import { listen } from '../../infra/local/listen.ts';

/** A stack as CloudFormation would tell of it: outputs by name, and its status. */
export interface ToldStack {
  readonly status: string;
  readonly outputs: Readonly<Record<string, string>>;
}

export type SignedAws = Awaited<ReturnType<typeof startSignedAws>>;

const sha256 = (data: string) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();

/**
 * What stands before AWS: lets a call through only where its signature holds (Signature Version 4, computed here from its
 * specification), answers DescribeStacks itself, and passes calls of execute-api on to an API that takes bearer tokens.
 */
export async function startSignedAws(
  stacks: Readonly<Record<string, ToldStack>>,
  api: { readonly url: string; readonly token: string },
) {
  /** Whose calls were let through, in order. */
  const services: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      const service = signedService(request, body);
      if (service === undefined) return response.writeHead(403).end('{"message":"The signature does not match"}');
      services.push(service);
      if (service === 'cloudformation') {
        const { status, xml } = describeStacks(stacks, new URLSearchParams(body));
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
  const { url, close } = await listen(server, 0);
  return { url, services, close };
}

/** The service that a call is signed for by the peers' credentials; undefined where its signature does not hold. */
function signedService({ method, url, headers }: IncomingMessage, body: string): string | undefined {
  const told =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/;
  const found = told.exec(headers.authorization ?? '');
  if (!found) return undefined;
  const [, access, day, region, service, signedHeaders, signature] = found as unknown as string[];
  const names = signedHeaders!.split(';');
  // A signature that leaves out the host would hold anywhere.
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

function describeStacks(stacks: Readonly<Record<string, ToldStack>>, parameters: URLSearchParams) {
  const name = parameters.get('StackName') ?? '';
  const stack = stacks[name];
  if (parameters.get('Action') !== 'DescribeStacks' || !stack) {
    const error = `<Code>ValidationError</Code><Message>Stack with id ${name} does not exist</Message>`;
    return { status: 400, xml: `<ErrorResponse><Error><Type>Sender</Type>${error}</Error></ErrorResponse>` };
  }
  const outputs = Object.entries(stack.outputs).map(
    ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  const told = `<StackStatus>${stack.status}</StackStatus><Outputs>${outputs.join('')}</Outputs>`;
  return {
    status: 200,
    xml: `<DescribeStacksResponse><DescribeStacksResult><Stacks><member>${told}</member></Stacks></DescribeStacksResult></DescribeStacksResponse>`,
  };
}
