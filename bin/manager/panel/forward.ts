import * as z from 'zod/mini';
import {
  type AdministrationCode,
  type AdministrationFieldFault,
  administrationAnswer,
} from '#shared/administration/failures.ts';
import { type AdministrationOperation, operationNamed, wholeBody } from '#shared/administration/operations.ts';
import { type AdministrationClient, AdministrationRefusal, type Sent } from '../administration-client.ts';
import { verdict } from '../errors.ts';

export interface Forwarded {
  readonly status: number;
  readonly body: unknown;
}

/** Calls with the person's own credentials. Rejects if nothing answers. */
export type CallAdministration = (operation: AdministrationOperation, sent: Sent) => Promise<Forwarded>;

/**
 * Operations that the page may call. Even a faulty page cannot reach the service's keys or the operator's token,
 * although the person may be allowed to.
 */
export const PANEL_OPERATIONS = [
  'list-partners',
  'create-partner',
  'show-partner',
  'set-incident-contact',
  'show-sandbox-checklist',
  'validate-partner',
  'list-units',
  'create-unit',
  'present-unit',
  'list-refusals',
  'list-keys',
  'create-key',
  'rotate-key',
  'revoke-key',
  'set-rate',
  'list-failing-webhooks',
  'show-webhook',
  'set-webhook',
  'rotate-webhook-secret',
  'ping-webhook',
  'enable-webhook',
  'disable-webhook',
  'list-deliveries',
  'show-delivery',
  'replay-deliveries',
  'discard-dead-letters',
  'find-leads',
  'export-lead',
  'correct-lead',
  'withdraw-lead-consent',
  'erase-lead',
  'list-pending-analyses',
  'show-analysis',
  'poll-analysis',
  'list-bank-rates',
  'publish-bank-rate',
  'confirm-bank-rate',
  'list-approvals',
  'approve-approval',
  'refuse-approval',
  'list-audit',
  'export-audit',
] as const satisfies readonly AdministrationOperation[];
export type PanelOperation = (typeof PANEL_OPERATIONS)[number];

/** Never rejects: every failure is an answer in the API's own form. */
export async function forward(call: CallAdministration, name: string, sent: Sent): Promise<Forwarded> {
  const operation = PANEL_OPERATIONS.find((operationName) => operationName === name);
  if (!operation) return refused('route_not_found');
  const faulty = faultsOf(operation, sent);
  if (faulty.length > 0) return refused('field_invalid', faulty);
  try {
    return await call(operation, sent);
  } catch (error) {
    return refused('unavailable', undefined, verdict(error).line);
  }
}

function refused(code: AdministrationCode, fields?: readonly AdministrationFieldFault[], text?: string): Forwarded {
  const { status, body } = administrationAnswer({ code, text, fields }, 'panel');
  return { status, body };
}

const faults = (error: z.core.$ZodError): AdministrationFieldFault[] =>
  error.issues.map(({ path, message }) => ({ field: path.filter(Boolean).join('.'), reason: message }));

function faultsOf(operation: PanelOperation, { params, query, body }: Sent): AdministrationFieldFault[] {
  const route = operationNamed(operation);
  const nothing = z.strictObject({});
  const parts: readonly (readonly [z.ZodMiniType, unknown])[] = [
    [route.params ?? nothing, params ?? {}],
    [route.query ?? nothing, query ?? {}],
    [route.method === 'GET' ? nothing : wholeBody(route), body ?? {}],
  ];
  return parts.flatMap(([schema, value]) => {
    const parsed = schema.safeParse(value);
    return parsed.success ? [] : faults(parsed.error);
  });
}

/** Turns refusals into answers: refusals of the API, of calls that the client does not send, and of lost answers. */
export function callApi(client: Pick<AdministrationClient, 'send'>): CallAdministration {
  return async (operation, sent) => {
    try {
      return { status: 200, body: await client.send(operation, sent) };
    } catch (error) {
      if (!(error instanceof AdministrationRefusal)) throw error;
      const { code, message, answer } = error;
      const { status, body } = administrationAnswer({ code, text: message, fields: undefined }, 'panel');
      return { status, body: answer ?? body };
    }
  };
}
