import { setTimeout as wait } from 'node:timers/promises';
import { type AdministrationRoute, administrationRoute } from '../../../shared/administration/routes.ts';
import type { AdministrationAccess } from '../administration-client.ts';
import type { CallAdministration, Forwarded, Sent } from './forward.ts';

// Milliseconds. The gateway gives a function 29 s.
const DEADLINE = 32_000;
const PAUSE = 500;
const ATTEMPTS = 3;

/** Too many calls, unavailable, timed out: the same call may well succeed a moment later. */
const PASSING = [429, 503, 504];

/**
 * Calls the administration API where `access` says it is, signed as `access` signs. A call that changes nothing is made
 * up to three times where the API is busy; a change once, since it may have happened.
 */
export function callApi(
  access: AdministrationAccess,
  pause: (ms: number) => Promise<unknown> = wait,
): CallAdministration {
  return async (operation, sent) => {
    const route = administrationRoute(operation);
    const repeatable = route.method === 'GET' || sent.body?.['dry_run'] === true;
    for (let attempt = 1; ; attempt++) {
      const answer = await callOnce(access, route, sent);
      if (!repeatable || attempt === ATTEMPTS || !PASSING.includes(answer.status)) return answer;
      await pause(PAUSE * attempt);
    }
  };
}

async function callOnce(
  access: AdministrationAccess,
  route: AdministrationRoute,
  { params = {}, query = {}, body }: Sent,
): Promise<Forwarded> {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name]!));
  const url = new URL(access.url.replace(/\/$/, '') + path);
  // Spaces as %20: what is signed and what is sent must be the same text.
  const search = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  url.search = search.join('&');
  const { method } = route;
  const sent = method === 'GET' ? undefined : JSON.stringify(body ?? {});
  const type: Record<string, string> = sent === undefined ? {} : { 'content-type': 'application/json' };
  const headers = await access.sign({ route, method, url, headers: type, body: sent });
  const signal = AbortSignal.timeout(DEADLINE);
  const response = await fetch(url, {
    ...{ method, headers, redirect: 'error', signal },
    ...(sent !== undefined && { body: sent }),
  });
  return { status: response.status, body: await response.json() };
}
