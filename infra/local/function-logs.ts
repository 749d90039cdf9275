import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import type { LogSink } from './aws/containers.ts';

const LOUD = new Set(['WARN', 'ERROR', 'CRITICAL', 'FATAL']);

/** Keeps what functions write, one file per function, and shows warnings and errors; everything where asked for. */
export class FunctionLogs {
  private readonly folder: string;
  private readonly verbose: boolean;
  private readonly show: (line: string) => void;
  private readonly files = new Map<string, WriteStream>();

  constructor(folder: string, verbose: boolean, show: (line: string) => void) {
    this.folder = folder;
    this.verbose = verbose;
    this.show = show;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  readonly take: LogSink = (operation, line) => {
    this.fileOf(operation).write(`${line}\n`);
    if (this.verbose) this.show(`${operation} ${line}`);
    else {
      const short = summaryOf(line);
      if (short) this.show(`${operation} ${short}`);
    }
  };

  async close(): Promise<void> {
    await Promise.all([...this.files.values()].map((file) => new Promise((resolve) => file.end(resolve))));
  }

  private fileOf(operation: string): WriteStream {
    const file = this.files.get(operation) ?? createWriteStream(join(this.folder, `${operation}.log`), { mode: 0o600 });
    this.files.set(operation, file);
    return file;
  }
}

/** A line in short where it is a warning, an error, or no structured log at all; undefined for others. */
function summaryOf(line: string): string | undefined {
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch {
    return line.trim() || undefined;
  }
  if (typeof entry !== 'object' || entry === null) return line;
  const { level, message, error, request_id } = entry as Record<string, unknown>;
  if (typeof level !== 'string' || !LOUD.has(level)) return undefined;
  const cause = (error as { message?: unknown } | undefined)?.message;
  return [level, message, cause, request_id].filter((part) => part !== undefined).join(' ');
}
