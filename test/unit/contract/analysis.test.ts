import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { analysisView } from '#shared/contract/analysis.ts';
import * as request from '#shared/contract/analysis-request.ts';
import { CLOCK_DIFFERENCE, timestamp } from '#shared/domain/values/clock.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import { newAnalysis, newAnalysisOfCouple } from '#shared/partner/openapi/example-bodies.ts';
import {
  BAD,
  type BadInput,
  casesOf,
  failureOf,
  JUNK,
  missingFields,
  refusalOf,
  sameValuesFor,
  wrongFields,
} from '#test/makers/bad-input.ts';

const NOW = Date.parse('2026-11-24T16:20:00Z');
const read = (body: object, now = NOW, environment: Environment = 'sandbox') =>
  request.parseSubmission(body as Record<string, unknown>, now, environment);
const tooOld = (body: object, environment: Environment = 'sandbox', now = NOW) =>
  request.requireNotTooOld(read(body, now, environment), now, { environment, consentDays: 180 });
/** Returns the fields with a notice, without the notice about the consent's address. */
const noticedIn = (changes: object, environment: Environment = 'sandbox') =>
  request
    .submissionNotices(read({ ...newAnalysis, ...changes }, NOW, environment), NOW, { environment, consentDays: 180 })
    .map(({ campo }) => campo)
    .filter((field) => field !== 'consentimento_ip');
/** Returns the refusal of a submission that differs from the example by these changes. */
const refused = (changes: object, body: object = newAnalysis) => refusalOf(() => read({ ...body, ...changes }));
const without = (body: object, ...fields: string[]) =>
  Object.fromEntries(Object.entries(body).filter(([field]) => !fields.includes(field)));

const CONSENT = ['consentimento', 'consentimento_timestamp', 'consentimento_ip', 'consentimento_canal'];
const SPOUSE = ['conjuge_nome', 'conjuge_cpf', 'conjuge_data_nascimento'];
const OPTIONAL = ['telefone', 'prazo', 'conjuge_renda', 'consentimento_versao', ...SPOUSE];
const FIELDS = Object.keys(request.analysisInput.shape);
const REQUIRED = FIELDS.filter((field) => ![...OPTIONAL, ...CONSENT].includes(field));

const FUTURE_DAYS = [...BAD.days, ['tomorrow', '2026-11-25'], ['a far year', '9999-12-31']] as const;
const BIRTHS = [...FUTURE_DAYS, ['17 years', '2008-11-25']] as const;
const STATES = [...BAD.choices, ['lower case', 'sp'], ['a name', 'São Paulo'], ['no state', 'XX']] as const;
const CHANNELS = BAD.lines.filter(([what]) => what !== 'an empty text' && what !== 'only blanks');
const IPS = [...JUNK, ['a number', 3405803801], ['a name', 'localhost']] as const;
const MOMENTS = [
  ...JUNK,
  ['a number', 1763640000],
  ['no offset', '2026-11-20T12:00:00'],
  ['6 minutes ahead', '2026-11-24T16:26:00Z'],
  ['ahead, between blanks', ' 2099-01-01T00:00:00Z '],
  ['ahead, in another offset', '2026-11-24T13:26:00-03:00'],
  ['before the holder’s birth', '1988-03-13T23:59:59-03:00'],
] as const;

/** Texts that nobody may keep as evidence. */
const EVIDENCE = [
  ['an e-mail address', 'maria﹫example.com'],
  ['a telephone number', '+55119 8765 4321'],
  ['a secret', 'whsec_c2VjcmV0'],
  ['an invisible character', 'web\u202ebew'],
] as const;

