import type { Command } from 'commander';
import { PANEL_PATH } from '#infra/functions.ts';
import { example } from './command.ts';
import type { Session } from './session.ts';
import { LOCAL } from './stage.ts';

export function panel(root: Command, session: Session): void {
  root
    .command('panel')
    .description('the address of the panel: the administration in a browser, in Portuguese')
    .addHelpText('after', example('panel --local'))
    .action(async () => {
      const { name, access } = session.stage;
      const url = `${(await access()).url.replace(/\/$/, '')}${PANEL_PATH}`;
      session.print({ url }, () => `${url}\n`);
      if (name === LOCAL)
        session.note(
          'Sign in as any name with its duties, such as ana+manager+support@local.example. npm start has printed the password.',
        );
    });
}
