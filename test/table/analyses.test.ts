import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { BANKS } from '../../shared/domain/values/bank.ts';
import { tableAnalyses } from '../../shared/table/analyses.ts';
import { LISTED_MOST } from '../../shared/table/analysis-list.ts';
import { tableClient } from '../../shared/table/client.ts';
import { tableDeliveries } from '../../shared/table/deliveries.ts';
import { leadKey } from '../../shared/table/keys.ts';
import { tableLeads } from '../../shared/table/leads.ts';
import { keepLead } from '../makers/lead.ts';
import { usePeers } from '../makers/peers.ts';
import { makeSubmissionDraft, newClaim } from '../makers/submission.ts';
import { newTenancy } from '../makers/tenancy.ts';
import { describeAnalyses } from './analyses.suite.ts';

usePeers();
describeAnalyses((clock) => ({
  analyses: tableAnalyses(clock),
  leads: tableLeads(clock),
  deliveries: tableDeliveries(),
}));

it('the list of a lead holds at most 90 analyses on a page', async () => {
  const tenancy = newTenancy();
  const [analyses, leads] = [tableAnalyses(Date.now), tableLeads(Date.now)];
  const { id } = await keepLead(leads, tenancy);
  for (let submission = 0; submission < 16; submission++) {
    const draft = makeSubmissionDraft(tenancy, (await leads.get(tenancy, id))!, { banks: BANKS });
    expect(await analyses.claim(draft, newClaim(tenancy, Date.now()))).toHaveProperty('done');
  }
  const { Items = [] } = await tableClient().send(
    new QueryCommand({
      TableName: process.env['TABLE_NAME']!,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': leadKey(tenancy, id).pk },
    }),
  );
  expect(Items.flatMap(({ listed }) => listed ?? [])).toEqual([LISTED_MOST, 16 * BANKS.length - LISTED_MOST]);
});
