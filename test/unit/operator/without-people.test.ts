import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AnalysisForm } from '#shared/domain/analyses/analysis.ts';
import { readStatus } from '#shared/domain/analyses/statuses.ts';
import { cpfFrom, formatCpf } from '#shared/domain/values/cpf.ts';
import { keptText } from '#shared/domain/values/masked-text.ts';
import { mayNamePeople, numberWithoutPeople, textWithoutPeople } from '#shared/operator/without-people.ts';

/** A person of a form, as the spellings below write the person. */
interface Person {
  readonly first: string;
  readonly second: string;
  readonly last: string;
  readonly cpf: string;
  /** Area code and nine digits. */
  readonly phone: string;
  readonly rg: string;
  readonly year: string;
  readonly month: string;
  readonly day: string;
}

const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '');
const mojibake = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
const accents = (text: string, by: (letter: string) => string) => text.replace(/[^\x20-\x7e]/gu, by);
const grouped = (digits: string, sizes: readonly number[], sign: string) => {
  const starts = sizes.map((_, index) => sizes.slice(0, index).reduce((sum, size) => sum + size, 0));
  return sizes.map((size, index) => digits.slice(starts[index], (starts[index] ?? 0) + size)).join(sign);
};
const cpfBy = (sign: string) => (p: Person) => grouped(p.cpf, [3, 3, 3, 2], sign);
const phoneOf = (p: Person) => ({ area: p.phone.slice(0, 2), left: p.phone.slice(2, 7), right: p.phone.slice(7) });
const MONTHS = 'janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro'.split(' ');
const monthOf = (p: Person) => MONTHS[Number(p.month) - 1] ?? '';
const named =
  (joined: string, change = (text: string) => text) =>
  (p: Person) =>
    change([p.first, p.second, p.last].join(joined));
const damaged = (by: (letter: string) => string) => named(' ', (text) => accents(text, by));

