// Finds the TCP sockets on which processes listen: from /proc on Linux, from lsof elsewhere.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A TCP socket on which a process listens. */
export interface Listener {
  readonly pid: number;
  /** As the system writes it: `127.0.0.1`. `0.0.0.0` and `*` mean every interface. */
  readonly address: string;
  readonly port: number;
}

/** Returns the sockets on which a process and all its descendants listen now. */
export function listenersOf(root: number): readonly Listener[] {
  const pids = withDescendants(root);
  return existsSync('/proc/net/tcp') ? listenersFromProc(pids) : listenersFromLsof(pids);
}

/** Returns a process and its descendants. */
function withDescendants(root: number): readonly number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = rows.map((row) => row.trim().split(/\s+/).map(Number));
  const family = [root];
  for (const parent of family) for (const [pid = 0, ppid] of pairs) if (ppid === parent) family.push(pid);
  return family;
}

/** State of a listening socket in /proc/net/tcp. */
const LISTEN = '0A';

function listenersFromProc(pids: readonly number[]): readonly Listener[] {
  const rows = ['tcp', 'tcp6'].flatMap((table) => {
    const [, ...lines] = readFileSync(`/proc/net/${table}`, 'utf8').trim().split('\n');
    return lines.map((line) => line.trim().split(/\s+/));
  });
  const listening = rows.filter((columns) => columns[3] === LISTEN);
  return pids.flatMap((pid) => {
    const sockets = socketsOf(pid);
    const ownRows = listening.filter((columns) => sockets.has(`socket:[${columns[9]}]`));
    return ownRows.map((columns) => {
      const [address = '', port = ''] = String(columns[1]).split(':');
      return { pid, address: addressOf(address), port: Number.parseInt(port, 16) };
    });
  });
}

/**
 * Returns the sockets that a process has open, in the form of its links to them: `socket:[12345]`. Empty if the process
 * has ended.
 */
function socketsOf(pid: number): ReadonlySet<string> {
  const folder = `/proc/${pid}/fd`;
  return new Set(namesIn(folder).map((name) => targetOf(`${folder}/${name}`)));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Returns the target of a link. Empty if the link no longer exists. */
function targetOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}

/** Returns the address that /proc/net writes as words of four bytes, each with its last byte first. */
function addressOf(hex: string): string {
  const words = (hex.match(/.{8}/g) ?? []).map((word) => Buffer.from(word, 'hex').reverse());
  const bytes = Buffer.concat(words);
  if (bytes.length === 4) return bytes.join('.');
  const text = bytes.toString('hex');
  if (text === `${'0'.repeat(31)}1`) return '::1';
  if (text.startsWith(`${'0'.repeat(20)}ffff`)) return bytes.subarray(12).join('.');
  return text;
}

function listenersFromLsof(pids: readonly number[]): readonly Listener[] {
  // The exit status is 1 if one of the processes has ended or listens on nothing.
  const lsofOptions = ['-nP', '-a', '-iTCP', '-sTCP:LISTEN', '-p', pids.join(), '-Fpn'];
  const { stdout } = spawnSync('lsof', lsofOptions, { encoding: 'utf8' });
  let pid = 0;
  return stdout.split('\n').flatMap((line) => {
    if (line.startsWith('p')) pid = Number(line.slice(1));
    const [, address = '', port] = /^n\[?([^\]]*)\]?:(\d+)$/.exec(line) ?? [];
    return port === undefined ? [] : [{ pid, address, port: Number(port) }];
  });
}
