import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const OPENERS: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Returns a page that leads the browser to an address at once. */
function pageTo(url: string): string {
  const address = url.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${address}">
<title>Painel</title>
<p><a href="${address}">Abrir o painel</a></p>
`;
}

/**
 * Opens an address in the person's browser. The address may hold a token, and every user of the machine can read the
 * arguments of a process. So the browser is started with a file that only this user can read, which leads to the
 * address. Returns a function that removes the file. If no browser can be started, nothing happens: the address was
 * printed before.
 */
export async function openBrowser(url: string): Promise<() => Promise<void>> {
  // Only this user may enter a folder of mkdtemp.
  const folder = await mkdtemp(join(tmpdir(), 'painel-'));
  const file = join(folder, 'abrir.html');
  await writeFile(file, pageTo(url), { mode: 0o600, flag: 'wx' });
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, file], { detached: true, stdio: 'ignore' });
  child.once('error', () => {});
  child.unref();
  return () => rm(folder, { recursive: true, force: true });
}
