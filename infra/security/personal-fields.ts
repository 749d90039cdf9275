/**
 * The fields about people in the rows of the table, and the tables of PRIVACY.md that list them. Each field of such a
 * row's format is a word of these tables, or stands in `nobody`, so that a person looks at each new field before it is
 * stored.
 */
import * as z from 'zod/mini';
import { analysisInput } from '#shared/contract/analysis-request.ts';
import { leadDraft } from '#shared/domain/leads/lead.ts';
import { analysisFormat, consentFormat } from '#shared/table/analyses/analysis-row.ts';
import { sealedWithdrawal } from '#shared/table/analyses/consent-withdrawals.ts';
import { sealedConsent } from '#shared/table/analyses/consents.ts';
import { labelFormat, sealedLabel } from '#shared/table/partners/api-keys.ts';
import { profileFormat, unitFormat } from '#shared/table/partners/partner-register.ts';
import { answerFormat } from '#shared/table/rows/idempotency.ts';
import { leadTrace } from '#shared/table/rows/living-lead.ts';
import { deliveryFormat } from '#shared/table/rows/outbox.ts';
import { openOpportunity, sealedOpportunity } from '#shared/table/simulations/simulations.ts';

/** Why each field about a partner's customers is needed, by its name on the wire, in the order of the paper. */
const OF_CUSTOMERS: Readonly<Record<string, string>> = {
  nome: 'names the person to the bank, and on the documents of a simulation',
  cpf: 'identifies the person to the bank, on the documents of a simulation and in our searches',
  rg: 'identity card; a submission must have it',
  rg_orgao: 'belongs to the RG',
  rg_uf: 'belongs to the RG',
  rg_emissao: 'belongs to the RG',
  data_nascimento: 'insurance and terms of a simulation depend on the age; a submission must have it',
  sexo: 'a submission must have it',
  estado_civil: "in the form: decides whether a submission needs a spouse; in the lead: for the partner's own use",
  nome_mae: 'a submission must have it',
  email: "in the form: the bank's way to the person; in the lead: for the partner's own use",
  telefone: "in the form: the bank's way to the person; in the lead: for the partner's own use",
  renda: 'affordability',
  profissao: 'a submission must have it',
  empresa: 'a submission must have it',
  conjuge_nome: 'names the spouse to the bank',
  conjuge_cpf: 'identifies the spouse to the bank and in our searches',
  conjuge_data_nascimento: 'must be sent if the holder is married or in a stable union; the spouse must be 16 or older',
  conjuge_renda: 'for couples who add their incomes',
  cep: 'address of the holder; a submission must have it',
  logradouro: 'address of the holder; a submission must have it',
  numero: 'address of the holder; a submission must have it',
  bairro: 'address of the holder; a submission must have it',
  municipio: 'address of the holder; a submission must have it',
  uf: 'address of the holder; a submission must have it',
  origem: "how the person came to the partner, in the partner's words",
  observacao: "the partner's own note; in the sandbox it may choose the outcome",
  'segundo_proponente.data_nascimento':
    "insurance and longest term of an offer depend on the second proponent's age, too",
  'segundo_proponente.renda': 'affordability, together with the first income',
  'segundo_proponente.participacao':
    "the second proponent's share of the insurance; if it is not sent, it follows from the incomes, or is a half if the first is unknown or both are 0",
  consentimento_timestamp: 'evidence of the consent',
  consentimento_ip: 'evidence of the consent',
  consentimento_canal: 'evidence of the consent',
  consentimento_versao: 'evidence of the consent',
  revogado_em: 'evidence that the consent was withdrawn; later analyses need a newer consent',
  canal: 'evidence that the consent was withdrawn',
  num_consulta:
    "the bank's number, by which the operator may be asked. It is stored without the people whom the mask recognises",
  status_original:
    "the last text about the analysis: the bank's or operator's, stored without the people whom the mask recognises, or the service's own, which may say that the holder withdrew the consent or is erased",
};

/** The same for people of the partners: what is kept about them, and why. */
const OF_PARTNERS: Readonly<Record<string, string>> = {
  consultant: 'a key may name the consultant who works with it; GET /v1/me shows the name',
  'day of the last call': 'shows whether a key is still in use; it is about a person if the key names a consultant',
  'contact of a unit': "how a unit's clients reach it, printed on the documents of a simulation",
  creci: 'registration of the agent, printed on the documents of a simulation',
  'contact for incidents': 'whom we tell at the partner about a security incident',
};

