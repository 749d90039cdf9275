/**
 * What another run may write between the plan of a change of the administration and its write, for each change. The
 * table of shared/administration/README.md says for each change what its plan saw and on what its write conditions.
 */
import type { SecretStore } from '#infra/local/aws/secrets.ts';
import type { AdministrationOperation } from '#shared/administration/operations.ts';
import type { Analysis } from '#shared/domain/analyses/analysis.ts';
import { erasePerson } from '#shared/domain/leads/erase-person.ts';
import { beginErasure } from '#shared/domain/leads/erasure.ts';
import { cpfFrom } from '#shared/domain/values/cpf.ts';
import { drawId, idOf, type LeadId, type PartnerId, type UnitId } from '#shared/domain/values/ids.ts';
import type { EndpointOwner } from '#shared/domain/webhooks/endpoint.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { createPartner, createUnit, setIncidentContact, setLimits } from '#shared/table/partners/partner-register.ts';
import {
  changeWebhookUrl,
  disableWebhook,
  enableWebhook,
  setWebhook,
} from '#shared/table/webhooks/webhook-endpoints.ts';
import * as wiring from '#shared/wiring.ts';
import { type AdministrationCall, administration, because } from './administration.ts';
import type { administrationScenes } from './administration-scenes.ts';
import { bookAnalysis, bookDelivery, CLOSABLE, moveToState } from './booked.ts';
import { makePartner } from './peers.ts';

/** A change, and what another run writes while it is under way. */
export interface Overlap {
  /** Says in words what the other run does. */
  readonly other: string;
  /**
   * What the change must do if the other run wrote after its plan.
   *
   * - `refused`: the reason of the plan is gone, so the change is refused and writes nothing.
   * - `nothing`: the other run has done the change already, so the change writes nothing, and succeeds or is refused.
   */
  readonly change: 'refused' | 'nothing';
  /** Makes what the change needs. Returns the call, and the write of the other run. */
  readonly scene: () => Promise<{ readonly call: AdministrationCall; readonly write: () => Promise<unknown> }>;
  /**
   * Name of the call after whose first use the reason is not judged again. From then on the conditions of the rows
   * protect each row. Undefined if the write itself is conditioned.
   */
  readonly judgedBy?: string;
  /** Names what a refused change may have written already, and why that does no harm. Undefined if it writes nothing. */
  readonly leaves?: string;
  /** Whether the stage asks for two people. @default false */
  readonly twoPeople?: true;
}

/** Overlaps of a change, or why no other run can take away what its plan saw. */
export type Overlaps = readonly [Overlap, ...Overlap[]] | string;

type Scenes = ReturnType<typeof administrationScenes>;
type Fields = Readonly<Record<string, unknown>>;

let moments = 0;
/** Returns a different moment each time, so that no two ids drawn here are equal. */
const nextMoment = () => Date.now() + ++moments;

/** Returns a CPF that nobody has. */
const newCpf = () => cpfFrom(String(nextMoment()).slice(-9));

/** Makes a partner with one unit. Production is closed to the partner. */
async function newcomer(): Promise<{ readonly partnerId: PartnerId; readonly unitId: UnitId }> {
  const at = nextMoment();
  const partnerId = drawId<PartnerId>(at);
  const unitId = drawId<UnitId>(at);
  await createPartner(partnerId, 'Novo Parceiro', at);
  await createUnit(partnerId, unitId, 'Matriz', at);
  return { partnerId, unitId };
}

/** Returns the owner of a partner's webhook of production. */
const productionOf = ({ partnerId }: { readonly partnerId: PartnerId }): EndpointOwner => ({
  partnerId,
  environment: 'producao',
});
/** Returns the path parameters of the operations on a webhook. */
const webhookParams = ({ partnerId, environment }: EndpointOwner) => ({ partner_id: partnerId, environment });

const opened = (partnerId: PartnerId) => () => wiring.partnerRegister().validate(partnerId, Date.now());

