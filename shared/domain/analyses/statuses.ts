import { MASK } from '../values/cpf.ts';
import type { Situation } from './analysis.ts';

/** In this text, a blank marks the beginning of each word. */
type Normalised = string;

// Terms are written as in a normalised text: capitals, no accents, and a blank for every other sign.
const ERRORS = ['ERRO', 'FALHA', 'INDISPONIVEL', 'TIMEOUT', 'NAO INTEGRAD'];
const CANCELLATIONS = ['CANCELAD', 'EXPIRAD', 'VENCID', 'DESIST', 'ARQUIVAD', 'CADUC', 'ENCERRAD'];
const REFUSALS = ['REPROVAD', 'RECUSAD', 'NEGAD', 'REJEITAD', 'INDEFERID', 'DECLINAD', 'REJECTED', 'DENIED'];
const NEGATIONS = ['NAO', 'NOT'];
/** Words before an approval in which a negation counts: 2 covers NAO FOI APROVADO. */
const NEGATION_REACH = 2;
const NOT_YET = ['PRE APROVAD', 'PREAPROVAD', 'REANALISE', 'AGUARDANDO APROVACAO', 'EM APROVACAO'];
const QUALIFIERS = [
  'CONDICION',
  'CONDITION',
  'RESTRIC',
  'RESSALVA',
  'A MENOR',
  'PARCIAL',
  'PENDENCIA',
  'EXIGENCIA',
  'DOCUMENTACAO PENDENTE',
  // CONDIC counts only after COM or SOB: NAS CONDICOES DA PROPOSTA is no condition.
  'COM CONDIC',
  'SOB CONDIC',
];
const APPROVALS = ['APROVAD', 'DEFERID', 'CONCEDID', 'APPROVED'];
const PENDING = [
  'ENVIAD',
  'RECEBID',
  'PENDENTE',
  'EM ANALISE',
  'EM VALIDACAO',
  'EM PROCESSAMENTO',
  'AGUARDANDO',
  'DOCUMENTACAO PENDENTE',
  'MESA DE CREDITO',
  'SENT',
  'PENDING',
];

const ORDINARY = String.raw`A-Za-zÀÁÂÃÇÉÊÍÓÔÕÚÜàáâãçéêíóôõúü\p{M}\p{Cf}\d\s.,;:!()\[\]|/'"$%ºª°…‐‑–—-`;
/**
 * Matches if an encoding was misread (UTF-8 as Latin-1: Ã and one more character; Latin-1 as MS-DOS or Macintosh text:
 * a capital after a small letter; MS-DOS text as Latin-1: NÇO), or if a program replaced a letter.
 */
const DAMAGED = new RegExp(
  String.raw`[^${ORDINARY}]|Ã[\u0080-\u00bf]|\p{L}%|\p{L}…[\s-]*\p{L}|\p{Ll}\p{Lu}|(?<!\p{L})NÇO(?!\p{L})`,
  'u',
);

/** The first rule that matches wins. Source: shared/operator/README.md#status-texts. */
const RULES: readonly { readonly situation: Situation; readonly matches: (text: Normalised) => boolean }[] = [
  { situation: 'erro', matches: (text) => hasAny(text, ERRORS) },
  { situation: 'cancelado', matches: (text) => hasAny(text, CANCELLATIONS) },
  { situation: 'recusado', matches: (text) => negatesApproval(text) || hasAny(text, REFUSALS) },
  { situation: 'em_analise', matches: (text) => hasAny(text, NOT_YET) },
  {
    situation: 'condicionado',
    matches: (text) => has(text, 'CONDICIONAD') || (qualifiesApproval(text) && !isDoubtful(text)),
  },
  { situation: 'aprovado', matches: (text) => hasAny(text, APPROVALS) && !isDoubtful(text) },
  { situation: 'em_analise', matches: (text) => hasAny(text, PENDING) },
];

/**
 * A text that no rule knows stays `em_analise` with `known` false: nothing is guessed about a person's credit. For the
 * same reason no approval is read from a damaged text: the lost part may have been a NÃO. Accepts any string, in time
 * linear in its length; never throws.
 */
export function readStatus(raw: string): { readonly situation: Situation; readonly known: boolean } {
  const rule = ruleFor(raw);
  // Without the masked name, two words become neighbours: `A Maria menor` would read A MENOR.
  const isSame = !raw.includes(MASK) || rule === ruleFor(raw.replaceAll(MASK, SOMEBODY));
  const approves = rule?.situation === 'aprovado' || rule?.situation === 'condicionado';
  return rule && isSame && !(approves && DAMAGED.test(raw.replaceAll(MASK, ' ')))
    ? { situation: rule.situation, known: true }
    : { situation: 'em_analise', known: false };
}

