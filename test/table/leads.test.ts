import { tableLeads } from '../../shared/table/leads.ts';
import { usePeers } from '../makers/peers.ts';
import { describeLeads } from './leads.suite.ts';

usePeers();
describeLeads(tableLeads);
