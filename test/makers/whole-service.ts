import { inject } from 'vitest';
import type { FaultOrder } from '#infra/local/aws/aws-like/faults.ts';
import type { ObservedCall } from '#infra/local/aws/aws-like.ts';
import { Containers, lambdaEnvironment } from '#infra/local/aws/containers.ts';
import { startEventSources } from '#infra/local/aws/event-sources.ts';
import { startGateway } from '#infra/local/aws/gateway.ts';
import { startInbox } from '#infra/local/inbox.ts';
import { startOperator } from '#infra/local/operator/operator.ts';
import { readAssembly, Template } from '#infra/local/template.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import { type Access, accessesOfRequest } from './accesses.ts';
import { captureText } from './overheard.ts';
import { CALM, startPeers } from './peers.ts';
import { setServiceKeys } from './service-keys.ts';
import { passPeersTime } from './test-clock.ts';

const MINUTE = 60_000;

/** A line that a function has logged, or the gateway in its `access` log. */
export interface LogLine {
  readonly operation: string;
  readonly text: string;
}

export type WholeService = Awaited<ReturnType<typeof startWholeService>>;

/**
 * Starts the bundles of a deployment, each in a container of its own, between the gateway and the peers. All requests
 * to the peers are recorded. Each function signs with the name of its operation, so the recorded caller is the
 * operation. A schedule runs only when a test says so, but the queue feeds its worker by itself. The operator decides
 * at once.
 */
export async function startWholeService() {
  const accesses: Access[] = [];
  const observed = ({ request }: ObservedCall) => void accesses.push(...accessesOfRequest(request));
  const peers = await startPeers(undefined, { awsLike: CALM, observed });
  const { blueprint } = peers;
  // The index key is being rotated, so the functions also ask AWS for what a rotation needs.
  setServiceKeys(peers.secrets, { index: 'rotated' });
  const url = peers.awsLike!.url;
  const operatorCalls: string[] = [];
  const called = (requestId: string) => operatorCalls.push(requestId);
  const operator = await startOperator({ token: 'the-operator-token', delayMs: 0, called });
  const inbox = await startInbox(() => {});
  const lines: LogLine[] = [];
  const keepLine = (operation: string, text: string) => {
    captureText(text);
    lines.push({ operation, text });
  };
  const containers = new Containers(
    blueprint.functions,
    (plan) => ({
      ...lambdaEnvironment(plan),
      // On AWS each function has a role. Here the name that signs takes its place.
      AWS_ACCESS_KEY_ID: plan.operation,
      AWS_ENDPOINT_URL: url,
      ...plan.environment,
      ...('OPERATOR_URL' in plan.environment && { OPERATOR_URL: operator.url }),
      ...('PROBE_URL' in plan.environment && { PROBE_URL: gateway.url }),
      LOCAL_WEBHOOK_TARGETS: 'true',
    }),
    keepLine,
  );
  const gateway = await startGateway(blueprint.api, containers, 0, { log: ({ line }) => keepLine('access', line) });
  const sources = startEventSources(blueprint.sources, url, containers, () => {});
  return {
    url: gateway.url,
    template: new Template(readAssembly(inject('assembly')), url),
    peers,
    /** Everything that the functions have asked AWS for so far. */
    accesses,
    /**
     * Lets requests of a caller fail from now on, with a 500 or with AWS's error of this name. `end` of the result
     * stops it.
     */
    fails: (match: Omit<FaultOrder, 'fault'>, error?: string) =>
      peers.awsLike!.order({
        ...match,
        times: Number.POSITIVE_INFINITY,
        fault: error === undefined ? { error: 'InternalServerError', status: 500 } : { error },
      }),
    operator,
    inbox,
    /** The X-Request-Id of each call to the operator. */
    operatorCalls,
    lines,
    /**
     * Runs the function of an operation, as a schedule does. Its clock is `ahead` milliseconds ahead. The time of the
     * event is ahead, too, unless `input` has another time.
     */
    run: (operation: string, input: object = {}, ahead = 0): Promise<unknown> => {
      // A schedule runs its function once a minute. By then the indexes show everything that was written before.
      passPeersTime(MINUTE);
      const { name } = blueprint.functions.find((plan) => plan.operation === operation)!;
      return containers.invoke(name, { time: timestamp(Date.now() + ahead), ...input }, ahead);
    },
    close: async () => {
      await gateway.close();
      await sources.close();
      await containers.close();
      await Promise.all([operator.close(), inbox.close()]);
      await peers.close();
    },
  };
}
