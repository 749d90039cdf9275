import { isIP } from 'node:net';
import * as z from 'zod/mini';
import { BANK_IDENTITIES, BANKS, type Bank, bankCalled } from '../domain/values/bank.ts';
import { isChannel } from '../domain/values/channel.ts';
import { CLOCK_DIFFERENCE, dayInSaoPaulo, parseDay } from '../domain/values/clock.ts';
import { parseCpf } from '../domain/values/cpf.ts';
import { type EvidenceFault, evidenceFault } from '../domain/values/evidence.ts';
import { Failure, type FieldFault } from '../domain/values/failure.ts';
import type { LeadId } from '../domain/values/ids.ts';
import { centavosFromReais, formatReais, LARGEST_AMOUNT, reaisFromCentavos } from '../domain/values/money.ts';
import { nearestName } from '../domain/values/nearest-name.ts';
import { parsePostalCode, STATES } from '../domain/values/postal-code.ts';
import type { Instant } from '../domain/values/time.ts';
import { visibleText, withoutInvisible } from '../domain/values/visible-text.ts';
import { described } from './described.ts';
import { BANKS_TO_USE } from './failures.ts';
import { keptAs } from './kept-as.ts';

export type JsonObject = { readonly [field: string]: unknown };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** If the only mistake may be the quotation marks, the error says so. The error never shows the sent value. */
const typeError =
  (fault: string, sent: 'number' | 'string', form: string) =>
  ({ input }: { readonly input?: unknown }) => {
    if (typeof input !== sent) return fault;
    return sent === 'number'
      ? `veio como número; envie entre aspas: "${form}"`
      : `veio como texto; envie sem aspas: ${form}`;
  };

/** If `make` returns undefined, the schema fails with `fault`. `form` is an example of a value as it should be sent. */
export function textMeaning<T>(fault: string, form: string, make: (text: string) => T | undefined) {
  return z.pipe(
    z.string({ error: typeError(fault, 'number', form) }).check(z.trim()),
    z.transform((text, context): T => {
      const value = make(text);
      if (value !== undefined) return value;
      context.issues.push({ code: 'custom', message: fault, input: text });
      return z.NEVER;
    }),
  );
}

/** Whether a text shows anything. A name of zero-width characters is no name. */
const showsSomething = (text: string) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(visibleText(text));

/** \p{Cc}, written so that the regular expressions of every language can read it: the document shows this pattern. */
const CONTROLS = '\\x00-\\x1f\\x7f-\\x9f';
const CONTROLS_IN_PROSE = '\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f';
const CONTROL_FAULT = 'contém caracteres de controle; retire-os';
const CUT_FAULT = 'contém metade de um caractere (um par UTF-16 cortado); envie o texto inteiro, em UTF-8';

const EVIDENCE_FAULTS: Readonly<Record<EvidenceFault, string>> = {
  hidden: 'contém caracteres invisíveis; digite o texto em vez de copiá-lo',
  secret: 'fica guardado por anos; escreva-o sem chave de API e sem segredo de webhook',
  person: 'fica guardado por anos; escreva-o sem CPF, RG, telefone ou e-mail',
};

/**
 * Schema of a trimmed text with at least one visible character, in well-formed Unicode, without the characters of
 * `forbidden`. `kept` turns the text into the form that is stored.
 */
function text(longest: number, forbidden: string, kept = (text: string) => text) {
  return z.string({ error: 'deve ser um texto; envie entre aspas' }).check(
    z.trim(),
    z.minLength(1, 'não pode ficar vazio; preencha ou omita o campo'),
    z.refine((text) => text === '' || showsSomething(text), 'não mostra nada; preencha ou omita o campo'),
    z.overwrite(kept),
    z.maxLength(longest, `aceita no máximo ${longest} caracteres; encurte`),
    z.refine((text) => text.isWellFormed(), CUT_FAULT),
    z.regex(new RegExp(`^[^${forbidden}]*$`), CONTROL_FAULT),
  );
}

export const line = () => text(200, CONTROLS);

/** Drops invisible characters, which come from copied documents, and joins each accent to its letter. */
export const personName = () => text(200, CONTROLS, (name) => visibleText(name).normalize('NFC').trim());

const copied = (text: string) => withoutInvisible(text).trim();

/** Channels of a consent or a withdrawal that most partners have. Other channels are accepted, too. */
export const CHANNELS = ['web', 'app', 'whatsapp', 'presencial'] as const;

/** A line that is kept as evidence, which nobody can erase or correct. */
export const evidence = () => line().check(keptAs(evidenceFault, EVIDENCE_FAULTS));

/** A channel in the partner's own words: evidence with at least two letters. */
export const channel = () =>
  evidence().check(z.refine(isChannel, 'deve ter ao menos 2 letras; diga por onde, por exemplo web'));

/** Text of several lines. Line breaks and tabs are its only control characters. */
export const prose = (longest: number) => text(longest, CONTROLS_IN_PROSE);

