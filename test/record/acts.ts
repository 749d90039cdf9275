import { BANKS, type Bank } from '#shared/domain/values/bank.ts';
import { administration } from '../makers/administration.ts';
import { api } from '../makers/api.ts';
import type { Person, Scene } from '../makers/scene.ts';

/** A submission of one person, and its analyses. */
export interface Submission {
  readonly person: Person;
  readonly body: Record<string, unknown>;
  readonly once: string;
  readonly analyses: readonly number[];
}

/** The moment of the story. The banks' tables of this day stay as they are, so that it always has the same offers. */
export const STORY_AT = Date.UTC(2026, 11, 1, 15);
/** When the people of the story consent. */
export const CONSENTED_AT = new Date(STORY_AT - 60_000).toISOString();

/** Makes a call to the administration that must succeed. Returns its body. */
export async function manage(...[operation, call]: Parameters<typeof administration>) {
  const { status, body, text } = await administration(operation, call);
  if (status !== 200) throw new Error(`${operation} answered ${status} ${text}`);
  return body;
}

/** Makes a call on a stage that asks for another person's approval. Returns its answer. */
export async function withTwoPeople<T>(call: () => Promise<T>): Promise<T> {
  process.env['APPROVALS'] = 'required';
  try {
    return await call();
  } finally {
    process.env['APPROVALS'] = 'off';
  }
}

/** Makes a lead for a new person, with the given fields, and submits its analyses. */
export async function submit(
  scene: Scene,
  banks: readonly Bank[],
  fields: Record<string, unknown> = {},
): Promise<Submission> {
  const person = await scene.person(undefined, fields);
  const body = { ...person.body, ...fields, bancos: banks, consentimento_timestamp: CONSENTED_AT };
  const once = `key-${person.lead}`;
  const { status, text, body: answer } = await scene.submitBody(body, once);
  if (status !== 202) throw new Error(`POST /v1/analises answered ${status} ${text}`);
  const analyses: number[] = answer.analises.map(({ analise_id }: { analise_id: number }) => analise_id);
  return { person, body, once, analyses };
}

/** The wish for a key of production. */
export const approvedKey = ({ partner }: Pick<Scene, 'partner'>) => ({
  ...{ partner_id: partner.partnerId, unit_id: partner.unitId, environment: 'producao' },
});

/** Fields that name a person to the administration, with the confirmation of an erasure. */
export const placeOf = ({ partner, environment }: Pick<Scene, 'partner' | 'environment'>, { lead }: Person) => ({
  ...{ partner_id: partner.partnerId, unit_id: partner.unitId, environment },
  ...{ lead_id: lead, confirm: String(lead) },
});

/** Lets the banks of these analyses answer with a status from now on. */
export function decide(scene: Scene, analyses: readonly number[], status: string): void {
  for (const analysis of analyses) scene.operator.control.decide(scene.reference(analysis), status);
}

/** Simulates at all banks for a person. Returns the ids of the simulations. */
export async function simulate(scene: Scene, { lead }: Person): Promise<string[]> {
  const body = { lead_id: lead, valor_imovel: 500_000, valor_financiado: 300_000, prazo: 240, bancos: BANKS };
  const { status, text, body: answer } = await api('createSimulation', { key: scene.key, body });
  if (status !== 200) throw new Error(`POST /v1/simulacoes answered ${status} ${text}`);
  return answer.resultado.resultados.map(({ simulacao_id }: { simulacao_id: string }) => simulacao_id);
}
