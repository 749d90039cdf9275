import * as z from 'zod/mini';
import {
  type Agent,
  DEFAULT_LIMIT,
  type PartnerProfile,
  type PartnerUnit,
  PRESENTED,
} from '#shared/domain/partners/partner.ts';
import type { PartnerRegister } from '#shared/domain/partners/ports.ts';
import type { SandboxChecklist } from '#shared/domain/partners/sandbox-checklist.ts';
import { idOf, type PartnerId, type UnitId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS, type Environment } from '#shared/domain/values/tenancy.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import type { AccountEventOf } from '#shared/domain/webhooks/delivery.ts';
import { SafeError } from '#shared/runtime/log.ts';
import { accountChanges, requireWebhookAsRead, webhookAsRead, webhookChanged } from '../rows/account-changes.ts';
import {
  getRow,
  getRows,
  type Item,
  queryPartition,
  queryRows,
  transact,
  transactNamed,
  updateRecognised,
  winRow,
} from '../rows/client.ts';
import {
  authKey,
  listedPartnerKey,
  PARTNERS,
  partnerPartition,
  profileKey,
  type RowKey,
  UNITS,
  unitKey,
  unitNumberKey,
  webhookKey,
} from '../rows/keys.ts';
import { numberOf } from '../rows/row-format.ts';
import { AUTH_KEYS, AUTH_LIMIT } from './api-key-auth.ts';

export const profileFormat = z.object({
  id: numberOf<PartnerId>(),
  name: z.string(),
  createdAt: z.number(),
  validatedAt: z.optional(z.number()),
  incidentContact: z.optional(z.string()),
});
export const unitFormat = z.object({
  id: numberOf<UnitId>(),
  name: z.string(),
  creci: z.optional(z.string()),
  contact: z.optional(z.string()),
  createdAt: z.number(),
});
const ownerFormat = z.object({ partnerId: numberOf<PartnerId>() });
const idsFormat = z.array(numberOf<PartnerId>());

const BATCH = 100;
const BEFORE_ALL = idOf<PartnerId>(0);

export async function createPartner(partnerId: PartnerId, name: string, now: Instant): Promise<void> {
  const ConditionExpression = 'attribute_not_exists(pk)';
  const profile = { ...profileKey(partnerId), id: partnerId, name, createdAt: now };
  const auth = {
    ...authKey(partnerId),
    [AUTH_KEYS]: {},
    [AUTH_LIMIT.sandbox]: DEFAULT_LIMIT,
    [AUTH_LIMIT.producao]: DEFAULT_LIMIT,
  };
  const outcome = await transact([
    { Put: { Item: profile, ConditionExpression } },
    { Put: { Item: auth, ConditionExpression } },
    { Put: { Item: listedPartnerKey(partnerId), ConditionExpression } },
  ]);
  if (outcome !== 'written') throw new SafeError(`partner ${partnerId} exists already`);
}

export async function getPartner(partnerId: PartnerId): Promise<PartnerProfile | undefined> {
  const item = await getRow(profileKey(partnerId));
  return item && profileFormat.parse(item);
}

/** Undefined if no webhook of production is set. */
interface SeenWebhook {
  readonly webhook: string | undefined;
}

export async function validatePartner(
  partnerId: PartnerId,
  now: Instant,
  eventOf?: AccountEventOf,
  seen?: SeenWebhook,
): Promise<Instant> {
  const owner = { partnerId, environment: 'producao' } as const;
  const account = { ...owner, webhook: await getRow(webhookKey(owner)), eventOf };
  if (seen && seen.webhook !== account.webhook?.['url']) throw webhookChanged(owner);
  const { event } = accountChanges(account, { change: 'producao_liberada', now });
  const profile = {
    Update: {
      Key: profileKey(partnerId),
      UpdateExpression: 'SET validatedAt = :now, accountChangedAt = :now',
      ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(validatedAt)',
      ExpressionAttributeValues: { ':now': now },
    },
  };
  const outcome = await transactNamed({ profile, event, webhook: webhookAsRead(account) });
  if (outcome === 'written') return now;
  if (!outcome.profile) requireWebhookAsRead(account, outcome.webhook);
  const { validatedAt } = outcome.profile?.row ?? {};
  if (validatedAt === undefined) throw unknownPartner(partnerId);
  return Number(validatedAt);
}

export async function setLimits(
  partnerId: PartnerId,
  limits: Readonly<Partial<Record<Environment, number>>>,
  replaces?: number,
): Promise<boolean> {
  const changed = ENVIRONMENTS.filter((environment) => limits[environment] !== undefined);
  const assignments = changed.map((environment) => `#${environment} = :${environment}`);
  const unchanged = replaces === undefined ? [] : changed.map((environment) => `#${environment} = :replaces`);
  const outcome = await winRow({
    Key: authKey(partnerId),
    UpdateExpression: `SET ${assignments.join(', ')}`,
    ConditionExpression: ['attribute_exists(pk)'].concat(unchanged).join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(
      changed.map((environment) => [`#${environment}`, AUTH_LIMIT[environment]]),
    ),
    ExpressionAttributeValues: {
      ...Object.fromEntries(changed.map((environment) => [`:${environment}`, limits[environment]])),
      ':replaces': replaces,
    },
  });
  if ('refused' in outcome && !('pk' in outcome.refused)) throw unknownPartner(partnerId);
  return 'written' in outcome;
}