/** Values that each field of a submission refuses with 400. */
const REFUSED: BadInput = {
  ...sameValuesFor('nome nome_mae profissao empresa rg rg_orgao logradouro numero bairro municipio', BAD.lines),
  conjuge_nome: BAD.lines,
  ...sameValuesFor('renda valor_imovel conjuge_renda', BAD.amounts),
  ...sameValuesFor('lead_id prazo', BAD.integers),
  ...sameValuesFor('rg_uf uf', STATES),
  consentimento_timestamp: MOMENTS,
  consentimento_ip: IPS,
  consentimento_versao: [...BAD.lines, ...EVIDENCE],
  consentimento_canal: [...CHANNELS, ...EVIDENCE, ['one letter', 'x'], ['no letter', '-- 12']],
  cpf: BAD.cpfs,
  data_nascimento: BIRTHS,
  sexo: [...BAD.choices, ['lower case', 'f'], ['a word', 'feminino']],
  estado_civil: [...BAD.choices, ['another case', 'CASADO']],
  email: BAD.emails,
  telefone: BAD.phones,
  rg_emissao: FUTURE_DAYS,
  cep: BAD.postalCodes,
  valor_financiado: [...BAD.amounts, ['more than the property', 500_000.01]],
  conjuge_cpf: [...BAD.cpfs, ['the CPF of the holder', '90000000175']],
  conjuge_data_nascimento: [...FUTURE_DAYS, ['15 years', '2010-11-25']],
};

describe('parseSubmission', () => {
  it('the table of bad input covers every field but the banks and the consent itself', () => {
    expect([...Object.keys(REFUSED), 'bancos', 'consentimento'].sort()).toEqual([...FIELDS].sort());
  });

  it('parseSubmission says that a lead_id is too large, not that it is no whole number', () => {
    const { fields } = failureOf(() => read({ ...newAnalysis, lead_id: 2 ** 53 }));
    expect(fields).toEqual([{ field: 'lead_id', reason: expect.stringContaining('9007199254740991') }]);
  });

  it('parseSubmission says that a text is cut inside a character, not that it has control characters', () => {
    const { fields } = failureOf(() => read({ ...newAnalysis, profissao: 'arquiteta \ud83d' }));
    expect(fields).toEqual([{ field: 'profissao', reason: expect.stringContaining('metade de um caractere') }]);
  });

  it('parseSubmission returns normalised dates and CPFs, and money in reais', () => {
    const changes = { nome: '  Marina Duarte Alves ', renda: 15000.5, estado_civil: ' casado ', sexo: ' F' };
    const moment = { consentimento_timestamp: '2026-11-24T13:18-03:00', bancos: ['Itaú', 2, 'brb', '2'] };
    const { lead_id, bancos: _banks, cpf: _cpf, ...sent } = newAnalysisOfCouple;
    expect(read({ ...newAnalysisOfCouple, ...changes, ...moment })).toEqual({
      leadId: lead_id,
      banks: ['itau', 'brb'],
      holder: { name: 'Marina Duarte Alves', cpf: '90000000175', birthDate: '1988-03-14' },
      form: {
        ...without(sent, ...CONSENT, 'consentimento_versao'),
        cpf: '90000000175',
        renda: 15000.5,
        cep: '01310100',
        conjuge_cpf: '90000000337',
        estado_civil: 'casado',
        sexo: 'F',
      },
      consent: {
        givenAt: '2026-11-24T13:18:00-03:00',
        ip: '203.0.113.25',
        channel: 'web',
        textVersion: 'termo-2026-10',
      },
    });
  });

  it('the form has no field of the consent, the lead or the banks, and no unknown field', () => {
    const { form } = read({ ...newAnalysis, senha: 'x', ...JSON.parse('{"__proto__": {"renda": 1}}') });
    const own = FIELDS.filter((field) => ![...CONSENT, 'consentimento_versao', 'lead_id', 'bancos'].includes(field));
    expect(Object.keys(form).filter((field) => !own.includes(field))).toEqual([]);
  });

  it.each(REQUIRED)('a submission with %s missing or null is refused with campo_obrigatorio', (field) => {
    expect(refused({}, without(newAnalysis, field))).toEqual(missingFields(field));
    expect(refused({ [field]: null })).toEqual(missingFields(field));
  });

  it('a holder without a spouse needs none of the optional fields', () => {
    const asked = read(without(newAnalysis, ...OPTIONAL));
    expect(OPTIONAL.filter((field) => field in asked.form)).toEqual([]);
    const nulls = Object.fromEntries(OPTIONAL.map((field) => [field, null]));
    expect(read({ ...newAnalysis, ...nulls })).toEqual(asked);
    for (const estado_civil of ['solteiro', 'divorciado', 'viuvo', 'separado'])
      expect(read({ ...newAnalysis, estado_civil }).form['estado_civil']).toBe(estado_civil);
  });

  it.each(['casado', 'uniao', ' casado '])('a holder who is "%s" needs the fields of the spouse', (estado_civil) => {
    const couple = { ...newAnalysisOfCouple, estado_civil };
    const [told] = failureOf(() => read(without(couple, 'conjuge_nome'))).fields ?? [];
    expect(told?.reason).toBe(`é obrigatório porque estado_civil é ${estado_civil.trim()}; preencha o campo`);
    expect(refused({}, without(couple, ...SPOUSE))).toEqual(missingFields(...SPOUSE));
    expect(refused({ conjuge_cpf: null }, couple)).toEqual(missingFields('conjuge_cpf'));
    expect(read(without(couple, 'conjuge_renda')).form).not.toHaveProperty('conjuge_renda');
  });

  it('the refusal names all missing fields at once, those of the spouse included', () => {
    expect(refused({}, {})).toEqual(missingFields(...REQUIRED));
    const others = REQUIRED.filter((field) => field !== 'estado_civil');
    expect(refused({ estado_civil: 'casado' }, {})).toEqual(missingFields(...others, ...SPOUSE));
  });

  it.each(casesOf(REFUSED))('parseSubmission refuses $field with campo_invalido: $what', ({ field, value }) => {
    expect(refused({ [field]: value }, newAnalysisOfCouple)).toEqual(wrongFields(field));
  });

  it('the refusal names malformed fields together with faults that depend on the time or on other fields', () => {
    const late = { rg_emissao: '2027-01-01', consentimento_timestamp: '2027-01-01T00:00:00Z' };
    const others = { data_nascimento: '2010-01-01', conjuge_cpf: '900.000.001-75' };
    const named = wrongFields('uf', ...Object.keys(late), ...Object.keys(others));
    expect(refused({ uf: 'xx', ...late, ...others }, newAnalysisOfCouple)).toEqual(named);
  });
});

