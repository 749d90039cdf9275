import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import { type KeyLabel, SCOPES } from '../domain/partners/partner.ts';
import { timestamp } from '../domain/values/clock.ts';
import type { PartnerId, UnitId } from '../domain/values/ids.ts';
import { answered, type Exchange, environment, id, idText, keyId, moment, name, token } from './fields.ts';

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

export const listKeys = {
  query: z.strictObject({ partner_id: idText<PartnerId>('Whose.') }),
  answer: answered({ keys: described(z.array(keyView), 'Oldest first; never their text.') }),
} satisfies Exchange;

export const createKey = {
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
} satisfies Exchange;

export const rotateKey = {
  params: which,
  body: z.strictObject({ partner_id: id<PartnerId>('Whose.'), token: token(SAME_KEY) }),
  answer: answered({ ...issued, replaced: described(keyId(), 'The old key: it opens nothing from the next call on.') }),
} satisfies Exchange;

export const revokeKey = {
  params: which,
  body: z.strictObject({ partner_id: id<PartnerId>('Whose.') }),
  answer: answered({ partner_id: id<PartnerId>('Whose it was.'), key_id: keyId(), state: z.literal('revoked') }),
} satisfies Exchange;

export function keyBody(partner_id: number, key: KeyLabel): z.input<typeof keyView> {
  return {
    key_id: key.id,
    partner_id,
    unit_id: key.unitId,
    environment: key.environment,
    scopes: [...key.scopes],
    prefix: key.prefix,
    last_four: key.lastFour,
    state: key.live ? 'live' : key.revokedAt === undefined ? 'never_live' : 'revoked',
    consultant_id: key.consultant ?? null,
    created_at: timestamp(key.createdAt),
    revoked_at: key.revokedAt === undefined ? null : timestamp(key.revokedAt),
  };
}