/** The form: a submission's body, except what the consent and the analyses keep of it. Its row has the wire's names. */
const form = z.omit(analysisInput, {
  lead_id: true,
  bancos: true,
  consentimento: true,
  consentimento_timestamp: true,
  consentimento_ip: true,
  consentimento_canal: true,
  consentimento_versao: true,
});
const FORM_WORDS = Object.keys(form.def.shape).filter((field) => field in OF_CUSTOMERS);

/** The fields of the rows of one kind. */
interface Kind {
  /** How the paper calls the rows. */
  readonly row: string;
  readonly formats: Readonly<Record<string, z.core.$ZodType>>;
  /** The paper's words for each path of the formats that holds something about a person. */
  readonly people: Readonly<Record<string, readonly string[]>>;
  /** Paths whose value follows from a field about a person, with the paper's words for this field. */
  readonly follows?: Readonly<Record<string, readonly string[]>>;
  /** All other paths, separated by blanks. */
  readonly nobody: string;
}

export const KINDS: readonly Kind[] = [
  {
    row: 'lead',
    formats: { leadDraft, leadTrace },
    people: {
      name: ['nome'],
      cpf: ['cpf'],
      phone: ['telefone'],
      email: ['email'],
      birthDate: ['data_nascimento'],
      income: ['renda'],
      maritalStatus: ['estado_civil'],
      origin: ['origem'],
      note: ['observacao'],
      consentWithdrawnAt: ['revogado_em'],
    },
    nobody: 'id version createdAt updatedAt reusedAt replayedAt uses notice.endsAt notice.seen',
  },
  {
    row: 'simulation',
    formats: { openOpportunity, sealedOpportunity },
    people: {
      'customer.name': ['nome'],
      'customer.cpf': ['cpf'],
      'customer.birthDate': ['data_nascimento'],
      'offers.birthDate': ['data_nascimento'],
      'offers.secondBorrower.birthDate': ['segundo_proponente.data_nascimento'],
      // A share that was not sent is stored as a fraction of the incomes, unrounded.
      'offers.secondBorrower.share': ['segundo_proponente.participacao', 'renda', 'segundo_proponente.renda'],
    },
    follows: {
      'offers.income.sufficient': ['renda', 'segundo_proponente.renda'],
      'offers.income.highest': ['renda', 'segundo_proponente.renda'],
      // A notice says that the income is within the limit of a programme. Without a value, the loan follows from the income.
      'offers.notices.kind': ['renda', 'segundo_proponente.renda'],
      'offers.principal': ['renda', 'segundo_proponente.renda'],
      'refusals.reasons': ['renda', 'segundo_proponente.renda'],
    },
    nobody: `id leadId createdAt offers.bank offers.tableVersion offers.product offers.indexer offers.system offers.term
      offers.contractDay offers.propertyValue offers.expenses offers.annualRate offers.monthlyRate
      offers.effectiveAnnualCost offers.first.number offers.first.dueDate offers.first.amortization
      offers.first.interest offers.first.mip offers.first.dfi offers.first.fee offers.first.total offers.first.balance
      offers.lastTotal offers.total offers.requiredIncome offers.appraisalFee offers.dfiRate offers.monthlyFee
      offers.conditionsDate offers.segment offers.rateKind offers.rateDate offers.rateSource offers.purpose offers.iof offers.fgts
      offers.downPayment offers.cashExpenses offers.cashNeeded offers.projection.scenario
      offers.projection.indexPercent offers.projection.date offers.projection.source offers.projection.annualCost
      offers.projection.lastTotal offers.projection.total offers.notices.years
      offers.notices.asked offers.notices.income offers.notices.property offers.notices.conditions
      offers.notices.days refusals.bank refusals.system`,
  },
  {
    row: 'form',
    formats: { form },
    people: Object.fromEntries(FORM_WORDS.map((field) => [field, [field]])),
    nobody: 'valor_imovel valor_financiado prazo',
  },
  {
    row: 'consent',
    formats: { sealedConsent },
    people: {
      givenAt: ['consentimento_timestamp'],
      ip: ['consentimento_ip'],
      channel: ['consentimento_canal'],
      textVersion: ['consentimento_versao'],
    },
    nobody: 'id leadId analysisIds banks keyId',
  },
  {
    row: 'withdrawal',
    formats: { sealedWithdrawal },
    people: { withdrawnAt: ['revogado_em'], channel: ['canal'] },
    nobody: 'id leadId keyId',
  },
  {
    row: 'analysis',
    formats: { analysisFormat, consentFormat },
    people: {
      queryNumber: ['num_consulta'],
      rawStatus: ['status_original'],
      consentedAt: ['consentimento_timestamp'],
    },
    nobody: `id unitId environment partnerId leadId bank submissionId situation sequence createdAt forced requestId
      unanswerableSince concludedAt`,
  },
  {
    row: 'event',
    formats: { deliveryFormat },
    people: { body: ['num_consulta', 'status_original'] },
    nobody: `eventId unitId environment partnerId analysisId type to state attempts dueAt createdAt wishedAt discardedAt
      history.number history.at history.result.delivered history.result.status history.result.milliseconds
      history.result.failure history.result.detail history.result.retryAfter textsDeletedAt failFirst requestId`,
  },
  {
    row: 'stored answer',
    formats: { answerFormat },
    // The answers to a submission and to a withdrawal.
    people: { body: ['num_consulta', 'status_original', 'revogado_em', 'canal'] },
    // The answer to a simulation says whether the income is enough, and which term the age allows.
    // Its prices follow from the shares of the insurance, too.
    follows: {
      body: [
        'renda',
        'data_nascimento',
        'segundo_proponente.data_nascimento',
        'segundo_proponente.renda',
        'segundo_proponente.participacao',
      ],
    },
    nobody: 'status',
  },
  {
    row: 'key',
    formats: { labelFormat, sealedLabel },
    people: { 'consultant.name': ['consultant'], lastDay: ['day of the last call'] },
    nobody: 'id unitId environment scopes prefix lastFour createdAt revokedAt consultant.id',
  },
  {
    row: 'unit',
    formats: { unitFormat },
    people: { contact: ['contact of a unit'], creci: ['creci'] },
    nobody: 'id name createdAt',
  },
  {
    row: 'partner',
    formats: { profileFormat },
    people: { incidentContact: ['contact for incidents'] },
    nobody: 'id name createdAt validatedAt',
  },
];