it('a holder may be analysed from the 18th birthday to the day before the 81st', () => {
  for (const data_nascimento of ['2008-11-24', '1945-11-25']) {
    const born = { ...newAnalysis, data_nascimento };
    expect(read(born).holder.birthDate).toBe(data_nascimento);
    expect(() => tooOld(born)).not.toThrow();
  }
  expect(refusalOf(() => tooOld({ ...newAnalysis, data_nascimento: '1945-11-24' }))).toEqual(
    wrongFields('data_nascimento'),
  );
});

it('the age of a holder is counted by the day in São Paulo', () => {
  const young = { ...newAnalysis, data_nascimento: '2008-11-25' };
  const old = { ...newAnalysis, data_nascimento: '1945-11-25' };
  const [before, after] = [Date.parse('2026-11-25T02:59:59Z'), Date.parse('2026-11-25T03:00:00Z')];
  expect(refusalOf(() => read(young, before))).toEqual(wrongFields('data_nascimento'));
  expect(read(young, after).holder.birthDate).toBe('2008-11-25');
  expect(() => tooOld(old, 'sandbox', before)).not.toThrow();
  expect(refusalOf(() => tooOld(old, 'sandbox', after))).toEqual(wrongFields('data_nascimento'));
});

it.each([
  ['1940-01-01', 'o titular deve ter de 18 a 80 anos para uma análise de crédito'],
  ['2010-01-01', 'o titular deve ter de 18 a 80 anos para uma análise de crédito'],
  ['2027-01-01', 'está no futuro; envie uma data até hoje'],
])('the refusal of the birth date %s says why', (data_nascimento, reason) => {
  const { fields } = failureOf(() => tooOld({ ...newAnalysis, data_nascimento }));
  expect(fields).toEqual([{ field: 'data_nascimento', reason }]);
});

