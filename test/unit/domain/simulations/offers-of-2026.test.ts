import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { simulationFound, simulationFoundBody } from '../../../../shared/contract/simulation.ts';
import { requiredIncome } from '../../../../shared/domain/simulations/pricing/affordability.ts';
import { effectiveAnnualCost } from '../../../../shared/domain/simulations/pricing/effective-cost.ts';
import { scheduleOf } from '../../../../shared/domain/simulations/pricing/quote.ts';
import { tableVersion } from '../../../../shared/domain/simulations/pricing/tables/in-force.ts';
import { termsOf } from '../../../../shared/domain/simulations/pricing/terms.ts';
import type { Offer } from '../../../../shared/domain/simulations/simulation.ts';
import type { Bank } from '../../../../shared/domain/values/bank.ts';
import { addMonths, type Day } from '../../../../shared/domain/values/clock.ts';
import { type Centavos, centavos } from '../../../../shared/domain/values/money.ts';
import { makeOpportunity } from '../../../makers/simulation.ts';
import stored from './offers-of-2026.json' with { type: 'json' };

interface Stored {
  readonly offer: Offer;
  /** First 16 hexadecimal digits of the SHA-256 of the schedule's JSON text. */
  readonly digest: string;
}

/** A line of the fixture: an offer as it was stored in 2026, amounts in centavos, and its schedule's digest. */
function read(line: string): Stored {
  const [bank, product, indexer, system, term, contractDay, birthDate, ...figures] = line.split(' ');
  const digest = figures.pop()!;
  const [property, principal, expenses, annualRate, monthlyRate, cost, ...amounts] = figures.map(Number);
  const [amortization, interest, mip, dfi, fee, firstTotal, lastTotal, total, income, appraisalFee] = amounts.map(
    (amount) => centavos(amount),
  ) as [Centavos, Centavos, Centavos, Centavos, Centavos, Centavos, Centavos, Centavos, Centavos, Centavos];
  const version = `${bank}-2026-01`;
  const offer = {
    bank: bank as Bank,
    tableVersion: version,
    product,
    indexer,
    system,
    term: Number(term),
    contractDay: contractDay as Day,
    ...(birthDate !== '-' && { birthDate: birthDate as Day }),
    propertyValue: centavos(property!),
    principal: centavos(principal!),
    expenses: centavos(expenses!),
    annualRate,
    monthlyRate,
    effectiveAnnualCost: cost,
    first: {
      number: 1,
      dueDate: addMonths(contractDay as Day, 1),
      amortization,
      interest,
      mip,
      dfi,
      fee,
      total: firstTotal,
      balance: centavos(principal! - amortization),
    },
    lastTotal,
    total,
    requiredIncome: income,
    appraisalFee,
    dfiRate: Number(tableVersion(bank as Bank, version).dfi.value),
    monthlyFee: fee,
  } as Offer;
  return { offer, digest };
}

describe('1,000 offers stored from January to November 2026', () => {
  const all = stored.map(read);
  /** One in five is priced anew, all of them with SOAK=1; each bank's systems, indexers and products are among them. */
  const priced = process.env['SOAK'] ? all : all.filter((_, index) => index % 5 === 0);

  test('are of every bank, system, indexer and product of their tables', () => {
    const kinds = new Set(all.map(({ offer }) => `${offer.bank} ${offer.system} ${offer.indexer}`));
    expect(all).toHaveLength(1_000);
    expect([...kinds].sort()).toEqual([
      'bradesco PRICE TR',
      'bradesco SAC TR',
      'brb PRICE TR',
      'brb SAC TR',
      'cashme PRICE IPCA',
      'cashme SAC IPCA',
      'inter PRICE IPCA',
      'inter SAC IPCA',
      'itau SAC TR',
      'santander PRICE PREFIXADO',
      'santander SAC TR',
    ]);
    expect(new Set(all.map(({ offer }) => offer.product))).toEqual(new Set(['SFH', 'SFI', 'HOME_EQUITY']));
  });

  test('keep every row of their schedules', () => {
    for (const { offer, digest } of priced) {
      const rows = scheduleOf(offer);
      expect(rows[0]).toEqual(offer.first);
      expect(rows.at(-1)).toMatchObject({ total: offer.lastTotal, balance: 0 });
      expect(rows.reduce((sum, row) => sum + row.total, 0)).toBe(offer.total);
      expect(createHash('sha256').update(JSON.stringify(rows)).digest('hex').slice(0, 16)).toBe(digest);
    }
  });

  test('are records on the wire, with the figures that they had and none of the newer fields', () => {
    for (const { offer } of all) {
      const opportunity = makeOpportunity(offer);
      const { simulacao } = simulationFound.parse(simulationFoundBody(opportunity, offer, undefined));
      expect(simulacao).toMatchObject({
        banco: offer.bank,
        produto: offer.product,
        sistema_amortizacao: offer.system,
        indexador: offer.indexer,
        prazo_meses: offer.term,
        tabela_versao: offer.tableVersion,
        valores: {
          imovel: offer.propertyValue / 100,
          financiado: offer.principal / 100,
          despesas: offer.expenses / 100,
        },
        taxas: { juros_aa: offer.annualRate, juros_am: offer.monthlyRate, cet_aa: offer.effectiveAnnualCost },
        parcelas: {
          primeira: offer.first.total / 100,
          ultima: offer.lastTotal / 100,
          total_a_pagar: offer.total / 100,
        },
        renda_necessaria: offer.requiredIncome / 100,
        composicao_primeira_parcela: { total: offer.first.total / 100 },
      });
      expect(simulacao.custos).toEqual({
        taxa_avaliacao: offer.appraisalFee / 100,
        dfi: offer.dfiRate,
        tarifa_mensal: offer.monthlyFee / 100,
        iof: 0,
      });
      expect(Object.keys(simulacao.valores)).toEqual(['imovel', 'financiado', 'despesas']);
      expect(Object.keys(simulacao.taxas)).toEqual(['juros_aa', 'juros_am', 'cet_aa']);
      for (const newer of ['segmento', 'finalidade', 'projecao', 'renda_suficiente', 'segundo_proponente'])
        expect(simulacao).not.toHaveProperty(newer);
      const remarks = simulacao.observacoes.join(' ');
      expect(remarks.includes('CET não inclui o IOF')).toBe(offer.product === 'HOME_EQUITY');
      expect(remarks.includes('35 anos')).toBe(offer.birthDate === undefined);
      expect(simulacao.inflacao_por_conta_de).toBe(offer.indexer === 'PREFIXADO' ? 'banco' : 'cliente');
    }
  });

  test('are refused a schedule that is not theirs', () => {
    const { offer } = all[0]!;
    for (const changed of [
      { total: centavos(offer.total + 1) },
      { lastTotal: centavos(offer.lastTotal - 1) },
      { first: { ...offer.first, total: centavos(offer.first.total + 1) } },
    ])
      expect(() => scheduleOf({ ...offer, ...changed })).toThrow('is not the one that was offered');
  });

  test('keep their cost and the income that they need', () => {
    for (const { offer } of priced) {
      const terms = termsOf(tableVersion(offer.bank, offer.tableVersion));
      const totals = scheduleOf(offer).map((row) => row.total);
      expect(effectiveAnnualCost(centavos(offer.principal - offer.appraisalFee), totals)).toBe(
        offer.effectiveAnnualCost,
      );
      expect(requiredIncome(offer.first.total, terms.incomePerInstalment)).toBe(offer.requiredIncome);
      expect([terms.appraisalFee, terms.monthlyFee]).toEqual([offer.appraisalFee, offer.monthlyFee]);
    }
  });
});
