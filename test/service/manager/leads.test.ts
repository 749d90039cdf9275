import { beforeAll, describe, expect, it } from 'vitest';
import type { AnalysisForm } from '../../../shared/domain/analyses/analysis.ts';
import type { Cpf } from '../../../shared/domain/values/cpf.ts';
import type { KeyId, LeadId, OpportunityId } from '../../../shared/domain/values/ids.ts';
import { drawOpportunityId } from '../../../shared/domain/values/ids.ts';
import type { Environment, Tenancy } from '../../../shared/domain/values/tenancy.ts';
import { tableClient } from '../../../shared/table/client.ts';
import { eraseLead, leadByCpf, personalData } from '../../../shared/table/lead-erasure.ts';
import * as wiring from '../../../shared/wiring.ts';
import { endpointsOfPeers, type Manager, managerHere } from '../../makers/manager.ts';
import { type MadePartner, makePartner, usePeers } from '../../makers/peers.ts';
import { cpfFrom } from '../../makers/people.ts';

usePeers();
let manager: Manager;
beforeAll(async () => {
  manager = managerHere(endpointsOfPeers());
});

let people = 0;
const nobodyYet = () => cpfFrom(++people) as Cpf;

async function known(tenancy: Tenancy, cpf: Cpf): Promise<LeadId> {
  const draft = { name: 'Marina Duarte Alves', cpf, email: 'marina@exemplo.com.br' };
  const once = await wiring.leads().createOrReuse(tenancy, draft, (id) => ({ status: 201, body: String(id) }));
  if (!('done' in once)) throw new Error('nothing was created');
  return Number(once.done.body) as LeadId;
}

async function simulated(tenancy: Tenancy, leadId: LeadId, cpf: Cpf): Promise<OpportunityId> {
  const once = await wiring.simulations().save(tenancy, (now) => {
    const id = drawOpportunityId(now);
    const customer = { name: 'Marina Duarte Alves', cpf };
    return {
      opportunity: { id, leadId, createdAt: now, customer, offers: [] },
      answer: { status: 200, body: String(id) },
    };
  });
  if (!('done' in once)) throw new Error('nothing was saved');
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
  if (once === 'lead_changed' || !('done' in once)) throw new Error('nothing was submitted');
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
      return { ...ran, units: ran.code === 0 ? ran.json().map((one: Tenancy) => [one.unitId, one.environment]) : [] };
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
        partner: here.partnerId,
        lead: expect.objectContaining({ id: leadId, name: 'Marina Duarte Alves', email: 'marina@exemplo.com.br' }),
        opportunities: [expect.objectContaining({ id: opportunityId })],
        analyses: [expect.objectContaining({ id: analysis.id })],
        forms: [{ nome_mae: 'Teresa Duarte' }],
        consents: [expect.objectContaining({ ip: '177.45.10.20' })],
      }),
    ]);
    expect((await run('--partner', there.partnerId)).units).toEqual([[there.unitId, 'producao']]);
  });

  it('asks a person for the CPF, and says where nobody has it or it is none', async () => {
    const cpf = nobodyYet();
    await known(place(await makePartner()), cpf);
    const asked = await manager(['leads', 'export', '--reason', 'r'], { answers: [cpf] });
    expect([asked.code, asked.json()[0].lead.id]).toEqual([0, expect.any(Number)]);
    const unknown = await manager(['leads', 'export', '--reason', 'r'], { input: nobodyYet() });
    expect([unknown.code, unknown.err]).toEqual([1, 'manager: nobody with this CPF is known there: nothing to do\n']);
    const none = await manager(['leads', 'export', '--reason', 'r'], { input: '123' });
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('that is no CPF')]);
    expect(none.err).not.toContain('123');
  });
});