/** A CPF with or without punctuation. The value is its 11 digits. */
export function cpf() {
  return described(
    textMeaning(
      'não é um CPF válido; envie 11 dígitos ou ddd.ddd.ddd-dd e confira os dígitos verificadores',
      'ddd.ddd.ddd-dd',
      parseCpf,
    ),
    {
      description:
        'CPF do cliente, com ou sem pontuação. Os dígitos verificadores são conferidos; zeros à esquerda não são completados.',
      pattern: '^(\\d{11}|\\d{3}\\.\\d{3}\\.\\d{3}-\\d{2})$',
    },
  );
}

/** A CEP with or without hyphen. The value is its 8 digits. */
export function postalCode() {
  return described(
    textMeaning('não é um CEP válido; envie 8 dígitos, com ou sem hífen', 'ddddd-ddd', parsePostalCode),
    { pattern: '^\\d{5}-?\\d{3}$', not: { pattern: '^0{5}-?0{3}$' } },
  );
}

/** A dot-atom (RFC 5322, 3.2.3), @, and a domain with a dot. Other letters need the domain's ASCII form. */
const EMAIL =
  /^[A-Za-z0-9_!#$%&'*+/=?^`{|}~-]+(?:\.[A-Za-z0-9_!#$%&'*+/=?^`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])$/;

const EMAIL_FAULT = 'não é um endereço de e-mail; envie no formato nome@dominio.com.br, sem acentos';

export function email() {
  return described(
    z.pipe(
      z
        .string({ error: 'deve ser um texto; envie entre aspas' })
        .check(z.overwrite(copied), z.maxLength(254, 'aceita no máximo 254 caracteres; encurte')),
      // No mail system takes more than 64 characters before the @ (RFC 5321, 4.5.3.1.1).
      z.email({ pattern: EMAIL, error: EMAIL_FAULT }).check(z.refine((text) => text.indexOf('@') <= 64, EMAIL_FAULT)),
    ),
    { format: 'email', pattern: EMAIL.source },
  );
}

/** The value is the text without the invisible characters with which address books surround a copied number. */
export function phone() {
  return described(
    text(200, CONTROLS, copied).check(
      z.refine(
        (text) => /^[\d\s\p{P}\p{S}]+$/u.test(text) && /^\d{8,15}$/.test(text.replace(/\D/g, '')),
        'não é um telefone; envie de 8 a 15 dígitos, com ou sem pontuação',
      ),
    ),
    // This pattern accepts more than the check, because generators for other languages do not know \p. It refuses
    // nothing that the check accepts.
    { pattern: `^[^A-Za-z\\d${CONTROLS}]*(\\d[^A-Za-z\\d${CONTROLS}]*){8,15}$` },
  );
}

const DAY_FAULT =
  'deve ser uma data AAAA-MM-DD que exista, de 1900 em diante, sem barras e sem hora; por exemplo 1988-05-20';

/** A calendar day from 1900 on. `futureDays`, which knows the time, refuses future days. */
export function day() {
  return described(
    textMeaning(DAY_FAULT, '1988-05-20', (text) => {
      const day = parseDay(text);
      return day !== undefined && day >= '1900-01-01' ? day : undefined;
    }),
    { format: 'date', pattern: '^(19|[2-9]\\d)\\d\\d-' },
  );
}

/** Days begin and end in São Paulo. */
export function futureDays<F extends string>(
  valid: Readonly<Partial<Record<F, string | undefined>>>,
  fields: readonly F[],
  now: Instant,
): FieldFault[] {
  const today = dayInSaoPaulo(now);
  return fields
    .filter((field) => (valid[field] ?? '') > today)
    .map((field) => ({ field, reason: 'está no futuro; envie uma data até hoje' }));
}

export const okay = () => described(z.literal(true), 'Sempre true em respostas 2xx; os erros não têm este campo.');

export const idField = (description: string) => described(z.int(), { description, format: 'int64' });

export const momentField = (description: string) => described(z.string(), { description, format: 'date-time' });

export const dayField = (description: string) => described(z.string(), { description, format: 'date' });

export const bankNickname = () => described(z.enum(BANKS), 'Apelido do banco, sempre nesta forma nas respostas.');

export const bankId = () =>
  described(z.int(), `Id do banco: ${BANKS.map((bank) => `${BANK_IDENTITIES[bank].id} ${bank}`).join(', ')}.`);

const AMOUNT_FORM = '350000.50, com ponto nos centavos e sem separador de milhar';

/** Reais with at most 2 decimals on the wire, centavos in the code. */
export function money() {
  const fault = `deve ser um número de 0 a ${formatReais(LARGEST_AMOUNT)} com no máximo 2 casas decimais, sem aspas`;
  return described(
    z.pipe(
      z.number({ error: typeError(fault, 'string', AMOUNT_FORM) }).check(z.nonnegative(fault)),
      z.transform((reais, context) => {
        const amount = centavosFromReais(reais);
        if (amount !== undefined) return amount;
        context.issues.push({ code: 'custom', message: fault, input: reais });
        return z.NEVER;
      }),
    ),
    { maximum: reaisFromCentavos(LARGEST_AMOUNT) },
  );
}

export const positiveInteger = (fault = 'deve ser um número inteiro maior que zero, sem aspas', form = '123') =>
  z
    .number({ error: typeError(fault, 'string', form) })
    .check(z.int({ error: ({ code }) => (code === 'too_big' ? TOO_LARGE : fault) }), z.positive(fault));

const TOO_LARGE = `passa do maior número inteiro aceito, ${Number.MAX_SAFE_INTEGER}; confira o valor`;

export const sentLeadId = (words: z.core.GlobalMeta) =>
  z.pipe(described(positiveInteger(), words), z.custom<LeadId, number>(Number.isSafeInteger));

export const months = () => positiveInteger('deve ser um número inteiro de meses, a partir de 1', '240');

export const flag = () => z.boolean({ error: 'deve ser true ou false, sem aspas' });

export const state = () => z.enum(STATES, { error: 'deve ser a sigla de um dos 27 estados, em maiúsculas' });

export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, { error: `deve ser um destes: ${values.join(', ')}` });

