import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import * as z from 'zod/mini';
import type { Instant } from '#shared/domain/values/time.ts';
import type { SecretPlan } from '../blueprint.ts';
import { type LocalServer, serve } from '../listen.ts';
import { writePrivate } from '../state.ts';

interface Version {
  readonly id: string;
  readonly value: string;
  readonly stages: readonly string[];
  readonly createdAt: Instant;
}

interface Secret {
  readonly name: string;
  readonly arn: string;
  readonly versions: readonly Version[];
}

const versionFormat = z.object({
  id: z.string(),
  value: z.string(),
  stages: z.array(z.string()),
  createdAt: z.number(),
});
const fileFormat: z.ZodMiniType<Secret[]> = z.array(
  z.object({ name: z.string(), arn: z.string(), versions: z.array(versionFormat) }),
);

const bodyFormat = z.record(z.string(), z.unknown());
type Body = Readonly<z.infer<typeof bodyFormat>>;

class SecretsError extends Error {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

/** Secrets with their versions, in memory. With a file, a change is on disk (mode 0600) before it is confirmed. */
export class SecretStore {
  private readonly secrets = new Map<string, Secret>();
  private readonly file: string | undefined;

  constructor(file: string | undefined) {
    this.file = file;
    if (!file || !existsSync(file)) return;
    for (const secret of fileFormat.parse(JSON.parse(readFileSync(file, 'utf8'))))
      this.secrets.set(secret.name, secret);
  }

  make(plans: readonly SecretPlan[]): void {
    for (const { name, arn } of plans) {
      if (!this.secrets.has(name)) this.keep({ name, arn, versions: [] });
    }
  }

  has(name: string): boolean {
    return this.find(name).versions.length > 0;
  }

  initialise(name: string, value: () => string): void {
    if (!this.has(name)) this.put({ SecretId: name, SecretString: value() });
  }

  current(name: string): string {
    return String(this.get({ SecretId: name })['SecretString']);
  }

  /** Throws a SecretsError with the name of AWS's error. */
  act(action: string, body: Body): Body {
    switch (action) {
      case 'PutSecretValue':
        return this.put(body);
      case 'GetSecretValue':
        return this.get(body);
      case 'DescribeSecret':
        return this.describe(body);
      default:
        throw new SecretsError('InvalidRequestException', `${action} is not known here`);
    }
  }

  put(body: Body): Body {
    const secret = this.find(body['SecretId']);
    const id = String(body['ClientRequestToken'] ?? randomUUID());
    const value = body['SecretString'];
    if (typeof value !== 'string') throw new SecretsError('ValidationException', 'only SecretString is known here');
    const same = secret.versions.find((version) => version.id === id);
    if (same && same.value !== value) {
      throw new SecretsError('ResourceExistsException', 'this version exists with another value');
    }
    if (!same) {
      const older = secret.versions.map((version) => ({
        ...version,
        stages: version.stages.includes('AWSCURRENT') ? ['AWSPREVIOUS'] : [],
      }));
      const created: Version = { id, value, stages: ['AWSCURRENT'], createdAt: Date.now() };
      this.keep({ ...secret, versions: [...older, created] });
    }
    return { ARN: secret.arn, Name: secret.name, VersionId: id, VersionStages: ['AWSCURRENT'] };
  }

  private get(body: Body): Body {
    const secret = this.find(body['SecretId']);
    const stage = String(body['VersionStage'] ?? 'AWSCURRENT');
    const id = body['VersionId'];
    const version = secret.versions.find((candidate) =>
      id === undefined ? candidate.stages.includes(stage) : candidate.id === id,
    );
    if (!version) {
      throw new SecretsError(
        'ResourceNotFoundException',
        `Secrets Manager can't find the specified secret value for staging label: ${stage}`,
      );
    }
    return {
      ARN: secret.arn,
      Name: secret.name,
      VersionId: version.id,
      SecretString: version.value,
      VersionStages: version.stages,
      CreatedDate: version.createdAt / 1000,
    };
  }

  private describe(body: Body): Body {
    const { arn, name, versions } = this.find(body['SecretId']);
    return {
      ARN: arn,
      Name: name,
      VersionIdsToStages: Object.fromEntries(
        versions.filter(({ stages }) => stages.length > 0).map(({ id, stages }) => [id, stages]),
      ),
    };
  }

  /** Throws a SecretsError if there is no such secret. */
  private find(id: unknown): Secret {
    const found = [...this.secrets.values()].find(({ name, arn }) => name === id || arn === id);
    if (!found) throw new SecretsError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
    return found;
  }

  private keep(secret: Secret): void {
    this.secrets.set(secret.name, secret);
    if (this.file) writePrivate(this.file, [...this.secrets.values()]);
  }
}

export async function startSecrets(store: Pick<SecretStore, 'act'>): Promise<LocalServer> {
  return serve(async (request, response) => {
    const action = String(request.headers['x-amz-target'] ?? '').replace(/^secretsmanager\./, '');
    const send = (status: number, body: Body): void => {
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1', 'x-amzn-requestid': randomUUID() });
      response.end(JSON.stringify(body));
    };
    try {
      send(200, store.act(action, bodyFormat.parse(JSON.parse((await text(request)) || '{}'))));
    } catch (error) {
      if (error instanceof SecretsError) send(400, { __type: error.type, message: error.message });
      else send(500, { __type: 'InternalServiceError', message: String(error) });
    }
  });
}
