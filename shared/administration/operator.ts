import * as z from 'zod';
import { answered, type Exchange } from './fields.ts';

export const showOperator = {
  answer: answered({
    url: z.string().describe('Where the operator is.'),
    token_set: z.boolean().describe('Whether a token was ever written. Never the token.'),
  }),
} satisfies Exchange;

export const setOperatorToken = {
  body: z.strictObject({
    token: z
      .string()
      .trim()
      // RFC 6750, section 2.1.
      .regex(/^[\w\-.~+/]{16,4096}=*$/, 'is no bearer token: 16 characters or more of letters, digits and -._~+/')
      .describe('The token that the operator has issued; functions take it up within 5 minutes.'),
  }),
  answer: answered({ written: z.literal(true) }),
} satisfies Exchange;
