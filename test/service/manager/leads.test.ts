import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnalysisForm } from '../../../shared/domain/analyses/analysis.ts';
import { SECOND_PASS_AFTER } from '../../../shared/domain/leads/erasure.ts';
import { type Cpf, formatCpf } from '../../../shared/domain/values/cpf.ts';
import type { KeyId, LeadId, OpportunityId, SubmissionId } from '../../../shared/domain/values/ids.ts';
import { drawOpportunityId } from '../../../shared/domain/values/ids.ts';
import { centavos } from '../../../shared/domain/values/money.ts';
import type { Environment, Tenancy } from '../../../shared/domain/values/tenancy.ts';
import { tableClient } from '../../../shared/table/client.ts';
import { analysisListKey, erasureKey } from '../../../shared/table/keys.ts';
import { leadByCpf, personalData } from '../../../shared/table/personal-data.ts';
import * as wiring from '../../../shared/wiring.ts';
import { type MadePartner, makePartner, usePeers } from '../../makers/peers.ts';
import { cpfFrom } from '../../makers/people.ts';
import { everyRow, rowsOf } from '../../makers/rows.ts';
import { useManager } from '../../makers/served-administration.ts';
import { makeOffer } from '../../makers/simulation.ts';
import { holdClock, passTime, releaseClock } from '../../makers/test-clock.ts';
import { put } from '../../makers/walk.ts';

const manager = useManager(usePeers());
beforeAll(holdClock);
afterAll(releaseClock);

const ISO_MOMENT = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;
interface Place {
  readonly unidade?: number;
  readonly ambiente?: string;
  readonly unit?: number;
  readonly environment?: string;
}

let people = 0;
const nobodyYet = () => cpfFrom(++people) as Cpf;

async function known(tenancy: Tenancy, cpf: Cpf): Promise<LeadId> {
  const draft = {
    name: 'Marina Duarte Alves',
    cpf,
    email: 'marina@exemplo.com.br',
    income: centavos(1_800_050),
  };
  const once = await wiring.leads().createOrReuse(tenancy, draft, (id) => ({ status: 201, body: String(id) }));
  if (!('done' in once)) throw new Error('nothing was created');
  return Number(once.done.body) as LeadId;
}

const { offer } = makeOffer('inter', { term: 24 });

async function simulated(tenancy: Tenancy, leadId: LeadId, cpf: Cpf): Promise<OpportunityId> {
  const once = await wiring.simulations().save(tenancy, (now) => {
    const id = drawOpportunityId(now);
    const customer = { name: 'Marina Duarte Alves', cpf };
    return {
      opportunity: { id, leadId, createdAt: now, customer, offers: [offer] },
      answer: { status: 200, body: String(id) },
    };
  });
  if (once === 'lead_gone' || !('done' in once)) throw new Error('nothing was saved');
  return Number(once.done.body) as OpportunityId;
}

async function submitted(made: MadePartner, tenancy: Tenancy, leadId: LeadId, form: AnalysisForm) {
  const analyses = wiring.analyses();
  const once = await analyses.claim(
    {
      caller: {
        ...tenancy,
        partnerId: made.partnerId,
        keyId: 'aaaaa' as KeyId,
        scopes: [],
        limit: 1,
        left: 1,
        resetsIn: 1,
      },
      lead: (await wiring.leads().get(tenancy, leadId))!,
      leadToWrite: undefined,
      banks: ['itau'],
      form,
      consent: { givenAt: '2026-01-02T12:00:00-03:00', ip: '177.45.10.20', channel: 'web' },
      forced: undefined,
      requestId: 'UmP5IGkXmjQEaRw=',
    },
    { tenancy, operation: 'submit-analyses', key: String(leadId), content: '{}', expiresAt: Date.now() + 60_000 },
  );
  if (typeof once === 'string' || !('done' in once)) throw new Error('nothing was submitted');
  const [analysis] = once.done.analyses;
  return {
    analysis: analysis!,
    conclude: () =>
      analyses.conclude({
        before: analysis!,
        after: { ...analysis!, situation: 'recusado', sequence: 1 },
        delivery: undefined,
      }),
  };
}

