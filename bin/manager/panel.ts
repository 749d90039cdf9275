import type { Command } from 'commander';
import { AdministrationClient } from './administration-client.ts';
import { wholeNumber } from './arguments.ts';
import { openBrowser } from './open-browser.ts';
import { bundlePage } from './panel/bundle.ts';
import { callsOfKey } from './panel/calls-of-key.ts';
import { callApi } from './panel/forward.ts';
import { startPanel } from './panel/server.ts';
import type { Session } from './session.ts';
import { example } from './verb.ts';

interface PanelOptions {
  readonly port: number;
  /** Minutes without use after which the panel ends. */
  readonly idle: number;
  readonly open: boolean;
}

export function panel(root: Command, session: Session): void {
  root
    .command('panel')
    .description(
      'the administration in a browser, in Portuguese: a page on this machine only, which calls with your credentials',
    )
    .option('--port <number>', 'port of the page; 0 is any free one', wholeNumber(0, 65_535), 0)
    .option('--idle <minutes>', 'minutes without use after which the panel ends', wholeNumber(1, 480), 30)
    .option('--no-open', 'only print its address')
    .addHelpText('after', example('panel --local'))
    .action(async ({ port, idle, open }: PanelOptions) => {
      const minutes = idle === 1 ? '1 minute' : `${idle} minutes`;
      const { name, caller, access } = session.stage;
      const started = await startPanel({
        call: callApi(new AdministrationClient(await access())),
        callsOfKey: callsOfKey(session.stage, session.clock),
        about: { stage: name, caller },
        files: await bundlePage(),
        port,
        idleAfter: idle * 60_000,
      });
      session.print({ url: started.url }, () => `${started.url}\n`);
      session.note(`The panel is open on this machine only. It ends with Ctrl-C, and after ${minutes} without use.`);
      const removeFile = open ? await openBrowser(started.url) : undefined;
      void session.terminal.interrupted().then(() => started.close());
      const ended = await started.closed;
      await removeFile?.();
      if (ended === 'idle') session.note(`The panel has ended after ${minutes} without use.`);
    });
}
