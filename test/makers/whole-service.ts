import { inject } from 'vitest';
import { Containers, lambdaEnvironment } from '../../infra/local/aws/containers.ts';
import { startEventSources } from '../../infra/local/aws/event-sources.ts';
import { startGateway } from '../../infra/local/aws/gateway.ts';
import { type Inbox, startInbox } from '../../infra/local/inbox.ts';
import { type StandInOperator, startOperator } from '../../infra/local/operator/operator.ts';
import { readAssembly, Template } from '../../infra/local/template.ts';
import { overhear } from './overheard.ts';
import { type Peers, startPeers } from './peers.ts';
import { setServiceKeys } from './service-keys.ts';
import { passPeersTime } from './test-clock.ts';
import { startWire, type Wire } from './wire.ts';

const MINUTE = 60_000;

/** A line that a function has written, or the gateway for its `access` log. */
export interface LogLine {
  readonly operation: string;
  readonly text: string;
}

/** The bundles that a deployment uploads, each in a container of its own, between the gateway and peers whose wire is watched. */
export interface WholeService {
  readonly url: string;
  readonly template: Template;
  readonly peers: Peers;
  /** Its callers are the operations: each function signs by its name. */
  readonly wire: Wire;
  readonly operator: StandInOperator;
  readonly inbox: Inbox;
  /** The X-Request-Id of each call to the operator. */
  readonly operatorCalls: readonly string[];
  readonly lines: readonly LogLine[];
  /** Runs a function by its operation's name, as a schedule does. */
  run(operation: string, event?: unknown): Promise<unknown>;
  close(): Promise<void>;
}

/** Starts it; schedules run only when a test says so, the queue feeds its worker by itself. The operator decides at once. */
export async function startWholeService(): Promise<WholeService> {
  const peers = await startPeers();
  const { blueprint } = peers;
  // The index key is being rotated, so that the functions ask AWS for all that this takes.
  setServiceKeys(peers.secrets, { index: 'rotated' });
  const endpoint = (service: string) => process.env[`AWS_ENDPOINT_URL_${service}`]!;
  const queues = endpoint('SQS');
  const wire = await startWire({
    dynamodb: endpoint('DYNAMODB'),
    sqs: queues,
    secretsmanager: endpoint('SECRETS_MANAGER'),
  });
  const operatorCalls: string[] = [];
  const called = (requestId: string) => operatorCalls.push(requestId);
  const operator = await startOperator({ token: 'the-operator-token', delayMs: 0, called });
  const inbox = await startInbox(() => {});
  const lines: LogLine[] = [];
  const take = (operation: string, text: string) => {
    overhear(text);
    lines.push({ operation, text });
  };
  const containers = new Containers(
    blueprint.functions,
    (plan) => ({
      ...lambdaEnvironment(plan),
      // On AWS a role; here its place is taken by the name that signs.
      AWS_ACCESS_KEY_ID: plan.operation,
      AWS_ENDPOINT_URL: wire.url,
      ...Object.fromEntries(
        Object.entries(plan.environment).map(([name, value]) => [name, value.replace(queues, wire.url)]),
      ),
      POWERTOOLS_TRACE_ENABLED: 'false',
      ...('OPERATOR_URL' in plan.environment && { OPERATOR_URL: operator.url }),
      ...('PROBE_URL' in plan.environment && { PROBE_URL: gateway.url }),
      LOCAL_WEBHOOK_TARGETS: 'true',
    }),
    take,
  );
  const gateway = await startGateway(blueprint.api, containers, 0, { log: ({ line }) => take('access', line) });
  const sources = startEventSources(blueprint.sources, queues, containers, () => {});
  return {
    url: gateway.url,
    template: new Template(readAssembly(inject('assembly')), queues),
    peers,
    wire,
    operator,
    inbox,
    operatorCalls,
    lines,
    run: (operation, event = {}) => {
      // A schedule comes by the minute, and finds in the index what was written before.
      passPeersTime(MINUTE);
      return containers.invoke(blueprint.functions.find((plan) => plan.operation === operation)!.name, event);
    },
    close: async () => {
      await gateway.close();
      await sources.close();
      await containers.close();
      await Promise.all([wire.close(), operator.close(), inbox.close()]);
      await peers.close();
    },
  };
}
