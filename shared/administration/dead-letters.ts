import * as z from 'zod';
import type { AuditFacts } from '../domain/audit/ports.ts';
import type { EventId, PartnerId } from '../domain/values/ids.ts';
import type { LettersDone } from '../domain/webhooks/dead-letters.ts';
import { DELIVERY_STATES } from '../domain/webhooks/delivery.ts';
import {
  answered,
  cursor,
  type Exchange,
  eventId,
  id,
  moment,
  nextCursor,
  previewed,
  total,
  wholeText,
} from './fields.ts';

export const listDeadLetters = {
  query: z.strictObject({
    limit: wholeText(0, 100, 'How many are looked at; 0 only counts.').default(10),
  }),
  answer: answered({
    waiting: z.int().describe('How many are dead; SQS counts about right.'),
    in_hand: z.int().describe('How many of them someone is looking at.'),
    letters: z
      .array(
        z.object({
          event_id: eventId().nullable().describe("null where it is no delivery's message."),
          partner_id: id<PartnerId>('Whose.').nullable(),
          state: z.enum(DELIVERY_STATES).nullable().describe("The delivery's state; null where it is gone."),
          dead_since: moment('When its last attempt had failed.'),
        }),
      )
      .describe('Some of them; they stay where they are.'),
  }),
} satisfies Exchange;

const which = {
  event_id: eventId().optional().describe('This one alone.'),
  partner_id: id<PartnerId>("Only a partner's.").optional(),
  max: z.int().min(1).max(100_000).optional().describe('At most so many on all pages; all that wait where left out.'),
  cursor: cursor().optional(),
};

const waiting = () => z.int().describe('How many are in the dead-letter queue, of whomever.');

const named = {
  events: z.array(eventId()).describe('The first 20 of this page.'),
  partner_ids: z.array(id<PartnerId>('Whose.')).describe('Whose they are.'),
  left: z.int().describe('How many are left in the dead-letter queue, of whomever.'),
  total: total('How many were in the queue at first, of whomever'),
  next_cursor: nextCursor(),
};

export const redriveDeadLetters = {
  body: z.strictObject(which).describe('Which; all where neither event nor partner is named.'),
  preview: previewed({
    waiting: waiting(),
    kept: z
      .boolean()
      .describe("Whether the partner's webhook is disabled: its events are then kept until it is enabled."),
  }),
  answer: answered({
    redriven: z.int().describe('Of this page: they get one more attempt. What fails again comes back.'),
    kept: z.int().describe('How many of these go to a webhook that is disabled.'),
    ...named,
  }),
} satisfies Exchange;

export const discardDeadLetters = {
  body: z
    .strictObject({ ...which, foreign: z.literal(true).optional().describe("Those that are no delivery's message.") })
    .describe(
      'Which: exactly one of event_id, partner_id and foreign. A delivery stays as it is, and can be replayed.',
    ),
  preview: previewed({ waiting: waiting() }),
  answer: answered({ discarded: z.int().describe('Of this page: ended for good.'), ...named }),
} satisfies Exchange;

/** Events that an answer and an audit row name; the rest are counted. */
const NAMED = 20;

/** What a page did with letters, as the answer names it. `foreign` letters have no event. */
export function lettersBody({ messages, left }: LettersDone) {
  return {
    events: messages.slice(0, NAMED).map(({ eventId }) => eventId),
    partner_ids: [...new Set(messages.map(({ partnerId }) => partnerId))],
    left,
  };
}

/** The same as the audit names it. */
export function lettersFacts(
  answer: { readonly events: readonly EventId[]; readonly partner_ids: readonly number[]; readonly left: number },
  done: number,
): AuditFacts {
  const more = done > answer.events.length ? ` and ${done - answer.events.length} more` : '';
  return { left: answer.left, partners: answer.partner_ids.join(','), events: `${answer.events.join(',')}${more}` };
}
