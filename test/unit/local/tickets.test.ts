import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type PublishedTicket, startTickets } from '#infra/local/aws/tickets.ts';
import type { LocalServer } from '#infra/local/listen.ts';
import { ticketTopicAccess } from '#shared/runtime/ticket-topic.ts';

const TOPIC = 'arn:aws:sns:sa-east-1:000000000000:partner-credit-dev-ticket';
const published: PublishedTicket[] = [];
let server: LocalServer;
beforeAll(async () => {
  server = await startTickets((ticket) => published.push(ticket));
  const environment = {
    AWS_ENDPOINT_URL_SNS: server.url,
    AWS_REGION: 'sa-east-1',
    AWS_ACCESS_KEY_ID: 'nobody',
    AWS_SECRET_ACCESS_KEY: 'nothing',
    STAGE: 'dev',
    TICKET_TOPIC: TOPIC,
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
});
afterAll(() => server.close());

it('a ticket is published to the topic of its stage, with the stage in its subject', async () => {
  await ticketTopicAccess().send({ subject: 'an approval is asked for', text: 'set-webhook (Aprovações) & more' });
  expect(published).toEqual([
    { topicArn: TOPIC, subject: 'dev: an approval is asked for', text: 'set-webhook (Aprovações) & more' },
  ]);
});

it('the local topic refuses every action but Publish', async () => {
  const answer = await fetch(server.url, { method: 'POST', body: 'Action=DeleteTopic' });
  expect(answer.status).toBe(400);
});