export async function setIncidentContact(
  partnerId: PartnerId,
  contact: string,
  replaces?: string,
): Promise<PartnerProfile | undefined> {
  const update = {
    Key: profileKey(partnerId),
    UpdateExpression: contact === '' ? 'REMOVE incidentContact' : 'SET incidentContact = :contact',
    ConditionExpression: ['id = :id'].concat(contactAsRead(replaces)).join(' AND '),
    ExpressionAttributeValues: {
      ':id': partnerId,
      ':contact': contact || undefined,
      ':replaces': replaces || undefined,
    },
  };
  const hasContact = (row: Item) => 'pk' in row && (row['incidentContact'] ?? '') === contact;
  const outcome = await updateRecognised(update, hasContact);
  if ('written' in outcome) return profileFormat.parse(outcome.written);
  if (!('pk' in outcome.refused)) throw unknownPartner(partnerId);
  return undefined;
}

function contactAsRead(replaces: string | undefined): string[] {
  if (replaces === undefined) return [];
  return [replaces === '' ? 'attribute_not_exists(incidentContact)' : 'incidentContact = :replaces'];
}

export async function listUnits(partnerId: PartnerId): Promise<readonly PartnerUnit[]> {
  const items = await queryPartition(partnerPartition(partnerId), UNITS);
  return items.map((item) => unitFormat.parse(item)).sort((a, b) => a.id - b.id);
}

const unknownPartner = (partnerId: PartnerId): SafeError =>
  new SafeError(`there is no partner ${partnerId}: see partners list`);

/** The number has a row of its own, so that no other unit gets it: the rows of a unit are found only by that number. */
export async function createUnit(partnerId: PartnerId, unitId: UnitId, name: string, now: Instant): Promise<void> {
  const ConditionExpression = 'attribute_not_exists(pk)';
  const outcome = await transact([
    { Put: { Item: { ...unitKey(partnerId, unitId), id: unitId, name, createdAt: now }, ConditionExpression } },
    { Put: { Item: { ...unitNumberKey(unitId), partnerId, name }, ConditionExpression } },
  ]);
  if (outcome !== 'written') throw new SafeError(`the number of unit ${unitId} is taken: run the command again`);
}

type PresentedTexts = { readonly [field in keyof Agent]?: string | undefined };

const PRESENT_TRIES = 5;

/**
 * Writes the unit's row and the row of its number: the functions that make documents know only the number. Throws a
 * SafeError if other calls keep changing the unit, and a ChangedMeanwhile if another call sets the address of the
 * webhook of production.
 */
export async function presentUnit(
  partnerId: PartnerId,
  unitId: UnitId,
  sent: PresentedTexts,
  now: Instant,
  replaces: PresentedTexts = {},
  eventOf?: AccountEventOf,
): Promise<PartnerUnit | undefined> {
  const owner = { partnerId, environment: 'producao' } as const;
  for (let tries = 0; tries < PRESENT_TRIES; tries++) {
    const [row, webhook] = await getRows([unitKey(partnerId, unitId), webhookKey(owner)]);
    if (row === undefined) throw new SafeError(`partner ${partnerId} has no unit ${unitId}: see units list`);
    const read = unitFormat.parse(row);
    if (PRESENTED.some((field) => (replaces[field] ?? read[field] ?? '') !== (read[field] ?? ''))) return undefined;
    const presented = PRESENTED.map((field) => [field, sent[field] ?? read[field] ?? ''] as const);
    const isChange = presented.some(([field, text]) => text !== (read[field] ?? ''));
    const account = { ...owner, webhook, eventOf };
    const ofPartner = { condition: 'partnerId = :partnerId', values: { ':partnerId': partnerId } };
    const change = isChange ? accountChanges(account, { change: 'unidade_textos', unitId, now }) : undefined;
    const outcome = await transactNamed({
      unit: { Update: presenting(unitKey(partnerId, unitId), presented, asRead(read)) },
      number: { Update: presenting(unitNumberKey(unitId), presented, ofPartner) },
      profile: change?.profile,
      event: change?.event,
      webhook: change && webhookAsRead(account),
    });
    if (outcome === 'written') {
      const kept = presented.filter(([, text]) => text !== '');
      return unitFormat.parse({ id: unitId, createdAt: read.createdAt, ...Object.fromEntries(kept) });
    }
    if (outcome.number) throw new SafeError(`unit ${unitId} is not of partner ${partnerId} alone: nothing was set`);
    requireWebhookAsRead(account, outcome.webhook);
  }
  throw new SafeError(`other calls are changing unit ${unitId}: nothing was set, run the command again`);
}

