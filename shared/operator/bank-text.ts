/** Removes names of people from the operator's texts. read-answer.ts cannot do this, since it knows no names. */
import type { Analysis, AnalysisForm } from '../domain/analyses/analysis.ts';
import type { Analyses, BankSubmission, OperatorApi, OperatorStatus } from '../domain/analyses/ports.ts';
import type { NameRemover } from '../domain/analyses/record-outcomes.ts';
import { MASK, withoutFormattedCpfs } from '../domain/values/cpf.ts';
import type { Seconds } from '../domain/values/time.ts';
import { mayNamePeople, numberWithoutPeople, textWithoutPeople } from './without-people.ts';

export class FormNameRemover implements NameRemover {
  readonly #analyses: Pick<Analyses, 'form'>;

  constructor(analyses: Pick<Analyses, 'form'>) {
    this.#analyses = analyses;
  }

  /**
   * Reads the form only if the text has a long number, a date or a word that is in no list of banks' words. For the
   * stored text nothing is read, since each poll brings the same text again.
   */
  async withoutNames(analysis: Analysis, text: string): Promise<string> {
    if (text === analysis.rawStatus || !mayNamePeople(text)) return text;
    const form = await this.#analyses.form(analysis, analysis.submissionId);
    return form ? textWithoutPeople(form, text) : text;
  }

  async numberWithoutNames(analysis: Analysis, queryNumber: string): Promise<string> {
    if (queryNumber === analysis.queryNumber || !mayNamePeople(queryNumber)) return queryNumber;
    const form = await this.#analyses.form(analysis, analysis.submissionId);
    return form ? numberWithoutPeople(form, queryNumber) : withoutFormattedCpfs(queryNumber);
  }
}

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
    if (!('rawStatus' in result)) return result;
    const rawStatus = textWithoutPeople(form, result.rawStatus);
    if (result.kind === 'refused') return { ...result, rawStatus };
    return { ...result, rawStatus, queryNumber: numberWithoutPeople(form, result.queryNumber) };
  }

  async query(analysis: Analysis, signal: AbortSignal): Promise<OperatorStatus> {
    return this.#nameless(analysis, await this.#api.query(analysis, signal));
  }

  async queryBatch(analyses: readonly Analysis[], signal: AbortSignal) {
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
    // A stored number with a mask stays: the answer has our reference, so it is about this analysis.
    const isKept = analysis.queryNumber.includes(MASK);
    return {
      kind: 'known',
      queryNumber: isKept ? analysis.queryNumber : await this.#names.numberWithoutNames(analysis, status.queryNumber),
      rawStatus: await this.#names.withoutNames(analysis, status.rawStatus),
    };
  }
}

/** The poller asks about this analysis again in a single call, which throws the error. */
const unread = (): OperatorStatus => ({ kind: 'unanswerable' });