/** The spellings, each with what it writes. */
const SPELLINGS: Readonly<Record<string, (p: Person) => string>> = {
  // Names.
  name: named(' '),
  'name in capitals': named(' ', (text) => text.toUpperCase()),
  'name in small letters': named(' ', (text) => text.toLowerCase()),
  'name without accents': named(' ', plain),
  'name in capitals without accents': named(' ', (text) => plain(text).toUpperCase()),
  'name with hyphens': named('-'),
  'name with dots': named('.'),
  'name with underscores': named('_'),
  'name with slashes': named('/'),
  'name with plus signs': named('+'),
  'name with many blanks': named('   '),
  'name with tabs': named('\t'),
  'name with line breaks': named('\n'),
  'name with no-break spaces': named('\u00a0'),
  'name with commas': (p) => `${p.last}, ${p.first} ${p.second}`,
  'name with an initial': (p) => `${p.first} ${p.second.slice(0, 1)}. ${p.last}`,
  'name with particles': named(' de '),
  'name in brackets': (p) => `(${p.first}) [${p.last}]`,
  'name with soft hyphens': named(' ', (text) => text.replace(/(?<=\p{L}\p{L})(?=\p{L})/u, '\u00ad')),
  'name with zero-width spaces': named(' ', (text) => text.replace(/(?<=\p{L}\p{L})(?=\p{L})/u, '\u200b')),
  'name with combining marks': named(' ', (text) => text.normalize('NFD')),
  'name with foreign accents': named(' ', (text) => text.replace(/a/g, 'ä')),
  'first name': (p) => p.first,
  'last name': (p) => `Sr. ${p.last}`,
  'glued name': named(''),
  'glued name in capitals': named('', (text) => text.toUpperCase()),
  'glued name in small letters': named('', (text) => text.toLowerCase()),
  'glued name without accents': named('', plain),
  'glued name in capitals without accents': named('', (text) => plain(text).toUpperCase()),
  'glued name with particles': named('De'),
  'glued name with particles in capitals': named('DE', (text) => plain(text).toUpperCase()),
  'glued name that was cut off': (p) => plain(p.first + p.second + p.last.slice(0, 4)).toUpperCase(),
  'name glued to a word of banks': (p) => `Cliente${p.first}`,
  'name glued to a word of banks in capitals': (p) => `CLIENTE${plain(p.first + p.last).toUpperCase()}`,
  'user name': (p) => plain(`${p.first}.${p.last}1`).toLowerCase(),
  'name before digits': (p) => `${p.first}${p.last}2026`,
  'UTF-8 read as Latin-1': named(' ', mojibake),
  'UTF-8 read as Latin-1 twice': named(' ', (text) => mojibake(mojibake(text))),
  'UTF-8 read as Windows-1252': named(' ', (text) => new TextDecoder('windows-1252').decode(Buffer.from(text, 'utf8'))),
  'UTF-8 in capitals read as Windows-1252': named(' ', (text) =>
    new TextDecoder('windows-1252').decode(Buffer.from(text.toUpperCase(), 'utf8')),
  ),
  'Latin-1 read as UTF-8': named(' ', (text) => Buffer.from(text, 'latin1').toString('utf8')),
  'Latin-1 read as Mac OS': named(' ', (text) => new TextDecoder('macintosh').decode(Buffer.from(text, 'latin1'))),
  'Latin-1 read as Cyrillic': named(' ', (text) => new TextDecoder('koi8-r').decode(Buffer.from(text, 'latin1'))),
  'replaced letters': damaged(() => '\ufffd'),
  'question marks': damaged(() => '?'),
  'two question marks': damaged(() => '??'),
  'underscores for letters': damaged(() => '_'),
  'dropped letters': damaged(() => ''),
  'blanks for letters': damaged(() => ' '),
  'numeric entities': damaged((letter) => `&#${letter.codePointAt(0)};`),
  'hexadecimal entities': damaged((letter) => `&#x${letter.codePointAt(0)?.toString(16)};`),
  'named entities': damaged((letter) => `&${plain(letter)}tilde;`),
  'entities of entities': damaged((letter) => `&amp;${plain(letter)}acute;`),
  'percent signs': named(' ', (text) => accents(text, encodeURIComponent)),
  'percent signs and blanks': named(' ', encodeURIComponent),
  'quoted-printable': named(' ', (text) => accents(text, (letter) => encodeURIComponent(letter).replaceAll('%', '='))),
  'JSON escapes': damaged((letter) => `\\u00${letter.codePointAt(0)?.toString(16)}`),
  // CPFs.
  cpf: (p) => p.cpf,
  'cpf with dots and dash': (p) => formatCpf(cpfFrom(p.cpf.slice(0, 9))),
  'cpf with blanks': cpfBy(' '),
  'cpf with dots': cpfBy('.'),
  'cpf with dashes': cpfBy('-'),
  'cpf with underscores': cpfBy('_'),
  'cpf with commas': cpfBy(','),
  'cpf with colons': cpfBy(':'),
  'cpf with dots and blanks': cpfBy('. '),
  'cpf with slashes': cpfBy('/'),
  'cpf with zeros': (p) => `000${p.cpf}`,
  'cpf before a date': (p) => `${p.cpf} 27/11/2026`,
  'cpf after a date': (p) => `27/11/2026 ${p.cpf}`,
  'cpf with wrong check digits': (p) => `${p.cpf.slice(0, 9)}${(Number(p.cpf.slice(9)) + 1) % 100}`.padEnd(11, '0'),
  'cpf with wrong check digits, dots and dash': (p) =>
    `${grouped(p.cpf, [3, 3, 3], '.')}-${String((Number(p.cpf.slice(9)) + 1) % 100).padStart(2, '0')}`,
  'cpf without check digits': (p) => grouped(p.cpf, [3, 3, 3], '.'),
  'cpf after letters': (p) => `CPF${p.cpf}`,
  'cpf with a dash only': (p) => `${p.cpf.slice(0, 9)}-${p.cpf.slice(9)}`,
  // Telephones.
  phone: (p) => p.phone,
  'phone with brackets': (p) => `(${phoneOf(p).area}) ${phoneOf(p).left}-${phoneOf(p).right}`,
  'phone without area code': (p) => p.phone.slice(2),
  'phone without area code with a dash': (p) => `${phoneOf(p).left}-${phoneOf(p).right}`,
  'phone without area code with a blank': (p) => `${phoneOf(p).left} ${phoneOf(p).right}`,
  'phone without area code with a dot': (p) => `${phoneOf(p).left}.${phoneOf(p).right}`,
  'phone with a separate nine': (p) => `9 ${phoneOf(p).left.slice(1)} ${phoneOf(p).right}`,
  'phone without the nine': (p) => p.phone.slice(3),
  'phone with country code': (p) => `+55${p.phone}`,
  'phone with country code and blanks': (p) => `+55 ${phoneOf(p).area} ${phoneOf(p).left} ${phoneOf(p).right}`,
  'phone with country code and zeros': (p) => `0055${p.phone}`,
  'phone with a zero': (p) => `0${p.phone}`,
  'phone with underscores': (p) => grouped(p.phone, [2, 5, 4], '_'),
  'phone in pairs': (p) => grouped(p.phone, [2, 3, 2, 2, 2], ' '),
  // RG.
  rg: (p) => p.rg,
  'rg with dots': (p) => grouped(p.rg, [2, 3, 3], '.'),
  'rg with blanks': (p) => grouped(p.rg, [2, 3, 3], ' '),
  // Birth dates.
  'birth date': (p) => `${p.day}/${p.month}/${p.year}`,
  'birth date with dots': (p) => `${p.day}.${p.month}.${p.year}`,
  'birth date with blanks': (p) => `${p.day} ${p.month} ${p.year}`,
  'birth date with dashes, year first': (p) => `${p.year}-${p.month}-${p.day}`,
  'birth date with slashes, year first': (p) => `${p.year}/${p.month}/${p.day}`,
  'birth date, month first': (p) => `${p.month}/${p.day}/${p.year}`,
  'birth date with a short year': (p) => `${p.day}/${p.month}/${p.year.slice(2)}`,
  'birth date without zeros': (p) => `${Number(p.day)}/${Number(p.month)}/${p.year}`,
  'birth date without signs': (p) => p.day + p.month + p.year,
  'birth date without signs, year first': (p) => p.year + p.month + p.day,
  'birth date with its month': (p) => `${Number(p.day)} de ${monthOf(p)} de ${p.year}`,
  'birth date with a short month': (p) => `${p.day}-${monthOf(p).slice(0, 3).toUpperCase()}-${p.year}`,
  'birth date with a short month and year': (p) => `${p.day}/${monthOf(p).slice(0, 3)}/${p.year.slice(2)}`,
  'birth date with a time': (p) => `${p.year}-${p.month}-${p.day}T00:00:00`,
  // Addresses.
  street: () => 'Rua das Araucárias Vermelhas, 1787',
  'street without kind, accents and particles': () => 'ARAUCARIAS VERMELHAS 1787',
  'street with a short kind': () => 'R. Araucárias Vermelhas nº 1787',
  district: () => 'bairro Tucuruvizinho',
  'postal code': () => '01310-987',
  'postal code without dash': () => '01310987',
};

