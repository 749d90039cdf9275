import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type * as z from 'zod/mini';
import type { healthView } from '#shared/contract/health.ts';
import { publicReply } from '#shared/http/public-reply.ts';

/** The version that the interface's description declares. */
const VERSION = '1.0.0';

/** Says that the service is up. Calls nothing, so that it stays true when what the service needs is down. */
export async function handler(event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> {
  const body: z.input<typeof healthView> = {
    ok: true,
    version: VERSION,
    uptime_s: Math.floor(process.uptime()),
    timestamp: new Date().toISOString(),
  };
  return publicReply(event, 200, JSON.stringify(body));
}
