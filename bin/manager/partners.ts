import type { Command } from 'commander';
import type { AnswerOf } from '#shared/administration/operations.ts';
import type { Shown } from '#shared/administration/wire.ts';
import type { Step } from '#shared/domain/partners/sandbox-checklist.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS } from '#shared/domain/values/tenancy.ts';
import { searched } from './arguments.ts';
import { CommandError } from './errors.ts';
import { collected, type Session } from './session.ts';
import { moment } from './table.ts';
import { command, verb } from './verb.ts';

type ShownPartner = Shown<AnswerOf<'list-partners'>>['partners'][number];

/** Returns a partner in the form of the command line's JSON. */
function asJson({ partnerId, name: called, incidentContact, createdAt, validatedAt }: ShownPartner) {
  return {
    partner: partnerId,
    name: called,
    incidentContact,
    validated: validatedAt !== undefined,
    validatedAt,
    createdAt,
  };
}

export function partners(root: Command, session: Session): void {
  const noun = command(root, 'partners', 'who uses the service', 'partners list --local');

  verb(noun, 'create', 'create-partner', 'partners create --name "Imobiliária Horizonte" --local')
    .takes({ name: 'name of the partner' })
    .run(async (given) => {
      const { partner } = await session.ask('create-partner', given);
      session.printRecord({ partner: partner.partnerId, name: partner.name });
    });

  verb(noun, 'list', 'list-partners', 'partners list --local')
    .takes({ name: { flags: '--name <text>', about: 'only partners with this in their name', parse: searched } })
    .run(async ({ name }) => {
      const found = await collected(session.pages('list-partners', { name, limit: 200 }), (page) => page.partners);
      session.printTable(
        found,
        [
          { title: 'partner', value: (row) => row.partnerId },
          { title: 'name', value: (row) => row.name, shrinks: true },
          { title: 'production', value: (row) => (row.validatedAt === undefined ? 'no' : 'validated') },
          { title: 'created', value: (row) => moment(row.createdAt) },
        ],
        found.map(asJson),
      );
    });

  verb(noun, 'show', 'show-partner', 'partners show 123 --local')
    .takes({ partner_id: { flags: '<partner>', about: 'id of the partner' } })
    .run(async (given) => showPartner((await session.ask('show-partner', given)).partner, session));

  verb(
    noun,
    'incident-contact',
    'set-incident-contact',
    'partners incident-contact 123 --contact "seguranca@parceiro.com.br, (11) 3456-7890" --local',
  )
    .takes({
      partner_id: { flags: '<partner>', about: 'id of the partner' },
      contact: 'e-mail and telephone that somebody answers at any hour',
    })
    .run(async (given) => {
      const { partner } = await session.ask('set-incident-contact', given);
      session.printRecord({ partner: partner.partnerId, incidentContact: partner.incidentContact }, [
        ['partner', partner.partnerId],
        ['incidents', partner.incidentContact ?? 'removed'],
      ]);
    });

  verb(
    noun,
    'validate',
    'validate-partner',
    'partners validate 123 --check --local',
    'partners validate 123 --reason "Checklist 2026-11" --local',
  )
    .takes({
      partner_id: { flags: '<partner>', about: 'id of the partner' },
      check: { flags: '--check', about: 'only show the steps; exit code 1 if one is missing' },
      incomplete: 'validate although steps are missing',
      token: 'the same call with the same token needs no further approval',
    })
    .run(({ check, ...given }) => validate(given, check === true, session));
}

function showPartner(partner: Shown<AnswerOf<'show-partner'>>['partner'], session: Session): void {
  const { rates, units, keys, webhooks } = partner;
  session.printRecord(
    {
      ...asJson(partner),
      limits: rates,
      units: units.map((unit) => ({ unit: unit.unitId, name: unit.name })),
      keys,
      webhooks,
    },
    [
      ['partner', partner.partnerId],
      ['name', partner.name],
      ['production', partner.validatedAt === undefined ? 'not validated' : `validated ${moment(partner.validatedAt)}`],
      ['created', moment(partner.createdAt)],
      ['incidents', partner.incidentContact ?? 'no contact'],
      ...ENVIRONMENTS.map((environment) => [`rate ${environment}`, `${rates[environment]} a minute`] as const),
      ...units.map((unit) => ['unit', `${unit.unitId}  ${unit.name}`] as const),
      ['keys', `${keys.live} live, ${keys.revoked} revoked; the auth item has ${keys.authItemBytes} of 4096 bytes`],
      ...webhooks.map(
        ({ environment, url, enabled }) =>
          [`webhook ${environment}`, `${url} (${enabled ? 'enabled' : 'disabled'})`] as const,
      ),
    ],
  );
}

const ENDED = 'an analysis ended this way; the sandbox has a test CPF for it';
/** Explanation of each step of the checklist: how the partner shows it. */
const STEP_MEANS: Readonly<Record<Step, string>> = {
  lead: 'a lead was created',
  reuse: 'a lead was sent again with a known CPF',
  simulation: 'financing was simulated at banks',
  analysis: 'analyses were submitted',
  replay: 'a submission was sent again with its Idempotency-Key',
  aprovado: ENDED,
  condicionado: ENDED,
  recusado: ENDED,
  cancelado: ENDED,
  erro: ENDED,
  webhook: 'an event was answered with a 2xx',
  resend: 'an event was accepted at a second attempt or a resend',
};

interface Validation {
  readonly partner_id: PartnerId;
  readonly incomplete: boolean;
  readonly token: string | undefined;
}

/**
 * Prints the sandbox checklist. Opens production, unless only a check was asked for or steps are missing without
 * `--incomplete`. Throws a CommandError if steps are missing and production was not opened.
 */
async function validate(given: Validation, onlyCheck: boolean, session: Session): Promise<void> {
  const { partner_id: partner, incomplete } = given;
  if (!onlyCheck) session.needsReason();
  const before = await session.ask('show-sandbox-checklist', { partner_id: partner });
  const opens = !onlyCheck && (before.complete || incomplete);
  const { missing, steps, cut, validatedAt } = opens ? await session.askOnce('validate-partner', given) : before;
  session.printTable(
    steps,
    [
      { title: 'step', value: ({ step }) => step },
      { title: 'exercised', value: ({ exercised }) => (exercised ? 'yes' : 'NO') },
      { title: 'at', value: ({ evidence }) => moment(evidence?.at) },
      { title: 'shown by', value: ({ evidence }) => evidence && `${evidence.kind} ${evidence.id}` },
      { title: 'means', value: ({ step }) => STEP_MEANS[step], shrinks: true },
    ],
    {
      partner,
      validated: validatedAt !== undefined,
      complete: missing.length === 0,
      missing,
      steps: steps.map(({ step, exercised, evidence = null }) => ({ step, exercised, evidence })),
    },
  );
  if (cut)
    session.note(
      'A unit has more sandbox leads, or the partner more events, than were looked at: only the newest count.',
    );
  if (missing.length > 0 && !opens) {
    const cure = onlyCheck ? '' : ': nothing was changed; --incomplete validates anyway';
    throw new CommandError(`the sandbox does not show ${missing.join(', ')}${cure}`);
  }
  if (opens) session.note(`partner ${partner} may have production keys`);
}
