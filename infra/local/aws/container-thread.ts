import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { ContainerData, Invocation, Outcome } from './containers.ts';

/** Runs inside a container's thread: loads the bundle once, then handles one event after another. */
const { folder, handler, name, memory }: ContainerData = workerData;
const port = parentPort;
if (!port) throw new Error('container-thread.ts runs only as a worker thread');
const [file = '', exported = ''] = handler.split('.');

const machineClock = Date.now;
let clockAhead = 0;
Date.now = () => machineClock() + clockAhead;
const monotonicClock = performance.now.bind(performance);
performance.now = () => monotonicClock() + clockAhead;

type Handler = (event: unknown, context: unknown) => unknown;
async function load(): Promise<Handler> {
  const module: Readonly<Record<string, Handler>> = await import(pathToFileURL(join(folder, `${file}.mjs`)).href);
  const found = module[exported];
  if (!found) throw new Error(`${file}.mjs exports no ${exported}`);
  return found;
}

async function run(handle: Handler, { event, requestId, deadline, ahead }: Invocation): Promise<Outcome> {
  clockAhead = ahead;
  try {
    const result = await handle(JSON.parse(event), {
      functionName: name,
      functionVersion: '1',
      invokedFunctionArn: `arn:aws:lambda:${process.env['AWS_REGION']}:000000000000:function:${name}:live`,
      memoryLimitInMB: String(memory),
      awsRequestId: requestId,
      logGroupName: `/aws/lambda/${name}`,
      logStreamName: 'local',
      callbackWaitsForEmptyEventLoop: true,
      getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    });
    return { result: JSON.stringify(result) ?? 'null' };
  } catch (error) {
    const { name: type, message, stack } = error instanceof Error ? error : new Error(String(error));
    return { error: { type, message, stack: stack ?? '' } };
  }
}

const handle = await load();
port.on('message', (invocation: Invocation) => {
  void run(handle, invocation).then((outcome) => port.postMessage(outcome));
});
port.postMessage('ready');
