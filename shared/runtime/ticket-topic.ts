import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { underDeadline } from './deadline.ts';
import { ticketTopic } from './env.ts';
import { LIMITS } from './secret.ts';

export const ticketTopicAccess = () => ({
  /** Publishes a message. Throws what SNS throws. */
  async send({ subject, text }: { readonly subject: string; readonly text: string }): Promise<void> {
    const { stage, arn } = ticketTopic();
    const title = `${stage}: ${subject}`;
    // Chats show only this form (Amazon Q Developer in chat applications, Custom notifications). They subscribe by
    // https.
    const chat = { version: '1.0', source: 'custom', content: { title, description: text } };
    const message = { default: text, https: JSON.stringify(chat) };
    await new SNSClient(LIMITS).send(
      new PublishCommand({
        TopicArn: arn,
        Subject: title,
        MessageStructure: 'json',
        Message: JSON.stringify(message),
      }),
      underDeadline(),
    );
  },
});
