import type { Command } from 'commander';
import { drawId, type PartnerId } from '../../shared/domain/ids.ts';
import { ENVIRONMENTS } from '../../shared/domain/partner.ts';
import { OperatorError } from '../../shared/runtime/log.ts';
import { gateState, listKeys } from '../../shared/table/partner-keys.ts';
import {
  createPartner,
  getPartner,
  listPartners,
  listUnits,
  type PartnerProfile,
  validatePartner,
} from '../../shared/table/partner-register.ts';
import { tablePartners } from '../../shared/table/partners.ts';
import { example, id, name } from './arguments.ts';
import type { Session } from './session.ts';
import { moment } from './table.ts';

/** The partner with an id. Throws an OperatorError where there is none. */
export async function existing(partner: PartnerId): Promise<PartnerProfile> {
  const found = await getPartner(partner);
  if (!found) throw new OperatorError(`there is no partner ${partner}: see partners list`);
  return found;
}

/** A partner as JSON shows it. */
function view({ id: partner, name: called, createdAt, validatedAt }: PartnerProfile) {
  return { partner, name: called, validated: validatedAt !== undefined, validatedAt, createdAt };
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
      const partner = drawId<PartnerId>(now);
      await session.change(partner, {}, () => createPartner(partner, options.name, now));
      session.printRecord({ partner, name: options.name }, [
        ['partner', partner],
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
    .action(async (partner: PartnerId) => {
      const profile = await existing(partner);
      const [gate, units, keys, endpoint] = await Promise.all([
        gateState(partner),
        listUnits(partner),
        listKeys(partner),
        tablePartners().endpoint(partner),
      ]);
      const live = keys.filter((key) => key.live).length;
      const webhook = endpoint && { url: endpoint.url, enabled: endpoint.enabled };
      session.printRecord(
        {
          ...view(profile),
          limits: gate?.limits,
          units: units.map((unit) => ({ unit: unit.id, name: unit.name })),
          keys: { live, revoked: keys.length - live, gateBytes: gate?.bytes },
          webhook: webhook ?? null,
        },
        [
          ['partner', partner],
          ['name', profile.name],
          [
            'production',
            profile.validatedAt === undefined ? 'not validated' : `validated ${moment(profile.validatedAt)}`,
          ],
          ['created', moment(profile.createdAt)],
          ...ENVIRONMENTS.map(
            (environment) => [`rate ${environment}`, `${gate?.limits[environment]} a minute`] as const,
          ),
          ...units.map((unit) => ['unit', `${unit.id}  ${unit.name}`] as const),
          ['keys', `${live} live, ${keys.length - live} revoked; the gate has ${gate?.bytes} of 4096 bytes`],
          ['webhook', webhook && `${webhook.url} (${webhook.enabled ? 'enabled' : 'disabled'})`],
        ],
      );
    });

  noun
    .command('validate')
    .description('open production to a partner whose integration has been checked')
    .argument('<partner>', 'its id', id<PartnerId>)
    .addHelpText('after', example('partners validate 123 --reason "Checklist 2026-11" --local'))
    .action(async (partner: PartnerId) => {
      session.needsReason();
      await existing(partner);
      await session.change(partner, {}, () => validatePartner(partner, session.clock()));
      session.print({ partner, validated: true }, () => `partner ${partner} may have production keys\n`);
    });
}
