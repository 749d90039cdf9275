import * as z from 'zod';
import { type KeyLabel, SCOPES } from '../domain/partners/partner.ts';
import { timestamp } from '../domain/values/clock.ts';
import type { PartnerId, UnitId } from '../domain/values/ids.ts';
import { answered, type Exchange, environment, id, idText, keyId, moment, name } from './fields.ts';

const KEY_STATES = ['live', 'revoked', 'never_live'] as const;

const scopes = () => z.array(z.enum(SCOPES)).describe('What it may do; an empty list is all.');

const keyView = z
  .object({
    key_id: keyId().describe('The key, inside its partner.'),
    partner_id: id<PartnerId>('Whose it is.'),
    unit_id: id<UnitId>('The unit whose data it opens.'),
    environment: environment(),
    scopes: scopes(),
    prefix: z.string().describe('How it begins.'),
    last_four: z.string().describe('Its last four characters.'),
    state: z.enum(KEY_STATES).describe('never_live: its making was cut off, it opens nothing.'),
    consultant_id: id('The consultant that it names.').nullable(),
    created_at: moment('When it was made.'),
    revoked_at: moment('When it ended.').nullable(),
  })
  .meta({ id: 'Key' });

const issued = {
  partner_id: id<PartnerId>('Whose it is.'),
  unit_id: id<UnitId>('The unit whose data it opens.'),
  environment: environment(),
  key_id: keyId().describe('The key, inside its partner.'),
  text: z.string().describe('The key itself: shown this once, the table keeps its hash alone.'),
};

const token = () =>
  z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe(
      'Repeated with the same, the call gives the same key: the answer to the first may have been lost. With the same and other scopes or another consultant it is refused.',
    );

const which = z.strictObject({ key_id: keyId().describe('As list-keys shows it.') });

export const listKeys = {
  query: z.strictObject({ partner_id: idText<PartnerId>('Whose.') }),
  answer: answered({ keys: z.array(keyView).describe('Oldest first; never their text.') }),
} satisfies Exchange;

export const createKey = {
  body: z.strictObject({
    partner_id: id<PartnerId>('Whose.'),
    unit_id: id<UnitId>('The unit whose data it opens.'),
    environment: environment('producao needs a validated partner.'),
    scopes: scopes().optional(),
    consultant: z
      .strictObject({ id: id('Drawn where left out.').optional(), name: name('What they are called.') })
      .optional()
      .describe('A consultant that the key names.'),
    token: token(),
  }),
  answer: answered(issued),
} satisfies Exchange;

export const rotateKey = {
  params: which,
  body: z.strictObject({ partner_id: id<PartnerId>('Whose.'), token: token() }),
  answer: answered({ ...issued, replaced: keyId().describe('The old key: it opens nothing from the next call on.') }),
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