const HASH = 'a keyed hash in the keys of rows, in the audit and in requests for approval';
const EACH_TEXT = 'in the audit each text that a change set or tried to set';
/** Where a field is kept outside of these formats: in keys of rows, other rows, the audit, requests for approval. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  cpf: HASH,
  conjuge_cpf: HASH,
  consultant: 'in a request for approval of a key',
  'day of the last call': "while the key is live, the row that counts the partner's calls",
  'contact of a unit': EACH_TEXT,
  creci: EACH_TEXT,
  'contact for incidents': EACH_TEXT,
};

/** Returns the dotted paths of the values that a format holds, such as `offers.secondBorrower.birthDate`. */
export function pathsOf(format: z.core.$ZodType, at: readonly string[] = []): readonly string[] {
  if (format instanceof z.ZodMiniOptional || format instanceof z.ZodMiniDefault)
    return pathsOf(format.def.innerType, at);
  if (format instanceof z.ZodMiniArray) return pathsOf(format.def.element, at);
  if (format instanceof z.ZodMiniUnion || format instanceof z.ZodMiniDiscriminatedUnion)
    return Array.from(new Set(format.def.options.flatMap((option) => pathsOf(option, at))));
  if (format instanceof z.ZodMiniObject)
    return Object.entries(format.def.shape).flatMap(([name, part]) => pathsOf(part, at.concat(name)));
  return [at.join('.')];
}

/** Returns the rows that hold a field, in the order of the kinds, as the paper says it. */
function keptIn(word: string): string {
  const places = KINDS.flatMap(({ row, people, follows = {} }) => {
    if (Object.values(people).flat().includes(word)) return [row];
    return Object.values(follows).flat().includes(word) ? [`${row} (what follows from it)`] : [];
  });
  const elsewhere = ELSEWHERE[word];
  return [places.join(', ')].concat(elsewhere ?? []).join('; ');
}

function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(heading), `|${'---|'.repeat(heading.length)}`].concat(rows.map(line)).join('\n');
}

/** Returns the table of PRIVACY.md about the customers of partners. */
export const customerFields = (): string =>
  table(
    ['field', 'kept in', 'why it is needed'],
    Object.entries(OF_CUSTOMERS).map(([word, why]) => [`\`${word}\``, keptIn(word), why]),
  );

/** Returns the table of PRIVACY.md about the people of partners. */
export const partnerPeople = (): string =>
  table(
    ['what', 'kept in', 'why it is needed'],
    Object.entries(OF_PARTNERS).map(([word, why]) => [word, keptIn(word), why]),
  );

/** The words of both tables. */
export const WORDS: readonly string[] = Object.keys(OF_CUSTOMERS).concat(Object.keys(OF_PARTNERS));
