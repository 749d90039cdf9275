import { describe, expect, test } from 'vitest';
import { ENVIRONMENTS, type Environment } from '#shared/domain/values/tenancy.ts';
import type { Delivery } from '#shared/domain/webhooks/delivery.ts';
import type { EndpointOwner } from '#shared/domain/webhooks/endpoint.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { TableDeliveries } from '#shared/table/webhooks/deliveries.ts';
import { TableSuspendedDeliveries } from '#shared/table/webhooks/suspended-deliveries.ts';
import { disableWebhook, enableWebhook, setWebhook } from '#shared/table/webhooks/webhook-endpoints.ts';
import { bookDelivery, makeWebhookPartner, moveToState } from '../makers/booked.ts';
import { withPagesOfOne } from '../makers/pages-of-one.ts';
import { usePeers } from '../makers/peers.ts';

usePeers();

const NOW = 1_767_300_000_000;
const suspended = new TableSuspendedDeliveries();
const deliveries = new TableDeliveries(() => NOW);

/** Makes a partner whose endpoints of both environments are disabled. */
async function bothDisabled(): Promise<Readonly<Record<Environment, EndpointOwner>>> {
  const producao = await makeWebhookPartner(NOW);
  const sandbox = { ...producao, environment: 'sandbox' } as const;
  await setWebhook(sandbox, 'https://teste.parceiro.com.br/', newWebhookSecret(), NOW);
  await disableWebhook(producao, 'manager', NOW);
  await disableWebhook(sandbox, 'failing', NOW);
  return { producao, sandbox };
}

const suspend = async (owner: EndpointOwner) =>
  moveToState('suspensa', await bookDelivery(owner, { dueAt: NOW, createdAt: NOW }), NOW);
const stateOf = async ({ eventId }: Delivery) => (await deliveries.get(eventId))?.state;

/** Returns the disabled endpoints of a partner, of all pages. */
async function disabledOf({ partnerId }: EndpointOwner) {
  const found = [];
  let after: string | undefined;
  do {
    const page = await suspended.disabledEndpoints(1, after);
    found.push(...page.items.filter((endpoint) => endpoint.partnerId === partnerId));
    after = page.next;
  } while (after !== undefined);
  return found;
}

test('disabledEndpoints returns each disabled endpoint with its environment, and whether the manager disabled it', async () => {
  const { producao, sandbox } = await bothDisabled();
  const both = await disabledOf(producao);
  expect(both).toHaveLength(2);
  expect(both).toContainEqual({ ...producao, byManager: true });
  expect(both).toContainEqual({ ...sandbox, byManager: false });
  await enableWebhook(sandbox, NOW + 1);
  expect(await disabledOf(producao)).toEqual([{ ...producao, byManager: true }]);
});

test('exhausted reads every page, so that no partner is hidden behind the events of another', async () => {
  const [first, second] = [await makeWebhookPartner(NOW), await makeWebhookPartner(NOW)];
  for (const [seconds, owner] of [first, first, second].entries()) {
    const booked = await bookDelivery(owner, { dueAt: NOW, createdAt: NOW });
    await moveToState('esgotada', booked, NOW + seconds * 1_000);
  }
  const newest = (most: number) => suspended.exhausted('producao', NOW, most);
  const all = [second.partnerId, first.partnerId, first.partnerId];
  expect(await newest(10)).toEqual(all);
  expect(await withPagesOfOne(() => newest(10))).toEqual(all);
  expect(await withPagesOfOne(() => newest(2))).toEqual(all.slice(0, 2));
});

describe.each(ENVIRONMENTS)('a partner that keeps events in both environments, seen from %s', (environment) => {
  const other = environment === 'sandbox' ? 'producao' : 'sandbox';

  test('count counts only the events of the environment, up to a number, in as many pages as it needs', async () => {
    const owners = await bothDisabled();
    for (let made = 0; made < 3; made++) await suspend(owners[environment]);
    await suspend(owners[other]);
    const count = (most: number) => suspended.count(owners[environment], { most });
    expect(await count(10)).toEqual({ count: 3, isWhole: true });
    expect(await count(2)).toEqual({ count: 2, isWhole: false });
    expect(await withPagesOfOne(() => count(10))).toEqual({ count: 3, isWhole: true });
    expect((await suspended.count(owners[other], { most: 10 })).count).toBe(1);
  });

  test('count stops after the page at which the time is out', async () => {
    const owners = await bothDisabled();
    for (let made = 0; made < 2; made++) await suspend(owners[environment]);
    const count = () => suspended.count(owners[environment], { most: 10, inTime: () => false });
    expect(await withPagesOfOne(count)).toEqual({ count: 1, isWhole: false });
  });

  test('giveUp gives up only the events of the environment', async () => {
    const owners = await bothDisabled();
    const [own, foreign] = [await suspend(owners[environment]), await suspend(owners[other])];
    const page = await suspended.giveUp(owners[environment], NOW + 1, NOW + 1);
    expect(page).toMatchObject({ givenUp: 1, failures: [] });
    expect(await stateOf(own)).toBe('esgotada');
    expect(await stateOf(foreign)).toBe('suspensa');
  });

  test('giveUp gives up nothing while the endpoint of the environment is enabled, though the other is disabled', async () => {
    const owners = await bothDisabled();
    const own = await suspend(owners[environment]);
    await enableWebhook(owners[environment], NOW + 1);
    expect((await suspended.giveUp(owners[environment], NOW + 2, NOW + 2)).givenUp).toBe(0);
    expect(await stateOf(own)).toBe('suspensa');
  });
});
