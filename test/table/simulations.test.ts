import { tableLeads } from '../../shared/table/leads.ts';
import { tableSimulations } from '../../shared/table/simulations.ts';
import { usePeers } from '../makers/peers.ts';
import { describeSimulations } from './simulations.suite.ts';

usePeers();
describeSimulations((clock) => ({ simulations: tableSimulations(clock), leads: tableLeads(clock) }));