const place = (made: MadePartner, environment: Environment = 'producao'): Tenancy => ({
  unitId: made.unitId,
  environment,
});

describe('leads export', () => {
  it('gives all that is kept of a person in every unit and environment, or only where asked', async () => {
    const [here, there] = [await makePartner(), await makePartner()];
    const cpf = nobodyYet();
    const leadId = await known(place(here), cpf);
    const opportunityId = await simulated(place(here), leadId, cpf);
    const { analysis } = await submitted(here, place(here), leadId, { nome_mae: 'Teresa Duarte' });
    await known(place(here, 'sandbox'), cpf);
    await known(place(there), cpf);
    const stranger = nobodyYet();
    await known(place(here), stranger);

    const run = async (...args: (string | number)[]) => {
      const ran = await manager(['leads', 'export', ...args, '--reason', 'LGPD-1'], { input: `${cpf}\n` });
      return {
        ...ran,
        units:
          ran.code === 0
            ? ran.json().map((one: Place) => [one.unidade ?? one.unit, one.ambiente ?? one.environment])
            : [],
      };
    };
    const all = await run();
    expect(all.units.sort()).toEqual(
      [
        [here.unitId, 'sandbox'],
        [here.unitId, 'producao'],
        [there.unitId, 'producao'],
      ].sort(),
    );
    expect(all.out).not.toContain(stranger);
    const one = await run('--partner', here.partnerId, '--unit', here.unitId, '--environment', 'producao');
    expect(one.json()).toEqual([
      expect.objectContaining({
        parceiro: here.partnerId,
        lead: expect.objectContaining({
          lead_id: leadId,
          nome: 'Marina Duarte Alves',
          cpf: formatCpf(cpf),
          email: 'marina@exemplo.com.br',
          renda: 18_000.5,
          data_nascimento: null,
          criado_em: expect.stringMatching(ISO_MOMENT),
        }),
        simulacoes: [
          expect.objectContaining({
            id: opportunityId + 4,
            banco: 'inter',
            data: expect.stringMatching(ISO_MOMENT),
            valores: expect.objectContaining({ imovel: 500_000, financiado: 350_000 }),
          }),
        ],
        analises: [
          expect.objectContaining({ analise_id: analysis.id, submetida_em: expect.stringMatching(ISO_MOMENT) }),
        ],
        formularios: [{ nome_mae: 'Teresa Duarte' }],
        consentimentos: [
          expect.objectContaining({
            ip: '177.45.10.20',
            timestamp: '2026-01-02T12:00:00-03:00',
            canal: 'web',
            bancos: ['itau'],
          }),
        ],
      }),
    ]);
    const raw = await run('--unit', here.unitId, '--partner', here.partnerId, '--environment', 'producao', '--raw');
    expect(raw.json()).toEqual([
      expect.objectContaining({
        lead: expect.objectContaining({ id: leadId, income: 1_800_050, createdAt: expect.any(Number) }),
        opportunities: [expect.objectContaining({ id: opportunityId })],
      }),
    ]);
    expect((await run('--partner', there.partnerId)).units).toEqual([[there.unitId, 'producao']]);
  });

  it('asks a person for the CPF, and says where nobody has it or it is none', async () => {
    const cpf = nobodyYet();
    await known(place(await makePartner()), cpf);
    const asked = await manager(['leads', 'export', '--reason', 'r'], { answers: [cpf] });
    expect([asked.code, asked.json()[0].lead.lead_id]).toEqual([0, expect.any(Number)]);
    const unknown = await manager(['leads', 'export', '--reason', 'r'], { input: nobodyYet() });
    expect([unknown.code, unknown.err]).toEqual([
      1,
      expect.stringContaining('no lead there is of a person with this CPF'),
    ]);
    const none = await manager(['leads', 'export', '--reason', 'r'], { input: '123' });
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('that is no CPF')]);
    expect(none.err).not.toContain('123');
  });
});

