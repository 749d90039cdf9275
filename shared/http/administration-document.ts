import { inflateRawSync } from 'node:zlib';
import type { Operation } from '../administration/operation.ts';
import { addToLog } from '../runtime/log.ts';
import { callerOf } from './administration-caller.ts';
import { failedReply, recordAdministration } from './administration-reply.ts';
import { publicReply } from './public-reply.ts';
import { type Handler, stack } from './stack.ts';

/** The text of a document as it stands in the repository, or as a bundle carries it: deflated, in base64. */
function textOf(document: object): string {
  if (!('deflated' in document)) return JSON.stringify(document);
  return inflateRawSync(Buffer.from(String(document.deflated), 'base64')).toString('utf8');
}

/** An operation that answers one JSON document, the same for every caller, made into text at its first call. */
export function administrationDocument({ operation }: Operation, document: object): Handler {
  let text: string | undefined;
  return stack(
    operation,
    {},
    {
      run: async (call) => {
        addToLog({ role: callerOf(call).role });
        text ??= textOf(document);
        return publicReply(call, 200, text);
      },
      failed: failedReply,
      record: recordAdministration,
    },
  );
}
