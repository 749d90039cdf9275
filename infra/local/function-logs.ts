import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import type { LogSink } from './aws/containers.ts';

/** Where the lines of all functions go. */
export interface FunctionLogs {
  readonly take: LogSink;
  close(): Promise<void>;
}

const LOUD = new Set(['WARN', 'ERROR', 'CRITICAL', 'FATAL']);

/** Keeps what functions write, one file per function, and shows warnings and errors; everything where asked for. */
export function functionLogs(folder: string, verbose: boolean, show: (line: string) => void): FunctionLogs {
  const files = new Map<string, WriteStream>();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const fileOf = (operation: string) =>
    files.get(operation) ?? createWriteStream(join(folder, `${operation}.log`), { mode: 0o600 });
  return {
    take(operation, line) {
      const file = fileOf(operation);
      files.set(operation, file);
      file.write(`${line}\n`);
      const shown = verbose ? line : summaryOf(line);
      if (shown || verbose) show(`${operation} ${shown}`);
    },
    async close() {
      await Promise.all([...files.values()].map((file) => new Promise((resolve) => file.end(resolve))));
    },
  };
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
