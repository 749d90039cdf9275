import * as z from 'zod/mini';
import { type Agent, DEFAULT_LIMIT, type PartnerUnit } from '#shared/domain/partners/partner.ts';
import type { PartnerRegister } from '#shared/domain/partners/ports.ts';
import type { PartnerId, UnitId } from '#shared/domain/values/ids.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import type { AccountChange, AccountEventOf } from '#shared/domain/webhooks/delivery.ts';
import { SafeError } from '#shared/runtime/log.ts';
import {
  getRow,
  getRows,
  type Item,
  queryPartition,
  queryRows,
  type TransactItem,
  transact,
  updateRow,
} from '../rows/client.ts';
import {
  authKey,
  PARTNER_LIST,
  partnerList,
  partnerPartition,
  profileKey,
  UNITS,
  unitKey,
  unitNumberKey,
  webhookKey,
} from '../rows/keys.ts';
import { writeOutbox } from '../rows/outbox.ts';
import { numberOf } from '../rows/row-format.ts';
import { AUTH_KEYS, AUTH_LIMIT } from './api-key-auth.ts';

const profileFormat = z.object({
  id: numberOf<PartnerId>(),
  name: z.string(),
  createdAt: z.number(),
  validatedAt: z.optional(z.number()),
});
export const unitFormat = z.object({
  id: numberOf<UnitId>(),
  name: z.string(),
  creci: z.optional(z.string()),
  contact: z.optional(z.string()),
  createdAt: z.number(),
});
/** Rows that one BatchGetItem takes. */
const BATCH = 100;

/** Makes its auth item too. */
export const createPartner: PartnerRegister['create'] = async (partnerId, name, now) => {
  const ConditionExpression = 'attribute_not_exists(pk)';
  const profile = { ...profileKey(partnerId), ...partnerList(partnerId), id: partnerId, name, createdAt: now };
  const limits = { [AUTH_LIMIT.sandbox]: DEFAULT_LIMIT, [AUTH_LIMIT.producao]: DEFAULT_LIMIT };
  const outcome = await transact([
    { Put: { Item: profile, ConditionExpression } },
    { Put: { Item: { ...authKey(partnerId), [AUTH_KEYS]: {}, ...limits }, ConditionExpression } },
  ]);
  if (outcome !== 'written') throw new SafeError(`partner ${partnerId} exists already`);
};

/**
 * Makes the parts of a transaction that note a change of a partner's account with it, the profile's first: held to a condition.
 * The event of `eventOf` is booked with them for the address in `webhook`, the partner's row of this moment: moved or
 * disabled by the next change, it still hears of this one. The sweeper sends it. Where there is no row, nobody hears.
 * `unitId`: the unit of the key that is changed.
 */
export const accountChanges =
  (partnerId: PartnerId, webhook: Item | undefined, eventOf: AccountEventOf | undefined) =>
  (
    change: AccountChange,
    now: number,
    environment: Environment,
    { condition = 'attribute_exists(pk)', unitId }: { readonly condition?: string; readonly unitId?: UnitId } = {},
  ): TransactItem[] => {
    const event = webhook && eventOf?.({ partnerId, change, environment, unitId }, now);
    return [
      {
        Update: {
          Key: profileKey(partnerId),
          UpdateExpression: 'SET accountChangedAt = :now',
          ConditionExpression: condition,
          ExpressionAttributeValues: { ':now': now },
        },
      },
      ...(event ? [writeOutbox({ ...event, to: String(webhook['url']) }, 'sweeper')] : []),
    ];
  };

export const getPartner: PartnerRegister['get'] = async (partnerId) => {
  const item = await getRow(profileKey(partnerId));
  return item && profileFormat.parse(item);
};

const partnerOfUnit: PartnerRegister['ofUnit'] = async (unitId) => {
  const item = await getRow(unitNumberKey(unitId));
  return item && getPartner(Number(item['partnerId']) as PartnerId);
};

/** The index follows the table by a second or so. */
const pageOfPartners: PartnerRegister['page'] = async (limit, after) => {
  const { Items = [], LastEvaluatedKey } = await queryRows({
    IndexName: 'byList',
    KeyConditionExpression: 'listPk = :pk AND listSk > :after',
    ExpressionAttributeValues: { ':pk': PARTNER_LIST, ':after': partnerList((after ?? 0) as PartnerId).listSk },
    Limit: Math.min(BATCH, limit),
  });
  const ids = Items.map(({ id }) => Number(id) as PartnerId);
  const profiles = await getRows(ids.map(profileKey));
  return {
    items: profiles.filter((item) => item !== undefined).map((item) => profileFormat.parse(item)),
    next: LastEvaluatedKey && ids.at(-1),
  };
};

/** One validated before stays as it is. */
export async function validatePartner(partnerId: PartnerId, now: number, eventOf?: AccountEventOf): Promise<number> {
  const webhook = await getRow(webhookKey(partnerId));
  const [, ...event] = accountChanges(partnerId, webhook, eventOf)('producao_liberada', now, 'producao');
  const profile = {
    Key: profileKey(partnerId),
    UpdateExpression: 'SET validatedAt = :now, accountChangedAt = :now',
    ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(validatedAt)',
    ExpressionAttributeValues: { ':now': now },
  };
  const outcome = await transact([{ Update: profile }, ...event]);
  if (outcome === 'written') return now;
  const { validatedAt } = outcome[0]?.item ?? {};
  if (validatedAt === undefined) throw unknownPartner(partnerId);
  return Number(validatedAt);
}

