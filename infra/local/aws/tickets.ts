import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import * as z from 'zod/mini';
import { type LocalServer, serve } from '../listen.ts';

const messageFormat = z.object({ default: z.string() });

export interface PublishedTicket {
  readonly topicArn: string;
  readonly subject: string;
  readonly text: string;
}

/** Serves the action Publish of SNS (AWS Query protocol), in place of the topic of tickets. */
export const startTickets = (published: (ticket: PublishedTicket) => void): Promise<LocalServer> =>
  serve(async (request, response) => {
    const call = new URLSearchParams(await text(request));
    const parameter = (name: string) => call.get(name) ?? '';
    if (parameter('Action') !== 'Publish') {
      response.writeHead(400, { 'content-type': 'text/xml' }).end();
      return;
    }
    const message = messageFormat.parse(JSON.parse(parameter('Message')));
    published({ topicArn: parameter('TopicArn'), subject: parameter('Subject'), text: message.default });
    const result = `<PublishResult><MessageId>${randomUUID()}</MessageId></PublishResult>`;
    response
      .writeHead(200, { 'content-type': 'text/xml' })
      .end(`<PublishResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/">${result}</PublishResponse>`);
  });
