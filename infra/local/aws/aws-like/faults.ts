import { isObject } from '#infra/local/listen.ts';
import { type AwsRequest, callerOf } from './request.ts';
import type { FaultRates, Service } from './settings.ts';

type Fault = 'answer_lost' | 'request_lost' | 'hang' | { readonly error: string; readonly status?: number };

/** Selects requests. A missing field matches all. */
export interface Match {
  readonly service?: Service;
  /** Access key id of the signature. */
  readonly caller?: string;
  readonly action?: string;
  /** Beginning of the partition key of a row in the request (`LEAD#`), or name of its secret or queue. */
  readonly touching?: string;
}

export interface FaultOrder extends Match {
  readonly fault: Fault;
  /** Number of matching requests that pass first. @default 0 */
  readonly after?: number;
  /** Number of matching requests that fail. @default 1 */
  readonly times?: number;
}

interface Order {
  readonly order: FaultOrder;
  after: number;
  remaining: number;
  met: number;
}

interface Waiting {
  readonly match: Match;
  readonly reach: () => void;
  readonly released: Promise<void>;
}

export function touchedBy({ service, body }: AwsRequest, partitions: readonly string[]): readonly string[] {
  if (service === 'sqs') {
    const queue = String(body['QueueUrl'] ?? body['QueueName']);
    return [queue.slice(queue.lastIndexOf('/') + 1)];
  }
  return service === 'secretsmanager' ? [String(body['SecretId'])] : partitions;
}

function matches(
  { service, caller, action, touching }: Match,
  request: AwsRequest,
  touched: readonly string[],
): boolean {
  // A query names no row, so `touching` is compared with the queried partition, which our queries call `:pk`.
  const queried = action === 'Query' ? [queriedPartition(request)] : [];
  return (
    (service ?? request.service) === request.service &&
    (caller === undefined || caller === callerOf(request)) &&
    (action ?? request.action) === request.action &&
    (touching === undefined || touched.concat(queried).some((name) => name.startsWith(touching)))
  );
}

function queriedPartition({ body: { ExpressionAttributeValues: values } }: AwsRequest): string {
  const partition = isObject(values) ? values[':pk'] : undefined;
  return isObject(partition) ? String(partition['S'] ?? '') : '';
}

const THROTTLED: Readonly<Record<Service, readonly [string, ...string[]]>> = {
  dynamodb: ['ProvisionedThroughputExceededException', 'ThrottlingException'],
  sqs: ['ThrottlingException'],
  secretsmanager: ['ThrottlingException'],
};
const BROKEN: Readonly<Record<Service, string>> = {
  dynamodb: 'InternalServerError',
  sqs: 'InternalFailure',
  secretsmanager: 'InternalServiceError',
};

export function faultsBy(rates: () => Readonly<Record<Service, FaultRates>>, random: () => number) {
  let orders: Order[] = [];
  let waiting: Waiting[] = [];

  function order(order: FaultOrder) {
    const standing: Order = { order, after: order.after ?? 0, remaining: order.times ?? 1, met: 0 };
    orders.push(standing);
    return {
      get met() {
        return standing.met;
      },
      end: () => {
        orders = orders.filter((other) => other !== standing);
      },
    };
  }

  /** `reached` resolves when the request has come, and `release` lets it continue. */
  function pause(match: Match) {
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    waiting.push({ match, reach: reached.resolve, released: released.promise });
    return { reached: reached.promise, release: released.resolve };
  }

  function pauseOf(request: AwsRequest, touched: readonly string[]): () => Promise<void> {
    const found = waiting.find(({ match }) => matches(match, request, touched));
    if (!found) return async () => undefined;
    waiting = waiting.filter((other) => other !== found);
    return () => {
      found.reach();
      return found.released;
    };
  }

  /** Ordered faults come before random faults. */
  function take(request: AwsRequest, touched: readonly string[]): Fault | undefined {
    for (const current of orders) {
      if (!matches(current.order, request, touched)) continue;
      current.after -= 1;
      if (current.after >= 0) continue;
      current.remaining -= 1;
      current.met += 1;
      if (current.remaining === 0) orders = orders.filter((other) => other !== current);
      return current.order.fault;
    }
    return drawFault(request.service);
  }

  function drawFault(service: Service): Fault | undefined {
    const { answerLost, requestLost, hang, throttled, error } = rates()[service];
    const names = THROTTLED[service];
    const kinds: readonly (readonly [number, () => Fault])[] = [
      [answerLost, () => 'answer_lost'],
      [requestLost, () => 'request_lost'],
      [hang, () => 'hang'],
      [throttled, () => ({ error: names[Math.floor(random() * names.length)] ?? names[0] })],
      [error, () => ({ error: BROKEN[service], status: 500 })],
    ];
    if (kinds.every(([rate]) => rate === 0)) return undefined;
    let drawn = random();
    for (const [rate, fault] of kinds) {
      if (drawn < rate) return fault();
      drawn -= rate;
    }
    return undefined;
  }

  return { order, pause, pauseOf, take };
}
