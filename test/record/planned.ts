import type { AdministrationOperation } from '#shared/administration/operations.ts';
import { type AdministrationCall, because, CALLER } from '../makers/administration.ts';
import type { Operation } from '../makers/api.ts';
import type { CallAnswer, CallOptions } from '../makers/call.ts';
import type { Step } from './step.ts';

/** Fields that depend on when the rows were put into this table. */
const FLEETING: ReadonlySet<string> = new Set(['auth_item_bytes', 'settled_at', 'milliseconds']);
/** Sentences for people, which may be worded better at any time. */
const SENTENCES: ReadonlySet<string> = new Set([
  'observacoes',
  'causa',
  'motivo',
  'erro',
  'error',
  'detail',
  'mensagem',
]);

/** Returns what of a body may not change. */
export const lasting = (body: unknown): unknown =>
  JSON.parse(
    JSON.stringify(body, (name, value: unknown) => (FLEETING.has(name) || SENTENCES.has(name) ? undefined : value)),
  );

/** A step, and what of its answer is recorded. */
export interface Planned {
  readonly step: Step;
  readonly kept: (body: CallAnswer['body']) => unknown;
  /** Whether the step must be refused. @default false */
  readonly refused?: boolean;
}

export const whole = (step: Step): Planned => ({ step, kept: lasting });
export const onlyStatus = (step: Step): Planned => ({ step, kept: () => ({}) });
export const refusal = (step: Step): Planned => ({
  step,
  kept: ({ codigo, code }) => ({ codigo, code }),
  refused: true,
});
/** Returns a step of whose answer only these fields are recorded. */
export const part = (step: Step, ...fields: readonly string[]): Planned => ({
  step,
  kept: (body) => lasting(Object.fromEntries(fields.map((field) => [field, body[field]]))),
});
/** Returns a step that shows an event: its state, and how its attempts ended. */
export const attempts = (step: Step): Planned => ({
  step,
  kept: ({ delivery: { state, attempts, history } }) => ({
    delivery: {
      ...{ state, attempts },
      history: history.map(({ failure, status }: { failure: string; status: number }) => ({ failure, status })),
    },
  }),
});
/** Returns a step that asks for an erasure. Its moments are those of the replay. */
export const erasure = (step: Step): Planned => ({
  step,
  kept: ({ erasure: { state, pending, cause, passes } }) => ({
    erasure: { state, pending, cause, passes: passes.map(({ at: _, ...pass }: { at: string }) => pass) },
  }),
});

export const partner = (name: Operation, call: CallOptions): Step => ({ partner: name, call });
export const manage = (name: AdministrationOperation, call: AdministrationCall = {}): Step => ({
  administration: name,
  call,
});
/** Returns a call that changes something, and needs a reason. */
export const change = (name: AdministrationOperation, { body, ...call }: AdministrationCall = {}): Step =>
  manage(name, { ...call, body: { ...(body as object), ...because } });

/** Another person than the one who makes the other calls. */
export const OTHER = CALLER.replace('ana.lima', 'bia.reis');
