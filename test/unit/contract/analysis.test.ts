import { describe, expect, it } from 'vitest';
import { analysisInput, holderMismatch, parseSubmission } from '../../../shared/contract/analysis-request.ts';
import { addressNotices } from '../../../shared/contract/customer-address.ts';
import type { Environment } from '../../../shared/domain/values/tenancy.ts';
import { newAnalysis, newAnalysisOfCouple } from '../../../shared/partner/openapi/example-bodies.ts';
import {
  BAD_AMOUNTS,
  BAD_CHOICES,
  BAD_CPFS,
  BAD_DAYS,
  BAD_EMAILS,
  BAD_INTEGERS,
  BAD_LINES,
  BAD_PHONES,
  BAD_POSTAL_CODES,
  failureOf,
  JUNK,
  refusalOf,
} from '../../makers/bad-input.ts';

const NOW = Date.parse('2026-11-24T16:20:00Z');
const read = (body: object, now = NOW, environment: Environment = 'sandbox') =>
  parseSubmission(body as Record<string, unknown>, now, environment);
const without = (body: object, ...fields: string[]) =>
  Object.fromEntries(Object.entries(body).filter(([field]) => !fields.includes(field)));

const CONSENT = ['consentimento', 'consentimento_timestamp', 'consentimento_ip', 'consentimento_canal'];
const SPOUSE = ['conjuge_nome', 'conjuge_cpf', 'conjuge_data_nascimento'];
const OPTIONAL = ['telefone', 'prazo', 'conjuge_renda', ...SPOUSE];
const FIELDS = Object.keys(analysisInput.shape);
const REQUIRED = FIELDS.filter((field) => ![...OPTIONAL, ...CONSENT].includes(field));

const FUTURE_DAYS = [...BAD_DAYS, ['tomorrow', '2026-11-25'], ['a far year', '9999-12-31']] as const;
const BIRTHS = [
  ...FUTURE_DAYS,
  ['17 years', '2008-11-25'],
  ['81 years', '1945-11-24'],
  ['today', '2026-11-24'],
] as const;
const STATES = [...BAD_CHOICES, ['lower case', 'sp'], ['a name', 'São Paulo'], ['no state', 'XX']] as const;
const IPS = [
  ...JUNK,
  ['a number', 3405803801],
  ['a name', 'localhost'],
  ['three parts', '203.0.113'],
  ['a port', '203.0.113.25:443'],
  ['a zone', 'fe80::1%eth0'],
] as const;
const MOMENTS = [
  ...JUNK,
  ['a number', 1763640000],
  ['a day', '2026-11-20'],
  ['no offset', '2026-11-20T12:00:00'],
  ['a day that is not', '2026-02-30T12:00:00Z'],
  ['6 minutes ahead', '2026-11-24T16:26:00Z'],
  ['ahead, between blanks', ' 2099-01-01T00:00:00Z '],
  ['ahead, in another offset', '2026-11-24T13:26:00-03:00'],
] as const;

/** What each field of a submission refuses with 400. */
const BAD: Readonly<Record<string, readonly (readonly [string, unknown])[]>> = {
  lead_id: BAD_INTEGERS,
  consentimento_timestamp: MOMENTS,
  consentimento_ip: IPS,
  consentimento_canal: BAD_LINES.filter(([what]) => what !== 'an empty text' && what !== 'blanks'),
  nome: BAD_LINES,
  cpf: BAD_CPFS,
  data_nascimento: BIRTHS,
  renda: BAD_AMOUNTS,
  sexo: [...BAD_CHOICES, ['lower case', 'f'], ['a word', 'feminino']],
  estado_civil: [...BAD_CHOICES, ['another case', 'CASADO']],
  nome_mae: BAD_LINES,
  email: BAD_EMAILS,
  telefone: BAD_PHONES,
  profissao: BAD_LINES,
  empresa: BAD_LINES,
  rg: BAD_LINES,
  rg_orgao: BAD_LINES,
  rg_uf: STATES,
  rg_emissao: FUTURE_DAYS,
  cep: BAD_POSTAL_CODES,
  logradouro: BAD_LINES,
  numero: BAD_LINES,
  bairro: BAD_LINES,
  municipio: BAD_LINES,
  uf: STATES,
  valor_imovel: BAD_AMOUNTS,
  valor_financiado: BAD_AMOUNTS,
  prazo: BAD_INTEGERS,
  conjuge_nome: BAD_LINES,
  conjuge_cpf: [...BAD_CPFS, ['the CPF of the holder', '90000000175']],
  conjuge_data_nascimento: FUTURE_DAYS,
  conjuge_renda: BAD_AMOUNTS,
};