describe('parseSubmission and the consent', () => {
  const absent = (...fields: string[]) => ({ code: 'consentimento_ausente', fields });

  it.each(CONSENT)('a consent with %s missing or null is refused with consentimento_ausente', (field) => {
    expect(refused({}, without(newAnalysis, field))).toEqual(absent(field));
    expect(refused({ [field]: null })).toEqual(absent(field));
  });

  const row = (field: string, said: unknown): [string, unknown] => [field, said];
  it.each([
    ...[false, 'true', 'sim', 1, 0, '', [], {}, [true], { true: true }].map((said) => row('consentimento', said)),
    ...CONSENT.slice(1).flatMap((field) => ['', '   '].map((blank) => row(field, blank))),
  ])('a consent whose %s is %j is refused with consentimento_ausente', (field, said) =>
    expect(refused({ [field]: said })).toEqual(absent(field)),
  );

  it('the refusal names all missing fields of the consent, even if the prototype of the body has such a field', () => {
    expect(refused({}, without(newAnalysis, ...CONSENT))).toEqual(absent(...CONSENT));
    const inherited = JSON.parse('{"__proto__": {"consentimento": true}}') as object;
    expect(refused(inherited, without(newAnalysis, 'consentimento'))).toEqual(absent('consentimento'));
  });

  it('the consent is checked after the fields and before the banks', () => {
    const body = { ...without(newAnalysis, 'consentimento'), bancos: ['nenhum'] };
    expect(refused({ rg: null }, body)).toEqual(missingFields('rg'));
    expect(refused({ rg: '' }, body)).toEqual(wrongFields('rg'));
    expect(refused({ consentimento_ip: 'x' }, body)).toEqual(wrongFields('consentimento_ip'));
    expect(refused({}, body)).toEqual(absent('consentimento'));
    expect(refused({ consentimento: true }, body)).toEqual({ code: 'banco_invalido', fields: ['bancos.0'] });
  });

  it('a consent may be up to 5 minutes ahead of our clock, and come by any channel', () => {
    const consentimento_timestamp = '2026-11-24T16:25:00Z';
    expect(read({ ...newAnalysis, consentimento_timestamp }).consent.givenAt).toBe(consentimento_timestamp);
    for (const consentimento_canal of ['web', 'app', 'whatsapp', 'presencial', 'Quiosque nº 3'])
      expect(read({ ...newAnalysis, consentimento_canal }).consent.channel).toBe(consentimento_canal);
  });
});

