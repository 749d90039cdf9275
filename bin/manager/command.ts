import type { Command } from 'commander';

export function command(parent: Command, called: string, about: string, ...examples: readonly string[]): Command {
  const added = parent.command(called).description(about);
  return examples.length === 0 ? added : added.addHelpText('after', example(...examples));
}

const LINE = 80;

/** A call that is too long for a line continues on further lines, after a backslash. */
export function example(...calls: readonly string[]): string {
  const lines = calls.map((call) => broken(`  npm run manager -- ${call}`));
  return `\nExample:\n${lines.join('\n')}\n`;
}

function broken(line: string): string {
  const at = line.lastIndexOf(' --', LINE - 2);
  return line.length <= LINE || at < LINE / 4 ? line : `${line.slice(0, at)} \\\n${broken(`   ${line.slice(at)}`)}`;
}
