import { afterAll, beforeAll, expect, it } from 'vitest';
import { handler as getAccount } from '#functions/api/account/get-account.ts';
import { handler as createLead } from '#functions/api/leads/create-lead.ts';
import { handler as getLead } from '#functions/api/leads/get-lead.ts';
import { awsLikeSettings } from '#infra/local/aws/aws-like/settings.ts';
import type { AwsLike } from '#infra/local/aws/aws-like.ts';
import * as routes from '#shared/contract/routes.ts';
import { parseApiKey } from '#shared/domain/partners/api-key.ts';
import { revokeKey } from '#shared/table/partners/api-keys.ts';
import { forgetServiceKeys } from '#shared/table/rows/encryption.ts';
import { callHandler } from '#test/makers/call.ts';
import { type MadePartner, makePartner, type Peers, startPeers } from '#test/makers/peers.ts';
import { cpfFrom, leadBody } from '#test/makers/people.ts';

/** Time that the function has left, in milliseconds. */
const REMAINING = 3000;

let peers: Peers;
let wire: AwsLike;
let partner: MadePartner;
beforeAll(async () => {
  peers = await startPeers(undefined, { awsLike: awsLikeSettings('default') });
  wire = peers.awsLike!;
  partner = await makePartner();
});
afterAll(() => peers.close());

it('a hung call to Secrets Manager fails no call after the first', async () => {
  const create = (seed: number, options: { readonly remaining?: number } = {}) =>
    callHandler(createLead, routes.createLead, {
      key: partner.keys.producao,
      body: leadBody({ cpf: cpfFrom(seed) }),
      ...options,
    });
  forgetServiceKeys();
  const hung = wire.order({ fault: 'hang', service: 'secretsmanager', action: 'GetSecretValue' });
  const first = await create(1, { remaining: REMAINING });
  expect(hung.met).toBe(1);
  expect(first.status).toBeOneOf([201, 503, 504]);
  expect((await create(2)).status).toBe(201);
  expect((await create(3)).status).toBe(201);
});

it('a call whose key check hangs is answered 503 or 504 before the function runs out of time', async () => {
  const hung = wire.order({ fault: 'hang', action: 'UpdateItem', touching: 'AUTH#', times: Number.POSITIVE_INFINITY });
  // Timers end in the order of their times, even if the machine stands still for a while.
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
  }, REMAINING);
  const answer = await callHandler(getAccount, routes.getAccount, { key: partner.keys.producao, remaining: REMAINING });
  clearTimeout(limit);
  hung.end();
  expect(answer.status).toBeOneOf([503, 504]);
  expect(isLate).toBe(false);
});

it('a hung read that began before the key was refused does not delay the 401', async () => {
  const key = await partner.addKey();
  const call = () => callHandler(getLead, routes.getLead, { key, id: 1 });
  expect((await call()).status).toBe(404);
  await revokeKey(partner.partnerId, parseApiKey(key)!.keyId, Date.now());
  const hung = wire.order({ fault: 'hang', action: 'GetItem', touching: 'LEAD#', times: Number.POSITIVE_INFINITY });
  const { status } = await call();
  hung.end();
  expect(hung.met).toBe(1);
  expect(status).toBe(401);
});
