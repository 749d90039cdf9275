import { randomUUID } from 'node:crypto';
import { SingleBar } from 'cli-progress';
import type { Command } from 'commander';
import { IN_DOUBT } from '#shared/administration/failures.ts';
import { reason } from '#shared/administration/fields.ts';
import type { Duty } from '#shared/administration/operation.ts';
import type { AdministrationOperation, AnswerOf, PreviewOf } from '#shared/administration/operations.ts';
import { type Shown, shown } from '#shared/administration/wire.ts';
import type { Clock } from '#shared/domain/values/clock.ts';
import { AdministrationClient, AdministrationRefusal, type FieldsOf } from './administration-client.ts';
import { CommandError, UsageError, verdict } from './errors.ts';
import { type ReachedStage, reachStage } from './stage.ts';
import { type Column, record, table } from './table.ts';
import type { Terminal } from './terminal.ts';

/** Options that every command takes. */
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

/** The reason in the audit if nobody gave one: the API takes no change without a reason. */
const NO_REASON = 'none given';

/** An answer with the cursor of the next page. */
type Paged = { readonly next_cursor: string | null };
type PagedOperation = {
  [Name in AdministrationOperation]: AnswerOf<Name> extends Paged ? Name : never;
}[AdministrationOperation];
/** The only change whose preview comes in pages. */
type PreviewedInPages = 'replay-deliveries';

export interface Progress {
  step(count?: number): void;
  end(): void;
}

const NOUNS: Readonly<Record<string, string>> = {
  partnerId: 'partner',
  unitId: 'unit',
  keyId: 'key',
  consultantId: 'consultant',
  leadId: 'lead',
  submissionId: 'submission',
  analysisId: 'analysis',
  analysisIds: 'analyses',
  eventId: 'event',
};

/** Returns JSON in which ids have the names of the options: `partner`, not `partnerId`. */
function json(value: unknown): string {
  const byNoun = (_: string, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).map(([name, field]) => [NOUNS[name] ?? name, field]))
      : part;
  return JSON.stringify(value, byNoun, 2);
}

