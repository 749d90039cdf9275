import type { OperatorAccess } from '../domain/analyses/ports.ts';
import { SafeError } from '../runtime/log.ts';
import { cachedSecret, hasSecret, putSecret } from '../runtime/secret.ts';

/** The operator's bearer token, from the secret with this id. Throws where the secret is missing or empty. */
export function operatorToken(secretId: string): () => Promise<string> {
  const token = cachedSecret(
    () => secretId,
    (text) => {
      if (text) return text;
      throw new SafeError("the operator's token is missing: run `npm run manager -- operator set-token`");
    },
  );
  return () => token.get();
}

/** The manager's access to the operator's token: whether there is one, and a new one in its place. */
export function operatorAccess({ url, tokenSecret }: { url: string; tokenSecret: string }): OperatorAccess {
  return { url, hasToken: () => hasSecret(tokenSecret), putToken: (token) => putSecret(tokenSecret, token) };
}
