import * as z from 'zod/mini';
import { AdministrationFailure } from '#shared/administration/failures.ts';
import {
  confirm as confirmField,
  dryRun as dryRunField,
  reason as reasonField,
} from '#shared/administration/fields.ts';
import type { Operation } from '#shared/administration/operation.ts';
import type { Check } from '../checks.ts';
import { parseFields, type Sent } from './fields.ts';

// These schemas ignore the other fields of the body, which other checks read.
const DRY_RUN = z.object({ dry_run: z.optional(dryRunField()) });
const REASON = z.object({ reason: reasonField() });
const CONFIRM = z.object({ confirm: z.optional(confirmField()) });

export interface Dry {
  readonly dry: boolean;
  /** Whether the audit notes the call: each change, and a preview that shows whether a person is known. */
  readonly isNoted: boolean;
}

/** A call of an operation without a preview is never a dry run. Throws 400 if the value is invalid. */
export function dryRun(operation: Operation): Check<Sent, Dry> {
  return {
    before({ sent }) {
      const dry = operation.dryRun && parseFields(DRY_RUN, sent).dry_run === true;
      return { dry, isNoted: !dry || operation.notedPreview === true };
    },
  };
}

/** Throws 400 if a call that is noted has no valid reason. */
export const reason: Check<Sent & Dry, { readonly reason: string }> = {
  before: ({ sent, isNoted }) => ({ reason: isNoted ? parseFields(REASON, sent).reason : '' }),
};

interface ConfirmFound {
  readonly confirm: string | undefined;
}

/** Reads `confirm`, and compares it if the operation itself says what `confirm` must repeat. Throws 400 and 422. */
export function confirmation(
  operation: Operation,
): Check<Sent & Dry & { readonly params: object; readonly body: object }, ConfirmFound> {
  return {
    before({ sent, dry, params, body }) {
      const confirm = operation.confirm && parseFields(CONFIRM, sent).confirm;
      if (!dry) requireConfirm(confirm, demandOf(operation, { ...params, ...body }));
      return { confirm };
    },
  };
}

/** Undefined if an operation wants no text repeated, or if its plan decides. */
function demandOf({ confirm }: Operation, fields: Readonly<Record<string, unknown>>): string | undefined {
  if (!confirm || confirm.sometimes) return undefined;
  const named = confirm.fields.map((field) => fields[field]).find((value) => value !== undefined);
  return named === undefined ? confirm.otherwise : String(named);
}

export function requireConfirm(confirm: string | undefined, demanded: string | undefined): void {
  if (demanded === undefined || confirm === demanded) return;
  throw new AdministrationFailure('confirmation_missing', {
    fields: [{ field: 'confirm', reason: `must be ${demanded}: it cannot be undone` }],
  });
}
