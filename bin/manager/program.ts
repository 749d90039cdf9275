import { join } from 'node:path';
import { Command, Option } from 'commander';
import { DUTIES } from '#shared/administration/operation.ts';
import type { Clock } from '#shared/domain/values/clock.ts';
import { withoutSecrets } from '#shared/domain/values/secret-text.ts';
import { completion } from './completion.ts';
import { doctor } from './doctor.ts';
import { EXIT, verdict } from './errors.ts';
import { keysOfPartner } from './keys-of-partner.ts';
import { byCpf } from './leads-by-cpf.ts';
import { inCommands, operationVerbs } from './operation-verb.ts';
import { panel } from './panel.ts';
import { Session } from './session.ts';
import { STAGES } from './stage.ts';
import { tables } from './tables.ts';
import type { Terminal } from './terminal.ts';
import { webhookTrial } from './webhook-trial.ts';

const SERVICE_FILE = join(import.meta.dirname, '..', '..', '.local', 'service.json');

const ABOUT = `
Where: --local is the run of npm start. The other stages are on AWS and take
your own credentials (aws sso login). MANAGER_STAGE may replace --stage,
MANAGER_DUTY --duty, and MANAGER_PERSON --person.

Exit code: 0 done, 1 failed or declined, 2 called wrongly, 3 waits for the
approval of another person. Results go to standard output, everything else to
standard error. In a pipe, npm must be quiet: npm run -s manager -- ... --json

Example:
  npm run manager -- partners create --name "Imobiliária Horizonte" \\
    --reason "contract 12" --local
  npm run manager -- keys rotate a1B2c --partner 123 --reason "INC-42" \\
    --stage prod
`;

/** No command runs before `parseAsync` is called. */
export function managerProgram(session: Session): Command {
  const root = new Command('npm run manager --')
    .description("The manager's and support's tool: partners, keys, webhooks, deliveries, personal data, audit.")
    .addOption(new Option('--stage <name>', 'stage to work on').choices(STAGES).env('MANAGER_STAGE'))
    .option('--local', 'the same as --stage local')
    .option('--json', 'results as JSON')
    .option('-y, --yes', 'answer yes to every question')
    .option('--reason <text>', 'why, for the audit')
    .addOption(new Option('--duty <name>', 'with --local: the duty of the caller').choices(DUTIES).env('MANAGER_DUTY'))
    .addOption(
      new Option('--person <name>', 'with --local: the person who calls, if two are needed').env('MANAGER_PERSON'),
    )
    .addOption(
      new Option('--service-file <path>', 'the service file of the local run').default(
        SERVICE_FILE,
        '.local/service.json',
      ),
    )
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', ABOUT)
    .showHelpAfterError('(--help says how it is called)')
    .configureOutput({
      writeOut: (text) => session.terminal.out(text),
      // Messages of commander repeat what was typed.
      writeErr: (text) => session.terminal.err(withoutSecrets(text)),
      getOutHelpWidth: () => session.terminal.columns ?? 80,
      getErrHelpWidth: () => session.terminal.columns ?? 80,
    })
    .exitOverride()
    .hook('preAction', (_, command) => session.begin(command));
  operationVerbs(root, session, byCpf(session));
  const nounNamed = (name: string) => root.commands.find((one) => one.name() === name) ?? root.command(name);
  keysOfPartner(nounNamed('keys'), session);
  webhookTrial(nounNamed('webhook'), session);
  for (const noun of root.commands) noun.description(noun.commands.map((verb) => verb.name()).join(', '));
  for (const noun of [tables, doctor, panel, completion]) noun(root, session);
  return root;
}

/** Writes only to the terminal, and never throws. */
export async function runManager(args: readonly string[], terminal: Terminal, clock?: Clock): Promise<number> {
  try {
    await managerProgram(new Session(terminal, clock)).parseAsync(args, { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    const { code, line } = verdict(error);
    if (line !== undefined)
      terminal.err(withoutSecrets(inCommands(code === EXIT.waiting ? `${line}\n` : `manager: ${line}\n`)));
    return code;
  }
}
