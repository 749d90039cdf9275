import { tableRefusedCalls } from '../../shared/table/refused-calls.ts';
import { usePeers } from '../makers/peers.ts';
import { describeRefusedCalls } from './refused-calls.suite.ts';

usePeers();
describeRefusedCalls(tableRefusedCalls);
