import { inflateRawSync } from 'node:zlib';
import type { Operation } from '#shared/administration/operation.ts';
import type { Handler } from '../lambda.ts';
import { publicReply } from '../public-reply.ts';
import { signer } from './caller.ts';
import { administrationCalls } from './endpoint.ts';

/** In the repository the document is JSON; in a bundle it is deflated and in base64. */
function textOf(document: object): string {
  if (!('deflated' in document)) return JSON.stringify(document);
  return inflateRawSync(Buffer.from(String(document.deflated), 'base64')).toString('utf8');
}

export function administrationDocument(operation: Operation, document: object): Handler {
  let text: string | undefined;
  return administrationCalls(operation, () => ({}))
    .use(signer)
    .handler(({ event }) => {
      text ??= textOf(document);
      return publicReply(event, 200, text);
    });
}