describe('leads erase', () => {
  const erase = (cpf: string, ...args: (string | number)[]) =>
    manager(['leads', 'erase', ...args, '--reason', 'LGPD-2', '--yes', '--json'], { input: cpf });
  const byLead = (made: MadePartner, leadId: LeadId) =>
    manager([
      ...['leads', 'erase', '--lead', leadId, '--partner', made.partnerId, '--unit', made.unitId],
      ...['--environment', 'producao', '--reason', 'LGPD-2', '--yes', '--json'],
    ]);

  it('erases a lead, asks first, and says what it did; run again, how far it is', async () => {
    const made = await makePartner();
    const cpf = nobodyYet();
    const leadId = await known(place(made), cpf);
    const opportunityId = await simulated(place(made), leadId, cpf);
    const declined = await manager(['leads', 'erase', '--reason', 'r'], { answers: [cpf, 'n'] });
    expect([declined.code, await leadByCpf(place(made), cpf)]).toEqual([1, leadId]);
    expect((await erase(cpf)).json()).toMatchObject([
      { state: 'apagado', lead: leadId, passes: [{ opportunities: 1, forms: 0, consents: 0 }] },
    ]);
    expect(await personalData(place(made), leadId, Date.now)).toMatchObject({ lead: undefined, opportunities: [] });
    expect(await wiring.leads().get(place(made), leadId)).toBeUndefined();
    expect(await leadByCpf(place(made), cpf)).toBeUndefined();
    expect(await wiring.simulations().get(place(made), opportunityId)).toBeUndefined();

    expect((await erase(cpf)).code).toBe(1);
    const again = await byLead(made, leadId);
    expect(again.json()).toMatchObject([{ state: 'apagado', nextCheckAt: expect.any(Number) }]);
    passTime(SECOND_PASS_AFTER);
    const later = await byLead(made, leadId);
    expect(later.json()[0]).toMatchObject({ state: 'apagado', passes: [{ opportunities: 1 }, { opportunities: 0 }] });
    expect(later.json()[0].nextCheckAt).toBeUndefined();
    passTime(SECOND_PASS_AFTER);
    const finished = await byLead(made, leadId);
    expect(finished.json()).toEqual(later.json());
  });

  it('waits for a pending analysis; the sweeper goes on, and consents and analyses stay without a name', async () => {
    const made = await makePartner();
    const cpf = nobodyYet();
    const leadId = await known(place(made), cpf);
    const { conclude } = await submitted(made, place(made), leadId, { nome_mae: 'Teresa Duarte' });
    expect((await erase(cpf)).json()).toMatchObject([{ state: 'aguardando', pending: 1 }]);
    expect((await personalData(place(made), leadId, Date.now))!.forms).toHaveLength(1);
    expect((await wiring.leads().get(place(made), leadId))!.name).toBe('Marina Duarte Alves');

    await conclude();
    expect((await erase(cpf)).json()).toMatchObject([
      { state: 'apagado', passes: [{ forms: 1, analyses: 1, consents: 1 }] },
    ]);
    const left = (await personalData(place(made), leadId, Date.now))!;
    expect(left).toMatchObject({ forms: [], opportunities: [], lead: undefined });
    expect([left.analyses.length, left.consents.length]).toEqual([1, 1]);
    const audit = await manager(['audit', 'list', '--partner', made.partnerId, '--json']);
    expect(audit.json()[0]).toMatchObject({ outcome: 'done', target: { lead: leadId, state: 'apagado', forms: 1 } });
    expect(audit.out).not.toContain(cpf);
    // Who has the CPF finds the entry, and through it the lead whose consents were kept.
    expect(audit.json()[0].target.cpf).toBe(audit.json()[1].target.cpf);
  });

  it('leaves other units, other environments and other people alone', async () => {
    const [here, there] = [await makePartner(), await makePartner()];
    const [cpf, other] = [nobodyYet(), nobodyYet()];
    const kept: [Tenancy, Cpf][] = [
      [place(there), cpf],
      [place(here, 'sandbox'), cpf],
      [place(here), other],
    ];
    for (const [tenancy, whose] of kept) await known(tenancy, whose);
    await known(place(here), cpf);
    expect((await erase(cpf, '--partner', here.partnerId, '--environment', 'producao')).json()).toHaveLength(1);
    for (const [tenancy, whose] of kept) expect(await leadByCpf(tenancy, whose)).toBeDefined();
  });
});