/** Makes an analysis that may be closed. Returns it with the call that closes it. */
async function closable() {
  const { partnerId, unitId } = await makePartner();
  const analysis = await bookAnalysis({ partnerId, unitId, environment: 'sandbox', ...CLOSABLE });
  const place = { unit_id: unitId, environment: 'sandbox', situation: 'cancelado', confirm: String(analysis.id) };
  return { analysis, call: { params: { analysis_id: analysis.id }, body: { ...place, ...because } } };
}

/** Returns the change by which a bank approves an analysis. */
function approved(before: Analysis) {
  const after: Analysis = { ...before, situation: 'aprovado', rawStatus: 'Aprovado', sequence: before.sequence + 1 };
  return { before, after };
}

/** Makes a person who has only a lead. */
async function newLead() {
  const { partnerId, unitId } = await makePartner();
  const tenancy = { unitId, environment: 'producao' } as const;
  const cpf = newCpf();
  const draft = { name: 'Marina Duarte Alves', cpf };
  const created = await wiring.leads().createOrReuse(tenancy, draft, (id) => ({ status: 201, body: String(id) }));
  const leadId = idOf<LeadId>(Number('done' in created && created.done.body));
  return { ...tenancy, partnerId, leadId, cpf, place: { partner_id: partnerId, unit_id: unitId, lead_id: leadId } };
}

/** The peers and addresses that the scenes of overlaps need. */
interface World {
  /** Scenes of the changes by themselves. */
  readonly scenes: Scenes;
  readonly secrets: Pick<SecretStore, 'current'>;
  /** Address of a receiver that answers 200. */
  readonly url: string;
}

