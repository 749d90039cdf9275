import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { afterAll, beforeAll } from 'vitest';
import { ADMINISTRATION_FUNCTIONS } from '#infra/functions.ts';
import { dutyTokens, startGateway } from '#infra/local/aws/gateway.ts';
import { writePrivate } from '#infra/local/state.ts';
import { lambdaContext } from './call.ts';
import { type Manager, managerHere } from './manager.ts';
import type { Peers } from './peers.ts';

export type ServedAdministration = Awaited<ReturnType<typeof serveAdministration>>;

/**
 * Serves the administration of the peers: the local gateway checks the template's duties, and the functions run in this
 * process. Returns the gateway's address and a bearer token for each duty. Webhooks may go to this machine, as in the
 * local run.
 */
export async function serveAdministration({ blueprint }: Pick<Peers, 'blueprint'>) {
  process.env['LOCAL_WEBHOOK_TARGETS'] = 'true';
  const { tokens, authorize } = dutyTokens(blueprint.administration, blueprint.duties);
  const invoke = async (name: string, event: unknown) => {
    const plan = blueprint.functions.find((candidate) => candidate.name === name);
    const { file } = ADMINISTRATION_FUNCTIONS.find(({ operation }) => operation === plan?.operation)!;
    const { handler } = await import(join(import.meta.dirname, '../..', file));
    return handler(event as APIGatewayProxyEvent, lambdaContext());
  };
  const { url, close } = await startGateway(blueprint.administration, { invoke }, 0, {
    log: () => undefined,
    authorize,
  });
  return { url, tokens, close };
}

/**
 * Returns the command line in this process for the peers' administration, which is served from the file's first test to
 * its last.
 */
export function useManager(peers: Pick<Peers, 'blueprint'>): Manager & { readonly serviceFile: () => string } {
  const folder = mkdtempSync(join(tmpdir(), 'partner-credit-manager-'));
  const file = join(folder, 'service.json');
  let served: ServedAdministration;
  beforeAll(async () => {
    served = await serveAdministration(peers);
    writePrivate(file, { administration: { url: served.url, tokens: served.tokens }, logs: folder });
  });
  afterAll(async () => {
    await served?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return Object.assign(managerHere(file), { serviceFile: () => file });
}