const FIRST = ['João', 'Conceição', 'Antônio', 'Cecília', 'Inês', 'Márcia', 'Tarcísio', 'Aparecida'];
const SECOND = ['Simões', 'Gonçalves', 'Araújo', 'Bragança', 'Patrícia', 'Duarte'];
const LAST = ['Magalhães', 'Assunção', 'Falcão', 'Guimarães', 'Vinícius', 'Nogueira'];
const digits = (count: number) => fc.array(fc.integer({ min: 1, max: 9 }), { minLength: count, maxLength: count });

/** Digits that show a person: six in a row of CPF, telephone, RG, birth date or postal code. */
function secretParts(p: Person): readonly string[] {
  const secrets = [p.cpf, p.phone.slice(2), p.rg, p.day + p.month + p.year, p.year + p.month + p.day, '01310987'];
  return secrets.flatMap((secret) => Array.from({ length: secret.length - 5 }, (_, at) => secret.slice(at, at + 6)));
}

/** Digits that a text has whoever is named in it: `27/11/2026` and `T00:00:00` of the spellings, then `proposta 40` or `-7`. */
const DIGITS_OF_NOBODY = ['2711202640', '271120267', '00000040', '0000007'];
const hasOwnDigits = (p: Person) =>
  !secretParts(p).some((part) => DIGITS_OF_NOBODY.some((digits) => digits.includes(part)));

