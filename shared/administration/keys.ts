import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import { type KeyLabel, SCOPES } from '../domain/partners/partner.ts';
import type { PartnerId, UnitId } from '../domain/values/ids.ts';
import { answered, environment, id, idText, keyId, moment, name, token } from './fields.ts';
import { KEY_READERS, MANAGER, noun } from './operation.ts';
import { toWire } from './wire.ts';

const { read, change } = noun('keys');

const KEY_STATES = ['live', 'revoked', 'never_live'] as const;

const scopes = () => described(z.array(z.enum(SCOPES)), 'What it may do; an empty list is all.');

const keyView = described(
  z.object({
    key_id: described(keyId(), 'The key, inside its partner.'),
    partner_id: id<PartnerId>('Whose it is.'),
    unit_id: id<UnitId>('The unit whose data it opens.'),
    environment: environment(),
    scopes: scopes(),
    prefix: described(z.string(), 'How it begins.'),
    last_four: described(z.string(), 'Its last four characters.'),
    state: described(z.enum(KEY_STATES), 'never_live: its making was cut off, it opens nothing.'),
    consultant_id: z.nullable(id('The consultant that it names.')),
    created_at: moment('When it was made.'),
    revoked_at: z.nullable(moment('When it ended.')),
  }),
  { id: 'Key' },
);

const issued = {
  partner_id: id<PartnerId>('Whose it is.'),
  unit_id: id<UnitId>('The unit whose data it opens.'),
  environment: environment(),
  key_id: described(keyId(), 'The key, inside its partner.'),
  text: described(z.string(), 'The key itself: shown this once, the table keeps its hash alone.'),
};

const SAME_KEY =
  'Repeated with the same, the call gives the same key: the answer to the first may have been lost. With the same and other scopes or another consultant it is refused.';

const which = z.strictObject({ key_id: described(keyId(), 'As list-keys shows it.') });

export const listKeys = read('list-keys', 'GET /v1/keys', {
  english: "a partner's keys, oldest first: never their text",
  portuguese: 'Listar chaves',
  duties: KEY_READERS,
  permission: { table: ['GetItem', 'Query'], secrets: ['keys'] },
  query: z.strictObject({ partner_id: idText<PartnerId>('Whose.') }),
  answer: answered({ keys: described(z.array(keyView), 'Oldest first; never their text.') }),
});

export const createKey = change('create-key', 'POST /v1/keys', {
  english: 'make a key of a partner; it is shown once',
  portuguese: 'Criar chave',
  duties: MANAGER,
  approval: 'a key of production',
  permission: { table: ['GetItem', 'ConditionCheckItem'], secrets: ['keys'] },
  body: z.strictObject({
    partner_id: id<PartnerId>('Whose.'),
    unit_id: id<UnitId>('The unit whose data it opens.'),
    environment: environment('producao needs a validated partner.'),
    scopes: z.optional(scopes()),
    consultant: described(
      z.optional(z.strictObject({ id: z.optional(id('Drawn where left out.')), name: name('What they are called.') })),
      'A consultant that the key names.',
    ),
    token: token(SAME_KEY),
  }),
  answer: answered(issued),
});

export const rotateKey = change('rotate-key', 'POST /v1/keys/{key_id}/rotate', {
  english: 'replace a key at once: the old one opens nothing from the next call on',
  portuguese: 'Trocar chave',
  duties: MANAGER,
  approval: 'a key of production',
  confirm: { fields: ['key_id'] },
  permission: { table: ['GetItem', 'Query', 'ConditionCheckItem'], secrets: ['keys'] },
  params: which,
  body: z.strictObject({ partner_id: id<PartnerId>('Whose.'), token: token(SAME_KEY) }),
  answer: answered({ ...issued, replaced: described(keyId(), 'The old key: it opens nothing from the next call on.') }),
});

export const revokeKey = change('revoke-key', 'POST /v1/keys/{key_id}/revoke', {
  english: 'end a key: it opens nothing from the next call on',
  portuguese: 'Revogar chave',
  duties: ['manager', 'security'],
  confirm: { fields: ['key_id'] },
  permission: { table: ['GetItem', 'Query'], secrets: ['keys'] },
  params: which,
  body: z.strictObject({ partner_id: id<PartnerId>('Whose.') }),
  answer: answered({ partner_id: id<PartnerId>('Whose it was.'), key_id: keyId(), state: z.literal('revoked') }),
});

/**
 * Highest limit of a partner, in calls a minute. The gateways of the stages admit 3,000 to 60,000 from all partners
 * together.
 */
export const LARGEST_RATE = 60_000;

export const setRate = noun('rates').change('set-rate', 'PUT /v1/rates/{partner_id}', {
  english: 'another limit for a partner in one environment, from its next call on',
  portuguese: 'Alterar limite de chamadas',
  duties: MANAGER,
  permission: { table: ['GetItem'] },
  params: z.strictObject({ partner_id: idText<PartnerId>('Whose.') }),
  body: z.strictObject({
    environment: environment(),
    limit: described(
      z.nullable(z.int().check(z.minimum(1), z.maximum(LARGEST_RATE))),
      'Calls a minute from the next call on; null is the usual limit.',
    ),
    replaces: described(
      z.optional(z.int()),
      'The limit that this one is to replace: refused where another is set by then.',
    ),
  }),
  answer: answered({
    partner_id: id<PartnerId>('Whose.'),
    environment: environment(),
    limit: described(z.int(), 'Calls a minute.'),
  }),
});

/** The operations of this noun, in the document's order. */
export const KEY_OPERATIONS = [listKeys, createKey, rotateKey, revokeKey, setRate] as const;

export function keyBody(partnerId: number, key: KeyLabel) {
  const state = key.live ? 'live' : key.revokedAt === undefined ? 'never_live' : 'revoked';
  return toWire(keyView, { ...key, keyId: key.id, partnerId, state, consultantId: key.consultant });
}