/** The condition may use `#field` for each of the texts. */
interface TextsCondition {
  readonly condition: string;
  readonly values: Item;
}

/** Without this condition, the write would undo another call's write. */
function asRead(read: PartnerUnit): TextsCondition {
  const unchanged = PRESENTED.map((field) =>
    read[field] === undefined ? `attribute_not_exists(#${field})` : `#${field} = :${field}`,
  );
  return {
    condition: unchanged.join(' AND '),
    values: Object.fromEntries(PRESENTED.map((field) => [`:${field}`, read[field]])),
  };
}

/** Leaves every other attribute as it is: the reset of the sandbox keeps `resetAt` in the unit's row. */
function presenting(
  Key: RowKey,
  texts: readonly (readonly [field: string, text: string])[],
  { condition, values }: TextsCondition,
) {
  const kept = texts.filter(([, text]) => text !== '');
  const removed = texts.filter(([, text]) => text === '');
  const assignments = kept.map(([field]) => `#${field} = :new_${field}`);
  const removal = removed.length === 0 ? '' : ` REMOVE ${removed.map(([field]) => `#${field}`).join(', ')}`;
  return {
    Key,
    UpdateExpression: `SET ${assignments.join(', ')}${removal}`,
    ConditionExpression: condition,
    ExpressionAttributeNames: Object.fromEntries(texts.map(([field]) => [`#${field}`, field])),
    ExpressionAttributeValues: {
      ...values,
      ...Object.fromEntries(kept.map(([field, text]) => [`:new_${field}`, text])),
    },
  };
}

type Checklist = Pick<PartnerRegister, 'checklist' | 'noteSteps'>;

export class TablePartnerRegister implements PartnerRegister {
  readonly #checklist: Checklist;
  readonly #eventOf: AccountEventOf;

  constructor(checklist: Checklist, eventOf: AccountEventOf) {
    this.#checklist = checklist;
    this.#eventOf = eventOf;
  }

  create(partnerId: PartnerId, name: string, now: Instant): Promise<void> {
    return createPartner(partnerId, name, now);
  }

  get(partnerId: PartnerId): Promise<PartnerProfile | undefined> {
    return getPartner(partnerId);
  }

  async ofUnit(unitId: UnitId): Promise<PartnerProfile | undefined> {
    const item = await getRow(unitNumberKey(unitId));
    return item && getPartner(ownerFormat.parse(item).partnerId);
  }

  async page(
    limit: number,
    after: PartnerId = BEFORE_ALL,
  ): Promise<{ items: readonly PartnerProfile[]; next: PartnerId | undefined }> {
    const { Items = [], LastEvaluatedKey } = await queryRows({
      KeyConditionExpression: 'pk = :pk AND sk > :after',
      ExpressionAttributeValues: { ':pk': PARTNERS, ':after': listedPartnerKey(after).sk },
      ConsistentRead: true,
      Limit: Math.min(BATCH, limit),
    });
    const ids = idsFormat.parse(Items.map(({ sk }) => Number(sk)));
    const profiles = await getRows(ids.map(profileKey));
    return {
      items: profiles.filter((item) => item !== undefined).map((item) => profileFormat.parse(item)),
      next: LastEvaluatedKey && ids.at(-1),
    };
  }

  validate(partnerId: PartnerId, now: Instant, seen?: SeenWebhook): Promise<Instant> {
    return validatePartner(partnerId, now, this.#eventOf, seen);
  }

  setLimits(
    partnerId: PartnerId,
    limits: Readonly<Partial<Record<Environment, number>>>,
    replaces?: number,
  ): Promise<boolean> {
    return setLimits(partnerId, limits, replaces);
  }

  setIncidentContact(partnerId: PartnerId, contact: string, replaces?: string): Promise<PartnerProfile | undefined> {
    return setIncidentContact(partnerId, contact, replaces);
  }

  units(partnerId: PartnerId): Promise<readonly PartnerUnit[]> {
    return listUnits(partnerId);
  }

  createUnit(partnerId: PartnerId, unitId: UnitId, name: string, now: Instant): Promise<void> {
    return createUnit(partnerId, unitId, name, now);
  }

  presentUnit(
    partnerId: PartnerId,
    unitId: UnitId,
    texts: PresentedTexts,
    now: Instant,
    replaces?: PresentedTexts,
  ): Promise<PartnerUnit | undefined> {
    return presentUnit(partnerId, unitId, texts, now, replaces, this.#eventOf);
  }

  checklist(partnerId: PartnerId): Promise<SandboxChecklist> {
    return this.#checklist.checklist(partnerId);
  }

  noteSteps(partnerId: PartnerId, shown: SandboxChecklist['shown']): Promise<void> {
    return this.#checklist.noteSteps(partnerId, shown);
  }
}
