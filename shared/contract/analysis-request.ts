import ipaddr from 'ipaddr.js';
import * as z from 'zod/mini';
import { type AnalysisForm, isWithdrawn } from '../domain/analyses/analysis.ts';
import type { SubmissionDraft } from '../domain/analyses/ports.ts';
import {
  type Holder,
  holderDifferences,
  type Lead,
  MARITAL_STATUSES,
  type MaritalStatus,
  withBirthDate,
} from '../domain/leads/lead.ts';
import { ageOn, CLOCK_DIFFERENCE, type Day, dayInSaoPaulo, timestamp } from '../domain/values/clock.ts';
import { Failure, type FieldFault } from '../domain/values/failure.ts';
import { centavos, formatReais, reaisFromCentavos } from '../domain/values/money.ts';
import type { Environment } from '../domain/values/tenancy.ts';
import { days, type Instant } from '../domain/values/time.ts';
import { described } from './described.ts';
import {
  address,
  bankNames,
  CHANNELS,
  channel,
  cpf,
  day,
  email,
  evidence,
  futureDays,
  isFutureMoment,
  type JsonObject,
  line,
  moment,
  money,
  months,
  oneOf,
  parseBanks,
  personName,
  phone,
  postalCode,
  sentLeadId,
  state,
} from './fields.ts';
import { type Notice, realCpfNotices } from './notices.ts';
import { readFields, withoutBlanks, withoutNulls } from './read-fields.ts';
import { withMisnamed } from './unknown-fields.ts';

/** The consent's fields are optional in the schema, because another check answers their absence with 422. */
export const analysisInput = described(
  z.object({
    lead_id: sentLeadId({
      description:
        'Lead do titular, da mesma unidade e do mesmo ambiente da chave. É a fonte de nome, CPF e nascimento.',
      format: 'int64',
    }),
    consentimento: described(
      z.optional(z.unknown()),
      'Sempre true: o titular consentiu com a consulta de crédito (LGPD). Qualquer outro valor é recusado e nada vai ao banco.',
    ),
    consentimento_timestamp: described(
      z.optional(moment()),
      'Momento em que o titular consentiu, com fuso. Até 5 minutos à frente do relógio do serviço são tolerados; antes do nascimento do titular não vale, e em produção tampouco um de há muito tempo: o guia diz de quantos dias.',
    ),
    consentimento_ip: described(
      z.optional(address()),
      'IP do aparelho em que o titular consentiu (v4 ou v6); não o do servidor do parceiro.',
    ),
    consentimento_canal: described(z.optional(channel()), {
      description:
        'Por onde o titular consentiu: web, app, whatsapp, presencial ou outro canal, nas palavras do parceiro; ao menos 2 letras, sem CPF, RG, telefone ou e-mail.',
      'x-extensible-enum': [...CHANNELS],
      minLength: 2,
    }),
    consentimento_versao: described(
      z.optional(evidence()),
      'Versão do texto que o titular aceitou, como o parceiro a chama. Fica no registro do consentimento, e por isso vai sem CPF, RG, telefone ou e-mail.',
    ),
    nome: described(
      personName(),
      'Nome do titular, igual ao do lead; maiúsculas, acentos, espaços repetidos, caracteres invisíveis e a forma de apóstrofo e hífen não contam.',
    ),
    cpf: described(
      cpf(),
      'CPF do titular, igual ao do lead, com ou sem pontuação. No sandbox, os CPFs de teste decidem o desfecho.',
    ),
    data_nascimento: described(
      day(),
      'Nascimento do titular, de 18 a 80 anos. Igual ao do lead; se o lead não o tem, passa a ter este.',
    ),
    renda: described(money(), 'Renda mensal bruta do titular, em reais.'),
    sexo: described(oneOf(['M', 'F']), 'Como consta no documento: M (masculino) ou F (feminino).'),
    estado_civil: described(
      oneOf(MARITAL_STATUSES),
      'Situação civil do titular. Com casado ou uniao, conjuge_nome, conjuge_cpf e conjuge_data_nascimento são obrigatórios.',
    ),
    nome_mae: described(personName(), 'Nome completo da mãe do titular, como no documento.'),
    email: described(email(), 'E-mail em que o banco fala com o titular.'),
    telefone: described(
      z.optional(phone()),
      'Telefone com DDD em que o banco fala com o titular; de 8 a 15 dígitos, com ou sem pontuação.',
    ),
    profissao: described(line(), 'O que o titular faz, como ele declara.'),
    empresa: described(line(), 'Empregador do titular, ou a própria empresa, de onde vem a renda.'),
    rg: described(line(), 'Número da carteira de identidade (RG), com ou sem pontuação.'),
    rg_orgao: described(line(), 'Sigla do órgão que emitiu o RG.'),
    rg_uf: described(state(), 'Sigla do estado em que o RG foi emitido.'),
    rg_emissao: described(day(), 'Data de emissão do RG, até hoje.'),
    cep: described(postalCode(), 'CEP da residência do titular: 8 dígitos, com ou sem hífen.'),
    logradouro: described(line(), 'Rua, avenida ou praça da residência, sem o número.'),
    numero: described(line(), 'Número no logradouro, como texto; complementos cabem aqui (1000 ap 12).'),
    bairro: described(line(), 'Bairro da residência.'),
    municipio: described(line(), 'Município da residência, por extenso.'),
    uf: described(state(), 'Sigla do estado da residência.'),
    valor_imovel: described(money(), 'Valor de compra ou de mercado do imóvel, em reais.'),
    valor_financiado: described(money(), 'Valor que se pede ao banco, em reais; não passa de valor_imovel.'),
    prazo: described(z.optional(months()), 'Prazo do financiamento, em meses. Sem ele, o banco propõe o seu.'),
    conjuge_nome: described(
      z.optional(personName()),
      'Nome completo do cônjuge ou companheiro. Obrigatório com estado_civil casado ou uniao.',
    ),
    conjuge_cpf: described(
      z.optional(cpf()),
      'CPF do cônjuge, que não pode ser o do titular. Obrigatório com estado_civil casado ou uniao.',
    ),
    conjuge_data_nascimento: described(
      z.optional(day()),
      'Data de nascimento do cônjuge, de 16 anos ou mais. Obrigatória com estado_civil casado ou uniao.',
    ),
    conjuge_renda: described(
      z.optional(money()),
      'Renda mensal bruta do cônjuge, em reais; só quando o casal compõe renda.',
    ),
    bancos: bankNames(),
  }),
  { id: 'AnaliseNova' },
);

