import * as z from 'zod';
import type { PartnerId, UnitId } from '../domain/ids.ts';
import { DEFAULT_LIMIT, type Environment } from '../domain/partner.ts';
import { OperatorError } from '../runtime/log.ts';
import { getRow, getRows, putRow, queryAllRows, transact, updateRow } from './client.ts';
import { GATE_KEYS, GATE_LIMIT } from './gate.ts';
import { gateKey, PARTNER_LIST, partnerList, partnerPartition, profileKey, UNITS, unitKey } from './keys.ts';

const profileFormat = z.object({
  id: z.custom<PartnerId>((value) => typeof value === 'number'),
  name: z.string(),
  createdAt: z.number(),
  validatedAt: z.number().optional(),
});
const unitFormat = z.object({
  id: z.custom<UnitId>((value) => typeof value === 'number'),
  name: z.string(),
  createdAt: z.number(),
});
/** A partner as the manager sees it; `validatedAt` (milliseconds) opens production to it. */
export type PartnerProfile = z.infer<typeof profileFormat>;
export type PartnerUnit = z.infer<typeof unitFormat>;

/** Rows that one BatchGetItem takes. */
const BATCH = 100;

/** Makes a partner with its gate, at the usual limits. */
export async function createPartner(partner: PartnerId, name: string, now: number): Promise<void> {
  const outcome = await transact([
    {
      Put: {
        Item: { ...profileKey(partner), ...partnerList(partner), id: partner, name, createdAt: now },
        ConditionExpression: 'attribute_not_exists(pk)',
      },
    },
    {
      Put: {
        Item: {
          ...gateKey(partner),
          [GATE_KEYS]: {},
          [GATE_LIMIT.sandbox]: DEFAULT_LIMIT,
          [GATE_LIMIT.producao]: DEFAULT_LIMIT,
        },
        ConditionExpression: 'attribute_not_exists(pk)',
      },
    },
  ]);
  if (outcome !== 'written') throw new OperatorError(`partner ${partner} exists already`);
}

/** A partner by its id; undefined where there is none. */
export async function getPartner(partner: PartnerId): Promise<PartnerProfile | undefined> {
  const item = await getRow(profileKey(partner));
  return item && profileFormat.parse(item);
}

/** All partners, oldest first. One made a moment ago may be missing: the index follows the table by a second or so. */
export async function listPartners(): Promise<PartnerProfile[]> {
  const ids = await queryAllRows({
    IndexName: 'byList',
    KeyConditionExpression: 'listPk = :pk',
    ExpressionAttributeValues: { ':pk': PARTNER_LIST },
  });
  const profiles: PartnerProfile[] = [];
  for (let start = 0; start < ids.length; start += BATCH) {
    const batch = ids.slice(start, start + BATCH).map(({ id }) => profileKey(Number(id) as PartnerId));
    profiles.push(
      ...(await getRows(batch)).filter((item) => item !== undefined).map((item) => profileFormat.parse(item)),
    );
  }
  return profiles;
}

/** Opens production to a partner. Throws an OperatorError where there is no such partner; one validated before stays as it is. */
export async function validatePartner(partner: PartnerId, now: number): Promise<void> {
  const outcome = await updateRow({
    Key: profileKey(partner),
    UpdateExpression: 'SET validatedAt = if_not_exists(validatedAt, :now)',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':now': now },
  });
  if ('refused' in outcome) throw unknownPartner(partner);
}

/** Sets a partner's calls a minute in some environments; holds from the next call on. Throws an OperatorError where there is no such partner. */
export async function setLimits(
  partner: PartnerId,
  limits: Readonly<Partial<Record<Environment, number>>>,
): Promise<void> {
  const set = (Object.keys(limits) as Environment[]).map((environment) => [`#${environment}`, environment] as const);
  const outcome = await updateRow({
    Key: gateKey(partner),
    UpdateExpression: `SET ${set.map(([name, environment]) => `${name} = :${environment}`).join(', ')}`,
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeNames: Object.fromEntries(set.map(([name, environment]) => [name, GATE_LIMIT[environment]])),
    ExpressionAttributeValues: Object.fromEntries(
      set.map(([, environment]) => [`:${environment}`, limits[environment]]),
    ),
  });
  if ('refused' in outcome) throw unknownPartner(partner);
}

/** The units of a partner, oldest first. */
export async function listUnits(partner: PartnerId): Promise<PartnerUnit[]> {
  const items = await queryAllRows({
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :units)',
    ExpressionAttributeValues: { ':pk': partnerPartition(partner), ':units': UNITS },
    ConsistentRead: true,
  });
  return items.map((item) => unitFormat.parse(item)).sort((a, b) => a.id - b.id);
}

function unknownPartner(partner: PartnerId): OperatorError {
  return new OperatorError(`there is no partner ${partner}: see partners list`);
}

/** Makes a unit of a partner. */
export async function createUnit(partner: PartnerId, unit: UnitId, name: string, now: number): Promise<void> {
  const outcome = await putRow({
    Item: { ...unitKey(partner, unit), id: unit, name, createdAt: now },
    ConditionExpression: 'attribute_not_exists(pk)',
  });
  if (outcome !== 'written') throw new OperatorError(`unit ${unit} exists already`);
}
