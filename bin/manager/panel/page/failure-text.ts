import { type AdministrationFieldFault, IN_DOUBT } from '#shared/administration/failures.ts';
import { operationNamed } from '#shared/administration/operations.ts';
import { CallError } from './api.ts';
import { BY_TOKEN, DUTY, FAILURE, FAILURE_OF, FIELD, fieldReasonText, REFUSAL, REPEAT_HERE } from './words.ts';

export interface FailureText {
  readonly sentence: string;
  readonly fields: readonly string[];
  /** The service's sentence, in English. Undefined if it says no more than `sentence`. */
  readonly detail: string | undefined;
  readonly requestId: string | undefined;
}

/** Whether a call did nothing but ask for another person's approval, which is no failure. */
export const isRequest = (error: unknown): boolean => error instanceof CallError && error.code === 'approval_needed';

/** Codes whose sentence from the service depends on the case. */
const TELLING: readonly string[] = [
  'refused',
  'not_found',
  'changed_meanwhile',
  'approval_used',
  'internal_error',
  'unavailable',
  'confirmation_missing',
];

const SIGNED_OUT = 'Sua entrada terminou. Recarregue a página para entrar de novo.';

export function failureText(error: unknown): FailureText {
  if (!(error instanceof CallError)) {
    return { sentence: 'O painel falhou.', fields: [], detail: String(error), requestId: undefined };
  }
  const { operation, code, fields, message, requestId } = error;
  if (code === 'signed_out') return { sentence: SIGNED_OUT, fields: [], detail: undefined, requestId: undefined };
  const repeatable = BY_TOKEN.has(operation) && IN_DOUBT.has(code);
  const refusal = REFUSAL[message];
  const isSaid = repeatable || refusal !== undefined || fields.length > 0;
  const sentence = repeatable ? REPEAT_HERE : (refusal ?? FAILURE_OF[`${operation} ${code}`] ?? FAILURE[code]);
  return {
    sentence: code === 'forbidden' ? `${sentence} ${whoMay(error)}` : sentence,
    fields: fields.map(fieldFaultText),
    detail: TELLING.includes(code) && !isSaid ? message : undefined,
    requestId: requestId === 'panel' ? undefined : requestId,
  };
}

/** Returns a field's fault, with the name that the page has for the field. */
export const fieldFaultText = ({ field, reason }: AdministrationFieldFault): string =>
  `${FIELD[field] ?? field}: ${fieldReasonText(reason) ?? reason}`;

function whoMay({ operation }: CallError): string {
  const allowed = operationNamed(operation).duties;
  const duties = allowed.map((duty) => DUTY[duty]);
  const names = new Intl.ListFormat('pt-BR', { type: 'disjunction' }).format(duties);
  return `Peça a quem tem a função ${names}.`;
}
