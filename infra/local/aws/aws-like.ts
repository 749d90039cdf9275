/**
 * The wire: an HTTP proxy between the AWS SDK and the local engines (table, queues, secrets). It behaves as AWS does
 * and the engines do not: overlapping transactions refuse each other, indexes and plain reads show the past, and
 * answers get lost below the SDK's own retries.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Milliseconds } from '#shared/domain/values/time.ts';
import { serve } from '../listen.ts';
import { faultsBy, touchedBy } from './aws-like/faults.ts';
import { type AwsAnswer, type AwsRequest, errorOf, readRequest, upstreamAt } from './aws-like/request.ts';
import { type AwsLikeSettings, type Service, seededRandom } from './aws-like/settings.ts';
import { tableLikeAws } from './aws-like/table.ts';

export interface ObservedCall {
  readonly request: AwsRequest;
  readonly milliseconds: Milliseconds;
  readonly outcome: 'answered' | 'throttled' | 'failed';
}

const THROTTLED = /ProvisionedThroughputExceeded|ThrottlingException/;

/** `now`: the clock for the delay of indexes and reads. A test that lets minutes pass at once moves this clock. */
export async function startAwsLike(
  urls: Readonly<Record<Service, string>>,
  initial: AwsLikeSettings,
  now = () => performance.now(),
  observed: (call: ObservedCall) => void = () => {},
) {
  let settings = initial;
  const random = seededRandom(initial.seed);
  const upstream = upstreamAt(urls);
  const faults = faultsBy(() => settings.faults, random);
  const counts = new Map<string, number>();
  const tally: ReadonlyMap<string, number> = counts;
  const count = (what: string, { action }: AwsRequest): void => {
    counts.set(`${what} ${action}`, (tally.get(`${what} ${action}`) ?? 0) + 1);
  };
  const table = tableLikeAws(upstream, () => settings, random, now, count);

  /** Undefined if the caller gets no answer, because the connection is cut or left hanging. */
  async function answer(request: AwsRequest, cut: () => undefined): Promise<AwsAnswer | undefined> {
    const rows = request.service === 'dynamodb' ? await table.rowsOf(request) : [];
    const touched = touchedBy(
      request,
      rows.map(({ partition }) => partition),
    );
    const fault = faults.take(request, touched);
    if (fault !== undefined) count(typeof fault === 'string' ? fault : fault.error, request);
    if (fault === 'hang') return undefined;
    if (fault === 'request_lost') return cut();
    if (typeof fault === 'object') return errorOf(request.service, fault.error, { status: fault.status ?? 400 });
    const pause = faults.pauseOf(request, touched);
    const response = await (request.service === 'dynamodb'
      ? table.answer(request, rows, pause)
      : pause().then(() => upstream.forward(request)));
    return fault === 'answer_lost' ? cut() : response;
  }

  async function answerCall(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const request = readRequest(incoming.headers, incoming.url ?? '/', await buffer(incoming));
    const begun = performance.now();
    const response = await answer(request, () => void outgoing.destroy());
    if (!response) return;
    observed({ request, milliseconds: performance.now() - begun, outcome: outcomeOf(response) });
    outgoing.writeHead(response.status, response.headers);
    outgoing.end(response.content);
  }

  const outcomeOf = ({ status, content }: AwsAnswer): ObservedCall['outcome'] => {
    if (status >= 500) return 'failed';
    return status === 400 && THROTTLED.test(Buffer.from(content).toString('utf8')) ? 'throttled' : 'answered';
  };

  const { url, close } = await serve(
    (incoming, outgoing) => {
      answerCall(incoming, outgoing).catch(() => outgoing.destroy());
    },
    // A connection that the server closes while it is idle would look like a lost request.
    { server: { keepAliveTimeout: 0 } },
  );
  return {
    url,
    get settings() {
      return settings;
    },
    /** Counts by effect and action: `conflict PutItem`, `answer_lost UpdateItem`, `old Query`. */
    tally,
    set: (changes: Partial<Omit<AwsLikeSettings, 'seed'>>) => {
      settings = { ...settings, ...changes, seed: initial.seed };
    },
    order: faults.order,
    /** Makes the next matching request wait. A transaction waits while it holds its rows. */
    pause: faults.pause,
    close,
  };
}
export type AwsLike = Awaited<ReturnType<typeof startAwsLike>>;
