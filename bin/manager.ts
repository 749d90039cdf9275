import { runManager } from './manager/program.ts';
import { processTerminal } from './manager/terminal.ts';

// A reader such as `head` may close the pipe before the last line, which nobody needs then.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
process.exitCode = await runManager(process.argv.slice(2), processTerminal());
