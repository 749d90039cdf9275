import type { Command } from 'commander';
import { setOperatorToken } from '../../shared/administration/operator.ts';
import { example } from './arguments.ts';
import { UsageError } from './errors.ts';
import type { Session } from './session.ts';

const TOKEN_HELP = `
The token is read from standard input, or asked for at a terminal: an argument
would stay in the shell's history.
`;

export function operator(root: Command, session: Session): void {
  const noun = root
    .command('operator')
    .description('the operator')
    .addHelpText('after', example('operator set-token --reason "first deployment" --local < token.txt'));

  noun
    .command('show')
    .description('where it is, and whether it has a token; never the token')
    .addHelpText('after', example('operator show --local'))
    .action(async () => {
      const { url, tokenSet } = await session.ask('show-operator', {});
      session.printRecord({ url, tokenSet }, [
        ['url', url],
        ['token', tokenSet ? 'set' : 'NOT SET: operator set-token'],
      ]);
    });

  noun
    .command('set-token')
    .description('write the token that the operator has issued; functions take it up within 5 minutes')
    .addHelpText(
      'after',
      `${TOKEN_HELP}${example('operator set-token --reason "operator rotated it" --local < token.txt')}`,
    )
    .action(async () => {
      session.needsReason();
      const { interactive } = session.terminal;
      const text = await (interactive ? session.terminal.askSecretly('Token: ') : session.terminal.input());
      const token = text.trim();
      if (!setOperatorToken.body.safeParse({ token }).success) {
        throw new UsageError(
          'that is no bearer token: 16 characters or more of letters, digits and -._~+/, on standard input',
        );
      }
      await session.confirm(
        'The token in use is replaced; where the operator does not know the new one, every call fails.',
      );
      await session.ask('set-operator-token', { token });
      session.print({ written: true }, () => "the operator's token is written\n");
    });
}