/** People whose digits are not by chance those of a text about nobody. */
const people: fc.Arbitrary<Person> = fc
  .record({
    first: fc.constantFrom(...FIRST),
    second: fc.constantFrom(...SECOND),
    last: fc.constantFrom(...LAST),
    nine: digits(9).filter((drawn) => new Set(drawn).size > 1),
    phone: digits(9),
    rg: digits(8),
    year: fc.integer({ min: 1950, max: 2000 }),
    month: fc.integer({ min: 1, max: 12 }),
    day: fc.integer({ min: 1, max: 28 }),
  })
  .map(({ first, second, last, nine, phone, rg, year, month, day }) => ({
    first,
    second,
    last,
    cpf: cpfFrom(nine.join('')),
    phone: `${phone.slice(0, 1).join('')}19${phone.slice(1).join('')}`,
    rg: rg.join(''),
    year: String(year),
    month: String(month).padStart(2, '0'),
    day: String(day).padStart(2, '0'),
  }))
  .filter(hasOwnDigits);

/** Returns the form of a person: as its holder, or as the spouse of another. */
function formOf(p: Person, isSpouse: boolean): AnalysisForm {
  const address = {
    logradouro: 'Rua das Araucárias Vermelhas',
    numero: '1787',
    bairro: 'Tucuruvizinho',
    cep: '01310987',
  };
  const name = `${p.first} ${p.second} de ${p.last}`;
  const birth = `${p.year}-${p.month}-${p.day}`;
  const common = { ...address, telefone: p.phone, rg: p.rg };
  return isSpouse
    ? {
        ...common,
        nome: 'Otto Kim',
        cpf: '52998224725',
        conjuge_nome: name,
        conjuge_cpf: p.cpf,
        conjuge_data_nascimento: birth,
      }
    : { ...common, nome: name, cpf: p.cpf, data_nascimento: birth };
}

/** Returns what must not remain of a spelling: each word of three letters and each number of two digits. */
function traces(written: string, p: Person): readonly string[] {
  const person = new Set(
    [p.first, p.second, p.last, 'Araucárias', 'Vermelhas', 'Tucuruvizinho']
      .flatMap((name) => [name, name.normalize('NFD'), mojibake(name), plain(name)])
      .flatMap((name) => name.toLowerCase().match(/[a-z]{3,}/g) ?? []),
  );
  const words = (written.toLowerCase().match(/[a-z]{3,}/g) ?? []).filter((word) => person.has(word));
  return words;
}

/** Returns the digits of a text that show the person. */
function shownDigits(kept: string, p: Person): readonly string[] {
  const left = kept.replace(/\D/g, '');
  return secretParts(p).filter((part) => left.includes(part));
}

it('the list has at least 100 spellings', () => {
  expect(Object.keys(SPELLINGS).length).toBeGreaterThanOrEqual(100);
});

it.each(Object.entries(SPELLINGS))('a bank’s text keeps nothing of a person who is written as: %s', (_, spelling) => {
  fc.assert(
    fc.property(people, fc.boolean(), (p, isSpouse) => {
      const text = keptText(`Recusado: ${spelling(p)}; proposta 40`);
      expect(mayNamePeople(text) || !/[a-z]{3}/i.test(text.replace(/Recusado|proposta/g, ''))).toBe(true);
      const kept = textWithoutPeople(formOf(p, isSpouse), text);
      expect(traces(kept, p)).toEqual([]);
      expect(shownDigits(kept, p)).toEqual([]);
      expect(kept).toMatch(/^Recusado: .*; proposta 40$/s);
      expect(readStatus(kept).situation).toBe('recusado');
      // The same text is stored for the next answer, so a second pass changes nothing.
      expect(textWithoutPeople(formOf(p, isSpouse), kept)).toBe(kept);
    }),
    { numRuns: 10 },
  );
});

const IN_NUMBERS =
  /^(name with (hyphens|dots|underscores|slashes)|.*glued name.*(capitals|accents|cut off)|user name|cpf.*|phone|phone w.*|birth date without signs.*)$/;

it.each(Object.entries(SPELLINGS).filter(([name]) => IN_NUMBERS.test(name)))(
  'a query number keeps nothing of a person who is written as: %s',
  (_, spelling) => {
    fc.assert(
      fc.property(people, fc.boolean(), (p, isSpouse) => {
        const kept = numberWithoutPeople(formOf(p, isSpouse), `BR-${plain(spelling(p))}-7`);
        expect(traces(kept, p)).toEqual([]);
        expect(shownDigits(kept, p)).toEqual([]);
        expect(kept).toMatch(/^BR-?.*\*\*\*.*7$|^BR-\*\*\*$/s);
      }),
      { numRuns: 10 },
    );
  },
);

