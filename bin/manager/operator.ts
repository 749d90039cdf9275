import type { Command } from 'commander';
import { isOperatorToken, putOperatorToken } from '../../shared/operator/token.ts';
import { operator as operatorAt } from '../../shared/runtime/env.ts';
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
    .alias('desk')
    .description('the operator')
    .addHelpText('after', example('operator set-token --reason "first deployment" --local < token.txt'));

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
      if (!isOperatorToken(token)) {
        throw new UsageError(
          'that is no bearer token: 16 characters or more of letters, digits and -._~+/, on standard input',
        );
      }
      await session.confirm(
        'The token in use is replaced; where the operator does not know the new one, every call fails.',
      );
      await session.change('service', {}, () => putOperatorToken(operatorAt().tokenSecret, token));
      session.print({ written: true }, () => "the operator's token is written\n");
    });
}
