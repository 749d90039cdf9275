import type { IncomingMessage } from 'node:http';

/** A call's whole body; undefined above `most` bytes. It is read to its end, so that the caller hears the answer. */
export async function readBody(request: IncomingMessage, most: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= most) chunks.push(chunk);
  }
  return size <= most ? Buffer.concat(chunks) : undefined;
}
