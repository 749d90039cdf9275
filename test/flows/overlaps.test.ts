import { tableAnalyses } from '../../shared/table/analyses.ts';
import { tableConsents } from '../../shared/table/consents.ts';
import { tableErasures } from '../../shared/table/lead-erasure.ts';
import { tableLeads } from '../../shared/table/leads.ts';
import { deliveriesOfAnalysis } from '../../shared/table/replays.ts';
import { TABLE_SWEEP } from '../makers/interleaved.ts';
import { usePeers } from '../makers/peers.ts';
import { describeOverlaps } from './overlaps.suite.ts';

usePeers();

// More of the schedules with SOAK=1.
describeOverlaps(
  (clock) => ({
    leads: tableLeads(clock),
    analyses: tableAnalyses(clock),
    erasures: tableErasures(clock),
    consents: async (tenancy, leadId) => (await tableConsents(clock).ofLead(tenancy, leadId))?.length ?? 0,
    events: deliveriesOfAnalysis,
  }),
  TABLE_SWEEP,
);
