import { SingleBar } from 'cli-progress';
import type { Command } from 'commander';
import { reason } from '#shared/administration/fields.ts';
import type { Duty } from '#shared/administration/operation.ts';
import type { AdministrationOperation, AnswerOf } from '#shared/administration/operations.ts';
import type { Clock } from '#shared/domain/values/clock.ts';
import { AdministrationClient } from './administration-client.ts';
import { CommandError, UsageError } from './errors.ts';
import { type ReachedStage, reachStage } from './stage.ts';
import { type Column, record, table } from './table.ts';
import type { Terminal } from './terminal.ts';

export interface CommonOptions {
  readonly stage?: string;
  readonly local?: boolean;
  readonly serviceFile: string;
  readonly json?: boolean;
  readonly yes?: boolean;
  readonly reason?: string;
  readonly duty?: Duty;
  readonly person?: string;
}

export interface Progress {
  step(count?: number): void;
  end(): void;
}

export class Session {
  readonly clock: Clock;
  readonly terminal: Terminal;
  private options: CommonOptions = { serviceFile: '' };
  private reached: ReachedStage | undefined;
  private client: AdministrationClient | undefined;
  private agreed = false;
  private readonly stageless = new Set<Command>();

  constructor(terminal: Terminal, clock: Clock = Date.now) {
    this.terminal = terminal;
    this.clock = clock;
  }

  /** Lets a command run without a stage. Such a command changes nothing that the service stores. */
  needsNoStage(command: Command): void {
    this.stageless.add(command);
  }

  /** Reaches the stage, unless the command needs none. Throws a UsageError or a CommandError. */
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
    this.reached = await reachStage(stage, options.serviceFile, options);
  }

  /** The stage that `begin` has reached. Throws a TypeError if the command has none. */
  get stage(): ReachedStage {
    if (!this.reached) throw new TypeError('the command has no stage');
    return this.reached;
  }

  private async api(): Promise<AdministrationClient> {
    this.client ??= new AdministrationClient(await this.stage.access());
    return this.client;
  }

  /** A change carries the command's reason, and whether the person has agreed. */
  async ask<Name extends AdministrationOperation>(
    operation: Name,
    fields: object,
    { isDry, cursor }: { readonly isDry?: boolean; readonly cursor?: string | undefined } = {},
  ): Promise<AnswerOf<Name>> {
    const reason = this.options.reason?.trim();
    const notes = reason ? { reason, agreed: this.agreed, isDry } : { isDry };
    return (await this.api()).ask(operation, fields, notes, cursor);
  }

  print(value: unknown, human: () => string): void {
    this.terminal.out(this.options.json ? `${JSON.stringify(value, null, 2)}\n` : human());
  }

  printTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], value: unknown = rows): void {
    this.print(value, () => table(rows, columns, this.terminal.columns));
  }

  printRecord(value: object, pairs: Parameters<typeof record>[0] = Object.entries(value)): void {
    this.print(value, () => record(pairs));
  }

  /** Writes a remark for people to standard error, so that standard output holds only the result. */
  note(text: string): void {
    this.terminal.err(`${text}\n`);
  }

  /** Throws a UsageError if no reason was given. A command that the audit notes calls this first. */
  needsReason(): void {
    if (!this.options.reason) throw new UsageError('say why, for the audit: --reason "..."');
  }

  /**
   * Shows stage, account and caller in the question. `--yes` answers for a person. Throws a CommandError if the person
   * declines, and a UsageError if there is no reason or nobody to ask.
   */
  async confirm(what: string): Promise<void> {
    this.needsReason();
    if (!this.options.yes) await this.askPerson(`${this.stage.place}: ${what}`);
    this.agreed = true;
  }

  private async askPerson(question: string): Promise<void> {
    if (!this.terminal.interactive) throw new UsageError(`${question} Nobody is here to ask: add --yes`);
    const answer = await this.terminal.ask(`${question} [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('nothing was changed');
  }

  async secretInput(question: string): Promise<string> {
    const { terminal } = this;
    return (await (terminal.interactive ? terminal.askSecretly(question) : terminal.input())).trim();
  }

  /** Returns a progress bar for work of `total` steps. It shows nothing if no person is there, or if `total` is 0. */
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

function checkReason(text: string): void {
  const { error } = reason().safeParse(text);
  if (error) throw new UsageError(`--reason ${error.issues[0]?.message}`);
}
