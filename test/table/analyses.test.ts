import { tableAnalyses } from '../../shared/table/analyses.ts';
import { tableDeliveries } from '../../shared/table/deliveries.ts';
import { tableLeads } from '../../shared/table/leads.ts';
import { usePeers } from '../makers/peers.ts';
import { describeAnalyses } from './analyses.suite.ts';

usePeers();
describeAnalyses((clock) => ({
  analyses: tableAnalyses(clock),
  leads: tableLeads(clock),
  deliveries: tableDeliveries(),
}));
