import type { Seconds } from './time.ts';

/** Every way in which a call can fail, by the `codigo` that partners branch on. Closed in v1. */
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

/** A field in fault: its dotted path on the wire and a Portuguese sentence that says the cure. */
export interface FieldFault {
  readonly field: string;
  readonly reason: string;
  /** Set where the name is the caller's own and could hold anything: it is answered, and never kept. */
  readonly chosen?: true;
}

/** The largest body that a call may have, in bytes as decoded. */
export const LARGEST_BODY = 65_536;

interface FailureDetails {
  /** A Portuguese sentence that says more than the code's own. */
  readonly text?: string;
  readonly fields?: readonly FieldFault[];
  /** After how long the same call may succeed: a whole number. */
  readonly retryAfter?: Seconds | undefined;
  /** Further answer headers, for example `Allow`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** The one error that the service throws on purpose. Its status and text are looked up in shared/contract/failures.ts. */
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
