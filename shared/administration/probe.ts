import * as z from 'zod';
import { parseApiKey } from '../domain/partners/api-key.ts';
import { answered, type Exchange } from './fields.ts';

export const setProbeKey = {
  body: z.strictObject({
    key: z
      .string()
      .trim()
      // A look from outside must never meet people's data.
      .refine((text) => parseApiKey(text)?.environment === 'sandbox', 'is no sandbox key: pmc_sandbox_...')
      .describe("A sandbox key of a partner of the probe's own; taken up within 5 minutes. Never shown again."),
  }),
  answer: answered({ written: z.literal(true) }),
} satisfies Exchange;
