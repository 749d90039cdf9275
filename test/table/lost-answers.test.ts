import { beforeAll, describe, expect, it } from 'vitest';
import { parseApiKey } from '#shared/domain/partners/api-key.ts';
import { drawId, type EventId, type UnitId } from '#shared/domain/values/ids.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { AUTH_KEYS, TableApiKeyAuth } from '#shared/table/partners/api-key-auth.ts';
import { createKey, listKeys, revokeKey, rotateKey } from '#shared/table/partners/api-keys.ts';
import { createUnit, listUnits } from '#shared/table/partners/partner-register.ts';
import { updateRow } from '#shared/table/rows/client.ts';
import { authKey, deliveryKey, deliverySuspended } from '#shared/table/rows/keys.ts';
import { TableSuspendedDeliveries } from '#shared/table/webhooks/suspended-deliveries.ts';
import {
  disableWebhook,
  rotateWebhookSecret,
  setWebhook,
  TableWebhookEndpoints,
} from '#shared/table/webhooks/webhook-endpoints.ts';
import { intercepted, interceptTable, losingFirstAnswers, meetingAt } from '../makers/intercepted.ts';
import { type MadePartner, makePartner, usePeers } from '../makers/peers.ts';
import { writeRows } from '../makers/rows.ts';

usePeers();
let partner: MadePartner;
beforeAll(async () => {
  partner = await makePartner();
});

const auth = () => new TableApiKeyAuth(Date.now);
const refused = (text: string) => expect(admitted(text)).rejects.toMatchObject({ code: 'auth_invalid' });
const sandbox = () => ({ partnerId: partner.partnerId, unitId: partner.unitId, environment: 'sandbox' }) as const;
const admitted = async (text: string) => (await auth().authenticate(text)).keyId;

describe('a transaction whose answer is lost, so that the SDK repeats it', () => {
  it('createUnit makes one unit if its answer is lost', async () => {
    const unitId = drawId<UnitId>(Date.now());
    const create = () => createUnit(partner.partnerId, unitId, 'Unidade Sul', Date.now());
    expect((await losingFirstAnswers(create)).lost).toHaveLength(1);
    expect((await listUnits(partner.partnerId)).filter(({ id }) => id === unitId)).toHaveLength(1);
  });

  it('setWebhook returns true if its answer is lost', async () => {
    const { partnerId } = await makePartner();
    const set = () =>
      setWebhook({ partnerId, environment: 'producao' }, 'https://a.example/h', newWebhookSecret(), Date.now());
    const { result, lost } = await losingFirstAnswers(set);
    expect(result).toBe(true);
    expect(lost).toHaveLength(1);
  });

  it('rotateWebhookSecret succeeds if its answer is lost', async () => {
    await setWebhook(sandbox(), 'https://parceiro.example/', newWebhookSecret(), Date.now());
    const secret = newWebhookSecret();
    const rotate = () => rotateWebhookSecret(sandbox(), secret, { overlap: 1_000, dropPrevious: false }, Date.now());
    expect((await losingFirstAnswers(rotate)).lost).toHaveLength(1);
    expect((await new TableWebhookEndpoints().get(sandbox()))!.secret).toBe(secret);
  });

  it('createKey and rotateKey make a live key if their answer is lost', async () => {
    const created = await losingFirstAnswers(() => createKey(sandbox(), Date.now()));
    expect(created.lost).toHaveLength(1);
    expect(await admitted(created.result.text)).toBe(created.result.keyId);
    const rotated = await losingFirstAnswers(() => rotateKey(partner.partnerId, created.result.keyId, Date.now()));
    expect(rotated.lost).toHaveLength(1);
    expect(await admitted(rotated.result.text)).toBe(rotated.result.keyId);
    await refused(created.result.text);
  });

  it('revokeKey succeeds for both of two calls that come at once', async () => {
    const { keyId, text } = await createKey(sandbox(), Date.now());
    interceptTable();
    const meeting = meetingAt('table TransactWriteItemsCommand', 2);
    const revoke = () => intercepted(meeting, () => revokeKey(partner.partnerId, keyId, Date.now()));
    expect(await Promise.all([revoke(), revoke()])).toEqual([undefined, undefined]);
    await refused(text);
  });

  it('giveUp counts an event if its answer is lost', async () => {
    const { partnerId } = await makePartner();
    const owner = { partnerId, environment: 'producao' } as const;
    await setWebhook(owner, 'https://parceiro.example/', newWebhookSecret(), Date.now());
    await disableWebhook(owner, 'manager', Date.now());
    const eventId = 'evt_given_up' as EventId;
    const kept = deliverySuspended(owner, 1, eventId);
    await writeRows([{ ...deliveryKey(eventId), ...kept, eventId, environment: 'producao', state: 'suspensa' }]);
    const giveUp = () => new TableSuspendedDeliveries().giveUp(owner, Date.now(), Date.now());
    const { result, lost } = await losingFirstAnswers(giveUp);
    expect(result.givenUp).toBe(1);
    expect(lost).toHaveLength(1);
  });

  it('revokeKey succeeds if its answer is lost', async () => {
    const { keyId, text } = await createKey(sandbox(), Date.now());
    const revoked = await losingFirstAnswers(() => revokeKey(partner.partnerId, keyId, Date.now()));
    expect(revoked.lost).toHaveLength(1);
    await refused(text);
    await expect(revokeKey(partner.partnerId, keyId, Date.now())).rejects.toThrow('is not live');
  });
});

