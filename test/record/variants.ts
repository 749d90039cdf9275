import { hours, minutes } from '#shared/domain/values/time.ts';
import { administration, because } from '../makers/administration.ts';
import { api } from '../makers/api.ts';
import { leadBody } from '../makers/people.ts';
import type { Scene } from '../makers/scene.ts';
import { passTime } from '../makers/test-clock.ts';
import { approvedKey, CONSENTED_AT, decide, manage, placeOf, simulate, submit, withTwoPeople } from './acts.ts';
import { partner as called, change, manage as managed, OTHER, type Planned, part, refusal, whole } from './planned.ts';

/**
 * Writes rows under the first sealing key and the first index key, and then changes both, so that the rest of the story is
 * written under the second ones. Returns reads of the older rows.
 */
export async function playOlderKeys(scene: Scene): Promise<Planned[]> {
  const { key } = scene;
  const { person, analyses } = await submit(scene, ['itau']);
  const once = { key, body: leadBody({ cpf: person.cpf }), once: 'under the older keys' };
  await api('createLead', once);
  const [simulation] = await simulate(scene, person);
  const { current } = await manage('show-service-keys');
  await manage('change-service-keys', { body: { current, confirm: String(current), ...because } });
  // The second index key takes over 12 hours and some minutes later.
  passTime(hours(13));
  return [
    whole(called('getLead', { key, id: person.lead })),
    whole(called('getSimulation', { key, id: simulation })),
    whole(called('listLeadConsents', { key, id: person.lead })),
    whole(
      managed('show-analysis', {
        params: { analysis_id: analyses[0]! },
        query: { partner_id: scene.partner.partnerId },
      }),
    ),
    whole(called('createLead', once)),
    whole(change('find-leads', { body: { cpf: person.cpf } })),
  ];
}

/** Plays people, events and keys in further states. Returns reads that show them. */
export async function playVariants(scene: Scene): Promise<Planned[]> {
  return [...(await playPeople(scene)), ...(await playSandboxOutcomes(scene)), ...(await playSecretsAndKeys(scene))];
}

/** A changed and corrected lead, outcomes of every kind, and a consent that the administration has withdrawn. */
async function playPeople(scene: Scene): Promise<Planned[]> {
  const { key } = scene;
  const changed = await scene.person();
  await api('updateLead', {
    key,
    id: changed.lead,
    body: { renda: 21_000, estado_civil: 'uniao_estavel', observacao: null },
  });
  const { confirm: _, ...place } = placeOf(scene, changed);
  await manage('correct-lead', { body: { ...place, birth_date: '1980-02-29', ...because } });
  const bare = await api('createLead', { key, body: { nome: 'Rui Prado', cpf: '900.000.005-07' } });

  const decided = await submit(scene, ['itau', 'inter', 'brb'], { consentimento_versao: 'termo-1' });
  const statuses = ['Reprovado', 'Aprovado com restrição', 'Cancelado'];
  for (const [at, status] of statuses.entries()) decide(scene, [decided.analyses[at]!], status);
  const revoked = await submit(scene, ['inter']);
  const withdrawn = { withdrawn_at: CONSENTED_AT, channel: 'carta' };
  await manage('withdraw-lead-consent', { body: { ...placeOf(scene, revoked.person), ...withdrawn, ...because } });
  for (let minute = 0; minute < 3; minute++) await scene.tick();
  passTime(minutes(1));
  return [
    whole(called('getLead', { key, id: changed.lead })),
    whole(called('getLead', { key, id: bare.body.lead_id })),
    ...decided.analyses.map((id) => whole(called('getAnalysisStatus', { key, id }))),
    whole(called('listLeadAnalyses', { key, id: decided.person.lead })),
    whole(called('listLeadConsents', { key, id: decided.person.lead })),
    whole(called('listLeadConsents', { key, id: revoked.person.lead })),
    whole(change('export-lead', { body: { ...place, raw: true } })),
  ];
}

/** Analyses of the sandbox, whose outcome the note of the lead names, and an answer under an Idempotency-Key. */
async function playSandboxOutcomes({ partner: { keys } }: Scene): Promise<Planned[]> {
  const key = keys.sandbox;
  const once = {
    key,
    body: { nome: 'Marina Duarte Alves', cpf: '900.000.004-18', observacao: 'sandbox:erro' },
    once: 'k',
  };
  await api('createLead', once);
  return [whole(called('createLead', once)), refusal(called('createLead', { ...once, body: { nome: 'Rui Prado' } }))];
}

/** A secret in its overlap, a revoked key, a key of production with a scope, and requests that were approved or refused. */
async function playSecretsAndKeys({ partner }: Scene): Promise<Planned[]> {
  const { partnerId: partner_id, unitId: unit_id } = partner;
  const params = { partner_id, environment: 'sandbox' };
  const rotation = { params, body: { confirm: String(partner_id), token: 'a token of a rotation' } };
  await manage('rotate-webhook-secret', { ...rotation, body: { ...rotation.body, ...because } });

  await manage('disable-webhook', { params, body: { confirm: String(partner_id), ...because } });
  await manage('enable-webhook', { params, body: because });

  const made = { partner_id, unit_id, environment: 'producao', scopes: ['leads', 'analises'] };
  const kept = await manage('create-key', { body: { ...made, ...because } });
  const ended = await manage('create-key', { body: { partner_id, unit_id, environment: 'sandbox', ...because } });
  await api('getAccount', { key: ended.text });
  const revoke = { params: { key_id: ended.key_id }, body: { partner_id, confirm: ended.key_id, ...because } };
  await manage('revoke-key', revoke);

  for (const decision of ['approve-approval', 'refuse-approval'] as const) {
    const scopes = decision === 'approve-approval' ? ['leads'] : ['simulacoes'];
    const wish = { body: { ...approvedKey({ partner }), scopes, ...because } };
    const asked = await withTwoPeople(() => administration('create-key', wish));
    const [{ approval_id }] = (await manage('list-approvals')).approvals;
    await manage(decision, { params: { operation: 'create-key', approval_id }, body: because, caller: OTHER });
    if (asked.status === 200) throw new Error('the key needed no approval');
  }
  return [
    part(change('rotate-webhook-secret', rotation), 'secret', 'previous_until'),
    refusal(called('getAccount', { key: ended.text })),
    whole(called('getAccount', { key: kept.text })),
    whole(managed('list-keys', { query: { partner_id } })),
    whole(managed('list-approvals')),
  ];
}
