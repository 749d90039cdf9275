import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { SignatureV4 } from '@smithy/signature-v4';
import { CommandError } from './errors.ts';

// AWS by the caller's own credentials: the SDK's chain (environment, profile, SSO, web identity, container, machine).

/** Milliseconds that AWS may take for an answer. */
const DEADLINE = 10_000;

export interface SignableCall {
  readonly method: string;
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** An error of AWS; `name` is its code. */
export class AwsError extends Error {
  constructor(code: string, message: string) {
    super(message);
    this.name = code;
  }
}

/** One region of AWS as one caller reaches it. */
export class Aws {
  private readonly sts: STSClient;
  private readonly region: string;

  constructor(region: string) {
    this.region = region;
    this.sts = new STSClient({ region });
  }

  /** Whom AWS knows the caller as: account (12 digits) and ARN. */
  async caller(): Promise<{ readonly account: string; readonly arn: string }> {
    const { Account, Arn } = await this.sts.send(new GetCallerIdentityCommand({}));
    if (!Account || !Arn) throw new CommandError('AWS does not say who the caller is: sign in again');
    return { account: Account, arn: Arn };
  }

  /** The headers of a call with those of its signature (Signature Version 4), valid for some minutes. */
  async sign(service: string, { method, url, headers, body }: SignableCall): Promise<Record<string, string>> {
    const { credentials, sha256 } = this.sts.config;
    const signer = new SignatureV4({ service, region: this.region, credentials, sha256 });
    const signed = await signer.sign({
      method,
      protocol: url.protocol,
      hostname: url.hostname,
      ...(url.port && { port: Number(url.port) }),
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: { ...headers, host: url.host },
      ...(body !== undefined && { body }),
    });
    const { host: _, ...sent } = signed.headers;
    return sent;
  }

  /** An action of a service with the Query protocol: the XML of its answer. Throws an AwsError. */
  async query(service: string, version: string, parameters: Readonly<Record<string, string>>): Promise<string> {
    return this.text(service, {
      method: 'POST',
      url: new URL('/', this.endpointOf(service)),
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
      body: new URLSearchParams({ ...parameters, Version: version }).toString(),
    });
  }

  /** An action of a service with the JSON 1.1 protocol. Throws an AwsError. */
  async json(service: string, target: string, body: object): Promise<unknown> {
    const text = await this.text(service, {
      method: 'POST',
      url: new URL('/', this.endpointOf(service)),
      headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': target },
      body: JSON.stringify(body),
    });
    return JSON.parse(text);
  }

  /** A GET of a service with the REST JSON protocol. Throws an AwsError. */
  async get(service: string, path: string): Promise<unknown> {
    const url = new URL(path, this.endpointOf(service));
    return JSON.parse(await this.text(service, { method: 'GET', url, headers: {}, body: undefined }));
  }

  /** The service's address; an emulated stage names its own, as the SDK reads it. */
  private endpointOf(service: string): string {
    const named = process.env[`AWS_ENDPOINT_URL_${service.toUpperCase().replaceAll('-', '_')}`];
    return named ?? process.env['AWS_ENDPOINT_URL'] ?? `https://${service}.${this.region}.amazonaws.com`;
  }

  private async text(service: string, call: SignableCall): Promise<string> {
    const response = await fetch(call.url, {
      method: call.method,
      headers: await this.sign(service, call),
      redirect: 'error',
      signal: AbortSignal.timeout(DEADLINE),
      ...(call.body !== undefined && { body: call.body }),
    });
    const text = await response.text();
    if (response.ok) return text;
    const code = /<Code>([^<]*)<\/Code>|"__type"\s*:\s*"(?:[^"#]*#)?([^"]*)"/.exec(text);
    const message = /<Message>([^<]*)<\/Message>|"[mM]essage"\s*:\s*"([^"]*)"/.exec(text);
    const named = code?.[1] ?? code?.[2] ?? response.headers.get('x-amzn-errortype')?.split(':')[0];
    throw new AwsError(
      named ?? `HTTP ${response.status}`,
      message?.[1] ?? message?.[2] ?? `${service} gives no reason`,
    );
  }
}

/** The first value of an element in AWS's XML; undefined where it has none. */
export function element(xml: string, name: string): string | undefined {
  const found = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return found?.replace(/&(lt|gt|quot|apos|amp);/g, (_, entity: string) => ENTITIES[entity]!);
}

/** Each element of that name, with what is in it. */
export function elements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([\\s\\S]*?)</${name}>`, 'g'))].map(([, inner]) => inner!);
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

export interface DeployedStack {
  /** As CloudFormation names it: `UPDATE_COMPLETE`. */
  readonly status: string;
  readonly outputs: Readonly<Record<string, string>>;
}

/** A stack as it is deployed; undefined where there is none of that name. Throws an AwsError. */
export async function deployedStack(aws: Aws, name: string): Promise<DeployedStack | undefined> {
  let xml: string;
  try {
    xml = await aws.query('cloudformation', '2010-05-15', { Action: 'DescribeStacks', StackName: name });
  } catch (error) {
    if (error instanceof AwsError && error.name === 'ValidationError') return undefined;
    throw error;
  }
  const outputs = elements(elements(xml, 'Outputs')[0] ?? '', 'member').map((member) => [
    element(member, 'OutputKey') ?? '',
    element(member, 'OutputValue') ?? '',
  ]);
  return { status: element(xml, 'StackStatus') ?? '', outputs: Object.fromEntries(outputs) };
}
