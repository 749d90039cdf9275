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

/** The manager's access to the operator's token: whether there ever was one, and a new one, taken up within 5 minutes. */
export function operatorAccess({ url, tokenSecret }: { url: string; tokenSecret: string }) {
  return { url, hasToken: () => hasSecret(tokenSecret), putToken: (token: string) => putSecret(tokenSecret, token) };
}
