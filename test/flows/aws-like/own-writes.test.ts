import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handler as getAccount } from '../../../functions/api/account/get-account.ts';
import { handler as createLead } from '../../../functions/api/leads/create-lead.ts';
import { handler as updateLead } from '../../../functions/api/leads/update-lead.ts';
import { awsLikeSettings } from '../../../infra/local/aws/aws-like/settings.ts';
import type { AwsLike } from '../../../infra/local/aws/aws-like.ts';
import * as routes from '../../../shared/contract/routes.ts';
import { parseApiKey } from '../../../shared/domain/partners/api-key.ts';
import { listKeys } from '../../../shared/table/api-keys.ts';
import { callHandler } from '../../makers/call.ts';
import { makePartner, type Peers, startPeers } from '../../makers/peers.ts';
import { leadBody } from '../../makers/people.ts';
import { useManager } from '../../makers/served-administration.ts';

let peers: Peers;
let wire: AwsLike;
beforeAll(async () => {
  peers = await startPeers(undefined, { awsLike: awsLikeSettings('default') });
  wire = peers.awsLike!;
});
afterAll(() => peers.close());
const manager = useManager({
  get blueprint() {
    return peers.blueprint;
  },
});

const status = async (key: string) => (await callHandler(getAccount, routes.getAccount, { key })).status;

describe('a write whose answer was lost, and which the SDK repeats,', () => {
  it('of a lead says what it changed', async () => {
    const { keys } = await makePartner();
    const key = keys.producao;
    const made = await callHandler(createLead, routes.createLead, { key, body: leadBody() });
    const lost = wire.order({ fault: 'answer_lost', action: 'UpdateItem', touching: 'LEAD#' });
    const changed = await callHandler(updateLead, routes.updateLead, {
      key,
      id: made.body.lead_id,
      body: { renda: 7000 },
    });
    expect([lost.met, changed.status, changed.body.atualizado]).toEqual([1, 200, ['renda']]);
  });

  it('of a key that is rotated gives the new key', async () => {
    const { partnerId, keys } = await makePartner();
    const lost = wire.order({ fault: 'answer_lost', action: 'UpdateItem', touching: 'AUTH#' });
    const rotate = ['keys', 'rotate', parseApiKey(keys.sandbox)!.keyId, '--partner', partnerId];
    const ran = await manager([...rotate, '--reason', 'INC-1', '--yes', '--json']);
    expect([lost.met, await status(keys.sandbox), ran.code, ran.err]).toEqual([
      1,
      401,
      0,
      expect.not.stringContaining('manager:'),
    ]);
    expect(await status(ran.json().text)).toBe(200);
  });

  it('of a key that is made leaves no live key that nobody holds', async () => {
    const { partnerId, unitId, keys } = await makePartner();
    const lost = wire.order({ fault: 'answer_lost', action: 'UpdateItem', touching: 'AUTH#' });
    const ran = await manager(['keys', 'create', '--partner', partnerId, '--unit', unitId, '--json']);
    expect(lost.met).toBe(1);
    const held = [keys.sandbox, keys.producao, ...(ran.code === 0 ? [ran.json().text] : [])];
    const live = (await listKeys(partnerId)).filter((key) => key.live).map(({ id }) => id);
    expect(live.sort()).toEqual(held.map((text) => parseApiKey(text)!.keyId).sort());
  });
});