describe('leads erase', () => {
  const erase = (cpf: string, ...args: (string | number)[]) =>
    manager(['leads', 'erase', ...args, '--reason', 'LGPD-2', '--yes', '--json'], { input: cpf });

  it('erases a lead that nothing refers to, and asks first', async () => {
    const made = await makePartner();
    const cpf = nobodyYet();
    const leadId = await known(place(made), cpf);
    const opportunityId = await simulated(place(made), leadId, cpf);
    const declined = await manager(['leads', 'erase', '--reason', 'r'], { answers: [cpf, 'n'] });
    expect([declined.code, await leadByCpf(place(made), cpf)]).toEqual([1, leadId]);
    expect((await erase(cpf)).json()).toMatchObject([
      { became: 'erased', opportunities: 1, forms: 0, consentsKept: 0 },
    ]);
    expect(await personalData(place(made), leadId)).toBeUndefined();
    expect(await leadByCpf(place(made), cpf)).toBeUndefined();
    expect(await wiring.simulations().get(place(made), opportunityId)).toBeUndefined();
    expect((await erase(cpf)).code).toBe(1);
  });

  it('keeps consents and analyses under a lead without a name, and no form', async () => {
    const made = await makePartner();
    const cpf = nobodyYet();
    const leadId = await known(place(made), cpf);
    const { conclude } = await submitted(made, place(made), leadId, { nome_mae: 'Teresa Duarte' });
    const early = await erase(cpf);
    expect([early.code, early.err]).toEqual([1, expect.stringContaining('1 pending analyses')]);
    expect((await personalData(place(made), leadId))!.forms).toHaveLength(1);
    const failed = (await manager(['audit', 'list', '--partner', made.partnerId, '--json'])).json()[0];
    expect(failed).toMatchObject({ action: 'leads erase', outcome: 'failed' });

    await conclude();
    expect((await erase(cpf)).json()).toMatchObject([
      { became: 'pseudonymised', forms: 1, analysesKept: 1, consentsKept: 1 },
    ]);
    const left = (await personalData(place(made), leadId))!;
    expect(left).toMatchObject({
      forms: [],
      opportunities: [],
      lead: { name: 'Titular removido', cpf: '00000000000' },
    });
    expect([left.lead.email, left.analyses.length, left.consents.length]).toEqual([undefined, 1, 1]);
    const audit = await manager(['audit', 'list', '--partner', made.partnerId, '--json']);
    expect(audit.json()[0]).toMatchObject({ outcome: 'done', target: { lead: leadId, became: 'pseudonymised' } });
    expect(audit.out).not.toContain(cpf);
    // Who has the CPF finds the entry, and through it the lead whose consents were kept.
    const pseudonym = audit.json()[0].target.cpf;
    expect(failed.target.cpf).toBe(pseudonym);
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

  it('goes on where it was cut off, at whatever write', async () => {
    const made = await makePartner();
    for (let cut = 1; cut <= 4; cut++) {
      const cpf = nobodyYet();
      const leadId = await known(place(made), cpf);
      await simulated(place(made), leadId, cpf);
      const { conclude } = await submitted(made, place(made), leadId, { nome_mae: 'Teresa Duarte' });
      await conclude();
      const restore = failAtWrite(cut);
      const first = await eraseLead(place(made), leadId, cpf, Date.now()).then(
        () => 'done',
        () => 'cut off',
      );
      restore();
      if (first === 'cut off') {
        expect(await leadByCpf(place(made), cpf), `the person must be found again after write ${cut}`).toBe(leadId);
        await eraseLead(place(made), leadId, cpf, Date.now());
      }
      const left = (await personalData(place(made), leadId))!;
      expect(left).toMatchObject({ forms: [], opportunities: [], lead: { name: 'Titular removido' } });
      expect(await leadByCpf(place(made), cpf)).toBeUndefined();
    }
  });
});

/** Makes the n-th transaction from now fail before it is sent; gives what undoes it. */
function failAtWrite(n: number): () => void {
  let seen = 0;
  const client = tableClient();
  client.middlewareStack.add(
    (next, context) => async (args) => {
      if (String(context.commandName).startsWith('TransactWrite') && ++seen === n) throw new Error('cut off');
      return next(args);
    },
    { step: 'initialize', name: 'failAtWrite', override: true },
  );
  return () => void client.middlewareStack.remove('failAtWrite');
}
