import type { Analysis, AnalysisForm } from '../domain/analyses/analysis.ts';
import type { BankSubmission, OperatorApi, OperatorStatus } from '../domain/analyses/ports.ts';
import type { Clock } from '../domain/values/clock.ts';
import { type ForcedOutcome, isTestCpf, OUTCOME_AFTER, outcomeNamed, TEST_CPFS } from '../domain/values/cpf.ts';
import type { Milliseconds } from '../domain/values/time.ts';

const LATE_FACTOR = 30;

/** Always the same, so that polls find no change. */
const PENDING_TEXT = 'Em análise';
const OUTCOME_TEXTS: Readonly<Record<ForcedOutcome, string>> = {
  aprovado: 'Aprovado',
  condicionado: 'Aprovado com restrição',
  recusado: 'Reprovado',
  cancelado: 'Proposta cancelada',
  erro: 'ERRO no processamento da proposta',
  pendente: PENDING_TEXT,
  aprovado_5min: 'Aprovado',
  entrega_falha: 'Falha no envio ao banco',
  webhook_falha: 'Aprovado',
  nao_enviada: PENDING_TEXT,
};

/**
 * Without an outcome in the note, returns the outcome that a CPF forces: `aprovado` for every CPF that is no test CPF.
 */
export function forcedOutcome(cpf: string, note?: string): ForcedOutcome {
  const named = outcomeNamed(note);
  if (isForcedOutcome(named)) return named;
  const digits = cpf.replace(/\D/g, '');
  return isTestCpf(digits) ? TEST_CPFS[digits] : 'aprovado';
}

/** `entrega_falha` has its text at once. An unknown outcome counts as approved. */
export function forcedStatus(forced: string | undefined, age: Milliseconds, outcomeAfter = OUTCOME_AFTER): string {
  const outcome = isForcedOutcome(forced) ? forced : 'aprovado';
  const wait = outcome === 'aprovado_5min' ? outcomeAfter * LATE_FACTOR : outcomeAfter;
  return outcome === 'entrega_falha' || age >= wait ? OUTCOME_TEXTS[outcome] : PENDING_TEXT;
}

/** An answer depends only on the analysis, its form and the clock, so that containers agree. */
export class SandboxOperator implements OperatorApi {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  openFor(): undefined {
    return undefined;
  }

  async submit(analysis: Analysis, form: AnalysisForm): Promise<BankSubmission> {
    const forced = analysis.forced ?? forcedOutcome(String(form['cpf'] ?? ''));
    // Such an analysis ends by a withdrawal of the consent, or after `SUBMIT_LIMIT`.
    if (forced === 'nao_enviada') return { kind: 'unknown', fault: 'unanswerable' };
    return forced === 'entrega_falha'
      ? { kind: 'refused', rawStatus: OUTCOME_TEXTS.entrega_falha, reason: 'test_cpf' }
      : { kind: 'accepted', queryNumber: queryNumberOf(analysis), rawStatus: PENDING_TEXT };
  }

  async query(analysis: Analysis): Promise<OperatorStatus> {
    if (analysis.forced === 'entrega_falha' || analysis.forced === 'nao_enviada') return { kind: 'absent' };
    const rawStatus = forcedStatus(analysis.forced, this.#clock() - analysis.createdAt);
    return { kind: 'known', queryNumber: queryNumberOf(analysis), rawStatus };
  }
}

function isForcedOutcome(slug: string | undefined): slug is ForcedOutcome {
  return slug !== undefined && Object.hasOwn(OUTCOME_TEXTS, slug);
}

const queryNumberOf = (analysis: Pick<Analysis, 'id'>): string => `SB-${analysis.id}`;
