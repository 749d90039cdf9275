import { createHmac } from 'node:crypto';

/** A webhook as its receiver has it: header names in lower case. */
interface Received {
  readonly cabecalhos: Readonly<Record<string, string>>;
  readonly corpo: string;
}

/**
 * The headers by which somebody forges an event who knows no secret but this, which the service would never sign with: an
 * empty one above all.
 */
export function forgedHeaders({ cabecalhos, corpo }: Received, secret: string): Record<string, string> {
  const head = `${cabecalhos['webhook-id']}.${cabecalhos['webhook-timestamp']}.`;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return {
    ...cabecalhos,
    'x-service-signature': `sha256=${createHmac('sha256', secret).update(corpo).digest('hex')}`,
    'webhook-signature': `v1,${createHmac('sha256', key).update(`${head}${corpo}`).digest('base64')}`,
  };
}