describe('a submission', () => {
  it('has its table of bad input for every field but the banks and the consent itself', () => {
    expect([...Object.keys(BAD), 'bancos', 'consentimento'].sort()).toEqual([...FIELDS].sort());
  });

  it('is read whole: dates and CPFs normalised, money in reais', () => {
    const asked = read({
      ...newAnalysisOfCouple,
      nome: '  Marina Duarte Alves ',
      renda: 15000.5,
      consentimento_timestamp: '2026-11-24T13:18-03:00',
    });
    const {
      lead_id,
      bancos: _banks,
      cpf: _cpf,
      ...sent
    } = without(newAnalysisOfCouple, ...CONSENT) as Record<string, unknown>;
    expect(asked).toEqual({
      leadId: lead_id,
      banks: ['itau', 'bradesco'],
      holder: { name: 'Marina Duarte Alves', cpf: '90000000175', birthDate: '1988-03-14' },
      form: { ...sent, cpf: '90000000175', renda: 15000.5, cep: '01310100', conjuge_cpf: '90000000337' },
      consent: { givenAt: '2026-11-24T13:18:00-03:00', ip: '203.0.113.25', channel: 'web' },
    });
  });

  it('sends the operator nothing of the consent, the lead, the banks, or fields that it does not know', () => {
    const { form } = read({ ...newAnalysis, senha: 'x', ...JSON.parse('{"__proto__": {"renda": 1}}') });
    expect(Object.keys(form).filter((field) => !FIELDS.includes(field))).toEqual([]);
    for (const field of [...CONSENT, 'lead_id', 'bancos']) expect(form).not.toHaveProperty(field);
  });

  it.each(REQUIRED)('needs %s: missing and null are the same', (field) => {
    const refusal = { code: 'campo_obrigatorio', fields: [field] };
    expect(refusalOf(() => read(without(newAnalysis, field)))).toEqual(refusal);
    expect(refusalOf(() => read({ ...newAnalysis, [field]: null }))).toEqual(refusal);
  });

  it('needs nothing else of a holder without a spouse', () => {
    const asked = read(without(newAnalysis, ...OPTIONAL));
    expect(OPTIONAL.filter((field) => field in asked.form)).toEqual([]);
    const nulls = Object.fromEntries(OPTIONAL.map((field) => [field, null]));
    expect(read({ ...newAnalysis, ...nulls })).toEqual(asked);
  });

  it.each(['casado', 'uniao', ' casado '])('needs the spouse of a holder who is %s', (estado_civil) => {
    const couple = { ...newAnalysisOfCouple, estado_civil };
    const [told] = failureOf(() => read(without(couple, 'conjuge_nome'))).fields ?? [];
    expect(told?.reason).toBe(`é obrigatório porque estado_civil é ${estado_civil.trim()}; preencha o campo`);
    expect(refusalOf(() => read(without(couple, ...SPOUSE)))).toEqual({ code: 'campo_obrigatorio', fields: SPOUSE });
    expect(refusalOf(() => read({ ...couple, conjuge_cpf: null }))).toEqual({
      code: 'campo_obrigatorio',
      fields: ['conjuge_cpf'],
    });
    expect(read(without(couple, 'conjuge_renda')).form).not.toHaveProperty('conjuge_renda');
  });

  it('trims the words of a closed list too', () => {
    expect(read({ ...newAnalysis, estado_civil: ' viuvo ', sexo: 'M ' }).form).toMatchObject({
      estado_civil: 'viuvo',
      sexo: 'M',
    });
  });

  it.each(['solteiro', 'divorciado', 'viuvo', 'separado'])('needs no spouse of a holder who is %s', (estado_civil) => {
    expect(read({ ...newAnalysis, estado_civil }).form['estado_civil']).toBe(estado_civil);
  });

  it('names all that is missing at once, the spouse included', () => {
    expect(refusalOf(() => read({}))).toEqual({ code: 'campo_obrigatorio', fields: REQUIRED });
    expect(refusalOf(() => read({ estado_civil: 'casado' })).fields).toEqual([
      ...REQUIRED.filter((field) => field !== 'estado_civil'),
      ...SPOUSE,
    ]);
  });

  const cases = Object.entries(BAD).flatMap(([field, bad]) => bad.map(([what, value]) => ({ field, what, value })));
  it.each(cases)('refuses as $field: $what', ({ field, value }) => {
    expect(refusalOf(() => read({ ...newAnalysisOfCouple, [field]: value }))).toEqual({
      code: 'campo_invalido',
      fields: [field],
    });
  });

  it('names all that is wrong at once', () => {
    const wrong = Object.fromEntries(FIELDS.filter((field) => field !== 'consentimento').map((field) => [field, {}]));
    const { code, fields } = refusalOf(() => read(wrong));
    expect(code).toBe('campo_invalido');
    expect([...fields].sort()).toEqual(Object.keys(wrong).sort());
  });

  it('names what only the time and other fields can tell together with what is malformed', () => {
    const body = {
      ...newAnalysisOfCouple,
      uf: 'xx',
      data_nascimento: '2010-01-01',
      rg_emissao: '2027-01-01',
      consentimento_timestamp: '2027-01-01T00:00:00Z',
      conjuge_cpf: '900.000.001-75',
    };
    expect(refusalOf(() => read(body))).toEqual({
      code: 'campo_invalido',
      fields: ['uf', 'rg_emissao', 'consentimento_timestamp', 'data_nascimento', 'conjuge_cpf'],
    });
  });
});

