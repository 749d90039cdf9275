import { AdministrationFailure, orNotFound } from '#shared/administration/failures.ts';
import { needsSecondPerson, ownerIn, setWebhook, webhookNamed } from '#shared/administration/webhooks.ts';
import { tokenMark } from '#shared/domain/audit/approvals.ts';
import { isSet, planAddress, setAddress } from '#shared/domain/webhooks/set-address.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import { invalidField } from '#shared/http/administration/fields.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(setWebhook, wiring.noted, {
  register: wiring.partnerRegister,
  webhooks: wiring.webhookViews,
  settings: wiring.webhookSettings,
  archive: wiring.deliveryArchive,
  addresses: wiring.addressCheck,
}).handler(async ({ params, body: { url, replaces, token }, dry, inTime }, ports) => {
  const owner = ownerIn(params);
  const { clock, register, settings } = ports;
  const [partner, { before, refusal, waiting }] = await Promise.all([
    register.get(owner.partnerId),
    planAddress(owner, url, ports, inTime),
  ]);
  const { name, validatedAt } = orNotFound(partner, `partner ${owner.partnerId}`);
  if (refusal !== undefined && !dry) throw invalidField('url', refusal);
  const inProduction = validatedAt !== undefined;
  const setBy = token === undefined ? undefined : tokenMark(setWebhook.operation, token);
  const isMade = isSet({ url, setBy }, before);
  const { host = '', pathname: path = '', href = '' } = refusal === undefined ? new URL(url) : {};
  const url_digest = href === '' ? '' : await settings.digest(href);
  return {
    about: owner.partnerId,
    needsApproval: needsSecondPerson(owner, inProduction),
    isMade,
    seenAt: before?.changedAt,
    details: {
      partner_id: { name },
      // The sender calls the parsed address. Letters outside of ASCII could look like another address.
      url: { name: href === url || href === '' ? undefined : href, replaces: before?.url },
    },
    target: { environment: owner.environment, host, path, url_digest },
    confirm: waiting > 0 && !isMade ? String(owner.partnerId) : undefined,
    preview: async () => ({
      ...params,
      accepted: refusal === undefined,
      refusal: refusal ?? null,
      current_url: before?.url ?? null,
      url_digest: url_digest || null,
      waiting,
    }),
    change: async () => {
      const address = { owner, url, setBy, replaces, inProduction, now: clock() };
      const written = await setAddress(address, before, settings);
      if (!written)
        throw new AdministrationFailure('changed_meanwhile', {
          text: `The address of the ${webhookNamed(owner)} was changed meanwhile: look at it again.`,
        });
      return { ...params, url, enabled: written.enabled, secret: written.secret };
    },
  };
});
