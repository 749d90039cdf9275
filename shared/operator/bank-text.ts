/** The people of an analysis, taken out of what its bank says: read-answer.ts knows nobody's name. */
import type { Analysis, AnalysisForm } from '../domain/analyses/analysis.ts';
import type { Analyses, OperatorApi, OperatorStatus } from '../domain/analyses/ports.ts';
import { MASK } from '../domain/values/cpf.ts';
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

/**
 * Takes the people of an analysis out of its bank's text; its form is read where the text is not of banks' words alone, and
 * not the one that is kept already, which each poll brings again.
 */
export function withoutNames(analyses: Pick<Analyses, 'form'>) {
  return async (analysis: Analysis, text: string): Promise<string> => {
    const form =
      text !== analysis.rawStatus && isDoubtful(text)
        ? await analyses.form(analysis, analysis.submissionId)
        : undefined;
    return form ? withoutThoseOf(form, text) : text;
  };
}

/** The operator, whose texts name nobody of the analyses that they are about. */
export function namelessTexts(api: OperatorApi, nameless: ReturnType<typeof withoutNames>): OperatorApi {
  const status = async (analysis: Analysis, said: OperatorStatus): Promise<OperatorStatus> =>
    said.kind === 'known' ? { ...said, rawStatus: await nameless(analysis, said.rawStatus) } : said;
  // A form that cannot be read takes no answer from the rest of its batch: it is asked about alone then, and fails there.
  const unread = (): OperatorStatus => ({ kind: 'unavailable', fault: 'analysis' });
  const { queryBatch } = api;
  return {
    openFor: api.openFor,
    async submit(analysis, form, signal) {
      const result = await api.submit(analysis, form, signal);
      return 'rawStatus' in result ? { ...result, rawStatus: withoutThoseOf(form, result.rawStatus) } : result;
    },
    query: async (analysis, signal) => status(analysis, await api.query(analysis, signal)),
    queryBatch:
      queryBatch &&
      (async (analyses, signal) => {
        const said = await queryBatch(analyses, signal);
        if (typeof said === 'string') return said;
        return Promise.all(
          analyses.map((analysis, index) => {
            const one = said[index];
            return one ? status(analysis, one).catch(unread) : unread();
          }),
        );
      }),
  };
}