export const SPOUSE = ['conjuge_nome', 'conjuge_cpf', 'conjuge_data_nascimento'] as const;
export const hasSpouse = (maritalStatus: MaritalStatus | undefined): boolean =>
  maritalStatus === 'casado' || maritalStatus === 'uniao';

const CONSENT = ['consentimento', 'consentimento_timestamp', 'consentimento_ip', 'consentimento_canal'] as const;
const CONSENT_CURES: Readonly<Record<(typeof CONSENT)[number], string>> = {
  consentimento: 'deve ser true; colha o consentimento do titular antes da consulta',
  consentimento_timestamp: 'é obrigatório; informe quando o titular consentiu',
  consentimento_ip: 'é obrigatório; informe o IP do cliente final',
  consentimento_canal: 'é obrigatório; informe por onde o titular consentiu',
};

/** In completed years. */
export const HOLDER_AGES = { youngest: 18, oldest: 80 } as const;
const HOLDER_AGE = `o titular deve ter de ${HOLDER_AGES.youngest} a ${HOLDER_AGES.oldest} anos para uma análise de crédito`;

/** Minimum age of a spouse, in completed years. Source: Código Civil, art. 1.517 and 1.520. */
export const YOUNGEST_SPOUSE = 16;
/** Days after which a consent gets a notice: the customer may have forgotten it. */
export const OLD_CONSENT = 30;
/** Amounts that banks usually finance. Any other amount probably has a zero too few or too many. */
const USUAL_LOAN = { least: centavos(5_000_00), most: centavos(30_000_000_00) };

/** Terms that banks usually grant, in months. Any other term is probably in years, or has a digit too many. */
const USUAL_TERM = { least: 24, most: 420 };

const daysSince = (moment: string, now: Instant) => (now - Date.parse(moment)) / days(1);

