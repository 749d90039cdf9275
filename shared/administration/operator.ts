import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import { parseApiKey } from '../domain/partners/api-key.ts';
import { answered } from './fields.ts';
import { noun, SECURITY, SECURITY_READERS } from './operation.ts';

const { read, change } = noun('operator');

export const showOperator = read('show-operator', 'GET /v1/operator', {
  english: "show the operator's address, and whether a token is set; never the token",
  portuguese: 'Ver operador',
  duties: SECURITY_READERS,
  permission: { reads: [], writes: [], describesSecrets: ['operator'] },
  answer: answered({
    url: described(z.string(), "The operator's address."),
    token_set: described(z.boolean(), 'Whether a token was ever written. Never the token.'),
  }),
});

export const setOperatorToken = change('set-operator-token', 'PUT /v1/operator/token', {
  english: 'write the token that the operator has issued; functions use it within 5 minutes',
  portuguese: 'Definir token do operador',
  duties: SECURITY,
  confirm: { fields: [], otherwise: 'operator-token' },
  permission: { reads: [], writes: [], writesSecrets: ['operator'] },
  body: z.strictObject({
    token: described(
      z
        .string()
        .check(
          z.trim(),
          z.regex(/^[\w\-.~+/]{16,4096}=*$/, 'is no bearer token: 16 characters or more of letters, digits and -._~+/'),
        ),
      { description: 'The token that the operator has issued. Functions use it within 5 minutes.', writeOnly: true },
    ),
  }),
  answer: answered({ written: z.literal(true) }),
});

export const setProbeKey = noun('probe').change('set-probe-key', 'PUT /v1/probe/key', {
  english: 'write the key with which the probe calls; it uses the key within 5 minutes',
  portuguese: 'Definir chave da sonda',
  duties: SECURITY,
  permission: { reads: [], writes: [], writesSecrets: ['probe'] },
  body: z.strictObject({
    key: described(
      z.string().check(
        z.trim(),
        z.refine((text) => parseApiKey(text)?.environment === 'sandbox', 'is no sandbox key: pmc_sandbox_...'),
      ),
      {
        description:
          "A sandbox key of the probe's own partner. The probe uses it within 5 minutes. It is never shown again. Then set probeHasKey in infra/stages.ts and deploy.",
        writeOnly: true,
      },
    ),
  }),
  answer: answered({ written: z.literal(true) }),
});

export const OPERATOR_OPERATIONS = [showOperator, setOperatorToken, setProbeKey] as const;
