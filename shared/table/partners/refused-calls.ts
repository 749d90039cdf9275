import * as z from 'zod/mini';
import { REFUSALS_KEPT, type RefusedCall } from '#shared/domain/partners/partner.ts';
import type { RefusedCalls } from '#shared/domain/partners/ports.ts';
import { FAILURE_CODES } from '#shared/domain/values/failure.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import { makeOrUpdateRow, queryRows } from '../rows/client.ts';
import { refusedCallKey, refusedCallPartition, refusedFrom } from '../rows/keys.ts';
import { expiryAt } from '../rows/row-format.ts';

const rowFormat = z.object({
  at: z.number(),
  method: z.string(),
  path: z.string(),
  code: z.enum(FAILURE_CODES),
  fields: z.array(z.string()),
  requestId: z.string(),
}) satisfies z.ZodMiniType<RefusedCall>;

export class TableRefusedCalls implements RefusedCalls {
  async note(tenancy: Tenancy, { at, method, path, code, fields, requestId }: RefusedCall): Promise<void> {
    // An update makes the row as a put would. Every function that admits calls has the right to update, so none needs a
    // further right.
    await makeOrUpdateRow({
      Key: refusedCallKey(tenancy, at, requestId),
      UpdateExpression:
        'SET #at = :at, #method = :method, #path = :path, code = :code, #fields = :fields, requestId = :id, expiresAt = :gone',
      ExpressionAttributeNames: { '#at': 'at', '#method': 'method', '#path': 'path', '#fields': 'fields' },
      ExpressionAttributeValues: {
        ':at': at,
        ':method': method,
        ':path': path,
        ':code': code,
        ':fields': fields,
        ':id': requestId,
        ':gone': expiryAt(at + REFUSALS_KEPT.milliseconds),
      },
      ReturnValues: 'NONE',
    });
  }

  async newest(tenancy: Tenancy, now: Instant): Promise<readonly RefusedCall[]> {
    const { Items = [] } = await queryRows({
      KeyConditionExpression: 'pk = :pk AND sk > :since',
      ExpressionAttributeValues: {
        ':pk': refusedCallPartition(tenancy),
        ':since': refusedFrom(now - REFUSALS_KEPT.milliseconds),
      },
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: REFUSALS_KEPT.newest,
    });
    return Items.map((item) => rowFormat.parse(item));
  }
}
