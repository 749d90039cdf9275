import { Argument, type Command, Option } from 'commander';
import * as z from 'zod/mini';
import { type AdministrationOperation, operationNamed, type SchemaOf } from '#shared/administration/operations.ts';
import { contact, event, id, month, name, registration, scopes, token, wholeNumber } from './arguments.ts';

// The commands of the command line. A verb calls an operation of the API: its help is the operation's own text,
// and its options are fields of the operation. Whether an option must be given, its choices and its default
// come from the field's schema.

/** How people type a value, and what the help says about it. */
export interface Typed<Value> {
  readonly about: string;
  /**
   * `--partner <id>` is an option, `--check` an option without a value, `<key>` an argument, `[event]` an argument that
   * may be left out. Without `flags`, the value is typed as FIELDS says.
   */
  readonly flags?: string | undefined;
  /** Returns the value of a text. Throws an InvalidArgumentError for a text that is not such a value. */
  readonly parse?: ((text: string) => Value) | undefined;
  /** Whether the value must be given. By default the field's schema decides. */
  readonly needed?: boolean | undefined;
  /** The value if none is given. */
  readonly fallback?: Value | undefined;
  /** The allowed values, if the field's schema does not list them. */
  readonly choices?: readonly Value[] | undefined;
  /** Keys of the options that make no sense together with this one. */
  readonly conflicts?: readonly string[] | undefined;
}

/** How each field of the API is typed, in every verb that takes it. */
const FIELDS: Readonly<Record<string, Pick<Typed<unknown>, 'flags' | 'parse'>>> = {
  analysis_id: { flags: '--analysis <id>', parse: id },
  bank: { flags: '--bank <name>' },
  contact: { flags: '--contact <text>', parse: contact },
  creci: { flags: '--creci <text>', parse: registration },
  drop_previous: { flags: '--drop-previous' },
  environment: { flags: '--environment <name>' },
  event_id: { flags: '--event <id>', parse: event },
  foreign: { flags: '--foreign' },
  incomplete: { flags: '--incomplete' },
  lead_id: { flags: '--lead <id>', parse: id },
  max: { flags: '--max <number>', parse: wholeNumber(1, 100_000) },
  month: { flags: '--month <month>', parse: month },
  name: { flags: '--name <text>', parse: name },
  overlap: { flags: '--no-overlap' },
  partner_id: { flags: '--partner <id>', parse: id },
  raw: { flags: '--raw' },
  restart: { flags: '--restart' },
  scopes: { flags: '--scopes <list>', parse: scopes },
  service: { flags: '--service' },
  state: { flags: '--state <name>' },
  token: { flags: '--token <text>', parse: token },
  unanswerable: { flags: '--unanswerable' },
  unit_id: { flags: '--unit <id>', parse: id },
  units_per_second: { flags: '--rate <units>', parse: wholeNumber(1, 40_000) },
  url: { flags: '--url <url>' },
};

/**
 * Options and arguments of a verb, in the order of its help. A text is the help's text for a field of the operation.
 */
type Parameters = Readonly<Record<string, string | Typed<unknown>>>;

type Read<Schema> = Schema extends z.ZodMiniType ? z.output<Schema> : unknown;
/** The fields of an operation, as its schemas return them. */
type FieldValues<Name extends AdministrationOperation> = object &
  Read<SchemaOf<Name, 'params'>> &
  Read<SchemaOf<Name, 'query'>> &
  Read<SchemaOf<Name, 'body'>>;

/** A value that is not a field but is present in each call: a needed argument, or an option with a default. */
type Always = { readonly flags: `<${string}` } | { readonly fallback: unknown };

/** The values that a verb's work receives, by their keys. */
type Given<Name extends AdministrationOperation, Taken extends Parameters> = {
  readonly [Key in keyof Taken]: Key extends keyof FieldValues<Name>
    ? FieldValues<Name>[Key] | (Taken[Key] extends { needed: false } ? undefined : never)
    : Taken[Key] extends Typed<infer Value>
      ? Value | (Taken[Key] extends Always ? never : undefined)
      : never;
};

/** Builds a command that calls an operation. */
class Verb<Name extends AdministrationOperation, Taken extends Parameters> {
  readonly #operation: Name;
  readonly #command: Command;
  /** Text of the help below the options. */
  readonly #help: string;
  /** Keys of the arguments, in order. */
  readonly #positional: readonly string[];

  constructor(operation: Name, command: Command, help: string, positional: readonly string[]) {
    this.#operation = operation;
    this.#command = command;
    this.#help = help;
    this.#positional = positional;
  }

  /** Replaces the operation's own text in the help of the command. */
  about(text: string): this {
    this.#command.description(text);
    return this;
  }

