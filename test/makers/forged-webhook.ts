import { createHmac } from 'node:crypto';

/** A webhook as its receiver has it, with header names in lower case. */
interface Received {
  readonly cabecalhos: Readonly<Record<string, string>>;
  readonly corpo: string;
}

/**
 * Returns the headers of an event that somebody has forged with `secret`. The service would never sign with such a
 * secret, for example because it is empty.
 */
export function forgedHeaders({ cabecalhos, corpo }: Received, secret: string): Record<string, string> {
  const signedHead = `${cabecalhos['webhook-id']}.${cabecalhos['webhook-timestamp']}.`;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return {
    ...cabecalhos,
    'x-service-signature': `sha256=${createHmac('sha256', secret).update(corpo).digest('hex')}`,
    'webhook-signature': `v1,${createHmac('sha256', key).update(`${signedHead}${corpo}`).digest('base64')}`,
  };
}