const SOMEBODY = ' X ';

function ruleFor(raw: string) {
  const text = normalise(raw);
  return RULES.find(({ matches }) => matches(text));
}

const FILLERS =
  'A AS ATE AO AOS COM DA DAS DE DO DOS E EM FOI NA NAS NO NOS O OS OU PARA PELA PELO POR SEM SOB SUA UM UMA AGENCIA ANALISE ANALISTA AVALIACAO BANCO CADASTRO CEDO CLIENTE COMITE COMPROVANTE CONSULTA CONTRATO CREDITO DADOS DIAS DOCUMENTO DOCUMENTOS ENGENHARIA ENVIO ETAPA FASE FINANCIAMENTO IMOBILIARIO IMOVEL JURIDICO LAUDO LIMITE MES MOTIVO POLITICA PRAZO PROCESSAMENTO PROPOSTA RENDA RESULTADO RETORNO SCORE SISTEMA SITUACAO SOLICITACAO STATUS TAXA TITULAR VALOR VISTORIA';
const VOCABULARY = [ERRORS, CANCELLATIONS, REFUSALS, NEGATIONS, NOT_YET, QUALIFIERS, APPROVALS, PENDING, FILLERS]
  .flat()
  .flatMap((terms) => terms.split(' '));
const WHOLE_WORDS = new Set(VOCABULARY);
const STEMS = VOCABULARY.filter((term) => term.length > 4 && !FILLERS.includes(term));

const WRITTEN_WORDS = [...WHOLE_WORDS].concat(
  STEMS.flatMap((stem) => ['o', 'a', 'os', 'as', 'ao', 'oes'].map((end) => stem + end)),
);

/** `ending`: most letters that may follow a stem, because a name may follow without a blank: REPROVADAMARIA. */
export function isBanksWord(word: string, ending = Number.POSITIVE_INFINITY): boolean {
  const text = normalise(word).trim();
  return WHOLE_WORDS.has(text) || STEMS.some((stem) => text.startsWith(stem) && text.length <= stem.length + ending);
}

export const banksWordFits = (fits: (word: string) => boolean): boolean => WRITTEN_WORDS.some(fits);

export const isDamaged = (text: string): boolean => DAMAGED.test(text);

export const wordsOf = (text: string): readonly string[] => normalise(text).trim().split(' ');

/**
 * Invisible format characters (soft hyphen, zero-width space) vanish rather than split a word: INDEFERIDO must not
 * become DEFERIDO. Marks are dropped before NFD, too, because NFD takes quadratic time on a long run of marks.
 */
function normalise(raw: string): Normalised {
  const bare = raw
    .toUpperCase()
    .replace(/[\p{M}\p{Cf}]+/gu, '')
    .normalize('NFD')
    .replace(/\p{M}+/gu, '');
  return ` ${bare.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `;
}

const has = (text: Normalised, term: string): boolean => text.includes(` ${term}`);

const hasAny = (text: Normalised, terms: readonly string[]): boolean => terms.some((term) => has(text, term));

const isApproval = (word: string) => APPROVALS.some((approval) => word.startsWith(approval));

/** NAO and NOT are whole words here, unlike the terms: NOTIFICADO negates nothing. */
function negatesApproval(text: Normalised): boolean {
  const words = text.split(' ');
  return words.some(
    (word, index) =>
      isApproval(word) &&
      words.slice(Math.max(0, index - NEGATION_REACH), index).some((before) => NEGATIONS.includes(before)),
  );
}

/**
 * Whether a negation comes at any distance before an approval (NAO PODE SER APROVADO) or is the last word (APROVADO:
 * NAO).
 */
function isDoubtful(text: Normalised): boolean {
  const words = text.trim().split(' ');
  const negation = words.findIndex((word) => NEGATIONS.includes(word));
  const isAhead = negation >= 0 && words.findIndex((word, index) => index > negation && isApproval(word)) >= 0;
  const [last = ''] = words.slice(-1);
  return isAhead || NEGATIONS.includes(last);
}

function qualifiesApproval(text: Normalised): boolean {
  return (
    hasAny(text, APPROVALS) && QUALIFIERS.some((qualifier) => has(text.replaceAll(` SEM ${qualifier}`, ' '), qualifier))
  );
}