export const setLimits: PartnerRegister['setLimits'] = async (partnerId, limits, replaces) => {
  const held = replaces !== undefined;
  const set = (Object.keys(limits) as Environment[]).map((environment) => [`#${environment}`, environment] as const);
  const outcome = await updateRow({
    Key: authKey(partnerId),
    UpdateExpression: `SET ${set.map(([name, environment]) => `${name} = :${environment}`).join(', ')}`,
    ConditionExpression: ['attribute_exists(pk)', ...(held ? set.map(([name]) => `${name} = :replaces`) : [])].join(
      ' AND ',
    ),
    ExpressionAttributeNames: Object.fromEntries(set.map(([name, environment]) => [name, AUTH_LIMIT[environment]])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(set.map(([, environment]) => [`:${environment}`, limits[environment]])),
      ...(held && { ':replaces': replaces }),
    },
  });
  if ('refused' in outcome && !('pk' in outcome.refused)) throw unknownPartner(partnerId);
  return 'written' in outcome;
};

export const listUnits: PartnerRegister['units'] = async (partnerId) => {
  const items = await queryPartition(partnerPartition(partnerId), UNITS);
  return items.map((item) => unitFormat.parse(item)).sort((a, b) => a.id - b.id);
};

const unknownPartner = (partnerId: PartnerId): SafeError =>
  new SafeError(`there is no partner ${partnerId}: see partners list`);

/** With the row that gives its number to no other unit: whatever belongs to a unit is found by that number alone. */
export const createUnit: PartnerRegister['createUnit'] = async (partnerId, unitId, name, now) => {
  const ConditionExpression = 'attribute_not_exists(pk)';
  const outcome = await transact([
    { Put: { Item: { ...unitKey(partnerId, unitId), id: unitId, name, createdAt: now }, ConditionExpression } },
    { Put: { Item: { ...unitNumberKey(unitId), partnerId, name }, ConditionExpression } },
  ]);
  if (outcome !== 'written') throw new SafeError(`the number of unit ${unitId} is taken: run the command again`);
};

const PRESENTED = ['name', 'creci', 'contact'] as const satisfies (keyof Agent)[];

/** How many times a unit is read anew where another call presents it meanwhile. */
const PRESENT_TRIES = 5;

/** Kept in the unit's row and in its number's, which the documents' functions read by the unit alone. */
export const presentUnit: PartnerRegister['presentUnit'] = async (partnerId, unitId, texts, replaces = {}) => {
  for (let tries = 0; tries < PRESENT_TRIES; tries++) {
    const row = await getRow(unitKey(partnerId, unitId));
    if (row === undefined) throw new SafeError(`partner ${partnerId} has no unit ${unitId}: see units list`);
    const read = unitFormat.parse(row);
    if (PRESENTED.some((field) => (replaces[field] ?? read[field] ?? '') !== (read[field] ?? ''))) return undefined;
    const presented = Object.fromEntries(
      PRESENTED.map((field) => [field, texts[field] ?? read[field] ?? '']).filter(([, text]) => text !== ''),
    );
    const unit = { ...unitKey(partnerId, unitId), id: unitId, createdAt: read.createdAt, ...presented };
    const outcome = await transact([
      { Put: { Item: unit, ...asRead(read) } },
      {
        Put: {
          Item: { ...unitNumberKey(unitId), partnerId, ...presented },
          ConditionExpression: 'partnerId = :partnerId',
          ExpressionAttributeValues: { ':partnerId': partnerId },
        },
      },
    ]);
    if (outcome === 'written') return unitFormat.parse(unit);
    if (outcome[1]?.failed) throw new SafeError(`unit ${unitId} is not of partner ${partnerId} alone: nothing was set`);
  }
  throw new SafeError(`other calls are changing unit ${unitId}: nothing was set, run the command again`);
};

/** The condition that a unit's row is presented as it was when read: else what another call has set would be undone. */
function asRead(read: PartnerUnit) {
  const known = PRESENTED.filter((field) => read[field] !== undefined);
  return {
    ConditionExpression: PRESENTED.map((field) =>
      read[field] === undefined ? `attribute_not_exists(#${field})` : `#${field} = :${field}`,
    ).join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(PRESENTED.map((field) => [`#${field}`, field])),
    ExpressionAttributeValues: Object.fromEntries(known.map((field) => [`:${field}`, read[field]])),
  };
}

/** `checklist` reads and notes other rows than the register's: it is given. The opening of production tells the partner. */
export function tablePartnerRegister(
  checklist: Pick<PartnerRegister, 'checklist' | 'noteSteps'>,
  eventOf: AccountEventOf,
): PartnerRegister {
  return {
    create: createPartner,
    get: getPartner,
    ofUnit: partnerOfUnit,
    page: pageOfPartners,
    validate: (partnerId, now) => validatePartner(partnerId, now, eventOf),
    setLimits,
    units: listUnits,
    createUnit,
    presentUnit,
    ...checklist,
  };
}
