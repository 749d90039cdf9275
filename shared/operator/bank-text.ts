/** The people of an analysis, taken out of what its bank says: read-answer.ts knows nobody's name. */
import type { Analysis, AnalysisForm } from '../domain/analyses/analysis.ts';
import type { Analyses, BankSubmission, BatchStatus, OperatorApi, OperatorStatus } from '../domain/analyses/ports.ts';
import type { NameRemover } from '../domain/analyses/record-outcomes.ts';
import { MASK } from '../domain/values/cpf.ts';
import type { Seconds } from '../domain/values/time.ts';
import { isBanksWord, wordsOf } from './statuses.ts';

const NAMES = ['nome', 'nome_mae', 'conjuge_nome'] as const;
const NUMBERS = ['rg', 'telefone', 'cpf', 'conjuge_cpf'] as const;
/** Digits as people set them off from each other. */
const DIGITS = /\d[\d\s.()/-]{3,}[\dx]/gi;
const WORDS = /[\p{L}\p{M}]+/gu;

const digitsOf = (text: string) => text.toUpperCase().replace(/[^\dX]/g, '');

/**
 * A text with `***` for each word of the names of holder, mother and spouse, and for their RG, telephone and CPF however they
 * are written, filled up by zeros or within a longer number too. A bank's own words stay, whoever bears them as a name: what it
 * decided must be read the same.
 */
function withoutThoseOf(form: AnalysisForm, text: string): string {
  const said = (fields: readonly string[]) => fields.flatMap((field) => form[field] ?? []).map(String);
  const names = new Set(said(NAMES).flatMap(wordsOf));
  const numbers = said(NUMBERS)
    .map((number) => digitsOf(number).replace(/^0+/, ''))
    .filter((number) => number.length >= 5);
  return text
    .replace(DIGITS, (written) => (numbers.some((number) => digitsOf(written).includes(number)) ? MASK : written))
    .replace(WORDS, (word) => {
      const [plain = ''] = wordsOf(word);
      return plain.length > 1 && names.has(plain) && !isBanksWord(word) ? MASK : word;
    });
}

/** Whether a text can hold something of a person: a word that no bank writes of everyone, or a long number. */
const isDoubtful = (text: string) =>
  text.match(DIGITS) !== null || text.match(WORDS)?.some((word) => !isBanksWord(word));

/** Takes the people of an analysis out of a bank's text, by the form of the analysis. */
export class FormNameRemover implements NameRemover {
  readonly #analyses: Pick<Analyses, 'form'>;

  constructor(analyses: Pick<Analyses, 'form'>) {
    this.#analyses = analyses;
  }

  /**
   * Reads the form only if the text has a long number or a word that banks do not write of everyone. A text that is stored
   * already needs no reading: each poll brings the same text again.
   */
  async withoutNames(analysis: Analysis, text: string): Promise<string> {
    if (text === analysis.rawStatus || !isDoubtful(text)) return text;
    const form = await this.#analyses.form(analysis, analysis.submissionId);
    return form ? withoutThoseOf(form, text) : text;
  }
}

/** The operator, whose texts name nobody of the analyses that they are about. */
export class NamelessOperator implements OperatorApi {
  readonly #api: Required<OperatorApi>;
  readonly #names: NameRemover;

  constructor(api: Required<OperatorApi>, names: NameRemover) {
    this.#api = api;
    this.#names = names;
  }

  openFor(): Seconds | undefined {
    return this.#api.openFor();
  }

  async submit(analysis: Analysis, form: AnalysisForm, signal: AbortSignal): Promise<BankSubmission> {
    const result = await this.#api.submit(analysis, form, signal);
    return 'rawStatus' in result ? { ...result, rawStatus: withoutThoseOf(form, result.rawStatus) } : result;
  }

  async query(analysis: Analysis, signal: AbortSignal): Promise<OperatorStatus> {
    return this.#nameless(analysis, await this.#api.query(analysis, signal));
  }

  async queryBatch(analyses: readonly Analysis[], signal: AbortSignal): Promise<BatchStatus> {
    const statuses = await this.#api.queryBatch(analyses, signal);
    if (typeof statuses === 'string') return statuses;
    return Promise.all(
      analyses.map((analysis, index) => {
        const status = statuses[index];
        return status ? this.#nameless(analysis, status).catch(unread) : unread();
      }),
    );
  }

  async #nameless(analysis: Analysis, status: OperatorStatus): Promise<OperatorStatus> {
    if (status.kind !== 'known') return status;
    return { ...status, rawStatus: await this.#names.withoutNames(analysis, status.rawStatus) };
  }
}

/**
 * The status of an analysis whose form cannot be read. It takes no answer from the rest of its batch: the poller asks about
 * the analysis in a call of its own, which fails.
 */
const unread = (): OperatorStatus => ({ kind: 'unavailable', fault: 'analysis' });
