/** Masks the people of an analysis in its bank's text. read-answer.ts cannot do it, since it knows nobody's name. */
import type { Analysis, AnalysisForm } from '../domain/analyses/analysis.ts';
import type { Analyses, BankSubmission, BatchStatus, OperatorApi, OperatorStatus } from '../domain/analyses/ports.ts';
import type { NameRemover } from '../domain/analyses/record-outcomes.ts';
import { MASK } from '../domain/values/cpf.ts';
import type { Seconds } from '../domain/values/time.ts';
import { isBanksWord, wordsOf } from './statuses.ts';

const NAMES = ['nome', 'nome_mae', 'conjuge_nome'] as const;
const NUMBERS = ['rg', 'telefone', 'cpf', 'conjuge_cpf'] as const;
/**
 * A number in a text: five or more characters, which are digits and the blanks and signs that people write between
 * them. The last may be an X, as in some RG numbers.
 */
const DIGITS = /\d[\d\s.()/-]{3,}[\dx]/gi;
const WORDS = /[\p{L}\p{M}]+/gu;

const digitsOf = (text: string) => text.toUpperCase().replace(/[^\dX]/g, '');

/**
 * Returns a text with `***` for each word of the names of holder, mother and spouse, and for their RG, telephone and
 * CPF. Numbers are found in every spelling, also with leading zeros or inside a longer number. A bank's own words stay,
 * even if a person has one as a name: the bank's decision must be read the same.
 */
function withoutPeopleOf(form: AnalysisForm, text: string): string {
  const valuesOf = (fields: readonly string[]) => fields.flatMap((field) => form[field] ?? []).map(String);
  const names = new Set(valuesOf(NAMES).flatMap(wordsOf));
  const numbers = valuesOf(NUMBERS)
    .map((number) => digitsOf(number).replace(/^0+/, ''))
    .filter((number) => number.length >= 5);
  return text
    .replace(DIGITS, (written) => (numbers.some((number) => digitsOf(written).includes(number)) ? MASK : written))
    .replace(WORDS, (word) => {
      const [plain = ''] = wordsOf(word);
      return plain.length > 1 && names.has(plain) && !isBanksWord(word) ? MASK : word;
    });
}

/** Whether a text may name a person: it has a word that is in no list of banks' words, or a long number. */
const isDoubtful = (text: string) =>
  text.match(DIGITS) !== null || text.match(WORDS)?.some((word) => !isBanksWord(word));

/** Masks the people of an analysis in a bank's text. Their names and numbers come from the form of the analysis. */
export class FormNameRemover implements NameRemover {
  readonly #analyses: Pick<Analyses, 'form'>;

  constructor(analyses: Pick<Analyses, 'form'>) {
    this.#analyses = analyses;
  }

  /**
   * Reads the form only if the text has a long number or a word that is in no list of banks' words. For the stored text
   * nothing is read, since each poll brings the same text again.
   */
  async withoutNames(analysis: Analysis, text: string): Promise<string> {
    if (text === analysis.rawStatus || !isDoubtful(text)) return text;
    const form = await this.#analyses.form(analysis, analysis.submissionId);
    return form ? withoutPeopleOf(form, text) : text;
  }
}

/** Calls another operator, and masks the people of each analysis in the texts of its answers. */
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
    return 'rawStatus' in result ? { ...result, rawStatus: withoutPeopleOf(form, result.rawStatus) } : result;
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
 * Returns the status of an analysis whose form cannot be read. The other analyses of the batch keep their answers. The
 * poller asks about this analysis again in a call of its own, which fails.
 */
const unread = (): OperatorStatus => ({ kind: 'unavailable', fault: 'analysis' });
