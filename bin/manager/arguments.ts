import { Command, InvalidArgumentError, Option } from 'commander';
import { name as nameField, token as tokenField } from '#shared/administration/fields.ts';
import { type AdministrationOperation, operationNamed } from '#shared/administration/operations.ts';
import { KEY, type KeyOwner, keyOwner, PARTNER, PREFIX, SCOPES, type Scope } from '#shared/domain/partners/partner.ts';
import { ENVIRONMENTS } from '#shared/domain/values/tenancy.ts';

/** Options whose value is an id; the code calls the value `partnerId` where people type `--partner`. */
const IDS: readonly string[] = ['partner', 'unit', 'lead', 'analysis'];

class ManagerOption extends Option {
  override attributeName(): string {
    const name = super.attributeName();
    return IDS.includes(name) ? `${name}Id` : name;
  }
}

/** A command whose id options are named by what they hold: `--partner <id>` gives `partnerId`. */
export class ManagerCommand extends Command {
  override createCommand(name?: string): Command {
    return new ManagerCommand(name);
  }

  override createOption(flags: string, description?: string): Option {
    return new ManagerOption(flags, description);
  }
}

/** A positive whole number that an id can be. */
export function id<Id extends number>(text: string): Id {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < 1) {
    throw new InvalidArgumentError('An id is a positive whole number.');
  }
  return value as Id;
}

/** A whole number between two bounds. */
export function whole(least: number, most: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most) {
      throw new InvalidArgumentError(`A whole number from ${least} to ${most} is needed.`);
    }
    return value;
  };
}

/** Scopes between commas. */
export function scopes(text: string): Scope[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !(SCOPES as readonly string[]).includes(name));
  if (unknown !== undefined) throw new InvalidArgumentError(`Scopes are ${SCOPES.join(', ')}, between commas.`);
  return SCOPES.filter((scope) => names.includes(scope));
}

const NAME = nameField('');
const TOKEN = tokenField('');

/** A name as people write it, on one line. */
export function name(text: string): string {
  const { data } = NAME.safeParse(text);
  if (data === undefined) throw new InvalidArgumentError('A name has 1 to 200 characters on one line, all to be seen.');
  return data;
}

/** Whose a key is, by the start of it that lists show; the key itself is no argument, since shells remember arguments. */
export function keyStart(text: string): KeyOwner {
  const owner = keyOwner(text);
  if (!owner)
    throw new InvalidArgumentError('A key begins with pmc_ or pmc_sandbox_ and 14 letters and digits: see keys list.');
  if (text.length > PREFIX[owner.environment].length + PARTNER + KEY) {
    throw new InvalidArgumentError('Leave the secret part out: the start that keys list shows is enough.');
  }
  return owner;
}

/** A text by which a call whose answer was lost is repeated. */
export function token(text: string): string {
  if (!TOKEN.safeParse(text).success) throw new InvalidArgumentError('A token has 16 to 255 characters.');
  return text;
}

/** A text of a document, on one line; empty to have it removed. */
export const documentText = (text: string): string => (text.trim() === '' ? '' : name(text));

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A moment in milliseconds since 1970: ISO 8601 with an offset, or so long ago (`90m`, `2h`, `3d`). */
export function since(now: () => number = Date.now) {
  return (text: string): number => {
    const ago = /^(\d+)([mhd])$/.exec(text);
    if (ago) return now() - Number(ago[1]) * UNITS[ago[2]!]!;
    const at = /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(text) ? Date.parse(text) : Number.NaN;
    if (Number.isNaN(at)) {
      throw new InvalidArgumentError('A moment is 2026-11-20T09:00:00-03:00, or so long ago: 90m, 2h, 3d.');
    }
    return at;
  };
}

/** The option `--environment`. */
export const environment = (description = 'environment'): Option =>
  new Option('--environment <name>', description).choices(ENVIRONMENTS);

/** What `--help` says of an operation's verb. Throws a TypeError for an operation that has no verb. */
function helpOf(operation: AdministrationOperation): string {
  const { english } = operationNamed(operation);
  if (english === undefined) throw new TypeError(`${operation} has no verb`);
  return english;
}

/** Characters of a line of help. */
const LINE = 80;

/** The lines below a command's help; a long call goes on in a second line, as a shell takes it. */
export function example(...calls: readonly string[]): string {
  const lines = calls.map((call) => {
    const line = `  npm run manager -- ${call}`;
    if (line.length <= LINE) return line;
    const at = line.lastIndexOf(' --', LINE - 2);
    return `${line.slice(0, at)} \\\n   ${line.slice(at)}`;
  });
  return `\nExample:\n${lines.join('\n')}\n`;
}

/** A command below another, with what `--help` says of it and examples of its call, unless it brings a text of its own. */
export function command(parent: Command, called: string, about: string, ...calls: readonly string[]): Command {
  const added = parent.command(called).description(about);
  return calls.length === 0 ? added : added.addHelpText('after', example(...calls));
}

/** The command that asks for an operation, whose words its help repeats. Throws a TypeError for one that has no verb. */
export function verb(
  parent: Command,
  called: string,
  operation: AdministrationOperation,
  ...calls: readonly string[]
): Command {
  return command(parent, called, helpOf(operation), ...calls);
}