/** Returns why the moment of a consent cannot be true. Undefined if it may be true. */
function consentFault(givenAt: string, birth: Day | undefined, now: Instant): string | undefined {
  if (isFutureMoment(givenAt, now)) return 'está no futuro; envie o momento em que o titular consentiu';
  const isBorn = birth !== undefined && birth <= dayInSaoPaulo(now);
  if (isBorn && dayInSaoPaulo(Date.parse(givenAt)) < birth)
    return 'é anterior ao nascimento do titular; envie o momento em que ele consentiu';
  return undefined;
}

export interface SubmissionRules {
  /** Decides which addresses bring a notice, and whether an old consent is refused. */
  readonly environment: Environment;
  /** Greatest age of a consent in production, in days. An older consent is refused. */
  readonly consentDays: number;
}

function crossFaults(
  valid: Partial<z.output<typeof analysisInput>>,
  now: Instant,
  environment: Environment,
): FieldFault[] {
  const { data_nascimento, consentimento_timestamp, consentimento_ip, cpf, conjuge_cpf } = valid;
  const { conjuge_data_nascimento, valor_imovel, valor_financiado } = valid;
  const faults = futureDays(valid, ['data_nascimento', 'rg_emissao', 'conjuge_data_nascimento'], now);
  const reason = consentimento_timestamp && consentFault(consentimento_timestamp, data_nascimento, now);
  if (reason) faults.push({ field: 'consentimento_timestamp', reason });
  if (consentimento_ip !== undefined && environment === 'producao' && isNobodysAddress(consentimento_ip)) {
    const reason = `não pode ser o endereço do cliente; ${ADDRESS_CURE}`;
    faults.push({ field: 'consentimento_ip', reason });
  }
  // A birth in the future is already a fault above. A field shows only its first fault.
  if (data_nascimento && ageOn(data_nascimento, dayInSaoPaulo(now)) < HOLDER_AGES.youngest) {
    faults.push({ field: 'data_nascimento', reason: HOLDER_AGE });
  }
  if (cpf !== undefined && cpf === conjuge_cpf) {
    faults.push({ field: 'conjuge_cpf', reason: 'é o CPF do titular; informe o CPF do cônjuge' });
  }
  if (conjuge_data_nascimento && ageOn(conjuge_data_nascimento, dayInSaoPaulo(now)) < YOUNGEST_SPOUSE) {
    const reason = `o cônjuge deve ter ao menos ${YOUNGEST_SPOUSE} anos; confira a data`;
    faults.push({ field: 'conjuge_data_nascimento', reason });
  }
  if (valor_imovel !== undefined && valor_financiado !== undefined && valor_financiado > valor_imovel) {
    faults.push({ field: 'valor_financiado', reason: 'passa de valor_imovel; confira os dois valores' });
  }
  return faults;
}

export type SubmissionInput = ReturnType<typeof parseSubmission>;

/** A value that a bank understands: money is in reais, so the type excludes Centavos. */
type FormValue = string | (number & { readonly __unit?: never }) | undefined;

function presentFields(form: Readonly<Record<string, FormValue>>): AnalysisForm {
  const present: Record<string, string | number> = {};
  for (const [field, value] of Object.entries(form)) {
    if (value !== undefined) present[field] = value;
  }
  return present;
}

function consentMissing(fields: z.output<typeof analysisInput>, given: JsonObject): Failure {
  const absent = CONSENT.filter((field) => (field === 'consentimento' ? fields[field] !== true : !fields[field]));
  const missing = absent.map((field) => ({ field, reason: CONSENT_CURES[field] }));
  return new Failure('consentimento_ausente', { fields: withMisnamed(missing, analysisInput, given) });
}

/**
 * Throws a Failure for the first part that is wrong: the fields (`campo_obrigatorio`, `campo_invalido`), the consent
 * (`consentimento_ausente`), the banks (`banco_invalido`).
 */
