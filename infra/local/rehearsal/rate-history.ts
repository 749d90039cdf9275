import { type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { addDays, dayInSaoPaulo } from '#shared/domain/values/clock.ts';
import { BANK_RATES } from '#shared/table/rows/keys.ts';
import type { Finding } from './history.ts';
import type { KeptRun } from './kept-run.ts';

/** A rate that was published after a simulation. */
export interface RateHistory {
  readonly leadId: number;
  readonly simulationId: number;
  readonly pdf: Buffer;
  /** In percent a year. */
  readonly rate: number;
}

// The sandbox uses a rate of any age, so that the rehearsal depends on no day.
const keyOf = ({ keys }: KeptRun) => keys.sandbox;

async function simulate(run: KeptRun, lead_id: number) {
  const loan = { valor_imovel: 500_000, valor_financiado: 250_000, prazo: 240, sistemas: ['SAC'], bancos: ['itau'] };
  const { status, body } = await run.call('POST', '/v1/simulacoes', keyOf(run), { lead_id, ...loan });
  if (status !== 200) throw new Error(`POST /v1/simulacoes answered ${status} ${body.codigo}`);
  return body.resultado.resultados[0];
}

async function pdfOf(run: KeptRun, id: number): Promise<Buffer> {
  const answer = await fetch(`${run.url}/v1/simulacoes/${id}/pdf`, { headers: { 'x-api-key': keyOf(run) } });
  if (!answer.ok) throw new Error(`the PDF of simulation ${id} answered ${answer.status}`);
  return Buffer.from(await answer.arrayBuffer());
}

/** Simulates for a person, and then publishes another rate. The published rate begins today, as if a day had passed. */
export async function publishRate(
  run: KeptRun,
  engine: DynamoDBClient,
  table: string,
  person: object,
): Promise<RateHistory> {
  const { body: lead } = await run.call('POST', '/v1/leads', keyOf(run), person);
  const { simulacao_id: simulationId, taxa_anual: before } = await simulate(run, lead.lead_id);
  const pdf = await pdfOf(run, simulationId);
  const today = dayInSaoPaulo(Date.now());
  const value = (before - 0.2).toFixed(2);
  const { status, body } = await run.manage('manager', 'POST', '/v1/bank-rates/itau/publish', {
    segment: 'padrao',
    value,
    from: addDays(today, 1),
    seen: today,
    page: 'https://www.itau.com.br/emprestimos-financiamentos',
    source: 'Itaú, página do banco',
    reason: 'rehearsal',
  });
  if (status !== 200) throw new Error(`bank-rates/itau/publish answered ${status} ${JSON.stringify(body)}`);
  await engine.send(
    new UpdateItemCommand({
      TableName: table,
      Key: { pk: { S: BANK_RATES.pk }, sk: { S: BANK_RATES.sk } },
      UpdateExpression: 'SET publications[0].#from = :today',
      ExpressionAttributeNames: { '#from': 'from' },
      ExpressionAttributeValues: { ':today': { S: today } },
    }),
  );
  return { leadId: lead.lead_id, simulationId, pdf, rate: Number(value) };
}

/** Checks that a run with the published rate uses this rate, and has left older documents as they were. */
export async function compareRates(
  run: KeptRun,
  { leadId, simulationId, pdf, rate }: RateHistory,
): Promise<readonly Finding[]> {
  const { taxa_anual: used } = await simulate(run, leadId);
  const isSame = pdf.equals(await pdfOf(run, simulationId));
  return [
    {
      what: 'rates published before the export, by which simulations price',
      of: 1,
      missing: used === rate ? [] : [`${used}`],
    },
    {
      what: 'PDFs of simulations before that rate, with the same bytes',
      of: 1,
      missing: isSame ? [] : [`${simulationId}`],
    },
  ];
}
