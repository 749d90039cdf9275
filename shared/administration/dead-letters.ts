import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import type { AuditFacts } from '../domain/audit/ports.ts';
import type { EventId, PartnerId } from '../domain/values/ids.ts';
import type { LettersDone } from '../domain/webhooks/dead-letters.ts';
import { DELIVERY_STATES } from '../domain/webhooks/delivery.ts';
import { answered, cursor, eventId, id, moment, nextCursor, ofPage, previewed, total, wholeText } from './fields.ts';
import { MANAGER, noun, PARTNER_CARE, READERS } from './operation.ts';

const { read, change } = noun('dead-letters');

export const listDeadLetters = read('list-dead-letters', 'GET /v1/dead-letters', {
  english: 'look at some dead letters; they stay in the queue',
  portuguese: 'Listar entregas mortas',
  duties: READERS,
  permission: { table: ['GetItem'], reads: ['DELIVERY'], writes: [], deadLetters: 'look' },
  query: z.strictObject({ limit: z._default(wholeText(0, 100, 'How many letters to look at; 0 only counts.'), 10) }),
  answer: answered({
    waiting: described(z.int(), 'Letters in the dead-letter queue. SQS counts roughly.'),
    in_hand: described(z.int(), 'How many of them somebody is looking at.'),
    letters: described(
      z.array(
        z.object({
          event_id: described(z.nullable(eventId()), "null if it is no delivery's message."),
          partner_id: z.nullable(id<PartnerId>('The partner.')),
          state: described(
            z.nullable(z.enum(DELIVERY_STATES)),
            "The delivery's state; null if the delivery no longer exists.",
          ),
          dead_since: moment('When its last attempt failed.'),
        }),
      ),
      'Some of the letters. They stay in the queue.',
    ),
  }),
});

const selection = {
  event_id: described(z.optional(eventId()), 'Only this event, with all its letters.'),
  partner_id: z.optional(id<PartnerId>('Only letters of this partner.')),
  max: described(
    z.optional(z.int().check(z.minimum(1), z.maximum(100_000))),
    'At most so many letters on all pages together. Left out: all that wait.',
  ),
  cursor: z.optional(cursor()),
};

export const letterPlace = z.object({ began: z.int(), done: z.int(), seen: z.int(), total: z.int() });

const queueCounts = {
  waiting: described(z.int(), 'Visible letters in the dead-letter queue, of all partners.'),
  in_hand: described(
    z.int(),
    'Hidden letters, of all partners: somebody is looking at them, or was within the last two minutes.',
  ),
};

const pageFields = {
  events: described(z.array(eventId()), 'The first 20 of this page.'),
  partner_ids: described(z.array(id<PartnerId>('The partner.')), 'The partners of the letters on this page.'),
  left: described(z.int(), 'Letters that remain in the dead-letter queue, of all partners.'),
  total: total('Letters in the queue at the start, of all partners'),
  next_cursor: nextCursor(),
};

export const redriveDeadLetters = change('redrive-dead-letters', 'POST /v1/dead-letters/redrive', {
  english: 'one more attempt for each dead letter; what fails again comes back',
  portuguese: 'Retomar entregas mortas',
  duties: PARTNER_CARE,
  permission: {
    table: ['GetItem'],
    reads: ['PARTNER', 'DELIVERY'],
    writes: [],
    sendsDeliveries: true,
    deadLetters: 'end',
  },
  body: described(z.strictObject(selection), 'Which letters. Without event and partner: all.'),
  preview: previewed({
    ...queueCounts,
    suspended: described(
      z.boolean(),
      'Whether the webhook of production is disabled, so that its events are kept until it is enabled. It is the webhook of the partner, or of the event’s partner. Without both, only the answer says it.',
    ),
  }),
  answer: answered({
    redriven: ofPage(
      'Deliveries of this page that went back to the worker, each counted once however many letters it has. Each gets one more attempt, unless it was delivered or changed since. What fails again comes back.',
    ),
    suspended: ofPage('How many of them go to a disabled webhook.'),
    ...pageFields,
  }),
});

export const discardDeadLetters = change('discard-dead-letters', 'POST /v1/dead-letters/discard', {
  english: 'end dead letters for good; their deliveries are marked as discarded, and can be replayed',
  portuguese: 'Descartar entregas mortas',
  duties: MANAGER,
  confirm: { fields: ['event_id', 'partner_id'], otherwise: 'foreign' },
  permission: { table: ['GetItem'], reads: ['DELIVERY'], writes: ['DELIVERY'], deadLetters: 'end' },
  body: described(
    z.strictObject({
      ...selection,
      foreign: described(z.optional(z.literal(true)), 'Messages that belong to no delivery.'),
    }),
    'Which letters: exactly one of event_id, partner_id and foreign. A delivery that was given up is marked as discarded for good. It can still be replayed.',
  ),
  preview: previewed(queueCounts),
  answer: answered({
    discarded: ofPage(
      'Letters of this page that ended for good. Also 1 for an event that was given up without a letter.',
    ),
    ...pageFields,
  }),
});

export const DEAD_LETTER_OPERATIONS = [listDeadLetters, redriveDeadLetters, discardDeadLetters] as const;

const MOST_NAMED = 20;

/** An event that failed again after a redrive has a letter for each failure. */
export const eventsOf = (messages: LettersDone['messages']) => [...new Set(messages.map(({ eventId }) => eventId))];

/** A letter that is no delivery's message has no event to name. */
export function lettersBody({ messages, left }: LettersDone) {
  return {
    events: eventsOf(messages).slice(0, MOST_NAMED),
    partner_ids: [...new Set(messages.map(({ partnerId }) => partnerId))],
    left,
  };
}

export function lettersFacts(
  answer: { readonly events: readonly EventId[]; readonly partner_ids: readonly number[]; readonly left: number },
  done: number,
): AuditFacts {
  const more = done > answer.events.length ? ` and ${done - answer.events.length} more` : '';
  return { left: answer.left, partners: answer.partner_ids.join(','), events: `${answer.events.join(',')}${more}` };
}
