import { tableCursors } from '../../shared/table/cursors.ts';
import { usePeers } from '../makers/peers.ts';
import { describeCursors } from './cursors.suite.ts';

usePeers();
describeCursors(tableCursors);
