/**
 * Everything that comments, documents and texts refer to is in this repository: files, folders, sections, numbered
 * rows, links and npm scripts. The pages of the partners' documentation are left out. They name files
 * as the service serves them, which test/service/docs/site.test.ts checks.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, it } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '../..');
const TOP = '{bin,functions,infra,shared,test}/**/*';
const FILES = globSync(['*', TOP, '.ci/*'], {
  cwd: ROOT,
  exclude: (path) => /(^|\/)(node_modules|\.local|__pycache__|dist|cdk\.out)(\/|$)/.test(path),
});
const TEXTS = FILES.filter((file) => /\.(md|tsx?|mjs|py|css|ya?ml|toml|html)$|^\.ci\//.test(file));
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const isPage = (file: string) => file.startsWith('shared/partner/docs/pages/');
const DOCUMENTS = TEXTS.filter((file) => file.endsWith('.md') && !isPage(file));
const CODE = TEXTS.filter((file) => !file.endsWith('.md'));

/** Files that exist only after a build. */
const BUILT = ['index.mjs'];

/** The ends of all paths: both `pricing/rate.ts` and `rate.ts` name the same file. */
const ENDINGS = new Set(
  FILES.flatMap((file) => {
    const parts = file.split('/');
    return parts.map((_, start) => parts.slice(start).join('/'));
  }),
);

/** Returns the path of a file that the text of another file names. Undefined if there is none. */
function fileNamed(name: string, from: string): string | undefined {
  const bare = name.replace(/^(\.\.?\/)+/, '');
  const candidates = [posix.join(posix.dirname(from), name), bare];
  const found = candidates.find((path) => FILES.includes(path));
  if (found !== undefined) return found;
  return ENDINGS.has(bare) || BUILT.includes(bare)
    ? (FILES.find((path) => path.endsWith(`/${bare}`)) ?? bare)
    : undefined;
}

/** A comment in code. */
const COMMENT = /(?<=^|\s)\/\*[\s\S]*?\*\/|(?<=^|\s)(?:\/\/|#) .*(?:\n\s*(?:\/\/|#).*)*/gm;
const joined = (comment: string) => comment.replace(/\n\s*(?:\*(?!\/)|\/\/|#)?\s*/g, ' ');
/** Returns what a file says to its readers: the whole of a document, the comments of code. */
const said = (file: string): string => {
  const text = textOf(file);
  if (file.endsWith('.md')) return text.replace(/\n(?=\S)| {2,}/g, ' ');
  return [...text.matchAll(COMMENT)].map(([comment]) => joined(comment)).join('\n');
};
const SAID = new Map([...DOCUMENTS, ...CODE].map((file) => [file, said(file)]));

/**
 * The name of a file in a text. A name with a placeholder (`<bank>.ts`, `*.test.ts`, `${name}.ts`) is a
 * pattern, and does not match.
 */
const NAME = /(?<![\w@/.<>*{}$~-])((?:\.{1,2}\/)*[\w.-]+(?:\/[\w.-]+)*\.(?:md|tsx?|mjs|py|ya?ml|css))(?![\w*>-]|\.\w)/g;

it('every file that a comment or a document names exists', () => {
  const names = [...SAID].flatMap(([from, text]) =>
    [...text.matchAll(NAME)].map(([, name]) => ({ from, name: name! })),
  );
  expect(names.length).toBeGreaterThan(500);
  const missing = names.filter(({ from, name }) => fileNamed(name, from) === undefined);
  expect(missing.map(({ from, name }) => `${from} names ${name}`)).toEqual([]);
});

it('every document that a sentence in code names exists', () => {
  const names = CODE.flatMap((from) =>
    [
      ...textOf(from)
        .replace(COMMENT, '')
        .matchAll(/(?<= |\()([\w./-]+\.md)\b/g),
    ].map(([, name]) => ({ from, name: name! })),
  );
  expect(names.length).toBeGreaterThan(3);
  const missing = names.filter(({ from, name }) => fileNamed(name, from) === undefined);
  expect(missing.map(({ from, name }) => `${from} names ${name}`)).toEqual([]);
});

it('no title of a dashboard names a file', () => {
  const boards = FILES.filter((file) => /^infra\/dashboards(\/.*)?\.ts$/.test(file));
  expect(boards.length).toBeGreaterThan(3);
  const code = boards.map((file) =>
    textOf(file)
      .replace(COMMENT, '')
      .replace(/^(import|\} from) .*$/gm, ''),
  );
  expect(code.flatMap((text) => text.match(/[\w/-]+\.(md|ts)\b/g) ?? [])).toEqual([]);
});

it('every folder that a document names exists', () => {
  const names = DOCUMENTS.flatMap((from) =>
    [...textOf(from).matchAll(/`((?:[\w.-]+\/)+)`/g)].map(([, name]) => ({ from, name: name! })),
  ).filter(({ name }) => name !== '.local/');
  expect(names.length).toBeGreaterThan(30);
  const isThere = (from: string, name: string) =>
    existsSync(join(ROOT, posix.dirname(from), name)) || FILES.some((file) => `/${file}`.includes(`/${name}`));
  const missing = names.filter(({ from, name }) => !isThere(from, name));
  expect(missing.map(({ from, name }) => `${from} names ${name}`)).toEqual([]);
});

/** Returns the headings of a document. */
const headings = (file: string) => [...textOf(file).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!.trim());
/** Returns the anchor that a heading gets when a document is rendered. */
const anchor = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

it('every link of a document leads to a file and a heading', () => {
  const links = DOCUMENTS.flatMap((from) =>
    [...textOf(from).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => ({ from, link: link! })),
  ).filter(({ link }) => !/^(https?|mailto):/.test(link));
  expect(links.length).toBeGreaterThan(50);
  const isBroken = ({ from, link }: { from: string; link: string }) => {
    const [path, hash] = link.split('#') as [string, string | undefined];
    const target = path === '' ? from : posix.join(posix.dirname(from), path);
    if (!existsSync(join(ROOT, target))) return true;
    return hash !== undefined && !headings(target).map(anchor).includes(hash);
  };
  expect(links.filter(isBroken).map(({ from, link }) => `${from} links to ${link}`)).toEqual([]);
});

/** Whether a document has the section that a text names: a heading, numbered rows, or a day of its decisions. */
function hasSection(file: string, section: string): boolean {
  const rows = /^(?:rule|budget|fact)s? (\d+(?:(?:, | and | to )\d+)*)/.exec(section)?.[1];
  if (rows !== undefined) {
    const numbers = rows.split(/, | and | to /);
    return numbers.every((number) => new RegExp(`^\\| ${number} \\|`, 'm').test(textOf(file)));
  }
  const day = /^\d{4}-\d{2}-\d{2}/.exec(section)?.[0];
  if (day !== undefined) return textOf(file).includes(day);
  return headings(file).some((heading) => section.startsWith(heading));
}

/** A document with a section: `infra/README.md, People`, `RUNBOOK, release`, `test/bench/README.md, budget 8`. */
const SECTION = /(?<![\w/.])((?:[\w./-]+\.md)|RUNBOOK), (?!`|\[|and |or |[\w./-]+\.md\b)(?=([^\n]{1,80}))/g;

it('every section, rule, budget or fact that is named with a document is in that document', () => {
  const named = [...SAID].flatMap(([from, text]) =>
    [...text.matchAll(SECTION)].map(([, name, section]) => {
      const file = name === 'RUNBOOK' ? 'infra/RUNBOOK.md' : name!;
      return { from, file, section: section! };
    }),
  );
  expect(named.length).toBeGreaterThan(30);
  const missing = named.filter(({ from, file: name, section }) => {
    const file = fileNamed(name, from);
    return file !== undefined && !hasSection(file, section);
  });
  expect(missing.map(({ from, file, section }) => `${from} names ${file}, ${section}`)).toEqual([]);
});

it('every vector of the README on pricing has a test of its id', () => {
  const folder = 'test/unit/domain/simulations/pricing/';
  const tests = TEXTS.filter((file) => file.startsWith(folder)).map(textOf);
  const vectors = [...textOf('shared/domain/simulations/pricing/README.md').matchAll(/^\| (P\d+) \|/gm)];
  expect(vectors.length).toBeGreaterThan(10);
  const untested = vectors.filter(([, id]) => !tests.some((text) => text.includes(`${id}: `)));
  expect(untested.map(([, id]) => id)).toEqual([]);
});

it('every npm script that a text names is in package.json', () => {
  const scripts = Object.keys(packageFile.scripts);
  const groups = new Set(scripts.filter((name) => name.includes(':')).map((name) => name.split(':')[0]!));
  const short = new RegExp(`\`((?:${[...groups].join('|')}):[\\w-]+)`, 'g');
  const named = TEXTS.flatMap((from) => {
    const text = textOf(from);
    const run = [...text.matchAll(/npm run (?:-s )?([a-z]+(?:[:-][a-z]+)*)/g)];
    return [...run, ...text.matchAll(short)].map(([, script]) => ({ from, script: script! }));
  });
  expect(named.length).toBeGreaterThan(150);
  const missing = named.filter(({ script }) => !scripts.includes(script));
  expect(missing.map(({ from, script }) => `${from} names npm run ${script}`)).toEqual([]);
});
