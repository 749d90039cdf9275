import { AdministrationFailure, orNotFound } from '#shared/administration/failures.ts';
import { setWebhook } from '#shared/administration/webhooks.ts';
import { waitingFor } from '#shared/domain/webhooks/waiting.ts';
import { administrationChange } from '#shared/http/administration-endpoint.ts';
import { invalidField } from '#shared/http/administration-parse.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(
  setWebhook,
  {
    ...wiring.noted,
    register: wiring.partnerRegister,
    webhooks: wiring.webhookViews,
    settings: wiring.webhookSettings,
    archive: wiring.deliveryArchive,
    refusal: wiring.addressRefusal,
  },
  async (
    { params: { partner_id }, body: { url, replaces }, dry, inTime },
    { clock, register, webhooks, settings, archive, refusal },
  ) => {
    const [partner, before, refused] = await Promise.all([
      register.get(partner_id),
      webhooks.view(partner_id),
      refusal(url),
    ]);
    const { validatedAt } = orNotFound(partner, `partner ${partner_id}`);
    if (refused !== undefined && !dry) throw invalidField('url', refused);
    const { host = '', pathname: path = '' } = refused === undefined ? new URL(url) : {};
    const waiting = before ? await waitingFor(partner_id, archive, inTime) : 0;
    const overtaken = new AdministrationFailure('changed_meanwhile', {
      text: `Partner ${partner_id} has another address by now: look at it again.`,
    });
    const change = async () => {
      if (before) {
        if (replaces === null) throw overtaken;
        const changed = await settings.changeUrl(partner_id, url, clock(), replaces);
        if (!changed) throw overtaken;
        return { partner_id, url, enabled: changed.enabled, secret: null };
      }
      const secret = wiring.newWebhookSecret();
      if (await settings.set(partner_id, url, secret, clock())) return { partner_id, url, enabled: true, secret };
      throw overtaken;
    };
    return {
      about: partner_id,
      needsApproval: validatedAt !== undefined,
      target: { host, path },
      confirm: waiting > 0 ? String(partner_id) : undefined,
      preview: async () => ({
        partner_id,
        accepted: refused === undefined,
        refusal: refused ?? null,
        current_url: before?.url ?? null,
        waiting,
      }),
      change,
    };
  },
);
