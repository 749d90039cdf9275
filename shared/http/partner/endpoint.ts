/**
 * There are two lists of middleware. Middy's early answer, before the time-out, cuts off only the handler of its list.
 * So all checks together are the handler of the outer list: a call that hangs in a check has an answer and a log line.
 */
import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { PathId, Route } from '#shared/contract/routes.ts';
import type { ApiKeyAuth, RefusedCalls } from '#shared/domain/partners/ports.ts';
import type { Clock } from '#shared/domain/values/clock.ts';
import { Checks } from '../checks.ts';
import { EARLY_ANSWER, NO_EARLY_ANSWER, underDeadline } from '../deadline.ts';
import { failuresToAnswers } from '../failures-to-answers.ts';
import { type Handler, lambda } from '../lambda.ts';
import { LazyPorts, type Makers, makeAll } from '../ports.ts';
import { requestLog } from '../request-log.ts';
import { rightClock } from '../right-clock.ts';
import { authenticate } from './authenticate.ts';
import { authorize } from './authorize.ts';
import type { PartnerCall } from './call.ts';
import { idempotencyKey } from './idempotency-key.ts';
import { jsonBody } from './json-body.ts';
import { pathAndQuery } from './path-and-query.ts';
import { type Find, found, readAhead } from './read-ahead.ts';
import { refusalNotes } from './refusal-notes.ts';
import { failureReplyOf, type Reply, replyOf } from './reply.ts';
import { recordRequest } from './telemetry.ts';

export interface Admission {
  readonly auth: ApiKeyAuth;
  readonly refusals: RefusedCalls;
  readonly clock: Clock;
}

function makeOuterList(route: Route, ports: () => Admission) {
  return middy<PartnerCall, APIGatewayProxyResult>(EARLY_ANSWER)
    .use(requestLog(route.operation, recordRequest))
    .use(refusalNotes(ports))
    .use(failuresToAnswers(failureReplyOf));
}

type PartnerChecks<Found extends object, Ports> = Checks<PartnerCall, Found, Ports, Reply, Handler>;

function makeCheckList<Own extends object>(
  route: Route,
  admission: Makers<Admission>,
  own: Makers<Own>,
): PartnerChecks<PartnerCall, Admission & Own> {
  const ports = new LazyPorts(() => ({ ...makeAll(admission), ...makeAll(own) }));
  const checks = middy<PartnerCall, Reply>(NO_EARLY_ANSWER);
  const receive = (event: APIGatewayProxyEvent): PartnerCall => ({ event, route, startedAt: Date.now() });
  return new Checks(checks, checks, ports.all, (run) => {
    const handler = underDeadline<PartnerCall>(async (call, context) => replyOf(call, await run(call, context)));
    return lambda(ports, receive, makeOuterList(route, ports.all).handler(handler));
  });
}

function addContractChecks<Found extends PartnerCall, Ports extends Admission, Kind extends PathId>(
  checks: PartnerChecks<Found, Ports>,
  route: Route & { readonly pathId: Kind },
) {
  return checks
    .use(authenticate)
    .use(authorize(route))
    .use(jsonBody(route))
    .use(idempotencyKey(route))
    .use(pathAndQuery(route.pathId))
    .use(rightClock);
}

export function endpoint<Kind extends PathId, Own extends object>(
  route: Route & { readonly pathId: Kind },
  admission: Makers<Admission>,
  own: Makers<Own>,
) {
  return addContractChecks(makeCheckList(route, admission, own), route);
}

/** If this container knows the key, `find` reads while the key is being checked: one round trip instead of two. */
export function readEndpoint<Kind extends PathId, Own extends object, T>(
  route: Route & { readonly pathId: Kind },
  admission: Makers<Admission>,
  own: Makers<Own>,
  find: Find<Admission & Own, Kind, T>,
) {
  const reading = makeCheckList(route, admission, own).use(readAhead(route.pathId, find));
  return addContractChecks(reading, route).use(found<T>());
}
