import type { Command } from 'commander';
import { setProbeKey } from '../../shared/administration/operator.ts';
import { example } from './arguments.ts';
import { UsageError } from './errors.ts';
import type { Session } from './session.ts';

const KEY_HELP = `
A sandbox key of a partner of the probe's own. It is read from standard input,
or asked for at a terminal: an argument would stay in the shell's history.
Then set probeHasKey in infra/stages.ts and deploy: the alarm is made.
`;

export function probe(root: Command, session: Session): void {
  const noun = root
    .command('probe')
    .description('the look at the service from outside, each minute')
    .addHelpText('after', example('probe set-key --reason "first deployment" --local < key.txt'));

  noun
    .command('set-key')
    .description('write the key by which it calls; it is taken up within 5 minutes')
    .addHelpText('after', `${KEY_HELP}${example('probe set-key --reason "first deployment" --local < key.txt')}`)
    .action(async () => {
      session.needsReason();
      const { interactive } = session.terminal;
      const text = await (interactive ? session.terminal.askSecretly('Key: ') : session.terminal.input());
      const key = text.trim();
      if (!setProbeKey.body.safeParse({ key }).success) {
        throw new UsageError('that is no sandbox key: pmc_sandbox_..., on standard input');
      }
      await session.ask('set-probe-key', { key });
      session.print({ written: true }, () => "the probe's key is written\n");
    });
}