describe('submissionNotices', () => {
  const DAY = 86_400_000;
  const given = (days: number) => ({ consentimento_timestamp: new Date(NOW - days * DAY).toISOString() });
  const birth = { consentimento_timestamp: '1988-03-14T00:00:00-03:00' };

  it.for<[string, object, string[]]>([
    ['a consent of 30 days has no notice', given(30), []],
    ['a consent of more than 30 days has a notice', given(30.1), ['consentimento_timestamp']],
    ['a consent of 180 days has a notice', given(180), ['consentimento_timestamp']],
    ['in the sandbox, a consent of the day of birth has a notice', birth, ['consentimento_timestamp']],
    ['a loan of 5,000 has no notice', { valor_financiado: 5_000 }, []],
    ['a loan below 5,000 has a notice', { valor_financiado: 4_999.99 }, ['valor_financiado']],
    ['a loan of 30 million has no notice', { valor_imovel: 40_000_000, valor_financiado: 30_000_000 }, []],
    [
      'a loan above 30 million has a notice',
      { valor_imovel: 40_000_000, valor_financiado: 30_000_000.01 },
      ['valor_financiado'],
    ],
    ['a loan of the whole price has no notice', { valor_financiado: 500_000 }, []],
    ['a term of 24 months has no notice', { prazo: 24 }, []],
    ['a term below 24 months has a notice', { prazo: 23 }, ['prazo']],
    ['a term of 420 months has no notice', { prazo: 420 }, []],
    ['a term above 420 months has a notice', { prazo: 421 }, ['prazo']],
    ['an income of 0 has a notice', { renda: 0 }, ['renda']],
    ['an RG of the day of birth has no notice', { rg_emissao: '1988-03-14' }, []],
    ['an RG from before the birth has a notice', { rg_emissao: '1988-03-13' }, ['rg_emissao']],
  ])('%s', ([what, changes, noticed]) => {
    expect(noticedIn(changes)).toEqual(noticed);
    if (!what.startsWith('in the sandbox')) expect(noticedIn(changes, 'producao')).toEqual(noticed);
  });

  it('in production a consent that is older than the days of the stage is refused, and in the sandbox it is not', () => {
    for (const old of [given(180.01), birth]) {
      const body = { ...newAnalysis, ...old };
      expect(refusalOf(() => tooOld(body, 'producao'))).toEqual(wrongFields('consentimento_timestamp'));
      expect(() => tooOld(body)).not.toThrow();
    }
    expect(() => tooOld({ ...newAnalysis, ...given(180) }, 'producao')).not.toThrow();
  });

  it('the refusal of an old submission names the holder and the consent', () => {
    const body = { ...newAnalysis, ...given(181), data_nascimento: '1940-01-01' };
    const named = wrongFields('data_nascimento', 'consentimento_timestamp');
    expect(refusalOf(() => tooOld(body, 'producao'))).toEqual(named);
  });

  it.each<[Environment, string, string[]]>([
    ['sandbox', '900.000.003-37', []],
    ['sandbox', '529.982.247-25', ['conjuge_cpf']],
    ['producao', '529.982.247-25', []],
  ])('in %s, a submission with the spouse’s CPF %s has the notices %j', (environment, conjuge_cpf, noticed) => {
    expect(noticedIn({ conjuge_cpf }, environment)).toEqual(noticed);
  });

  it('a spouse of 16 years is accepted', () => {
    const couple = { ...newAnalysisOfCouple, conjuge_data_nascimento: '2010-11-24' };
    expect(read(couple).form['conjuge_data_nascimento']).toBe('2010-11-24');
  });
});

