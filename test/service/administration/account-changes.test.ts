/**
 * Each change of a partner's account is sent to the address that its environment had before the change, and shown by
 * GET /v1/me.
 */
import { beforeAll, expect, it } from 'vitest';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS, type Environment } from '#shared/domain/values/tenancy.ts';
import type { AccountChange, Delivery } from '#shared/domain/webhooks/delivery.ts';
import { administration, because } from '#test/makers/administration.ts';
import { api } from '#test/makers/api.ts';
import { type MadePartner, makePartner, usePeers } from '#test/makers/peers.ts';
import { rowsOf } from '#test/makers/rows.ts';

usePeers();
const [OLD, MOVED, OTHER] = ['http://127.0.0.1:9/antigo', 'http://127.0.0.1:9/novo', 'http://127.0.0.1:9/outro'];
beforeAll(() => {
  process.env['LOCAL_WEBHOOK_TARGETS'] = 'true';
});

type Fields = Readonly<Record<string, unknown>>;
const make = async (operation: Parameters<typeof administration>[0], params: Fields, body: Fields) => {
  const answer = await administration(operation, {
    params: params as Record<string, string>,
    body: { ...because, ...body },
  });
  expect(answer.status).toBe(200);
  return answer.body;
};
const told = async ({ partnerId }: Pick<MadePartner, 'partnerId'>) =>
  ((await rowsOf('DELIVERY#')) as unknown as Delivery[])
    .filter((row) => row.partnerId === partnerId)
    .map(({ body, to, environment }) => ({ to, environment, mudanca: JSON.parse(body).data.mudanca, body }));
const changedAt = async (key: string) => (await api('getAccount', { key })).body.alterada_em;

const withKey = async ({ partnerId: partner_id, unitId: unit_id }: MadePartner) => {
  const key = await make('create-key', {}, { partner_id, unit_id, environment: 'sandbox' });
  return { key_id: key.key_id as string, body: { partner_id, confirm: key.key_id } };
};
const confirmed = ({ partnerId }: MadePartner) => ({ confirm: String(partnerId) });
/** Sets the address of the environment of a change, and another address in the other environment. */
const setAddresses = async (partner_id: PartnerId, changed: Environment) => {
  for (const environment of ENVIRONMENTS)
    await make('set-webhook', { partner_id, environment }, { url: environment === changed ? OLD : OTHER });
};
type Change = [environment: Environment, of: 'unit' | 'partner', change: (partner: MadePartner) => Promise<unknown>];
const CHANGES: Record<Exclude<AccountChange, 'producao_liberada'>, Change> = {
  chave_criada: ['sandbox', 'unit', withKey],
  chave_revogada: [
    'sandbox',
    'unit',
    async (one) => withKey(one).then(({ key_id, body }) => make('revoke-key', { key_id }, body)),
  ],
  chave_trocada: [
    'sandbox',
    'unit',
    async (one) => withKey(one).then(({ key_id, body }) => make('rotate-key', { key_id }, body)),
  ],
  webhook_endereco: [
    'producao',
    'partner',
    ({ partnerId }) => make('set-webhook', { partner_id: partnerId, environment: 'producao' }, { url: MOVED }),
  ],
  webhook_segredo: [
    'sandbox',
    'partner',
    (one) =>
      make(
        'rotate-webhook-secret',
        { partner_id: one.partnerId, environment: 'sandbox' },
        { ...confirmed(one), overlap: false },
      ),
  ],
  unidade_textos: [
    'producao',
    'unit',
    ({ partnerId: partner_id, unitId: unit_id }) => make('present-unit', { unit_id }, { partner_id, creci: '12345-J' }),
  ],
};

it.each(Object.entries(CHANGES))(
  '%s is sent to the address from before the change, and GET /v1/me shows its time',
  async (mudanca, [environment, , change]) => {
    const partner = await makePartner();
    await setAddresses(partner.partnerId, environment);
    expect(await told(partner)).toEqual([]);
    await change(partner);
    const events = await told(partner);
    expect(events.filter((event) => event.mudanca === mudanca)).toEqual([
      { to: OLD, environment, mudanca, body: expect.not.stringMatching(/127\.0\.0\.1|pmc_|whsec|Parceiro/) },
    ]);
    const moments = events.map(({ body }) => JSON.parse(body).timestamp as string);
    expect(await changedAt(partner.keys.producao)).toBe(moments.sort().at(-1));
    // The partner's own list of a unit only has events of analyses.
    expect((await api('listOwnDeliveries', { key: partner.keys.sandbox })).body.entregas).toEqual([]);
  },
);

it.each(Object.entries(CHANGES))(
  '%s is shown with the unit of its key, or without a unit if it concerns the whole partner',
  async (mudanca, [environment, of, change]) => {
    const partner = await makePartner();
    const { partnerId: partner_id } = partner;
    await setAddresses(partner_id, environment);
    await change(partner);
    const row = (await told(partner)).find((event) => event.mudanca === mudanca)!;
    const event_id: string = JSON.parse(row.body).id;
    const unit_id = of === 'unit' ? partner.unitId : null;
    const isIt = (one: Fields) => one['event_id'] === event_id;

    const shown = await administration('show-delivery', { params: { event_id } });
    expect(shown.body.delivery.unit_id).toBe(unit_id);
    const listed = await administration('list-deliveries', { query: { partner_id } });
    expect(listed.body.deliveries.find(isIt).unit_id).toBe(unit_id);
    const preview = await administration('replay-deliveries', { body: { event_id, dry_run: true } });
    expect(preview.body.deliveries.find(isIt).unit_id).toBe(unit_id);

    const ofUnit = await administration('list-deliveries', { query: { partner_id, unit_id: partner.unitId } });
    expect(ofUnit.body.deliveries.some(isIt)).toBe(of === 'unit');
    const ofPartnersNumber = await administration('list-deliveries', { query: { partner_id, unit_id: partner_id } });
    expect(ofPartnersNumber.body.deliveries).toEqual([]);
  },
);

it('producao_liberada is sent once to the address of production, however often a partner is validated', async () => {
  const { partner } = await make('create-partner', {}, { name: 'Parceiro por validar' });
  await setAddresses(partner.partner_id, 'producao');
  const params = { partner_id: partner.partner_id };
  for (let times = 0; times < 2; times++) await make('validate-partner', params, { incomplete: true });
  const events = await told({ partnerId: partner.partner_id });
  expect(events).toMatchObject([{ to: OLD, environment: 'producao', mudanca: 'producao_liberada' }]);
});
