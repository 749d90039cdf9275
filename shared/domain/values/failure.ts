import type { Seconds } from './time.ts';

/** Every way in which a call can fail: the values of `codigo`, on which partners branch. The list is closed in v1. */
export const FAILURE_CODES = [
  'json_invalido',
  'campo_obrigatorio',
  'campo_invalido',
  'auth_invalid',
  'sem_permissao',
  'nao_encontrado',
  'rota_nao_encontrada',
  'metodo_nao_permitido',
  'idempotencia_em_andamento',
  'corpo_muito_grande',
  'tipo_nao_suportado',
  'banco_invalido',
  'consentimento_ausente',
  'idempotency_conflito',
  'divergencia_titular',
  'lead_nao_encontrado',
  'campo_nao_alteravel',
  'rate_limited',
  'erro_interno',
  'tempo_esgotado',
  'operador_falhou',
  'servico_indisponivel',
] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];

/** The path on the wire, with dots, and a Portuguese sentence that says how to correct the field. */
export interface FieldFault {
  readonly field: string;
  readonly reason: string;
  /** The caller chose the field's name: the answer shows it, but we never store it. */
  readonly chosen?: true;
}

/** In bytes, before and after decompression. */
export const LARGEST_BODY = 65_536;

// The gateway waits 29 s. The operations that call banks or a partner's receiver end just before, so that their own
// answer arrives.
export const SUBMISSION_TIMEOUT: Seconds = 28;
export const API_TIMEOUT: Seconds = 10;

interface FailureDetails {
  readonly text?: string;
  readonly fields?: readonly FieldFault[];
  readonly retryAfter?: Seconds | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** shared/contract/failures.ts has the status and the text of each code. */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly text: string | undefined;
  readonly fields: readonly FieldFault[] | undefined;
  readonly retryAfter: Seconds | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(code: FailureCode, details: FailureDetails = {}) {
    super(code, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'Failure';
    this.code = code;
    this.text = details.text;
    this.fields = details.fields;
    this.retryAfter = details.retryAfter;
    this.headers = details.headers;
  }
}
