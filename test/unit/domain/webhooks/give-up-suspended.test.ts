import { expect, it } from 'vitest';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import { type GivenUp, giveUpSuspended } from '#shared/domain/webhooks/suspended.ts';

const NOW = 1_763_640_000_000;
const DAY = 86_400_000;

/** Returns disabled endpoints of these partners. That of partner 2 is one of the sandbox, the others of production. */
const endpoints = (...ids: number[]) =>
  ids.map((id) => ({
    partnerId: id as PartnerId,
    environment: id === 2 ? ('sandbox' as const) : ('producao' as const),
    byManager: false,
  }));

/** Returns the number of events that were given up in an environment. */
const eventsIn = (environment: Environment, given: GivenUp['given']) =>
  given.filter((one) => one.environment === environment).reduce((sum, { events }) => sum + events, 0);

/**
 * Calls giveUpSuspended for three disabled endpoints, two of them in the first page. Each endpoint has two pages of three
 * old events. The time is out after `pages` pages.
 */
async function over(pages: number) {
  const asked: [PartnerId, number][] = [];
  const { given } = await giveUpSuspended({
    suspended: {
      disabledEndpoints: async (_limit, after) =>
        after ? { items: endpoints(3), next: undefined } : { items: endpoints(1, 2), next: 'third' },
      giveUp: async ({ partnerId }, before, _now, after) => {
        asked.push([partnerId, before]);
        return { givenUp: 3, failures: [], next: after ? undefined : 'second' };
      },
    },
    now: NOW,
    inTime: () => asked.length < pages,
  });
  return { given, asked };
}

it('giveUpSuspended reads every page of every disabled endpoint for events that are older than 90 days', async () => {
  const { given, asked } = await over(Number.POSITIVE_INFINITY);
  expect(eventsIn('sandbox', given)).toBe(6);
  expect(eventsIn('producao', given)).toBe(12);
  expect(asked.map(([partnerId]) => partnerId).sort()).toEqual([1, 1, 2, 2, 3, 3]);
  expect(new Set(asked.map(([, before]) => before))).toEqual(new Set([NOW - 90 * DAY]));
});

it('giveUpSuspended reads the first page of every endpoint before the second page of any', async () => {
  const { asked } = await over(Number.POSITIVE_INFINITY);
  expect(asked.map(([partnerId]) => partnerId)).toEqual([1, 2, 3, 1, 2, 3]);
});

it('giveUpSuspended stops between pages if the time is out', async () => {
  const { given, asked } = await over(2);
  expect(asked).toHaveLength(2);
  expect(eventsIn('sandbox', given)).toBe(3);
  expect(eventsIn('producao', given)).toBe(3);
});

it('giveUpSuspended continues after a failure, and returns all failures in order', async () => {
  const [row, endpoint, list] = [new Error('row'), new Error('endpoint'), new Error('list')];
  const { given, failures } = await giveUpSuspended({
    suspended: {
      disabledEndpoints: async (_limit, after) => {
        if (after) throw list;
        return { items: endpoints(1, 2, 3), next: 'second' };
      },
      giveUp: async ({ partnerId }, _before, _now, after) => {
        if (partnerId === 2 && after) throw endpoint;
        const failed = partnerId === 1 && !after ? [row] : [];
        return { givenUp: 1, failures: failed, next: after ? undefined : 'second' };
      },
    },
    now: NOW,
    inTime: () => true,
  });
  expect(eventsIn('sandbox', given)).toBe(1);
  expect(eventsIn('producao', given)).toBe(4);
  expect(failures).toEqual([row, list, endpoint]);
});
