import { beforeEach, describe, expect, it } from 'vitest';
import { eventOf } from '#shared/contract/event.ts';
import { type Situation, transition } from '#shared/domain/analyses/analysis.ts';
import { erasePerson } from '#shared/domain/leads/erase-person.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import { type AnalysisId, idOf, type LeadId } from '#shared/domain/values/ids.ts';
import { TableAnalyses } from '#shared/table/analyses/analyses.ts';
import { TableErasureLedger } from '#shared/table/leads/erasure-ledger.ts';
import { TableErasures } from '#shared/table/leads/lead-erasure.ts';
import { api } from '../makers/api.ts';
import { captureLogLines } from '../makers/partner-call.ts';
import { type MadePartner, makePartner, usePeers } from '../makers/peers.ts';
import { analysisBody, leadBody } from '../makers/people.ts';
import { holdClock, passTime, releaseClock } from '../makers/test-clock.ts';

usePeers();
const clock = () => Date.now();
const analyses = new TableAnalyses(clock, eventOf);
let partner: MadePartner;
let lead: number;
beforeEach(async () => {
  partner = await makePartner(120);
  lead = Number((await api('createLead', { key: partner.keys.sandbox, body: leadBody() })).body.lead_id);
});
const tenancy = () => ({ unitId: partner.unitId, environment: 'sandbox' as const });

/** Submits an analysis that is pending, and returns its id. */
async function submit(): Promise<AnalysisId> {
  const call = { key: partner.keys.sandbox, body: analysisBody(lead), once: crypto.randomUUID() };
  return idOf<AnalysisId>((await api('submitAnalyses', call)).body.analises[0].analise_id);
}
async function end(id: AnalysisId, situation: Situation = 'aprovado'): Promise<void> {
  const before = (await analyses.get(tenancy(), id))!;
  const after = transition(before, { situation, rawStatus: 'X', queryNumber: 'X-1' })!;
  await analyses.conclude({ before, after });
}
async function ended(situation?: Situation): Promise<AnalysisId> {
  const id = await submit();
  await end(id, situation);
  return id;
}
const list = (query: Record<string, string> = {}, key = partner.keys.sandbox) => api('listAnalyses', { key, query });
const idsOf = ({ body }: Awaited<ReturnType<typeof list>>) =>
  body.analises.map(({ analise_id }: { analise_id: number }) => analise_id);