/** Returns the overlaps of each change. `world` is called when a scene begins. */
export function administrationOverlaps(
  world: () => World,
): Readonly<Partial<Record<AdministrationOperation, Overlaps>>> {
  /** Makes a partner with a webhook of production. Returns the call of an operation on it. */
  async function withWebhook(fields: Fields = {}, confirmed?: 'confirmed') {
    const { url } = world();
    const owner = productionOf(await makePartner());
    const body = confirmed ? { ...fields, confirm: String(owner.partnerId) } : fields;
    await setWebhook(owner, url, newWebhookSecret(), Date.now());
    return { owner, call: { params: webhookParams(owner), body: { ...because, ...body } } };
  }

  /** Another run gives the webhook another address while the change of `withWebhook` is under way. */
  const moved = (confirmed?: 'confirmed') => async () => {
    const { owner, call } = await withWebhook({}, confirmed);
    return { call, write: () => changeWebhookUrl(owner, `${world().url}/outro`, nextMoment()) };
  };

  /** Another run makes a similar change with the same effect on what the plan saw. */
  const twice =
    (operation: keyof Scenes, other: keyof Scenes = operation) =>
    async () => {
      const call: AdministrationCall = await world().scenes[operation]();
      const body = (call.body ?? {}) as Fields;
      return { call, write: () => administration(other, { ...call, body: { ...body, ...because } }) };
    };

  /** Another run writes the row of published rates. */
  const published = (operation: 'publish-bank-rate' | 'confirm-bank-rate'): Overlap => ({
    other: 'another call publishes or confirms a rate',
    change: 'refused',
    scene: async () => {
      const rates = wiring.bankRates();
      const write = async () => {
        const read = await rates.read();
        await rates.write(read, read.publications);
      };
      return { call: await world().scenes[operation](), write };
    },
  });

  return {
    'create-partner': 'its plan sees nothing',
    'set-incident-contact': [
      {
        other: 'another call sets the contact that this one replaces',
        change: 'refused',
        scene: async () => {
          const { partnerId } = await newcomer();
          const body = { contact: 'seguranca@parceiro.example', replaces: '', ...because };
          const write = () => setIncidentContact(partnerId, 'outra@parceiro.example');
          return { call: { params: { partner_id: partnerId }, body }, write };
        },
      },
    ],
    'validate-partner': [
      {
        other: 'another call changes the address of the webhook of production',
        change: 'refused',
        scene: async () => {
          const owner = productionOf(await newcomer());
          await setWebhook(owner, world().url, newWebhookSecret(), Date.now());
          const call = { params: { partner_id: owner.partnerId }, body: { incomplete: true, ...because } };
          return { call, write: () => changeWebhookUrl(owner, `${world().url}/outro`, nextMoment()) };
        },
      },
      {
        other: 'another call sets the first address of the webhook of production',
        change: 'refused',
        scene: async () => {
          const owner = productionOf(await newcomer());
          const call = { params: { partner_id: owner.partnerId }, body: { incomplete: true, ...because } };
          return { call, write: () => setWebhook(owner, world().url, newWebhookSecret(), Date.now()) };
        },
      },
    ],
    'create-unit': 'partners are never removed',
    'present-unit': [
      {
        other: 'another call sets the text that this one replaces',
        change: 'refused',
        scene: async () => {
          const { partnerId, unitId } = await newcomer();
          const body = { partner_id: partnerId, creci: '12345-J', replaces: { creci: '' }, ...because };
          const write = () => wiring.partnerRegister().presentUnit(partnerId, unitId, { creci: '999-J' }, nextMoment());
          return { call: { params: { unit_id: unitId }, body }, write };
        },
      },
    ],
    'create-key': 'partners and units are never removed, and a validation is never taken back',
    'rotate-key': [
      {
        other: 'another call revokes the key',
        change: 'refused',
        scene: twice('rotate-key', 'revoke-key'),
      },
    ],
    'revoke-key': [{ other: 'another call revokes the key', change: 'nothing', scene: twice('revoke-key') }],
    'set-rate': [
      {
        other: 'another call sets the limit that this one replaces',
        change: 'refused',
        scene: async () => {
          const { partnerId } = await newcomer();
          await setLimits(partnerId, { sandbox: 90 });
          const body = { environment: 'sandbox', limit: 60, replaces: 90, ...because };
          const write = () => setLimits(partnerId, { sandbox: 70 });
          return { call: { params: { partner_id: partnerId }, body }, write };
        },
      },
    ],
    'set-webhook': [
      {
        other: 'another call changes the address',
        change: 'refused',
        scene: async () => {
          const { owner, call } = await withWebhook({ url: `${world().url}/2` });
          return { call, write: () => changeWebhookUrl(owner, `${world().url}/outro`, nextMoment()) };
        },
      },
      {
        other: 'another call sets the first address',
        change: 'refused',
        scene: async () => {
          const owner = productionOf(await newcomer());
          const call = { params: webhookParams(owner), body: { url: `${world().url}/2`, ...because } };
          return { call, write: () => setWebhook(owner, world().url, newWebhookSecret(), Date.now()) };
        },
      },
      {
        other: 'production is opened, so that the first address needs an approval',
        change: 'refused',
        twoPeople: true,
        scene: async () => {
          const owner = productionOf(await newcomer());
          return {
            call: { params: webhookParams(owner), body: { url: world().url, ...because } },
            write: opened(owner.partnerId),
          };
        },
      },
      {
        other: 'production is opened, so that another address needs an approval',
        change: 'refused',
        twoPeople: true,
        scene: async () => {
          const owner = productionOf(await newcomer());
          await setWebhook(owner, world().url, newWebhookSecret(), Date.now());
          const call = { params: webhookParams(owner), body: { url: `${world().url}/2`, ...because } };
          return { call, write: opened(owner.partnerId) };
        },
      },
    ],
    'rotate-webhook-secret': [
      {
        other: 'production is opened, so that the rotation needs an approval',
        change: 'refused',
        twoPeople: true,
        scene: async () => {
          const owner = productionOf(await newcomer());
          await setWebhook(owner, world().url, newWebhookSecret(), Date.now());
          const body = { confirm: String(owner.partnerId), ...because };
          return { call: { params: webhookParams(owner), body }, write: opened(owner.partnerId) };
        },
      },
    ],
    'ping-webhook': [{ other: 'another call changes the address', change: 'refused', scene: moved() }],
    'enable-webhook': [
      {
        other: 'another call changes the address',
        change: 'refused',
        scene: async () => {
          const { owner, call } = await withWebhook();
          await disableWebhook(owner, 'failing', Date.now());
          return { call, write: () => changeWebhookUrl(owner, `${world().url}/outro`, nextMoment()) };
        },
      },
      {
        other: 'another call disables the webhook for a reason of its own',
        change: 'refused',
        scene: async () => {
          const { owner, call } = await withWebhook();
          await disableWebhook(owner, 'failing', Date.now());
          return { call, write: () => disableWebhook(owner, 'manager', nextMoment()) };
        },
      },
    ],
    'disable-webhook': [
      { other: 'another call changes the address', change: 'refused', scene: moved('confirmed') },
      {
        other: 'another call enables the webhook again',
        change: 'refused',
        scene: async () => {
          const { owner, call } = await withWebhook({}, 'confirmed');
          await disableWebhook(owner, 'failing', Date.now());
          return { call, write: () => enableWebhook(owner, nextMoment()) };
        },
      },
    ],
    'replay-deliveries': [
      {
        other: 'the event has been delivered',
        change: 'nothing',
        scene: async () => {
          const { owner } = await withWebhook();
          const { partnerId: partner_id, environment } = owner;
          const at = Date.now() - 5_000;
          const exhausted = await bookDelivery(owner, { state: 'esgotada', attempts: 12, createdAt: at });
          const since = new Date(at - 60_000).toISOString();
          return {
            call: { body: { partner_id, environment, state: 'esgotada', since, ...because } },
            write: async () => {
              await wiring.deliveryArchive().replay(exhausted.eventId, Date.now(), ['esgotada']);
              await moveToState('entregue', { ...exhausted, dueAt: Date.now() }, Date.now());
            },
          };
        },
      },
    ],
    'redrive-dead-letters': 'the queue gives a letter to one run at a time, and the worker asks the delivery’s row',
    'discard-dead-letters': 'a delivery that has moved on stays as it is, and its letter leads nowhere',
    'correct-lead': [
      {
        other: 'another call asks for the erasure of the person',
        change: 'refused',
        scene: async () => {
          const { place, leadId, environment, partnerId, unitId } = await newLead();
          const subject = { partnerId, unitId, environment, leadId: leadId };
          return {
            call: { body: { ...place, environment, birth_date: '1980-02-29', ...because } },
            write: () => wiring.erasures().begin(beginErasure(subject, Date.now(), Date.now() + 60_000)),
          };
        },
      },
    ],
    'withdraw-lead-consent': [
      {
        other: 'another call erases the person',
        change: 'refused',
        scene: async () => {
          const { place, leadId, environment, partnerId, unitId } = await newLead();
          const subject = { partnerId, unitId, environment, leadId };
          const told = { withdrawn_at: '2026-11-20T09:00:00-03:00', channel: 'e-mail' };
          return {
            call: { body: { ...place, environment, ...told, confirm: String(leadId), ...because } },
            write: () =>
              erasePerson(subject, { erasures: wiring.erasures(), ledger: wiring.erasureLedger(), clock: Date.now }),
          };
        },
      },
    ],
    'erase-lead': [
      {
        other: 'another call corrects the CPF of the lead',
        change: 'refused',
        scene: async () => {
          const { place, leadId, environment, unitId, cpf } = await newLead();
          const other = newCpf();
          const write = () => wiring.personalRecords().correct({ unitId, environment }, leadId, { cpf: other });
          return { call: { body: { ...place, environment, cpf, confirm: String(leadId), ...because } }, write };
        },
      },
    ],
    'apply-erasure-ledger': 'an entry of the ledger is never taken back, and each erasure continues from its own row',
    'poll-analysis': [
      {
        other: 'the poller writes the outcome',
        change: 'nothing',
        scene: async () => {
          const { partnerId, unitId } = await makePartner();
          const analysis = await bookAnalysis({ partnerId, unitId, environment: 'sandbox', queryNumber: 'SB-1' });
          const body = { unit_id: unitId, environment: 'sandbox', ...because };
          const write = () => wiring.analyses().conclude(approved(analysis));
          return { call: { params: { analysis_id: analysis.id }, body }, write };
        },
      },
    ],
    'close-analysis': [
      {
        other: 'the operator answers with another text',
        change: 'refused',
        scene: async () => {
          const { analysis, call } = await closable();
          return { call, write: () => wiring.analyses().note(analysis, 'SB-2', 'Em mesa de crédito') };
        },
      },
      {
        other: 'the operator answers with the same text',
        change: 'refused',
        scene: async () => {
          const { analysis, call } = await closable();
          return { call, write: () => wiring.analyses().markUnanswerable(analysis, undefined) };
        },
      },
      {
        other: 'the operator answers, and then cannot answer again',
        change: 'refused',
        scene: async () => {
          const { analysis, call } = await closable();
          const write = async () => {
            await wiring.analyses().markUnanswerable(analysis, undefined);
            await wiring.analyses().markUnanswerable(analysis, Date.now());
          };
          return { call, write };
        },
      },
      {
        other: 'the bank decides the analysis',
        change: 'refused',
        scene: async () => {
          const { analysis, call } = await closable();
          return { call, write: () => wiring.analyses().conclude(approved(analysis)) };
        },
      },
    ],
    'set-operator-token': 'its plan sees nothing',
    'set-probe-key': 'its plan sees nothing',
    'init-service-keys': [
      { other: 'another call writes the first keys', change: 'refused', scene: twice('init-service-keys') },
    ],
    'change-service-keys': [
      { other: 'another call changes the keys', change: 'refused', scene: twice('change-service-keys') },
    ],
    'rewrite-rows': [
      {
        other: 'another call changes the keys',
        change: 'refused',
        judgedBy: 'secret GetSecretValueCommand',
        scene: async () => ({
          call: await world().scenes['rewrite-rows'](),
          write: () => changeKeys(world().secrets),
        }),
      },
    ],
    'retire-service-keys': [
      {
        other: 'another call changes the keys',
        change: 'refused',
        leaves: 'a copy of the key in the secret of retired keys, which opens no row that the key does not open',
        scene: async () => ({
          call: await world().scenes['retire-service-keys'](),
          write: () => changeKeys(world().secrets),
        }),
      },
      {
        other: 'another call retires the keys',
        change: 'refused',
        leaves: 'a copy of the key in the secret of retired keys, which opens no row that the key does not open',
        scene: twice('retire-service-keys'),
      },
    ],
    'publish-bank-rate': [published('publish-bank-rate')],
    'confirm-bank-rate': [published('confirm-bank-rate')],
    'approve-approval': [
      {
        other: 'another person refuses the request',
        change: 'refused',
        scene: twice('approve-approval', 'refuse-approval'),
      },
      {
        other: 'the request is refused and asked for again with another reason',
        change: 'refused',
        scene: async () => {
          const call = await world().scenes['approve-approval']();
          return { call, write: askAgain };
        },
      },
    ],
    'refuse-approval': [
      {
        other: 'another person refuses the request',
        change: 'refused',
        scene: twice('refuse-approval'),
      },
    ],
  };
}

/** Changes the keys as another call does. */
function changeKeys(secrets: Pick<SecretStore, 'current'>) {
  const keys: { sealing: { current: number } } = JSON.parse(secrets.current(process.env['KEYS_SECRET'] ?? '') ?? '{}');
  const { current } = keys.sealing;
  return administration('change-service-keys', { body: { current, confirm: String(current), ...because } });
}

/** Refuses the only request, and asks for it again with another reason. */
async function askAgain(): Promise<void> {
  const approvals = wiring.approvals();
  const [asked] = await approvals.list(Date.now());
  if (!asked) throw new Error('nothing was asked for');
  const { operation, about, target, fields = [], askedBy, person } = asked;
  await approvals.decide(asked, 'refused', 'x/caio', Date.now());
  const again = { operation, about, target, fields, askedBy, person, reason: 'another reason' };
  await approvals.useOrAsk(again, { mark: 'another call', isMade: false }, nextMoment());
}