export function parseSubmission(body: JsonObject, now: Instant, environment: Environment) {
  const given = withoutBlanks(withoutNulls(body), CONSENT);
  const fields = readFields(analysisInput, given, {
    required: ({ estado_civil }) => {
      const reason = `é obrigatório porque estado_civil é ${estado_civil}; preencha o campo`;
      return hasSpouse(estado_civil) ? SPOUSE.map((field) => ({ field, reason })) : [];
    },
    faults: (valid) => crossFaults(valid, now, environment),
  });
  const {
    lead_id: leadId,
    bancos,
    consentimento,
    consentimento_timestamp: givenAt,
    consentimento_ip: ip,
    consentimento_canal: channel,
    consentimento_versao: textVersion,
    ...form
  } = fields;
  if (consentimento !== true || !givenAt || !ip || !channel) throw consentMissing(fields, given);
  return {
    leadId,
    banks: parseBanks(bancos),
    holder: { name: form.nome, cpf: form.cpf, birthDate: form.data_nascimento } satisfies Holder,
    // The operator shares the field names of the wire. Dates and CPFs are normalised, and money is in reais.
    form: presentFields({
      ...form,
      renda: reaisFromCentavos(form.renda),
      valor_imovel: reaisFromCentavos(form.valor_imovel),
      valor_financiado: reaisFromCentavos(form.valor_financiado),
      conjuge_renda: form.conjuge_renda === undefined ? undefined : reaisFromCentavos(form.conjuge_renda),
    }),
    consent: { givenAt, ip, channel, textVersion },
  };
}

/**
 * Throws `campo_invalido` if the holder or, in production, the consent has become too old. A repeated call must get the
 * first call's answer all the same (README.md#idempotency, rule 12), so `parseSubmission` does not check this.
 */
export function requireNotTooOld(
  { holder, consent }: SubmissionInput,
  now: Instant,
  { environment, consentDays }: SubmissionRules,
): void {
  const fields: FieldFault[] = [];
  if (ageOn(holder.birthDate, dayInSaoPaulo(now)) > HOLDER_AGES.oldest) {
    fields.push({ field: 'data_nascimento', reason: HOLDER_AGE });
  }
  if (environment === 'producao' && daysSince(consent.givenAt, now) > consentDays) {
    const reason = `tem mais de ${consentDays} dias; colha um consentimento novo`;
    fields.push({ field: 'consentimento_timestamp', reason });
  }
  if (fields.length > 0) throw new Failure('campo_invalido', { fields });
}

export function submissionNotices({ consent, form }: SubmissionInput, now: Instant, rules: SubmissionRules): Notice[] {
  // The answer to POST /v1/leads already had the notice about the holder's CPF.
  const spouse = realCpfNotices('conjuge_cpf', form['conjuge_cpf'], rules.environment);
  const notices = addressNotices(consent.ip, rules.environment).concat(spouse);
  if (daysSince(consent.givenAt, now) > OLD_CONSENT) {
    const motivo = `O titular consentiu há mais de ${OLD_CONSENT} dias: confirme que ele ainda quer a análise. Em produção, um consentimento de mais de ${rules.consentDays} dias é recusado.`;
    notices.push({ campo: 'consentimento_timestamp', motivo });
  }
  const { least, most } = USUAL_LOAN;
  const asked = Number(form['valor_financiado']);
  if (asked < reaisFromCentavos(least) || asked > reaisFromCentavos(most)) {
    const motivo = `Fora do que os bancos costumam financiar, de ${formatReais(least)} a ${formatReais(most)}: confira se não faltou nem sobrou um zero.`;
    notices.push({ campo: 'valor_financiado', motivo });
  }
  const term = Number(form['prazo'] ?? USUAL_TERM.least);
  if (term < USUAL_TERM.least || term > USUAL_TERM.most) {
    const motivo = `Fora do que os bancos costumam aceitar, de ${USUAL_TERM.least} a ${USUAL_TERM.most}: confira se são meses, e não anos.`;
    notices.push({ campo: 'prazo', motivo });
  }
  if (form['renda'] === 0) {
    notices.push({ campo: 'renda', motivo: 'É zero: um banco recusa quem não tem renda. Confira o valor.' });
  }
  if (String(form['rg_emissao']) < String(form['data_nascimento'])) {
    notices.push({ campo: 'rg_emissao', motivo: 'É anterior ao nascimento do titular: confira as duas datas.' });
  }
  return notices;
}

const HOLDER_FIELDS: Readonly<Record<keyof Holder, string>> = {
  name: 'nome',
  cpf: 'cpf',
  birthDate: 'data_nascimento',
};

