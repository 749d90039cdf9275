import { tableAnalyses } from '../../shared/table/analyses.ts';
import { tableConsents } from '../../shared/table/consents.ts';
import { tableLeads } from '../../shared/table/leads.ts';
import { usePeers } from '../makers/peers.ts';
import { describeConsents } from './consents.suite.ts';

usePeers();
describeConsents((clock) => ({
  consents: tableConsents(clock),
  analyses: tableAnalyses(clock),
  leads: tableLeads(clock),
}));