describe('the age of a holder', () => {
  it.each([
    ['18 on the day', '2008-11-24'],
    ['80 until the day before the next birthday', '1945-11-25'],
  ])('is enough: %s', (_, data_nascimento) => {
    expect(read({ ...newAnalysis, data_nascimento }).holder.birthDate).toBe(data_nascimento);
  });

  it('is counted in São Paulo', () => {
    const young = { ...newAnalysis, data_nascimento: '2008-11-25' };
    expect(refusalOf(() => read(young, Date.parse('2026-11-25T02:59:59Z'))).fields).toEqual(['data_nascimento']);
    expect(read(young, Date.parse('2026-11-25T03:00:00Z')).holder.birthDate).toBe('2008-11-25');
  });

  it('says its bounds, and of a birth in the future only that', () => {
    const reasonOf = (data_nascimento: string) =>
      failureOf(() => read({ ...newAnalysis, data_nascimento })).fields?.[0]?.reason;
    expect(reasonOf('2010-01-01')).toBe('o titular deve ter de 18 a 80 anos para uma análise de crédito');
    expect(reasonOf('2027-01-01')).toBe('está no futuro; envie uma data até hoje');
  });
});

describe('the consent', () => {
  const absent = (body: object) => refusalOf(() => read(body));

  it.each(CONSENT)('is absent without %s: missing or null', (field) => {
    const refusal = { code: 'consentimento_ausente', fields: [field] };
    expect(absent(without(newAnalysis, field))).toEqual(refusal);
    expect(absent({ ...newAnalysis, [field]: null })).toEqual(refusal);
  });

  it.each([false, 'true', 'sim', 1, 0, '', [], {}, [true], { true: true }])(
    'is absent where it says %j',
    (consentimento) => {
      expect(absent({ ...newAnalysis, consentimento })).toEqual({
        code: 'consentimento_ausente',
        fields: ['consentimento'],
      });
    },
  );

  const BLANKS = CONSENT.slice(1).flatMap((field) => ['', '   '].map((blank) => [field, blank] as const));
  it.each(BLANKS)('is absent where %s is blank: %j', (field, blank) => {
    expect(absent({ ...newAnalysis, [field]: blank })).toEqual({
      code: 'consentimento_ausente',
      fields: [field],
    });
  });

  it('is absent with all that lacks of it', () => {
    expect(absent(without(newAnalysis, ...CONSENT))).toEqual({ code: 'consentimento_ausente', fields: CONSENT });
  });

  it('is not inherited', () => {
    const inherited = JSON.parse('{"__proto__": {"consentimento": true}}') as object;
    expect(absent({ ...without(newAnalysis, 'consentimento'), ...inherited }).fields).toEqual(['consentimento']);
  });

  it('is checked after the fields and before the banks', () => {
    const body = { ...without(newAnalysis, 'consentimento'), bancos: ['nenhum'] };
    expect(absent({ ...body, rg: null }).code).toBe('campo_obrigatorio');
    expect(absent({ ...body, rg: '' }).code).toBe('campo_invalido');
    expect(absent({ ...body, consentimento_ip: 'x' })).toEqual({
      code: 'campo_invalido',
      fields: ['consentimento_ip'],
    });
    expect(absent(body).code).toBe('consentimento_ausente');
    expect(absent({ ...body, consentimento: true })).toEqual({ code: 'banco_invalido', fields: ['bancos.0'] });
  });

  it('may be up to 5 minutes ahead of our clock', () => {
    const consentimento_timestamp = '2026-11-24T16:25:00Z';
    expect(read({ ...newAnalysis, consentimento_timestamp }).consent.givenAt).toBe(consentimento_timestamp);
  });

  it('may come by any channel', () => {
    for (const consentimento_canal of ['web', 'app', 'whatsapp', 'presencial', 'Quiosque nº 3']) {
      expect(read({ ...newAnalysis, consentimento_canal }).consent.channel).toBe(consentimento_canal);
    }
  });
});