  /** Returns the verb with a text above its examples. */
  help(text: string): Verb<Name, Taken> {
    return new Verb(this.#operation, this.#command, text + this.#help, this.#positional);
  }

  /** Adds options and arguments. Throws a TypeError for a key that has no flags and is not a field of the operation. */
  takes<const All extends Parameters>(all: All): Verb<Name, All> {
    const positional: string[] = [];
    for (const [key, taken] of Object.entries(all)) {
      const typing = typingOf(this.#operation, key, taken);
      // Set here, so that the values have the order of the help, not the order in which a person types them.
      this.#command.setOptionValue(key, undefined);
      if (typing.flags.startsWith('-')) addOption(this.#command, key, typing, fieldOf(this.#operation, key));
      else {
        positional.push(key);
        this.#command.addArgument(argumentOf(typing));
      }
    }
    return new Verb(this.#operation, this.#command, this.#help, positional);
  }

  /** Sets the function that does the command's work. It receives the values that the person has given. */
  run(work: (given: Given<Name, Taken>) => void | Promise<void>): void {
    const command = this.#command.addHelpText('after', this.#help);
    command.action(async (...words: unknown[]) => {
      for (const [index, key] of this.#positional.entries()) command.setOptionValue(key, words[index]);
      await work(command.opts<Given<Name, Taken>>());
    });
  }
}

/**
 * Adds the command that calls an operation, with examples. Throws a TypeError if the operation has no
 * text for the command line.
 */
export function verb<Name extends AdministrationOperation>(
  noun: Command,
  called: string,
  operation: Name,
  ...examples: readonly string[]
): Verb<Name, Record<never, never>> {
  const { english } = operationNamed(operation);
  if (english === undefined) throw new TypeError(`${operation} has no verb`);
  return new Verb(operation, noun.command(called).description(english), example(...examples), []);
}

/** Adds a command that calls no operation of its own, or that holds other commands, with examples. */
export function command(parent: Command, called: string, about: string, ...examples: readonly string[]): Command {
  const added = parent.command(called).description(about);
  return examples.length === 0 ? added : added.addHelpText('after', example(...examples));
}

/** Longest line of an example, in characters. */
const LINE = 80;

/**
 * Returns the examples below a command's help. A call that is too long continues in a second line, in a shell's way.
 */
export function example(...calls: readonly string[]): string {
  const lines = calls.map((call) => {
    const line = `  npm run manager -- ${call}`;
    if (line.length <= LINE) return line;
    const at = line.lastIndexOf(' --', LINE - 2);
    return `${line.slice(0, at)} \\\n   ${line.slice(at)}`;
  });
  return `\nExample:\n${lines.join('\n')}\n`;
}

function fieldOf(operation: AdministrationOperation, name: string): z.core.$ZodType | undefined {
  const { params, query, body } = operationNamed(operation);
  return params?.shape[name] ?? query?.shape[name] ?? body?.shape[name];
}

/** An option whose value commander stores under the given key, not under a name made of its flags. */
class KeyedOption extends Option {
  readonly #key: string;

  constructor(key: string, flags: string, about: string) {
    super(flags, about);
    this.#key = key;
  }

  override attributeName(): string {
    return this.#key;
  }
}

/** Returns how a verb's value is typed. Throws a TypeError if neither the verb nor FIELDS has flags for it. */
function typingOf(operation: AdministrationOperation, key: string, taken: string | Typed<unknown>) {
  const known = FIELDS[key];
  const typing = typeof taken === 'string' ? { about: taken } : taken;
  const { flags = fieldOf(operation, key) && known?.flags, parse = known?.parse }: Typed<unknown> = typing;
  if (flags === undefined) throw new TypeError(`${operation} has no field ${key} that people type`);
  return { ...typing, flags, parse };
}

type Typing = ReturnType<typeof typingOf>;

/** Adds an option. By default its field's schema decides whether it must be given, and its choices and default. */
function addOption(command: Command, key: string, typing: Typing, field: z.core.$ZodType | undefined): void {
  const option = new KeyedOption(key, typing.flags, typing.about).conflicts(typing.conflicts?.slice() ?? []);
  const defaultValue = typing.fallback ?? (field instanceof z.ZodMiniDefault ? field.def.defaultValue : undefined);
  if (!typing.flags.includes('<')) {
    command.addOption(option);
    if (defaultValue !== undefined) command.setOptionValueWithSource(key, defaultValue, 'default');
    return;
  }
  const needed = typing.needed ?? (field !== undefined && field._zod.optin !== 'optional');
  const choices = textsOf(typing.choices ?? field?._zod.values ?? []);
  if (typing.parse) option.argParser(typing.parse);
  else if (choices.length > 0) option.choices(choices);
  command.addOption(option.default(defaultValue).makeOptionMandatory(needed && defaultValue === undefined));
}

function argumentOf({ flags, about, parse, choices = [] }: Typing): Argument {
  const argument = new Argument(flags, about);
  if (parse) argument.argParser(parse);
  else if (choices.length > 0) argument.choices(textsOf(choices));
  return argument;
}

const textsOf = (values: Iterable<unknown>) => Array.from(values).filter((value) => typeof value === 'string');
