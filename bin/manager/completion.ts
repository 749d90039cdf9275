import { join } from 'node:path';
import { Argument, type Command, type Option } from 'commander';
import { command } from './command.ts';
import type { Session } from './session.ts';

const PROJECT = join(import.meta.dirname, '..', '..');

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const ABOUT = `
The script defines the command manager, which is npm run manager -- of this
project, and completes it. Its place is the start file of your shell:
  eval "$(npm --prefix <folder> run -s manager -- completion bash)"
  eval "$(npm --prefix <folder> run -s manager -- completion zsh)"
  npm --prefix <folder> run -s manager -- completion fish | source
`;

interface Completed {
  /** Words that lead to the command: `/keys/create`. Empty for the program itself. */
  readonly path: string;
  readonly about: string;
  readonly names: readonly string[];
  readonly options: readonly Option[];
  readonly values: readonly string[];
}

function completedOf(of: Command, path: string): Completed[] {
  const here: Completed = {
    path,
    about: of.description(),
    names: of.commands.map((inner) => inner.name()),
    options: of.options.filter(({ hidden }) => !hidden),
    values: of.registeredArguments[0]?.argChoices ?? [],
  };
  return [here].concat(of.commands.flatMap((inner) => completedOf(inner, `${path}/${inner.name()}`)));
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const flagsOf = ({ options }: Completed) => options.flatMap(({ long }) => long ?? []);
const takesValue = ({ required, optional }: Option) => required || optional;

/**
 * Zsh runs the script, too, after `bashcompinit`. So the script uses no `compgen`, and no variable `path` or `words`.
 */
function bashScript(all: readonly Completed[], manager: string): string {
  const [root] = all;
  const common = root?.options ?? [];
  const commands = all.map(({ path }) => path).filter((path) => path !== '');
  const valuesOf = (path: string, options: readonly Option[]) =>
    options
      .filter(takesValue)
      .map(({ long, argChoices = [] }) => `    ${path}:${long}) all=${quoted(argChoices.join(' '))} ;;`);
  const words = (one: Completed) =>
    one.names.concat(one.values, flagsOf(one), one === root ? [] : flagsOf({ ...one, options: common }));
  return `manager() { ${manager} "$@"; }
_manager() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} at='' given all=''
  for given in "\${COMP_WORDS[@]:1:$((COMP_CWORD-1))}"; do
    case "$at/$given" in
    ${commands.join('|')}) at="$at/$given" ;;
    esac
  done
  case "$at:$before" in
${all.flatMap(({ path, options }) => (path === '' ? [] : valuesOf(path, options))).join('\n')}
${valuesOf('*', common).join('\n')}
    *)
      case "$at" in
${all.map((one) => `      ${quoted(one.path)}) all=${quoted(words(one).join(' '))} ;;`).join('\n')}
      esac ;;
  esac
  COMPREPLY=()
  for given in $all; do
    case "$given" in
    "$word"*) COMPREPLY+=("$given") ;;
    esac
  done
}
complete -o default -F _manager manager
`;
}

function fishScript(all: readonly Completed[], manager: string): string {
  const add = (when: string, rest: string, about: string) =>
    `complete -c manager -n ${quoted(when)} ${rest} -d ${quoted(about)}`;
  const seen = (names: readonly string[]) => `__fish_seen_subcommand_from ${names.join(' ')}`;
  const lines = all.flatMap((one) => {
    const words = one.path.split('/').filter(Boolean);
    const inside = words.map((word) => seen([word]));
    const next = one.names.length > 0 ? inside.concat(`not ${seen(one.names)}`) : inside;
    const here = (conditions: readonly string[]) => conditions.join('; and ') || 'true';
    const named = all.filter(({ path }) => one.names.some((name) => path === `${one.path}/${name}`));
    return [
      ...named.map(({ path, about }) => add(here(next), `-a ${quoted(path.split('/').at(-1) ?? '')}`, about)),
      ...one.values.map((value) => add(here(inside), `-a ${quoted(value)}`, one.about)),
      ...one.options.map((option) => {
        const { long = '', argChoices = [], description } = option;
        const value = takesValue(option)
          ? ` -r${argChoices.length > 0 ? ` -f -a ${quoted(argChoices.join(' '))}` : ''}`
          : '';
        return add(here(inside), `-l ${long.slice(2)}${value}`, description);
      }),
    ];
  });
  return `function manager; ${manager} $argv; end\ncomplete -c manager -f\n${lines.join('\n')}\n`;
}

export function completionScript(root: Command, shell: Shell): string {
  const all = completedOf(root, '');
  const manager = `npm --prefix ${quoted(PROJECT)} run -s manager --`;
  if (shell === 'fish') return fishScript(all, manager);
  const script = bashScript(all, manager);
  return shell === 'bash' ? script : `autoload -U +X bashcompinit && bashcompinit\n${script}`;
}

export function completion(root: Command, session: Session): void {
  const added = command(
    root,
    'completion',
    'the script with which a shell completes this command line',
    'completion bash',
  )
    .addArgument(new Argument('<shell>', 'the shell that reads the script').choices(SHELLS))
    .addHelpText('after', ABOUT)
    .action((shell: Shell) => session.terminal.out(completionScript(root, shell)));
  session.needsNoStage(added);
}