describe('the address of a consent', () => {
  const from = (consentimento_ip: string, environment: Environment) =>
    read({ ...newAnalysis, consentimento_ip }, NOW, environment).consent.ip;

  it.each([
    '0.0.0.0',
    '0.1.2.3',
    '127.0.0.1',
    '::1',
    '::',
    '169.254.169.254',
    'fe80::1',
    '224.0.0.1',
    'ff02::1',
    '255.255.255.255',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:1',
  ])('%s is nobody’s in production', (address) => {
    const refused = refusalOf(() => from(address, 'producao'));
    expect(refused).toEqual({ code: 'campo_invalido', fields: ['consentimento_ip'] });
    expect(from(address, 'sandbox')).toBe(address);
    expect(addressNotices(address, 'sandbox')).toEqual([]);
  });

  it.each([
    '10.0.0.5',
    '172.31.255.255',
    '192.168.1.1',
    '::ffff:10.0.0.5',
    'fd00::5',
    '100.64.0.1',
    '192.0.2.1',
    '198.51.100.7',
    '203.0.113.25',
    '2001:db8::1',
  ])('%s is taken in production, with a notice', (address) => {
    expect(from(address, 'producao')).toBe(address);
    expect(addressNotices(address, 'producao').map(({ campo }) => campo)).toEqual(['consentimento_ip']);
    expect(addressNotices(address, 'sandbox')).toEqual([]);
  });

  it.each(['177.45.10.20', '2804:14c::1', '::ffff:177.45.10.20', '172.32.0.1', '9.255.255.255'])(
    '%s is a customer’s',
    (address) => {
      expect(from(address, 'producao')).toBe(address);
      expect(addressNotices(address, 'producao')).toEqual([]);
    },
  );
});

describe('the banks of a submission', () => {
  it.each([
    ['no list', 'itau', ['bancos']],
    ['an empty list', [], ['bancos']],
    ['a list longer than any use', Array(61).fill('itau'), ['bancos']],
    ['junk inside', ['itau', null, {}], ['bancos.1', 'bancos.2']],
  ])('are refused: %s', (_, bancos, fields) => {
    expect(refusalOf(() => read({ ...newAnalysis, bancos }))).toEqual({ code: 'campo_invalido', fields });
  });

  it('count once', () => {
    expect(read({ ...newAnalysis, bancos: ['Itaú', 2, 'brb', '2'] }).banks).toEqual(['itau', 'brb']);
  });
});

describe('a holder who is not the lead', () => {
  it('is told which fields differ, never how', () => {
    const { code, fields } = holderMismatch(['name', 'cpf', 'birthDate']);
    expect(code).toBe('divergencia_titular');
    expect(fields?.map(({ field }) => field)).toEqual(['nome', 'cpf', 'data_nascimento']);
    for (const { field, reason } of fields!) {
      // What no call alters, none is told to.
      expect(reason.includes('corrija o lead'), field).toBe(field === 'nome');
    }
  });
});