describe('leads apply-ledger', () => {
  it('erases in a restored table everyone who was erased, and nobody else', async () => {
    const made = await makePartner();
    const [cpf, other] = [nobodyYet(), nobodyYet()];
    const leadId = await known(place(made), cpf);
    await simulated(place(made), leadId, cpf);
    const otherId = await known(place(made), other);
    const before = await everyRow();
    await manager(['leads', 'erase', '--reason', 'LGPD-3', '--yes'], { input: cpf });
    // The table as a backup has it: the person is back.
    for (const row of before) await put(row);
    for (const { sk } of await rowsOf(erasureKey(place(made), leadId).pk))
      if (sk === 'LEAD#ERASURE') await drop(erasureKey(place(made), leadId));
    expect(await leadByCpf(place(made), cpf)).toBe(leadId);

    const run = ['leads', 'apply-ledger', '--reason', 'INC-9', '--yes', '--json'];
    expect((await manager(run)).json()).toContainEqual(expect.objectContaining({ lead: leadId, state: 'apagado' }));
    expect(await wiring.leads().get(place(made), leadId)).toBeUndefined();
    expect(await wiring.leads().get(place(made), otherId)).toBeDefined();
    expect((await manager(run)).code).toBe(0);
  });

  it('fails while somebody waits for a bank, whose data can still be read', async () => {
    const made = await makePartner();
    const leadId = await known(place(made), nobodyYet());
    const { conclude } = await submitted(made, place(made), leadId, {});
    await wiring.erasureLedger().add({ partnerId: made.partnerId, ...place(made), leadId }, Date.now());
    const run = ['leads', 'apply-ledger', '--reason', 'INC-9', '--yes'];
    const { code, err } = await manager(run);
    expect([code, err]).toEqual([1, expect.stringContaining('1 still wait for banks')]);
    await conclude();
    expect((await manager(run)).code).toBe(0);
  });

  it('goes on behind one whose rows cannot be read, names them and fails', async () => {
    const made = await makePartner();
    const leads = [await known(place(made), nobodyYet()), await known(place(made), nobodyYet())];
    for (const leadId of leads)
      await wiring.erasureLedger().add({ partnerId: made.partnerId, ...place(made), leadId }, Date.now());
    const [broken, other] = leads as [LeadId, LeadId];
    // A list that no version of the service has written.
    const list = analysisListKey({ ...place(made), leadId: broken, submissionId: 1 as SubmissionId });
    await put({ ...list, analyses: 'none' });
    const { code, err, out } = await manager(['leads', 'apply-ledger', '--reason', 'INC-9', '--yes', '--json']);
    expect(code).toBe(1);
    expect(err).toContain(`broke off: unit ${made.unitId}, ${place(made).environment}, lead ${broken}`);
    expect(err).toContain('1 erasures broke off');
    expect(JSON.parse(out)).toContainEqual(expect.objectContaining({ lead: other, state: 'apagado' }));
    const [page] = (await manager(['audit', 'list', '--service', '--json'])).json();
    expect(page).toMatchObject({ action: 'apply-erasure-ledger', outcome: 'started' });
    await drop(list);
    expect((await manager(['leads', 'apply-ledger', '--reason', 'INC-9', '--yes'])).code).toBe(0);
  });
});

const drop = (Key: { pk: string; sk: string }) =>
  tableClient().send(new DeleteCommand({ TableName: process.env['TABLE_NAME']!, Key: { ...Key } }));