/** One command on one stage: who calls, what the API answers, and how results are shown. */
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

  /**
   * Reaches the stage that a command's options name, unless the command needs none. Throws a
   * UsageError or a CommandError.
   */
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

  /** Returns what an operation answers. A change carries the command's reason, and whether the person has agreed. */
  async ask<Name extends AdministrationOperation>(
    operation: Name,
    fields: FieldsOf<Name>,
  ): Promise<Shown<AnswerOf<Name>>> {
    return shown(await this.answer(operation, fields));
  }

  private async answer<Name extends AdministrationOperation>(operation: Name, fields: FieldsOf<Name>, cursor?: string) {
    const api = await this.api();
    const reason = this.options.reason?.trim() || NO_REASON;
    return api.ask(operation, fields, { reason, agreed: this.agreed }, cursor);
  }

  /**
   * Makes a change that shows a key or a secret once, by the token that was given or by a new one. If it is not known
   * whether the change was made, the error names the token. The same command with this token makes the change at most
   * once, and shows its result.
   */
  async askOnce<Name extends AdministrationOperation>(
    operation: Name,
    fields: FieldsOf<Name> & { readonly token: string | undefined },
  ): Promise<Shown<AnswerOf<Name>>> {
    const { token = randomUUID() } = fields;
    try {
      return await this.ask(operation, { ...fields, token });
    } catch (error) {
      throw isInDoubt(error) ? namingToken(error, token) : error;
    }
  }

  /**
   * Yields the pages of an operation, all with one token: the one that was given, or a new one. An error after the first
   * page names the token, since an approval may be used by then.
   */
  async *pagesOnce<Name extends PagedOperation>(
    operation: Name,
    fields: FieldsOf<Name> & { readonly token: string | undefined },
  ): AsyncGenerator<Shown<AnswerOf<Name>>> {
    const { token = randomUUID() } = fields;
    let hasBegun = false;
    try {
      for await (const page of this.pages(operation, { ...fields, token })) {
        hasBegun = true;
        yield page;
      }
    } catch (error) {
      throw hasBegun || isInDoubt(error) ? namingToken(error, token) : error;
    }
  }

  /**
   * Returns what a change would do, without making it. What the person agreed to before is over: `webhook set` may set
   * the address of two environments, and asks about the waiting events of each.
   */
  async preview<Name extends AdministrationOperation>(
    operation: Name,
    fields: FieldsOf<Name>,
  ): Promise<Shown<PreviewOf<Name>>> {
    this.agreed = false;
    return shown(await (await this.api()).preview(operation, fields));
  }

  /** Yields the pages of an operation, to the last. */
  async *pages<Name extends PagedOperation>(
    operation: Name,
    fields: FieldsOf<Name>,
  ): AsyncGenerator<Shown<AnswerOf<Name>>> {
    yield* through((cursor) => this.answer(operation, fields, cursor));
  }

  /** Yields the pages of a change's preview, to the last. */
  async *previewPages(
    operation: PreviewedInPages,
    fields: FieldsOf<PreviewedInPages>,
  ): AsyncGenerator<Shown<PreviewOf<PreviewedInPages>>> {
    const api = await this.api();
    yield* through((cursor) => api.preview(operation, fields, cursor));
  }

  /** Prints a result: as JSON with `--json`, else in its form for people. */
  print(value: unknown, human: () => string): void {
    this.terminal.out(this.options.json ? `${json(value)}\n` : human());
  }

  printTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], value: unknown = rows): void {
    this.print(value, () => table(rows, columns, this.terminal.columns));
  }

  /** Prints one result. People read `pairs`: names and values, by default those of the result itself. */
  printRecord(value: object, pairs: Parameters<typeof record>[0] = Object.entries(value)): void {
    this.print(value, () => record(pairs));
  }

  /** Writes a remark for people to standard error, so that standard output holds only the result. */
  note(text: string): void {
    this.terminal.err(`${text}\n`);
  }

  /** Tells people that a list has more entries than it shows. The list begins with the newest entry. */
  noteIfCut(found: number, shown: number): void {
    if (found > shown) this.note(`Only the newest ${shown} are shown. For more, give a higher --limit or a period.`);
  }

  /** Throws a UsageError if no reason was given. A command whose audit must say why calls this first. */
  needsReason(): void {
    if (!this.options.reason) throw new UsageError('say why, for the audit: --reason "..."');
  }

  /**
   * Asks before a change that cannot be undone, naming stage, account and caller. `--yes` answers for a person. Throws
   * a CommandError if the person declines, and a UsageError if there is no reason or nobody to ask.
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

  /**
   * Returns a text that must not be in a shell's history: from standard input, or typed at a
   * terminal without being shown.
   */
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

  /**
   * Yields pages, with a progress bar. `reached` returns the bar's position after a page, from this page and the
   * position before it.
   */
  async *tracked<Page extends { readonly total?: number | undefined }>(
    label: string,
    pages: AsyncIterable<Page>,
    reached: (page: Page, before: number) => number,
  ): AsyncGenerator<Page> {
    let bar: Progress | undefined;
    let before = 0;
    for await (const page of pages) {
      // The bar starts with the first page, which says how long the whole work is.
      bar ??= this.progress(label, page.total ?? 0);
      const after = reached(page, before);
      bar.step(after - before);
      before = after;
      yield page;
    }
    bar?.end();
  }
}

const isInDoubt = (error: unknown) => error instanceof AdministrationRefusal && IN_DOUBT.has(error.code);

const namingToken = (error: unknown, token: string) =>
  new CommandError(
    `${verdict(error).line}; the same command with --token ${token} makes the change at most once, and shows the result`,
    { cause: error },
  );

async function* through<Page extends Paged>(
  ask: (cursor: string | undefined) => Promise<Page>,
): AsyncGenerator<Shown<Page>> {
  let cursor: string | undefined;
  do {
    const page = await ask(cursor);
    yield shown(page);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

/** Returns the entries of all pages, but at most the first `wanted`. Reads no page more than it needs. */
export async function collected<Page, Entry>(
  pages: AsyncIterable<Page>,
  entriesOf: (page: Page) => readonly Entry[],
  wanted = Number.POSITIVE_INFINITY,
): Promise<Entry[]> {
  const found: Entry[] = [];
  for await (const page of pages) {
    found.push(...entriesOf(page));
    if (found.length >= wanted) break;
  }
  return found.slice(0, wanted);
}

function checkReason(text: string): void {
  const { error } = reason().safeParse(text);
  if (error) throw new UsageError(`--reason ${error.issues[0]?.message}`);
}
