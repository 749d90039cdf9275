import { expect } from 'vitest';
import { handler as sweep } from '#functions/pollers/sweep-erasures.ts';
import { erasePerson } from '#shared/domain/leads/erase-person.ts';
import { ERASURE_RETRY, type Erasure, SECOND_PASS_AFTER } from '#shared/domain/leads/erasure.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import type { Cpf } from '#shared/domain/values/cpf.ts';
import type { AnalysisId, LeadId } from '#shared/domain/values/ids.ts';
import { isWithoutTexts } from '#shared/domain/webhooks/delivery.ts';
import { TableErasureLedger } from '#shared/table/leads/erasure-ledger.ts';
import { TableErasures } from '#shared/table/leads/lead-erasure.ts';
import { leadByCpf } from '#shared/table/rows/cpf-row.ts';
import { leadKey } from '#shared/table/rows/keys.ts';
import { deliveriesOfAnalysis } from '#shared/table/webhooks/replays.ts';
import { api } from './api.ts';
import { lambdaContext } from './call.ts';
import { everyRow } from './rows.ts';
import type { Person, Scene } from './scene.ts';
import { passTime } from './test-clock.ts';

const tenancyOf = ({ partner, environment }: Scene) => ({ unitId: partner.unitId, environment });

/** Erases a person as the administration does. */
export function erase(scene: Scene, { lead }: Person): Promise<Erasure | undefined> {
  const clock = () => Date.now();
  const subject = { partnerId: scene.partner.partnerId, ...tenancyOf(scene), leadId: lead as LeadId };
  return erasePerson(subject, { erasures: new TableErasures(clock), ledger: new TableErasureLedger(), clock });
}

/** Returns how far a person's erasure is. */
export function erasureOf(scene: Scene, { lead }: Person): Promise<Erasure | undefined> {
  return new TableErasures(() => Date.now()).get(tenancyOf(scene), lead as LeadId);
}

/** Runs the sweeper of erasures once. */
export function sweepErasures(): Promise<void> {
  return sweep({ time: timestamp(Date.now()) }, lambdaContext(55_000));
}

/** Lets time pass and runs the sweeper until both passes have ended, for every erasure that waits for no bank. */
export async function finishErasures(): Promise<void> {
  passTime(ERASURE_RETRY + 1);
  await sweepErasures();
  passTime(SECOND_PASS_AFTER + 1);
  await sweepErasures();
}

/** Ids and keys of what a person has left in the service. Answers have named them. */
export interface Traces {
  readonly simulations: readonly number[];
  readonly analyses: readonly number[];
  /** Idempotency-Keys of submissions. */
  readonly keys: readonly string[];
}

/** Checks what the API answers and what the table holds about an erased person. `point` names the case in a failure. */
export async function expectErased(scene: Scene, person: Person, traces: Traces, point: string): Promise<void> {
  const { key } = scene;
  const { lead: id } = person;
  const statuses = await Promise.all([
    api('getLead', { key, id }),
    api('updateLead', { key, id, body: { nome: 'Marina Duarte Alves' } }),
    scene.analyses(id),
    scene.consents(id),
    ...traces.simulations.flatMap((simulation) =>
      (['getSimulation', 'getSimulationPdf', 'getSimulationInstalments'] as const).map((operation) =>
        api(operation, { key, id: simulation }),
      ),
    ),
  ]);
  for (const { status } of statuses) expect(status, point).toBe(404);
  const bodies = await Promise.all([
    api('createSimulation', { key, body: { lead_id: id, valor_imovel: 500_000, bancos: ['inter'] } }),
    ...[...traces.keys, `${point.replaceAll(',', '')} ${id}`].map((idempotencyKey) =>
      scene.submit(person, ['itau'], idempotencyKey),
    ),
  ]);
  for (const { status, body } of bodies) {
    expect(status, point).toBe(422);
    expect(body.codigo, point).toBe('lead_nao_encontrado');
  }
  for (const analysis of traces.analyses) expect((await scene.status(analysis)).status, point).toBe(200);

  const { unitId, environment } = tenancyOf(scene);
  for (const analysis of traces.analyses) {
    const events = await deliveriesOfAnalysis({ unitId, environment }, analysis as AnalysisId);
    for (const event of events) expect(isWithoutTexts(event), point).toBe(true);
  }
  const rowsOfLead = (await everyRow()).filter(
    (row) => row['leadId'] === id || String(row['pk']) === leadKey({ unitId, environment }, id as LeadId).pk,
  );
  const sealed = rowsOfLead.filter((row) => row['sealed'] !== undefined).map(({ pk }) => String(pk));
  expect(sealed, point).toEqual([]);
  const kinds = new Set(
    rowsOfLead.map(({ pk, sk }) => (String(pk).startsWith('LEAD#') ? String(sk) : String(pk)).split('#')[0]),
  );
  for (const kind of kinds) expect(kind, point).toBeOneOf(['LEAD', 'ANALYSES', 'ANALYSIS']);
  expect(await leadByCpf({ unitId, environment }, person.cpf as Cpf), point).not.toBe(id);
}
