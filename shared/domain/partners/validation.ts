/**
 * What a partner has to have tried in the sandbox before production is opened to it, in the order of the flow: the one
 * list behind `partners validate`, `validacao` in GET /v1/me and the guide's page on production. `reuse`: a known CPF was
 * sent again; `replay`: a submission, with its Idempotency-Key; then each outcome of an analysis; `webhook`: an event was
 * taken with a 2xx; `resend`: one was taken at its second attempt or a later one.
 */
export const STEPS = [
  'lead',
  'reuse',
  'simulation',
  'analysis',
  'replay',
  'aprovado',
  'condicionado',
  'recusado',
  'cancelado',
  'erro',
  'webhook',
  'resend',
] as const;
export type Step = (typeof STEPS)[number];

/** The steps that were made, each with its moment in milliseconds since 1970. */
export type StepsMade = Readonly<Partial<Record<Step, number>>>;
