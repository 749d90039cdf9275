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

interface AdministrationCall extends Call {
  /** Whether there is time for another piece of long work. If not, the next page does the rest. */
  readonly inTime: () => boolean;
}

export interface AdministrationRequest<O extends Operation> extends AdministrationCall, Fields<O> {
  readonly caller: AdministrationCaller;
}

function makeOuterList({ operation }: Operation) {
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

function listCommonChecks<O extends Operation, Ports extends object>(operation: O, makePorts: () => Ports) {
  const checks = administrationCalls(operation, makePorts);
  return checks.use(signer).use(jsonBody(operation)).use(fields(operation));
}

export function administrationRead<O extends Operation, Own extends object>(operation: O, own: Makers<Own>) {
  return makeUnaudited(operation, own);
}

/** For operations by which a machine reports. They are not audited: the rows that they write are the evidence. */
export function administrationReport<O extends Operation, Own extends object>(operation: O, own: Makers<Own>) {
  return makeUnaudited(operation, own);
}

function makeUnaudited<O extends Operation, Own extends object>(operation: O, own: Makers<Own>) {
  const checks = listCommonChecks(operation, () => makeAll(own));
  return {
    handler(work: (request: AdministrationRequest<O>, ports: Own) => Promise<Given<O, 'answer'>>): Handler {
      return checks.handler(async (call, ports) => {
        const answer = await work(call, ports);
        return administrationReply(call, operation.answer, { ok: true, ...answer });
      });
    },
  };
}

export function administrationChange<O extends Operation, Own extends object>(
  operation: O,
  noted: Makers<Noted>,
  own: Makers<Own>,
) {
  const checks = listCommonChecks(operation, () => ({ ...makeAll(noted), ...makeAll(own) }))
    .use(dryRun(operation))
    .use(reason)
    .use(confirmation(operation))
    .use(rightClock)
    .use(verifiedEmail);
  return {
    /** `plan` reads what the change is about, and refuses an impossible change. It changes nothing: `carryOut` does. */
    handler(plan: (request: AdministrationRequest<O> & Dry, ports: Noted & Own) => Promise<Plan<O>>): Handler {
      return checks.handler(async (call, ports) => carryOut(operation, call, await plan(call, ports), ports));
    },
  };
}

export function administrationCalls<Ports extends object>(
  operation: Operation,
  makePorts: () => Ports,
): AdministrationChecks<AdministrationCall, Ports> {
  const ports = new LazyPorts(makePorts);
  const checks = middy<AdministrationCall, APIGatewayProxyResult>(NO_EARLY_ANSWER);
  return new Checks(checks, checks, ports.all, (run) =>
    lambda(ports, receive, makeOuterList(operation).handler(underDeadline(run))),
  );
}

/** How long a page of long work begins new pieces. People wait for the page and watch the progress. */
const PAGE_MS = 8_000;
/** Least time left for a new piece of long work. */
const PIECE_MS = 6_000;

function receive(event: APIGatewayProxyEvent): AdministrationCall {
  const start = performance.now();
  const inTime = () => performance.now() - start < PAGE_MS && remainingTime(LONGEST_CHANGE_MS) > PIECE_MS;
  return { event, startedAt: Date.now(), inTime };
}
