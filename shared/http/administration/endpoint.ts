/**
 * The middlewares of a call of the administration, in their order. The first check that fails answers. As for partners,
 * the list of checks is the handler of the outer list (`../partner/endpoint.ts` says why).
 */
import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Operation } from '#shared/administration/operation.ts';
import { remainingTime } from '#shared/runtime/deadline.ts';
import { Checks } from '../checks.ts';
import { EARLY_ANSWER, NO_EARLY_ANSWER, underDeadline } from '../deadline.ts';
import { failuresToAnswers } from '../failures-to-answers.ts';
import { type Handler, lambda } from '../lambda.ts';
import { LazyPorts, type Makers, makeAll } from '../ports.ts';
import type { Call } from '../request.ts';
import { requestLog } from '../request-log.ts';
import { rightClock } from '../right-clock.ts';
import { type AdministrationCaller, signer, verifiedEmail } from './caller.ts';
import { confirmation, type Dry, dryRun, reason } from './confirmation.ts';
import { type Fields, fields, jsonBody } from './fields.ts';
import { carryOut, type Given, LONGEST_CHANGE_MS, type Noted, type Plan } from './plan.ts';
import { administrationReply, failedReply, recordAdministration } from './reply.ts';

/** A call as it comes in. */
interface AdministrationCall extends Call {
  /** Whether there is time for another piece of long work. If not, the next page does the rest. */
  readonly inTime: () => boolean;
}

/** A call that has passed the checks of an operation. */
export interface AdministrationRequest<O extends Operation> extends AdministrationCall, Fields<O> {
  readonly caller: AdministrationCaller;
}

/** Returns the outer list. It logs and answers each call, however the call ends. */
function outerList({ operation }: Operation) {
  return middy<AdministrationCall, APIGatewayProxyResult>(EARLY_ANSWER)
    .use(requestLog(operation, recordAdministration))
    .use(failuresToAnswers(failedReply));
}

type AdministrationChecks<Found extends object, Ports> = Checks<
  AdministrationCall,
  Found,
  Ports,
  APIGatewayProxyResult,
  Handler
>;

/** Returns the list of the checks that every operation has. */
function everyOperation<O extends Operation, Ports extends object>(operation: O, makePorts: () => Ports) {
  const checks = administrationCalls(operation, makePorts);
  return checks.use(signer).use(jsonBody(operation)).use(fields(operation));
}

/** Returns `handler`, which makes the function of an operation that changes nothing and is not audited. */
export function administrationRead<O extends Operation, Own extends object>(operation: O, own: Makers<Own>) {
  return unaudited(operation, own);
}

/**
 * Returns `handler`, which makes the function of an operation by which a machine reports. The operation is not audited
 * and has no reason: the rows that it writes are the evidence.
 */
export function administrationReport<O extends Operation, Own extends object>(operation: O, own: Makers<Own>) {
  return unaudited(operation, own);
}

function unaudited<O extends Operation, Own extends object>(operation: O, own: Makers<Own>) {
  const checks = everyOperation(operation, () => makeAll(own));
  return {
    /**
     * Returns the Lambda function. `work` runs after the last check, and its answer must match the operation's schema.
     */
    handler(work: (request: AdministrationRequest<O>, ports: Own) => Promise<Given<O, 'answer'>>): Handler {
      return checks.handler(async (call, ports) => {
        const answer = await work(call, ports);
        return administrationReply(call, operation.answer, { ok: true, ...answer });
      });
    },
  };
}

/** Returns `handler`, which makes the function of an audited operation: a change, or a read of somebody's data. */
export function administrationChange<O extends Operation, Own extends object>(
  operation: O,
  noted: Makers<Noted>,
  own: Makers<Own>,
) {
  const checks = everyOperation(operation, () => ({ ...makeAll(noted), ...makeAll(own) }))
    .use(dryRun(operation))
    .use(reason)
    .use(confirmation(operation))
    .use(rightClock)
    .use(verifiedEmail);
  return {
    /**
     * Returns the Lambda function. `plan` runs after the last check. It reads what the change is about, and refuses an
     * impossible change. It changes nothing: `carryOut` does.
     */
    handler(plan: (request: AdministrationRequest<O> & Dry, ports: Noted & Own) => Promise<Plan<O>>): Handler {
      return checks.handler(async (call, ports) => carryOut(operation, call, await plan(call, ports), ports));
    },
  };
}

/** Returns an empty list of checks inside of the outer list. */
export function administrationCalls<Ports extends object>(
  operation: Operation,
  makePorts: () => Ports,
): AdministrationChecks<AdministrationCall, Ports> {
  const ports = new LazyPorts(makePorts);
  const checks = middy<AdministrationCall, APIGatewayProxyResult>(NO_EARLY_ANSWER);
  return new Checks(checks, checks, ports.all, (run) =>
    lambda(ports, receive, outerList(operation).handler(underDeadline(run))),
  );
}

/**
 * For how long a page of long work begins new pieces, in milliseconds. People wait for the page and watch the progress.
 */
const PAGE_MS = 8_000;
/** Least time left for a new piece of long work, in milliseconds. */
const PIECE_MS = 6_000;

function receive(event: APIGatewayProxyEvent): AdministrationCall {
  const start = performance.now();
  const inTime = () => performance.now() - start < PAGE_MS && remainingTime(LONGEST_CHANGE_MS) > PIECE_MS;
  return { event, startedAt: Date.now(), inTime };
}
