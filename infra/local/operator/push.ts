import type { OperatorSubmission } from './faults.ts';

/** Where the operator sends outcomes by itself. */
export interface PushTarget {
  /** The administration's API, with its stage. */
  readonly url: string;
  /** In place of the signature by its own AWS credentials. */
  readonly token: string;
}

export interface PushAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Sends the service how submissions stand now (operator.openapi.yaml, `resultados`). Rejects where nothing answers. */
export async function push(
  { url, token }: PushTarget,
  submissions: readonly OperatorSubmission[],
): Promise<PushAnswer> {
  const response = await fetch(`${url}/resultados`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ submissions }),
  });
  return { status: response.status, body: await response.json() };
}
