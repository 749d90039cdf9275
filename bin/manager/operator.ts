import type { Command } from 'commander';
import { setOperatorToken, setProbeKey } from '#shared/administration/operator.ts';
import { UsageError } from './errors.ts';
import type { Session } from './session.ts';
import { command, verb } from './verb.ts';

const TOKEN_HELP = `
The token is read from standard input, or asked for at a terminal: an argument
would stay in the shell's history.
`;

export function operator(root: Command, session: Session): void {
  const noun = command(
    root,
    'operator',
    'the operator, through which we reach the banks: address and token',
    'operator set-token --reason "first deployment" --local < token.txt',
  );

  verb(noun, 'show', 'show-operator', 'operator show --local').run(async () => {
    const { url, tokenSet } = await session.ask('show-operator', {});
    session.printRecord({ url, tokenSet }, [
      ['url', url],
      ['token', tokenSet ? 'set' : 'NOT SET: operator set-token'],
    ]);
  });

  verb(noun, 'set-token', 'set-operator-token', 'operator set-token --reason "operator rotated it" --local < token.txt')
    .help(TOKEN_HELP)
    .run(async () => {
      session.needsReason();
      const token = await session.secretInput('Token: ');
      if (!setOperatorToken.body.safeParse({ token }).success) {
        throw new UsageError(
          'that is no bearer token: 16 characters or more of letters, digits and -._~+/, on standard input',
        );
      }
      await session.confirm(
        'The token in use is replaced. If the operator does not know the new one, every call fails.',
      );
      await session.ask('set-operator-token', { token });
      session.print({ written: true }, () => "the operator's token is written\n");
    });
}

const KEY_HELP = `
The sandbox key of a partner that only the probe uses. It is read from standard
input, or asked for at a terminal: an argument would stay in the shell's
history. Then set probeHasKey in infra/stages.ts and deploy, which adds the
alarms.
`;

export function probe(root: Command, session: Session): void {
  const noun = command(
    root,
    'probe',
    'the probe that calls the service from outside, each minute',
    'probe set-key --reason "first deployment" --local < key.txt',
  );

  verb(noun, 'set-key', 'set-probe-key', 'probe set-key --reason "first deployment" --local < key.txt')
    .help(KEY_HELP)
    .run(async () => {
      session.needsReason();
      const key = await session.secretInput('Key: ');
      if (!setProbeKey.body.safeParse({ key }).success) {
        throw new UsageError('that is no sandbox key: pmc_sandbox_..., on standard input');
      }
      await session.ask('set-probe-key', { key });
      session.print({ written: true }, () => "the probe's key is written\n");
    });
}