it.each([
  ['Rua 25 de Março', 'RUA 25 DE MARCO 1787', 'RUA *** DE *** ***'],
  ['Avenida 9 de Julho', 'endereço: 9 de Julho, 1787', 'endereço: *** de ***, ***'],
  ['Rua João XXIII, 20', 'RUA JOAO XXIII', 'RUA *** ***'],
  ['Rua 7', 'mora na rua 7', 'mora na rua ***'],
])('a street with a number in its name is masked: %s', (logradouro, text, masked) => {
  expect(textWithoutPeople({ ...FORM, logradouro, numero: '1787' }, text)).toBe(masked);
});

it('a street with a number in its name masks no other number', () => {
  const form = { ...FORM, logradouro: 'Rua 25 de Março' };
  const text = 'Em análise há 25 dias, retorno em março';
  expect(textWithoutPeople(form, text)).toBe(text);
});

const FORM: AnalysisForm = {
  nome: 'Ana Lise Prado da Costa Lima',
  nome_mae: 'Mesa Neo Silva',
  cpf: '52998224725',
  telefone: '11988887777',
  rg: '8172635',
  data_nascimento: '1985-03-12',
  logradouro: 'Avenida Brasil',
  numero: '12',
  bairro: 'Centro',
  cep: '01310100',
};

it.each([
  'Em análise na mesa de crédito',
  'Comprador e vendedor: documentos pendentes',
  'Proposta eliminada do sistema, encostada',
  'Não aprovado',
  'N?o aprovado',
  'NÃ?O APROVADO',
  'Banco do Brasil, Itaú Unibanco, Santander, Bradesco, CashMe',
  'Centro de análise: proposta 12345678901',
  'Aprovado (c/ seguro), 80% de R$ 1.500.000,00 [mesa] | nº 12',
  'Recebido em 23/11/2026 10:30, proposta 98765432100123',
  'Taxa 9,99% a.a., 420 meses, R$ 12.345.678,90',
  'Protocolo 2026/0003121985-7, item 12/03/2026',
])('a bank’s text stays as it is if it names nobody of its form: %s', (text) => {
  expect(textWithoutPeople(FORM, keptText(text))).toBe(keptText(text));
});

it.each(['IT-901943132160000', '12345678901', '2026/17:A', 'SB-9001', 'a1b2c3d4-e5f6-7890'])(
  'a query number stays as it is if it names nobody of its form: %s',
  (queryNumber) => {
    expect(numberWithoutPeople(FORM, queryNumber)).toBe(queryNumber);
  },
);

it.each([
  ['529.982.247-25', '***'],
  ['IT-111.222.333-44', 'IT-***'],
  ['MARIA-APARECIDA-DE-SOUZA', '***-***-DE-***'],
  ['X7MARIAAPARECIDA9', 'X7***9'],
])('the query number %s becomes %s', (queryNumber, kept) => {
  expect(numberWithoutPeople({ nome: 'Maria Aparecida de Souza', cpf: '52998224725' }, queryNumber)).toBe(kept);
});

it('a name with letters that have no accent to lose is masked', () => {
  expect(textWithoutPeople({ nome: 'Łukasz Strøm' }, 'Recusado: łukasz STRØM')).toBe('Recusado: *** ***');
});

it('a damaged name leaves a sign of damage, so that no approval is read from the text', () => {
  const form = { nome: 'João Falcão' };
  expect(textWithoutPeople(form, keptText('Aprovado: JoÃ£o'))).toBe('Aprovado: ***?');
  expect(readStatus(textWithoutPeople(form, keptText('Aprovado: JoÃ£o'))).known).toBe(false);
  expect(textWithoutPeople(form, 'Aprovado: JoaoFalcao')).toBe('Aprovado: ***?');
  expect(textWithoutPeople(form, 'Aprovado: JOAOFALCAO')).toBe('Aprovado: ***');
});

it('a text of 5,000 characters takes less than 3 s of processor time, whatever it is made of', () => {
  for (const unit of ['1', '1 ', 'a', 'Ã', '?a', 'ANA', 'ANALISE', '&a', '%C3', '12/03/', 'Brasil ', '12 mar '])
    for (const of of [textWithoutPeople, numberWithoutPeople]) {
      const started = process.cpuUsage();
      of(FORM, unit.repeat(5_000).slice(0, 5_000));
      expect(process.cpuUsage(started).user).toBeLessThan(3_000_000);
    }
});