describe('addressNotices', () => {
  const from = (consentimento_ip: string, environment: Environment) =>
    read({ ...newAnalysis, consentimento_ip }, NOW, environment).consent.ip;
  const ofVersion4 = '0.0.0.0 0.1.2.3 127.0.0.1 169.254.169.254 224.0.0.1 255.255.255.255';
  const NOBODYS = `${ofVersion4} ::1 :: fe80::1 ff02::1 ::ffff:127.0.0.1 ::ffff:a9fe:1`.split(' ');
  const privateOnes = '10.0.0.5 172.31.255.255 192.168.1.1 ::ffff:10.0.0.5 fd00::5 100.64.0.1';
  const DOUBTFUL = `${privateOnes} 192.0.2.1 198.51.100.7 203.0.113.25 2001:db8::1`.split(' ');
  const CUSTOMERS = '177.45.10.20 2804:14c::1 ::ffff:177.45.10.20 172.32.0.1 9.255.255.255'.split(' ');

  it.each(NOBODYS)('a consent from %s is refused in production and accepted in the sandbox', (address) => {
    expect(refusalOf(() => from(address, 'producao'))).toEqual(wrongFields('consentimento_ip'));
    expect(from(address, 'sandbox')).toBe(address);
    expect(request.addressNotices(address, 'sandbox')).toEqual([
      { campo: 'consentimento_ip', motivo: expect.stringContaining('Em produção este endereço é recusado') },
    ]);
  });

  it.each([
    ...DOUBTFUL.map((address): [string, string[]] => [address, ['consentimento_ip']]),
    ...CUSTOMERS.map((address): [string, string[]] => [address, []]),
  ])('a consent from %s is accepted in production, with the notices %j', (address, noticed) => {
    expect(from(address, 'producao')).toBe(address);
    expect(request.addressNotices(address, 'producao').map(({ campo }) => campo)).toEqual(noticed);
  });

  it.each(privateOnes.split(' '))('a consent from %s has the notice of production in the sandbox, too', (address) => {
    const notices = request.addressNotices(address, 'sandbox');
    expect(notices).toHaveLength(1);
    expect(notices).toEqual(request.addressNotices(address, 'producao'));
  });

  it('an address of documentation has no notice in the sandbox, where examples use it', () => {
    expect(request.addressNotices('203.0.113.25', 'sandbox')).toEqual([]);
  });
});

it('the form for the bank has the names of holder, mother and spouse without invisible characters', () => {
  const unseen = {
    nome: 'Ana\u200b D’Ávila',
    nome_mae: '\u202eRosa\u00ad Lima',
    conjuge_nome: 'José\u200d Reis\u2060',
  };
  const { form, holder } = read({ ...newAnalysisOfCouple, ...unseen });
  const { nome, nome_mae, conjuge_nome } = form;
  expect({ nome, nome_mae, conjuge_nome }).toEqual({
    nome: 'Ana D’Ávila',
    nome_mae: 'Rosa Lima',
    conjuge_nome: 'José Reis',
  });
  expect(holder.name).toBe('Ana D’Ávila');
});

it('holderMismatch names the fields that differ and not their values', () => {
  const { code, fields } = request.holderMismatch(['name', 'cpf', 'birthDate']);
  expect(code).toBe('divergencia_titular');
  expect(fields?.map(({ field }) => field)).toEqual(['nome', 'cpf', 'data_nascimento']);
  // No reason tells the caller to correct a field that no call can change.
  for (const { field, reason } of fields!) expect(reason.includes('corrija o lead'), field).toBe(field === 'nome');
});

it('a consent counts only if it is more than five minutes newer than the withdrawal, as the refusal says', () => {
  const { consent } = read(newAnalysis);
  const given = Date.parse(consent.givenAt);
  for (const consentWithdrawnAt of [given - CLOCK_DIFFERENCE, given, given + 1]) {
    const refusal = failureOf(() => request.requireStandingConsent({ consentWithdrawnAt }, consent));
    expect(refusal.code).toBe('consentimento_ausente');
    expect(refusal.text).toContain('O titular revogou o consentimento');
    expect(refusal.fields?.map(({ field }) => field)).toEqual(['consentimento_timestamp']);
    expect(refusal.fields?.[0]?.reason).toContain(timestamp(consentWithdrawnAt));
    expect(refusal.fields?.[0]?.reason).toContain(timestamp(consentWithdrawnAt + CLOCK_DIFFERENCE));
  }
  for (const consentWithdrawnAt of [given - CLOCK_DIFFERENCE - 1, undefined])
    expect(() => request.requireStandingConsent({ consentWithdrawnAt }, consent)).not.toThrow();
});

it.each(['num_consulta', 'status_original'] as const)(
  'the description of %s says how long people are masked, and that words of banks stay',
  (field) => {
    const { description } = z.globalRegistry.get(analysisView.def.shape[field]) ?? {};
    expect(description).toContain('enquanto guardamos o formulário');
    expect(description).toContain('salvo palavras que os bancos usam');
  },
);