describe('createKey and rotateKey with a token', () => {
  const wanted = () => ({ ...sandbox(), token: 'pedido-1' });

  it('createKey returns the same key for the same token, and another key for another token', async () => {
    const first = await createKey(wanted(), Date.now());
    expect(await createKey(wanted(), Date.now())).toEqual(first);
    expect(await admitted(first.text)).toBe(first.keyId);
    expect((await createKey({ ...wanted(), token: 'pedido-2' }, Date.now())).text).not.toBe(first.text);
    expect(parseApiKey(first.text)?.keyId).toBe(first.keyId);
  });

  it('rotateKey returns the same key for the same token, though the replaced key is dead by then', async () => {
    const old = await createKey({ ...wanted(), token: 'antiga' }, Date.now());
    const rotate = () => rotateKey(partner.partnerId, old.keyId, Date.now(), 'troca');
    const first = await rotate();
    expect(await rotate()).toEqual(first);
    expect(await admitted(first.text)).toBe(first.keyId);
    await refused(old.text);
  });

  it('rotateKey refuses to replace a revoked key, and writes no label', async () => {
    const old = await createKey({ ...wanted(), token: 'revogada-antes' }, Date.now());
    await revokeKey(partner.partnerId, old.keyId, Date.now());
    const before = await listKeys(partner.partnerId);
    const rotating = rotateKey(partner.partnerId, old.keyId, Date.now(), 'troca-tardia');
    await expect(rotating).rejects.toThrow(`key ${old.keyId} is not live`);
    expect(await listKeys(partner.partnerId)).toEqual(before);
  });

  it('createKey refuses a token that made a key with other scopes or another consultant', async () => {
    const token = 'escopos';
    const asked = { ...wanted(), token, scopes: ['leads'], consultant: { name: 'Ivo Salles' } } as const;
    const others = [
      { ...asked, scopes: [] },
      { ...asked, consultant: undefined },
      { ...asked, consultant: { id: 7, name: 'Ivo Salles' } },
      { ...asked, consultant: { name: 'Rita Salles' } },
    ];
    const first = await createKey(asked, Date.now());
    for (const other of others)
      await expect(createKey(other, Date.now())).rejects.toThrow(`the token has made key ${first.keyId}, with other`);
    expect(await createKey(asked, Date.now())).toEqual(first);

    // As the command of the RUNBOOK leaves a leaked key: the label exists, and the key is not admitted.
    await updateRow({
      Key: authKey(partner.partnerId),
      UpdateExpression: 'REMOVE #keys.#key',
      ExpressionAttributeNames: { '#keys': AUTH_KEYS, '#key': first.keyId },
    });
    for (const other of others)
      await expect(createKey(other, Date.now())).rejects.toThrow(`the token has made key ${first.keyId}, with other`);
    await expect(createKey(asked, Date.now())).rejects.toThrow(`the key of this token, ${first.keyId}, is dead`);
    await refused(first.text);
  });

  it('createKey refuses a token whose key is dead', async () => {
    const made = await createKey({ ...wanted(), token: 'revogada' }, Date.now());
    await revokeKey(partner.partnerId, made.keyId, Date.now());
    await expect(createKey({ ...wanted(), token: 'revogada' }, Date.now())).rejects.toThrow(
      `the key of this token, ${made.keyId}, is dead: use another token`,
    );
    await refused(made.text);
  });
});
