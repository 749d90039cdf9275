import type { Command } from 'commander';
import type { PartnerProfile } from '../../shared/domain/partners/partner.ts';
import { STEPS, type Step } from '../../shared/domain/partners/sandbox-checklist.ts';
import { drawId, type PartnerId } from '../../shared/domain/values/ids.ts';
import { ENVIRONMENTS } from '../../shared/domain/values/tenancy.ts';
import { SafeError } from '../../shared/runtime/log.ts';
import { authState, listKeys } from '../../shared/table/api-keys.ts';
import {
  createPartner,
  getPartner,
  listPartners,
  listUnits,
  validatePartner,
} from '../../shared/table/partner-register.ts';
import { sandboxChecklistOf } from '../../shared/table/sandbox-checklist.ts';
import { tableWebhookEndpoints } from '../../shared/table/webhook-endpoints.ts';
import { example, id, name } from './arguments.ts';
import type { Session } from './session.ts';
import { moment } from './table.ts';

/** The partner with an id. Throws a SafeError where there is none. */
export async function existing(partnerId: PartnerId): Promise<PartnerProfile> {
  const found = await getPartner(partnerId);
  if (!found) throw new SafeError(`there is no partner ${partnerId}: see partners list`);
  return found;
}

/** A partner as JSON shows it. */
function view({ id: partnerId, name: called, createdAt, validatedAt }: PartnerProfile) {
  return { partner: partnerId, name: called, validated: validatedAt !== undefined, validatedAt, createdAt };
}

export function partners(root: Command, session: Session): void {
  const noun = root
    .command('partners')
    .description('who uses the service')
    .addHelpText('after', example('partners list --local'));

  noun
    .command('create')
    .description('make a partner; it starts in the sandbox')
    .requiredOption('--name <text>', 'what it is called', name)
    .addHelpText('after', example('partners create --name "Imobiliária Horizonte" --local'))
    .action(async (options: { name: string }) => {
      const now = session.clock();
      const partnerId = drawId<PartnerId>(now);
      await session.change(partnerId, {}, () => createPartner(partnerId, options.name, now));
      session.printRecord({ partner: partnerId, name: options.name }, [
        ['partner', partnerId],
        ['name', options.name],
      ]);
    });

  noun
    .command('list')
    .description('all partners, oldest first')
    .addHelpText('after', example('partners list --local'))
    .action(async () => {
      const found = await listPartners();
      session.printTable(
        found,
        [
          { title: 'partner', value: (row) => row.id },
          { title: 'name', value: (row) => row.name, shrinks: true },
          { title: 'production', value: (row) => (row.validatedAt === undefined ? 'no' : 'validated') },
          { title: 'created', value: (row) => moment(row.createdAt) },
        ],
        found.map(view),
      );
    });

  noun
    .command('show')
    .description('a partner with its limits, units, keys and webhook')
    .argument('<partner>', 'its id', id<PartnerId>)
    .addHelpText('after', example('partners show 123 --local'))
    .action(async (partnerId: PartnerId) => {
      const profile = await existing(partnerId);
      const [auth, units, keys, endpoint] = await Promise.all([
        authState(partnerId),
        listUnits(partnerId),
        listKeys(partnerId),
        tableWebhookEndpoints().get(partnerId),
      ]);
      const live = keys.filter((key) => key.live).length;
      const webhook = endpoint && { url: endpoint.url, enabled: endpoint.enabled };
      session.printRecord(
        {
          ...view(profile),
          limits: auth?.limits,
          units: units.map((unit) => ({ unit: unit.id, name: unit.name })),
          keys: { live, revoked: keys.length - live, authItemBytes: auth?.bytes },
          webhook: webhook ?? null,
        },
        [
          ['partner', partnerId],
          ['name', profile.name],
          [
            'production',
            profile.validatedAt === undefined ? 'not validated' : `validated ${moment(profile.validatedAt)}`,
          ],
          ['created', moment(profile.createdAt)],
          ...ENVIRONMENTS.map(
            (environment) => [`rate ${environment}`, `${auth?.limits[environment]} a minute`] as const,
          ),
          ...units.map((unit) => ['unit', `${unit.id}  ${unit.name}`] as const),
          ['keys', `${live} live, ${keys.length - live} revoked; the auth item has ${auth?.bytes} of 4096 bytes`],
          ['webhook', webhook && `${webhook.url} (${webhook.enabled ? 'enabled' : 'disabled'})`],
        ],
      );
    });

  noun
    .command('validate')
    .description('open production to a partner whose sandbox keys have gone through the whole flow')
    .argument('<partner>', 'its id', id<PartnerId>)
    .option('--check', 'only show what they have gone through; exit code 1 where a step is missing')
    .option('--incomplete', 'validate although steps are missing')
    .addHelpText(
      'after',
      example('partners validate 123 --check --local', 'partners validate 123 --reason "Checklist 2026-11" --local'),
    )
    .action((partnerId: PartnerId, options: ValidateOptions) => validate(partnerId, options, session));
}

interface ValidateOptions {
  readonly check?: true;
  readonly incomplete?: true;
}

const ENDED = 'an analysis ended so; the sandbox has a test CPF for it';
/** What each step of the flow means to whoever has to try it. */
const TRIED: Readonly<Record<Step, string>> = {
  lead: 'a lead was created',
  reuse: 'a CPF that was known already was sent again',
  simulation: 'banks were simulated',
  analysis: 'analyses were submitted',
  replay: 'a submission was sent again with its Idempotency-Key',
  aprovado: ENDED,
  condicionado: ENDED,
  recusado: ENDED,
  cancelado: ENDED,
  erro: ENDED,
  webhook: 'an event was taken with a 2xx',
};

/** The report on the sandbox, and the opening of production where nothing is missing in it. */
async function validate(partnerId: PartnerId, options: ValidateOptions, session: Session): Promise<void> {
  if (!options.check) session.needsReason();
  await existing(partnerId);
  const { shown, missing, cut } = await sandboxChecklistOf(partnerId);
  const opens = !options.check && (missing.length === 0 || options.incomplete === true);
  if (opens) {
    const target = { exercised: STEPS.length - missing.length, missing: missing.join(',') };
    await session.change(partnerId, target, () => validatePartner(partnerId, session.clock()));
  }
  session.printTable(
    STEPS.map((step) => ({ step, evidence: shown[step] })),
    [
      { title: 'step', value: ({ step }) => step },
      { title: 'exercised', value: ({ evidence }) => (evidence ? 'yes' : 'NO') },
      { title: 'at', value: ({ evidence }) => moment(evidence?.at) },
      { title: 'shown by', value: ({ evidence }) => evidence && `${evidence.kind} ${evidence.id}` },
      { title: 'means', value: ({ step }) => TRIED[step], shrinks: true },
    ],
    {
      partner: partnerId,
      validated: opens,
      complete: missing.length === 0,
      missing,
      steps: STEPS.map((step) => ({ step, exercised: shown[step] !== undefined, evidence: shown[step] ?? null })),
    },
  );
  if (cut) session.note('A unit has more sandbox leads than were looked at: only its newest count.');
  if (missing.length > 0 && !opens) {
    const cure = options.check ? '' : ': nothing was changed; --incomplete validates all the same';
    throw new SafeError(`the sandbox does not show ${missing.join(', ')}${cure}`);
  }
  if (opens) session.note(`partner ${partnerId} may have production keys`);
}