describe('GET /v1/analises', () => {
  it('an analysis is listed with ids, bank, situation and moments only, once it has an outcome', async () => {
    const id = await submit();
    expect(idsOf(await list())).toEqual([]);
    await end(id);
    const { status, body } = await list();
    const { createdAt, concludedAt } = (await analyses.get(tenancy(), id))!;
    expect(status).toBe(200);
    expect(body).toEqual({
      ok: true,
      limit: 20,
      tem_mais: false,
      proximo_cursor: null,
      analises: [
        {
          analise_id: id,
          banco: 'itau',
          situacao: 'aprovado',
          criada_em: timestamp(createdAt),
          atualizada_em: timestamp(concludedAt!),
        },
      ],
    });
  });

  it('an analysis that was made before an outage and decided during it is listed from its beginning on', async () => {
    const early = await ended();
    const id = await submit();
    holdClock();
    passTime(60_000);
    const since = timestamp(Date.now());
    await end(id, 'recusado');
    releaseClock();
    expect(idsOf(await list({ atualizada_desde: since }))).toEqual([id]);
    expect(idsOf(await list({ atualizada_desde: since, situacao: 'aprovado' }))).toEqual([]);
    expect(idsOf(await list({ situacao: 'aprovado' }))).toEqual([early]);
  });

  it('proximo_cursor leads through all pages, and is null on the last', async () => {
    const ids = [await ended(), await ended(), await ended()];
    const first = (await list({ limit: '2' })).body;
    expect(first).toMatchObject({ tem_mais: true, limit: 2, proximo_cursor: expect.any(String) });
    const last = await list({ limit: '2', cursor: first.proximo_cursor });
    expect(last.body).toMatchObject({ tem_mais: false, proximo_cursor: null });
    const found = first.analises.map(({ analise_id }: { analise_id: number }) => analise_id).concat(idsOf(last));
    expect(found.toSorted()).toEqual(ids.toSorted());
  });

  it('another unit, environment or partner sees nothing, even with a cursor of the owner', async () => {
    await ended();
    await ended();
    const { proximo_cursor: cursor } = (await list({ limit: '1' })).body;
    const foreigners = [
      await partner.addKey({ unitId: await partner.addUnit() }),
      partner.keys.producao,
      (await makePartner()).keys.sandbox,
    ];
    for (const key of foreigners) {
      expect(idsOf(await list({}, key))).toEqual([]);
      expect(idsOf(await list({ cursor }, key))).toEqual([]);
    }
  });

  it('a key without the scope acompanhamento is refused', async () => {
    const key = await partner.addKey({ scopes: ['leads', 'simulacoes', 'analises'] });
    const { status, body } = await list({}, key);
    expect(status).toBe(403);
    expect(body.codigo).toBe('sem_permissao');
  });

  it('a partner that has spent its rate is refused', async () => {
    const spent = await makePartner(1);
    expect((await list({}, spent.keys.sandbox)).status).toBe(200);
    const { status, headers } = await list({}, spent.keys.sandbox);
    expect(status).toBe(429);
    expect(headers['retry-after']).toBeDefined();
  });

  it('every wrong parameter is named, each with its cure', async () => {
    const { status, body } = await list({ limit: '0', situacao: 'em_analise', atualizada_desde: 'ontem', cursor: 'x' });
    expect(status).toBe(400);
    expect(body.codigo).toBe('campo_invalido');
    expect(
      body.campos.toSorted((a: { campo: string }, b: { campo: string }) => a.campo.localeCompare(b.campo)),
    ).toEqual([
      { campo: 'atualizada_desde', motivo: expect.stringContaining('como %2B') },
      { campo: 'cursor', motivo: 'deve ser o proximo_cursor da página anterior, como veio' },
      { campo: 'limit', motivo: 'deve ser um inteiro de 1 a 100' },
      { campo: 'situacao', motivo: expect.stringContaining('uma análise em_analise entra na lista com o desfecho') },
    ]);
  });

  it.each(['1-0', '-1', '1-2-3', '1764000000000', '1-99999999999999999', '٣-1', ''])(
    'the cursor %o is refused',
    async (cursor) => {
      const { status, body } = await list({ cursor });
      expect(status).toBe(400);
      expect(body.campos).toMatchObject([{ campo: 'cursor' }]);
    },
  );

  it('offset brings a notice that names cursor', async () => {
    expect((await list({ offset: '20' })).body.avisos).toEqual([
      { campo: 'offset', motivo: 'Campo desconhecido; quis dizer cursor?' },
    ]);
  });

  it('the log line of a page has the id of each listed analysis', async () => {
    const ids = [await ended(), await ended()];
    const [line] = await captureLogLines(list);
    expect(String(line?.['analyses']).split(' ').map(Number).toSorted()).toEqual(ids.toSorted());
  });

  it('an erasure takes the analyses of its person off the list, and their situation stays readable', async () => {
    const id = await ended();
    const subject = { ...partner, environment: 'sandbox' as const, leadId: idOf<LeadId>(lead) };
    await erasePerson(subject, { erasures: new TableErasures(clock), ledger: new TableErasureLedger(), clock });
    expect(idsOf(await list())).toEqual([]);
    const { body } = await api('getAnalysisStatus', { key: partner.keys.sandbox, id });
    expect(body.analise.situacao).toBe('aprovado');
  });

  it('a reset of the sandbox takes its analyses off the list', async () => {
    await ended();
    expect((await api('resetSandbox', { key: partner.keys.sandbox })).status).toBe(200);
    expect(idsOf(await list())).toEqual([]);
  });
});
