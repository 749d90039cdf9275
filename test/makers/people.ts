import { performance } from 'node:perf_hooks';
import { newAnalysis } from '#shared/partner/openapi/example-bodies.ts';

/** Returns a valid CPF, made from a number of up to nine digits. It is below the test CPFs of the sandbox. */
export function cpfFrom(seed: number): string {
  const digits = String(100_000_000 + (seed % 700_000_000));
  const next = (text: string) => {
    const sum = [...text].reduce((all, digit, index) => all + Number(digit) * (text.length + 1 - index), 0);
    return ((sum * 10) % 11) % 10;
  };
  const first = `${digits}${next(digits)}`;
  return `${first}${next(first)}`;
}

/** Returns a body of POST /v1/leads with every field. */
export function leadBody(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    nome: 'Marina Duarte Alves',
    cpf: '900.000.001-75',
    telefone: '(11) 98888-7777',
    email: 'marina.duarte@exemplo.com.br',
    data_nascimento: '1988-03-14',
    renda: 18000,
    estado_civil: 'solteiro',
    origem: 'site',
    observacao: 'Prefere contato à tarde',
    ...changes,
  };
}

/** Returns a body of POST /v1/simulacoes for a lead and one bank. */
export function simulationBody(lead_id: number, changes: object = {}): Record<string, unknown> {
  return { lead_id, valor_imovel: 500_000, bancos: ['itau'], ...changes };
}

/** When the people of the tests consent: the start of this process, so that it is equal in every body. */
export const CONSENTED_AT = new Date(performance.timeOrigin).toISOString();

/**
 * Returns a body of POST /v1/leads/{id}/consentimentos/revogacao. The person withdraws the consent so many milliseconds
 * after giving it.
 */
export function withdrawalBody(after = 0): Record<string, unknown> {
  return { revogado_em: new Date(Date.parse(CONSENTED_AT) + after).toISOString(), canal: 'app' };
}

/** Returns a body of POST /v1/analises for a lead that was made from `leadBody`. */
export function analysisBody(lead: number, changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const { telefone: _, prazo: __, consentimento_versao: ___, ...form } = newAnalysis;
  return {
    ...form,
    lead_id: lead,
    consentimento_timestamp: CONSENTED_AT,
    consentimento_ip: '177.45.10.20',
    renda: 18000,
    email: 'marina.duarte@exemplo.com.br',
    bancos: ['itau'],
    ...changes,
  };
}
