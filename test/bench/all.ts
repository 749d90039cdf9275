/**
 * Prints one line for each budget, met or not: `npm run bench`. It takes some minutes. Run a bench by itself to see its
 * other figures.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** The bench of the poller measures only the rows of its table that have a budget. */
const BENCHES = ['functions', 'pricing', 'pdf', 'poller 0 2 4', 'load --seconds=5'];

for (const [file, ...options] of BENCHES.map((bench) => bench.split(' '))) {
  const program = join(import.meta.dirname, `${file}.ts`);
  const { status, stdout } = spawnSync(process.execPath, ['--expose-gc', program, ...options], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  console.log(`${file}${status === 0 ? '' : `, which ended with ${status}`}`);
  console.log(stdout.match(/^(over|in this) .*$|^ +(met|NOT MET) .*$/gm)?.join('\n') ?? '  measured nothing');
}
