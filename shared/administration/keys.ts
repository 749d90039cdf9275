import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import { type KeyLabel, SCOPES } from '../domain/partners/partner.ts';
import type { PartnerId, UnitId } from '../domain/values/ids.ts';
import { answered, day, environment, id, idText, keyId, moment, name, shownOnce } from './fields.ts';
import { KEY_READERS, MANAGER, noun } from './operation.ts';
import { toWire } from './wire.ts';

const { read, change } = noun('keys');

const KEY_STATES = ['live', 'revoked', 'never_live'] as const;

const scopes = () => described(z.array(z.enum(SCOPES)), 'Scopes of the key. An empty list means all.');

const keyView = described(
  z.object({
    key_id: described(keyId(), 'Id of the key, unique inside its partner.'),
    partner_id: id<PartnerId>('The partner.'),
    unit_id: id<UnitId>('The unit whose data the key gives access to.'),
    environment: environment(),
    scopes: scopes(),
    prefix: described(z.string(), 'First characters of the key.'),
    last_four: described(z.string(), 'Last four characters of the key.'),
    state: described(z.enum(KEY_STATES), 'never_live: its creation was cut off, and it gives access to nothing.'),
    consultant_id: z.nullable(id('The consultant that the key names.')),
    created_at: moment('When it was made.'),
    revoked_at: z.nullable(moment('When it ended.')),
    last_used_on: described(
      z.nullable(day('A day in São Paulo.')),
      'Day of its last admitted call. Calls that its rate refused do not count. null: no such call is known.',
    ),
  }),
  { id: 'Key' },
);

const issued = {
  partner_id: id<PartnerId>('The partner.'),
  unit_id: id<UnitId>('The unit whose data the key gives access to.'),
  environment: environment(),
  key_id: described(keyId(), 'Id of the key, unique inside its partner.'),
  text: shownOnce(
    'The key itself. It is shown only now: the table keeps its hash, its first characters and its last four.',
  ),
};

const keyToken = () =>
  described(
    z.optional(z.uuidv4('must be a random UUID')),
    'For repeating the call after a lost answer: the same token returns the same key. The same token with other scopes or another consultant is refused. Draw it at random and keep it secret.',
  );

const keyParams = z.strictObject({ key_id: described(keyId(), 'As list-keys shows it.') });

export const listKeys = read('list-keys', 'GET /v1/keys', {
  english: "a partner's keys, oldest first: never their text",
  portuguese: 'Listar chaves',
  duties: KEY_READERS,
  permission: { table: ['GetItem', 'Query'], reads: ['AUTH', 'PARTNER'], writes: [], secrets: ['keys'] },
  query: z.strictObject({ partner_id: idText<PartnerId>('The partner.') }),
  answer: answered({ keys: described(z.array(keyView), 'Oldest first; never their text.') }),
});

export const createKey = change('create-key', 'POST /v1/keys', {
  english: 'make a key for a partner; it is shown once',
  portuguese: 'Criar chave',
  duties: MANAGER,
  approval: 'a key of production',
  permission: {
    table: ['GetItem', 'Query', 'ConditionCheckItem'],
    reads: ['AUTH', 'PARTNER'],
    writes: ['AUTH', 'PARTNER', 'DELIVERY', 'ENCRYPTIONS'],
    secrets: ['keys'],
  },
  body: z.strictObject({
    partner_id: id<PartnerId>('The partner.'),
    unit_id: id<UnitId>('The unit whose data the key gives access to.'),
    environment: environment('producao needs a validated partner.'),
    scopes: z.optional(scopes()),
    consultant: described(
      z.optional(z.strictObject({ id: z.optional(id('Left out: a new id is drawn.')), name: name('The name.') })),
      'A consultant that the key names.',
    ),
    token: keyToken(),
  }),
  answer: answered(issued),
});

export const rotateKey = change('rotate-key', 'POST /v1/keys/{key_id}/rotate', {
  english: 'replace a key at once: the old key is refused from the next call on',
  portuguese: 'Trocar chave',
  duties: MANAGER,
  approval: 'a key of production',
  confirm: { fields: ['key_id'] },
  permission: {
    table: ['GetItem', 'Query', 'ConditionCheckItem'],
    reads: ['AUTH', 'PARTNER'],
    writes: ['AUTH', 'PARTNER', 'DELIVERY', 'ENCRYPTIONS'],
    secrets: ['keys'],
  },
  params: keyParams,
  body: z.strictObject({ partner_id: id<PartnerId>('The partner.'), token: keyToken() }),
  answer: answered({
    ...issued,
    replaced: described(keyId(), 'Id of the old key. It is refused from the next call on.'),
  }),
});

export const revokeKey = change('revoke-key', 'POST /v1/keys/{key_id}/revoke', {
  english: 'end a key: it is refused from the next call on',
  portuguese: 'Revogar chave',
  duties: ['manager', 'security'],
  confirm: { fields: ['key_id'] },
  permission: {
    table: ['GetItem', 'Query', 'ConditionCheckItem'],
    reads: ['AUTH', 'PARTNER'],
    writes: ['AUTH', 'PARTNER', 'DELIVERY'],
    secrets: ['keys'],
  },
  params: keyParams,
  body: z.strictObject({ partner_id: id<PartnerId>('The partner.') }),
  answer: answered({ partner_id: id<PartnerId>('The partner.'), key_id: keyId(), state: z.literal('revoked') }),
});

/** The gateways of the stages admit 3,000 to 60,000 calls a minute to one method, from all partners together. */
export const LARGEST_RATE = 60_000;

export const setRate = noun('rates').change('set-rate', 'PUT /v1/rates/{partner_id}', {
  english: 'set the limit of a partner in one environment, from its next call on',
  portuguese: 'Alterar limite de chamadas',
  duties: MANAGER,
  permission: { table: ['GetItem'], reads: ['PARTNER'], writes: ['AUTH'] },
  params: z.strictObject({ partner_id: idText<PartnerId>('The partner.') }),
  body: z.strictObject({
    environment: environment(),
    limit: described(
      z.nullable(z.int().check(z.minimum(1), z.maximum(LARGEST_RATE))),
      'Calls a minute, from the next call on. null: the usual limit.',
    ),
    replaces: described(z.optional(z.int()), 'The limit to replace: refused if another limit is set by then.'),
  }),
  answer: answered({
    partner_id: id<PartnerId>('The partner.'),
    environment: environment(),
    limit: described(z.int(), 'Calls a minute.'),
  }),
});

export const KEY_OPERATIONS = [listKeys, createKey, rotateKey, revokeKey, setRate] as const;

export function keyBody(partnerId: number, key: KeyLabel) {
  const state = key.live ? 'live' : key.revokedAt === undefined ? 'never_live' : 'revoked';
  return toWire(keyView, { ...key, keyId: key.id, partnerId, state, consultantId: key.consultant });
}