const FIXED_CURE =
  'difere do lead, que é a fonte; envie o valor do lead, que não se altera; se o lead é que está errado, fale com o gestor';
const HOLDER_CURES: Readonly<Record<keyof Holder, string>> = {
  name: 'difere do lead, que é a fonte; envie o valor do lead ou corrija o lead antes',
  cpf: FIXED_CURE,
  birthDate: FIXED_CURE,
};

export function holderMismatch(differences: readonly (keyof Holder)[]): Failure {
  const fields = differences.map((field) => ({ field: HOLDER_FIELDS[field], reason: HOLDER_CURES[field] }));
  return new Failure('divergencia_titular', { fields });
}

/**
 * `leadToWrite` is the changed lead if the lead takes over the holder's birth date. Throws `divergencia_titular` if the
 * holder differs from the lead.
 */
export function requireHolder(lead: Lead, holder: Holder, now: Instant): Pick<SubmissionDraft, 'lead' | 'leadToWrite'> {
  const differences = holderDifferences(lead, holder);
  if (differences.length > 0) throw holderMismatch(differences);
  return { lead, leadToWrite: withBirthDate(lead, holder.birthDate, now) };
}

/** Throws `consentimento_ausente` if the lead's person has withdrawn the consent on which a submission rests. */
export function requireStandingConsent(
  { consentWithdrawnAt }: Pick<Lead, 'consentWithdrawnAt'>,
  { givenAt }: SubmissionInput['consent'],
): void {
  if (consentWithdrawnAt === undefined || !isWithdrawn(Date.parse(givenAt), consentWithdrawnAt)) return;
  throw consentWithdrawn(consentWithdrawnAt);
}

/**
 * Returns the same failure for a withdrawal and an erasure, because the lead's person may have been erased under
 * another lead number.
 */
export function consentWithdrawn(cutoff: Instant): Failure {
  const from = timestamp(cutoff + CLOCK_DIFFERENCE);
  const reason = `o titular revogou o consentimento, ou pediu a eliminação dos seus dados, em ${timestamp(cutoff)}; colha um consentimento novo, dado depois de ${from}`;
  return new Failure('consentimento_ausente', {
    text: 'O titular revogou o consentimento, ou pediu a eliminação dos seus dados, e o consentimento que veio não é mais novo que isso por mais de 5 minutos, a diferença tolerada entre relógios. Espere esse tempo e colha um consentimento novo antes da consulta.',
    fields: [{ field: 'consentimento_timestamp', reason }],
  });
}

/** Ranges of addresses, as ipaddr.js calls them, from which no customer's consent can come. */
const IMPOSSIBLE: ReadonlySet<string> = new Set(['unspecified', 'loopback', 'linkLocal', 'multicast', 'broadcast']);
/** Ranges that are reserved, or whose addresses belong to a different machine in each network. */
const NOT_PUBLIC: ReadonlySet<string> = new Set([
  'private',
  'carrierGradeNat',
  'uniqueLocal',
  'deprecatedSiteLocal',
  'reserved',
]);

const rangeOf = (address: string) => ipaddr.process(address).range();

const ADDRESS_CURE = 'envie o IP com que ele chegou, não o do servidor nem o do proxy';

/** Whether an IP address (v4 or v6, without a zone) cannot be a customer's. Production refuses such an address. */
const isNobodysAddress = (address: string): boolean => IMPOSSIBLE.has(rangeOf(address));

/** Source: shared/contract/README.md#consents, rule 4. */
export function addressNotices(address: string, environment: Environment): readonly Notice[] {
  const campo = 'consentimento_ip';
  if (environment === 'sandbox' && isNobodysAddress(address)) {
    const motivo = `Em produção este endereço é recusado, pois não pode ser o do cliente; ${ADDRESS_CURE}.`;
    return [{ campo, motivo }];
  }
  const range = rangeOf(address);
  // Examples have addresses that are reserved for documentation (RFC 5737), so they bring no notice in the sandbox.
  if (!NOT_PUBLIC.has(range) || (environment === 'sandbox' && range === 'reserved')) return [];
  const motivo =
    'É um endereço privado ou de documentação e foi registrado assim; como prova do consentimento, envie o IP público do cliente.';
  return [{ campo, motivo }];
}
