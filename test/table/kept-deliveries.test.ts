import { describe, expect, test } from 'vitest';
import { ENVIRONMENTS, type Environment } from '#shared/domain/values/tenancy.ts';
import type { Delivery } from '#shared/domain/webhooks/delivery.ts';
import type { EndpointOwner } from '#shared/domain/webhooks/endpoint.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { TableDeliveries } from '#shared/table/webhooks/deliveries.ts';
import { TableKeptDeliveries } from '#shared/table/webhooks/kept-deliveries.ts';
import { disableWebhook, enableWebhook, setWebhook } from '#shared/table/webhooks/webhook-endpoints.ts';
import { bookDelivery, makeWebhookPartner, moveToState } from '../makers/booked.ts';
import { usePeers } from '../makers/peers.ts';

usePeers();

const NOW = 1_767_300_000_000;
const kept = new TableKeptDeliveries();
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
    const page = await kept.disabledEndpoints(1, after);
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

describe.each(ENVIRONMENTS)('a partner that keeps events in both environments, seen from %s', (environment) => {
  const other = environment === 'sandbox' ? 'producao' : 'sandbox';

  test('kept counts only the events of the environment, page by page', async () => {
    const owners = await bothDisabled();
    for (let made = 0; made < 3; made++) await suspend(owners[environment]);
    await suspend(owners[other]);
    const first = await kept.kept(owners[environment], 2);
    expect(first).toEqual({ count: 2, next: expect.any(String) });
    expect((await kept.kept(owners[environment], 2, first.next)).count).toBe(1);
    expect((await kept.kept(owners[other], 2)).count).toBe(1);
  });

  test('giveUp gives up only the events of the environment', async () => {
    const owners = await bothDisabled();
    const [own, foreign] = [await suspend(owners[environment]), await suspend(owners[other])];
    const page = await kept.giveUp(owners[environment], NOW + 1, NOW + 1);
    expect(page).toMatchObject({ givenUp: 1, failures: [] });
    expect(await stateOf(own)).toBe('esgotada');
    expect(await stateOf(foreign)).toBe('suspensa');
  });

  test('giveUp gives up nothing while the endpoint of the environment is enabled, though the other is disabled', async () => {
    const owners = await bothDisabled();
    const own = await suspend(owners[environment]);
    await enableWebhook(owners[environment], NOW + 1);
    expect((await kept.giveUp(owners[environment], NOW + 2, NOW + 2)).givenUp).toBe(0);
    expect(await stateOf(own)).toBe('suspensa');
  });
});