/**
 * A moment, kept as it was written; `:00` is added if it has no seconds (RFC 3339, 5.6). `isFutureMoment` refuses
 * future moments. `cure` ends the sentence that refuses another form.
 */
export function moment(cure = '') {
  return described(
    textMeaning(
      `deve ser data e hora ISO 8601 com fuso, por exemplo 2026-11-20T12:00:00-03:00${cure}`,
      '2026-11-20T12:00:00-03:00',
      (text) => {
        const [, date, minute, second = ':00', offset] =
          /^(\d{4}-\d{2}-\d{2})(T(?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d(?:\.\d{1,9})?)?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/.exec(
            text,
          ) ?? [];
        if (date === undefined || parseDay(date) === undefined) return undefined;
        return `${date}${minute}${second}${offset}`;
      },
    ),
    { format: 'date-time', pattern: '(Z|[+-](0\\d|1[0-4]):[0-5]\\d)$' },
  );
}

/** Whether a moment (as `moment` returns it) is more than 5 minutes after `now`. */
export const isFutureMoment = (text: string, now: Instant): boolean => Date.parse(text) > now + CLOCK_DIFFERENCE;

/** An IP address. An address with a zone (`%eth0`) is refused: only the machine that wrote it can read it. */
export function address() {
  return described(
    textMeaning('deve ser o endereço IP (v4 ou v6) do cliente final', 'd.d.d.d', (text) =>
      isIP(text) && !text.includes('%') ? text : undefined,
    ),
    { pattern: '^[0-9A-Fa-f:.]{2,45}$' },
  );
}

/** Most entries of a list of banks. Each bank may be named by any of its names, and several times. */
const MOST_BANKS = 60;

/** `parseBanks` checks which banks exist, because the failure of an unknown bank has another status. */
export function bankNames() {
  return described(
    z
      .array(
        described(z.union([z.string(), z.number()], { error: 'deve ser o apelido, o nome ou o id de um banco' }), {
          override: ({ jsonSchema }) => {
            delete jsonSchema.anyOf;
            jsonSchema.type = ['string', 'integer'];
          },
          'x-extensible-enum': [...BANKS],
        }),
        { error: 'deve ser uma lista com ao menos um banco, entre colchetes: ["itau"]' },
      )
      .check(
        z.minLength(1, 'deve ter ao menos um banco'),
        z.maxLength(MOST_BANKS, `aceita no máximo ${MOST_BANKS} itens; cada banco uma vez basta`),
      ),
    `Bancos a consultar, cada um por apelido, nome ou id: ${BANKS.map((bank) => `${bank} (${BANK_IDENTITIES[bank].id})`).join(', ')}. Maiúsculas e acentos não importam; repetidos contam uma vez; a ordem é a da resposta.`,
  );
}

const LONGEST_BANK = 40;

function unknownBank(name: string): string {
  const near = nearestName(name.slice(0, LONGEST_BANK), BANKS);
  return `não é um banco da lista; ${near ? `quis dizer ${near}? U` : 'u'}se ${BANKS_TO_USE}`;
}

/** Returns each bank once, in the list's order. Throws `banco_invalido`, which lists every name that means no bank. */
export function parseBanks(names: readonly (string | number)[]): Bank[] {
  const banks = new Set<Bank>();
  const unknown: FieldFault[] = [];
  for (const [index, name] of names.entries()) {
    const bank = bankCalled(String(name));
    if (bank === undefined) unknown.push({ field: `bancos.${index}`, reason: unknownBank(String(name)) });
    else banks.add(bank);
  }
  if (unknown.length > 0) throw new Failure('banco_invalido', { fields: unknown });
  return Array.from(banks);
}
