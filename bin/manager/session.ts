import { SingleBar } from 'cli-progress';
import type { Command } from 'commander';
import type { AuditFacts, AuditSubject } from '../../shared/domain/audit/ports.ts';
import type { Clock } from '../../shared/domain/values/clock.ts';
import { parseCpf } from '../../shared/domain/values/cpf.ts';
import { SafeError } from '../../shared/runtime/log.ts';
import { beginAudit, endAudit } from '../../shared/table/audit.ts';
import { UsageError } from './errors.ts';
import { reachQueues, reachStage } from './stage.ts';
import { type Column, record, table } from './table.ts';
import type { Terminal } from './terminal.ts';

/** Options that every command takes. */
export interface CommonOptions {
  readonly stage?: string;
  readonly local?: boolean;
  readonly endpoints: string;
  readonly json?: boolean;
  readonly yes?: boolean;
  readonly reason?: string;
}

export interface Progress {
  step(count?: number): void;
  end(): void;
}

type Target = AuditFacts;

const NOUNS: Readonly<Record<string, string>> = {
  partnerId: 'partner',
  unitId: 'unit',
  keyId: 'key',
  leadId: 'lead',
  submissionId: 'submission',
  analysisId: 'analysis',
  analysisIds: 'analyses',
  eventId: 'event',
};

/** JSON in which an id has the name that the options give it: `partner`, not `partnerId`. */
function json(value: unknown, indent?: number): string {
  const byNoun = (_: string, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).map(([name, one]) => [NOUNS[name] ?? name, one]))
      : part;
  return JSON.stringify(value, byNoun, indent);
}

/** One command on one stage: who asks, how results are shown, and the record of what was changed. */
export class Session {
  readonly clock: Clock;
  readonly terminal: Terminal;
  private options: CommonOptions = { endpoints: '' };
  private action = '';
  private stage = '';
  private who = '';
  private readonly stageless = new Set<Command>();

  constructor(terminal: Terminal, clock: Clock = Date.now) {
    this.terminal = terminal;
    this.clock = clock;
  }

  /** Lets a command run without a stage: it changes nothing that the service keeps. */
  needsNoStage(command: Command): void {
    this.stageless.add(command);
  }

  /** Reaches the stage that a command's options name, unless the command needs none. */
  async begin(command: Command): Promise<void> {
    const options = command.optsWithGlobals<CommonOptions>();
    this.options = options;
    if (this.stageless.has(command)) return;
    if (options.local && options.stage !== undefined && options.stage !== 'local') {
      throw new UsageError('--local and --stage name two places: give one');
    }
    const stage = options.local ? 'local' : options.stage;
    if (stage === undefined) throw new UsageError('say where: --local, or --stage dev, staging or prod');
    if (options.reason !== undefined) checkReason(options.reason);
    this.action = `${command.parent?.name()} ${command.name()}`;
    this.stage = stage;
    this.who = await reachStage(stage, options.endpoints);
  }

  /** The stage, and the account that the caller's identity is of. */
  private place(): string {
    const account = /^arn:[^:]*:[^:]*:[^:]*:(\d{12}):/.exec(this.who)?.[1];
    return account === undefined ? `Stage ${this.stage}` : `Stage ${this.stage}, account ${account}`;
  }

  /** To be called by commands that use the queues. */
  queues(): Promise<void> {
    return reachQueues(this.stage);
  }

  /** Writes a result: as JSON where that was asked for, else as people read it. */
  print(value: unknown, human: () => string): void {
    this.terminal.out(this.options.json ? `${json(value, 2)}\n` : human());
  }

  /** Writes one of a stream of results: JSON takes one line each. */
  printLine(value: unknown, human: () => string): void {
    this.terminal.out(this.options.json ? `${json(value)}\n` : human());
  }

  printTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], value: unknown = rows): void {
    this.print(value, () => table(rows, columns, this.terminal.columns));
  }

  printRecord(value: unknown, pairs: Parameters<typeof record>[0]): void {
    this.print(value, () => record(pairs));
  }

  /** A remark for people, beside the result. */
  note(text: string): void {
    this.terminal.err(`${text}\n`);
  }

  /** To be called first by commands whose audit must say why. */
  needsReason(): void {
    if (!this.options.reason) throw new UsageError('say why, for the audit: --reason "..."');
  }

  /** Asks before something that cannot be undone, on which stage and account: a person at the terminal, or --yes. */
  async confirm(what: string): Promise<void> {
    this.needsReason();
    if (this.options.yes) return;
    const question = `${this.place()}: ${what}`;
    if (!this.terminal.interactive) throw new UsageError(`${question} Nobody is here to ask: add --yes`);
    const answer = await this.terminal.ask(`${question} [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new SafeError('nothing was changed');
  }

  /**
   * Does a piece of work that the audit tells of: noted before, and again when it has ended, with what `result` takes
   * from what it gave.
   */
  async change<T>(
    about: AuditSubject,
    target: Target,
    work: () => Promise<T>,
    result?: (made: T) => Target,
  ): Promise<T> {
    const reason = this.options.reason ?? '';
    const row = await beginAudit({ about, who: this.who, action: this.action, target, reason }, this.clock());
    let made: T;
    try {
      made = await work();
    } catch (error) {
      // What went wrong first is what the caller has to hear.
      await endAudit(row, 'failed').catch(() => undefined);
      throw error;
    }
    // The change is made, and what it gave (a key, a secret) is shown this once: a failure here must not swallow it.
    await endAudit(row, 'done', result?.(made)).catch(() =>
      this.note('the change is made, but its audit row still says started: the table did not answer'),
    );
    return made;
  }

  /** A bar for work of so many steps; nothing where no person looks on. */
  progress(label: string, total: number): Progress {
    if (!this.terminal.interactive || total === 0) return { step: () => undefined, end: () => undefined };
    const bar = new SingleBar({
      format: `${label} [{bar}] {value}/{total} {eta_formatted}`,
      stream: process.stderr,
      barsize: 24,
      hideCursor: true,
      clearOnComplete: true,
    });
    bar.start(total, 0);
    return { step: (count = 1) => bar.increment(count), end: () => bar.stop() };
  }
}

function checkReason(reason: string): void {
  const digits = reason.match(/\d{3}\.?\d{3}\.?\d{3}-?\d{2}/g) ?? [];
  const personal = reason.includes('@') || digits.some((text) => parseCpf(text.replace(/\D/g, '')) !== undefined);
  if (personal)
    throw new UsageError('--reason is kept for good: leave CPFs and e-mail addresses out, a ticket number will do');
}
