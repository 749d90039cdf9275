import { runManager } from './manager/program.ts';
import { processTerminal } from './manager/terminal.ts';

process.exitCode = await runManager(process.argv.slice(2), processTerminal());
