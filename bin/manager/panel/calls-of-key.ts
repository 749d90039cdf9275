import * as z from 'zod/mini';
import { id, keyId, momentMeant } from '#shared/administration/fields.ts';
import { type Clock, timestamp } from '#shared/domain/values/clock.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { verdict } from '../errors.ts';
import type { ReachedStage } from '../stage.ts';
import { type Forwarded, type FromPage, faults, refused } from './forward.ts';

/** The name by which the page asks for the calls of a key. It is no operation of the API. */
export const CALLS_OF_KEY = 'calls-of-key';

const asked = z.strictObject({
  partner_id: id<PartnerId>('The partner.'),
  key_id: keyId(),
  since: momentMeant('Since when.'),
});
export type CallsAsked = z.input<typeof asked>;

/** Answers the page about the calls of a key. Never rejects: every failure is an answer in the API's own form. */
export type CallsOfKey = (from: FromPage) => Promise<Forwarded>;

/** A call that was made with a key. The page gets no address of a caller, because an address may lead to a person. */
export interface ShownCall {
  readonly at: string;
  readonly operation: string | number | undefined;
  readonly status: string | number | undefined;
  readonly lead: string | number | undefined;
  readonly simulation: string | number | undefined;
  readonly analysis: string | number | undefined;
}
export interface ShownCalls {
  readonly ok: true;
  /** Newest first. */
  readonly calls: readonly ShownCall[];
  /** Whether older calls were left out. */
  readonly more: boolean;
}

/** Most calls that the page gets. */
const MOST_SHOWN = 1_000;

/**
 * Returns a function that reads the calls of a key from the logs of a stage: on AWS with the person's own credentials,
 * locally from the run's files.
 */
export function callsOfKey(stage: ReachedStage, clock: Clock): CallsOfKey {
  return async (from) => {
    if ('failed' in from) return refused(from.failed);
    const read = asked.safeParse(from.sent);
    if (!read.success) return refused('field_invalid', faults(read.error, ''));
    const { partner_id: partnerId, key_id: key, since } = read.data;
    const search = {
      partnerId,
      keyId: key,
      since,
      until: clock(),
      withoutAddresses: true,
      enough: MOST_SHOWN,
    } as const;
    // Imported here, so that the panel does not wait for the client of the logs when it starts.
    const { CallsForbidden, callsHere, callsOnAws } = await import('../key-calls.ts');
    try {
      const calls = stage.aws ? await callsOnAws(stage.aws, search) : callsHere(stage, search);
      const shown = calls.slice(0, MOST_SHOWN).map(
        ({ at, operation, status, lead, simulation, analysis }): ShownCall => ({
          at: timestamp(at),
          operation,
          status,
          lead,
          simulation,
          analysis,
        }),
      );
      const body: ShownCalls = { ok: true, calls: shown, more: calls.length > MOST_SHOWN };
      return { status: 200, body };
    } catch (error) {
      const isForbidden =
        error instanceof CallsForbidden || (error instanceof Error && error.name.startsWith('AccessDenied'));
      return refused(isForbidden ? 'forbidden' : 'unavailable', undefined, verdict(error).line);
    }
  };
}
