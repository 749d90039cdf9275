import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import { answered, type Exchange } from './fields.ts';

export const showOperator = {
  answer: answered({
    url: described(z.string(), 'Where the operator is.'),
    token_set: described(z.boolean(), 'Whether a token was ever written. Never the token.'),
  }),
} satisfies Exchange;

export const setOperatorToken = {
  body: z.strictObject({
    token: described(
      z
        .string()
        .check(
          z.trim(),
          z.regex(/^[\w\-.~+/]{16,4096}=*$/, 'is no bearer token: 16 characters or more of letters, digits and -._~+/'),
        ),
      'The token that the operator has issued; functions take it up within 5 minutes.',
    ),
  }),
  answer: answered({ written: z.literal(true) }),
} satisfies Exchange;
