import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import type { AuditFacts } from '../domain/audit/ports.ts';
import type { EventId, PartnerId } from '../domain/values/ids.ts';
import type { LettersDone } from '../domain/webhooks/dead-letters.ts';
import { DELIVERY_STATES } from '../domain/webhooks/delivery.ts';
import { answered, cursor, eventId, id, moment, nextCursor, previewed, total, wholeText } from './fields.ts';
import { MANAGER, noun, PARTNER_CARE, READERS } from './operation.ts';

const { read, change } = noun('dead-letters');

export const listDeadLetters = read('list-dead-letters', 'GET /v1/dead-letters', {
  english: 'look at some; they stay where they are',
  portuguese: 'Listar entregas mortas',
  duties: READERS,
  permission: { table: ['GetItem'], deadLetters: 'look' },
  query: z.strictObject({ limit: z._default(wholeText(0, 100, 'How many are looked at; 0 only counts.'), 10) }),
  answer: answered({
    waiting: described(z.int(), 'How many are dead; SQS counts about right.'),
    in_hand: described(z.int(), 'How many of them someone is looking at.'),
    letters: described(
      z.array(
        z.object({
          event_id: described(z.nullable(eventId()), "null where it is no delivery's message."),
          partner_id: z.nullable(id<PartnerId>('Whose.')),
          state: described(z.nullable(z.enum(DELIVERY_STATES)), "The delivery's state; null where it is gone."),
          dead_since: moment('When its last attempt had failed.'),
        }),
      ),
      'Some of them; they stay where they are.',
    ),
  }),
});

const which = {
  event_id: described(z.optional(eventId()), 'This one alone, with all its letters.'),
  partner_id: z.optional(id<PartnerId>("Only a partner's.")),
  max: described(
    z.optional(z.int().check(z.minimum(1), z.maximum(100_000))),
    'At most so many on all pages; all that wait where left out.',
  ),
  cursor: z.optional(cursor()),
};

/** Contents of a cursor of work on letters, which may take many pages. */
export const letterPlace = z.object({ began: z.int(), done: z.int(), seen: z.int(), total: z.int() });

const counted = {
  waiting: described(z.int(), 'How many are in sight in the dead-letter queue, of whomever.'),
  in_hand: described(
    z.int(),
    'How many are out of sight, of whomever: someone looks at them, or did so within the last two minutes.',
  ),
};

const named = {
  events: described(z.array(eventId()), 'The first 20 of this page.'),
  partner_ids: described(z.array(id<PartnerId>('Whose.')), 'Whose they are.'),
  left: described(z.int(), 'How many are left in the dead-letter queue, of whomever.'),
  total: total('How many were in the queue at first, of whomever'),
  next_cursor: nextCursor(),
};

export const redriveDeadLetters = change('redrive-dead-letters', 'POST /v1/dead-letters/redrive', {
  english: 'one more attempt for each; what fails again comes back here',
  portuguese: 'Retomar entregas mortas',
  duties: PARTNER_CARE,
  permission: { table: ['GetItem'], sendsDeliveries: true, deadLetters: 'end' },
  body: described(z.strictObject(which), 'Which; all where neither event nor partner is named.'),
  preview: previewed({
    ...counted,
    kept: described(
      z.boolean(),
      'Whether the webhook of the partner named, or of the event’s, is disabled: its events are then kept until it is enabled. Where neither is named the answer alone tells.',
    ),
  }),
  answer: answered({
    redriven: described(
      z.int(),
      'Of this page: deliveries that went back to the worker, however many letters each has. Each gets one more attempt, unless it has arrived or moved on since; what fails again comes back.',
    ),
    kept: described(z.int(), 'How many of these go to a webhook that is disabled.'),
    ...named,
  }),
});

export const discardDeadLetters = change('discard-dead-letters', 'POST /v1/dead-letters/discard', {
  english: 'end messages for good; a delivery given up says so from then on, and can be replayed',
  portuguese: 'Descartar entregas mortas',
  duties: MANAGER,
  confirm: { fields: ['event_id', 'partner_id'], otherwise: 'foreign' },
  permission: { table: ['GetItem'], deadLetters: 'end' },
  body: described(
    z.strictObject({
      ...which,
      foreign: described(z.optional(z.literal(true)), "Those that are no delivery's message."),
    }),
    'Which: exactly one of event_id, partner_id and foreign. A delivery that was given up says that it was discarded, for good, and can be replayed.',
  ),
  preview: previewed(counted),
  answer: answered({
    discarded: described(z.int(), 'Of this page: letters ended for good; 1 too for an event given up without one.'),
    ...named,
  }),
});

/** The operations of this noun, in the document's order. */
export const DEAD_LETTER_OPERATIONS = [listDeadLetters, redriveDeadLetters, discardDeadLetters] as const;

/** Number of events that an answer and an audit row name. The others are only counted. */
const NAMED = 20;

/**
 * Returns the events of letters, each once. An event that failed again after a redrive has a letter for each failure.
 */
export const eventsOf = (messages: LettersDone['messages']) => [...new Set(messages.map(({ eventId }) => eventId))];

/** Returns what a page did with letters, for the answer. A letter that is no delivery's message has no event to name. */
export function lettersBody({ messages, left }: LettersDone) {
  return {
    events: eventsOf(messages).slice(0, NAMED),
    partner_ids: [...new Set(messages.map(({ partnerId }) => partnerId))],
    left,
  };
}

/** Returns the same facts for the audit. */
export function lettersFacts(
  answer: { readonly events: readonly EventId[]; readonly partner_ids: readonly number[]; readonly left: number },
  done: number,
): AuditFacts {
  const more = done > answer.events.length ? ` and ${done - answer.events.length} more` : '';
  return { left: answer.left, partners: answer.partner_ids.join(','), events: `${answer.events.join(',')}${more}` };
}
