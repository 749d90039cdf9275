import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import { parseApiKey } from '../domain/partners/api-key.ts';
import { answered, type Exchange } from './fields.ts';

export const setProbeKey = {
  body: z.strictObject({
    key: described(
      z.string().check(
        z.trim(),
        z.refine((text) => parseApiKey(text)?.environment === 'sandbox', 'is no sandbox key: pmc_sandbox_...'),
      ),
      "A sandbox key of a partner of the probe's own; taken up within 5 minutes. Never shown again.",
    ),
  }),
  answer: answered({ written: z.literal(true) }),
} satisfies Exchange;
