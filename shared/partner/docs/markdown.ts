import { createRequire } from 'node:module';
import { extname } from 'node:path';
import MarkdownIt, { type Token } from 'markdown-it';
import type { JsonObject } from '#shared/contract/fields.ts';
import { clientPackages } from '../client/packages.ts';
import { simulationOf } from '../openapi/examples.ts';
import { glossary, PROGRAMS, pageSource, SAMPLES } from './contents.ts';
import { PLACEHOLDERS } from './facts.ts';
import { withNumbers } from './numbers.ts';
import { exampleNamed, operationNamed } from './openapi-operation.ts';
import { tableNamed } from './tables.ts';

/** highlight.js's own types would bring a browser's globals into the whole project. */
interface Highlighter {
  getLanguage(name: string): unknown;
  highlight(code: string, options: { readonly language: string }): { readonly value: string };
}
const hljs: Highlighter = createRequire(import.meta.url)('highlight.js');

const CAPTIONS: Readonly<Record<string, string>> = { json: 'JSON', text: 'Texto', bash: 'Terminal' };

const LANGUAGES: Readonly<Record<string, readonly [fence: string, label: string]>> = {
  // The language is not `sh`, because `npm run guide` executes `sh` blocks.
  '.sh': ['bash', 'curl'],
  '.ts': ['ts', 'TypeScript'],
  '.mjs': ['js', 'Node.js'],
  '.py': ['python', 'Python'],
  '.php': ['php', 'PHP'],
  '.java': ['java', 'Java'],
  '.cs': ['csharp', 'C#'],
  '.go': ['go', 'Go'],
  '.rb': ['ruby', 'Ruby'],
};

/** Prefix of the name of a file or a framework. It marks a code block as one of several tabs. */
const TAB = 'aba:';

const fenced = (language: string, text: string) => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;

/** Throws an Error if LANGUAGES has no language for the file's extension. */
export function tabbed(file: string, text: string): string {
  const language = LANGUAGES[extname(file)];
  if (!language) throw new Error(`no language for ${file}`);
  const [fence] = language;
  return fenced(`${fence} ${TAB}${file}`, text);
}

/** In the body, a variable for an id becomes 1. */
function bodyOf(block: string): JsonObject {
  const [, body] = new RegExp(`^\`\`\`sh ${block}\n[^\`]*?-d '(\\{.*?\\})'`, 'ms').exec(pageSource('fluxo')) ?? [];
  if (body === undefined) throw new Error(`no shell block ${block} that sends a body`);
  return JSON.parse(body.replace(/'"\$\w+"'/, '1'));
}

/** Returns the text of an include, by the first word in the braces. `which` is the rest. */
const INCLUDES: Readonly<Record<string, (which: string) => string>> = {
  tabela: tableNamed,
  glossario: glossary,
  abas: (part) =>
    PROGRAMS.map(({ file, parts }) => {
      const text = parts[part];
      if (text === undefined) throw new Error(`no part ${part} of a program`);
      return tabbed(file, text);
    }).join('\n\n'),
  amostra: (name) => {
    const text = SAMPLES[name];
    if (text === undefined) throw new Error(`no sample ${name}`);
    return tabbed(name, text);
  },
  exemplo: (which) => {
    const [, name = which, leftOut] = /^(.+) sem (\w+)$/.exec(which) ?? [];
    const shown = (key: string, value: unknown) => (key === leftOut ? undefined : value);
    return fenced('json', JSON.stringify(exampleNamed(name), shown, 2));
  },
  simulada: (names) => {
    const [lead = '', simulation = ''] = names.split(' ');
    const { ok, resultado } = simulationOf(bodyOf(lead), bodyOf(simulation));
    const [first, second] = resultado.resultados;
    return fenced('json', JSON.stringify({ ok, resultado: { ...resultado, resultados: [first, second] } }, null, 2));
  },
  instalar: (command) => {
    const end = command.startsWith('pip') ? '.whl' : '.tgz';
    const newest = clientPackages().find(({ name }) => name.endsWith(end));
    if (!newest) throw new Error(`no package ends in ${end}`);
    return fenced('bash', command.replace('…', `${PLACEHOLDERS.baseUrl}/docs/pacotes/${newest.name}`));
  },
  operacao: (name) => {
    const { method, path, summary } = operationNamed(name);
    return `Na referência: [${summary}](${name}.md), \`${method} ${path}\`.`;
  },
};

/**
 * Fills in the includes, which README.md of this folder lists, and the numbers of the code. Throws an Error if an
 * include does not exist.
 */
export function expand(source: string): string {
  return withNumbers(source).replace(/^\{\{(\w+) (.+)\}\}$/gm, (_, kind: string, which: string) => {
    const include = INCLUDES[kind];
    if (!include) throw new Error(`nothing can be included as ${kind}`);
    return include(which);
  });
}

function slug(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^-|-$/g, '');
}

/** A heading, or a table row with a name. Links and search results can lead to it. */
export interface Section {
  /** Fragment of the address. Empty for the top of the page. */
  readonly id: string;
  readonly title: string;
  /** 1 to 3 for a heading, 4 for a row of a table. */
  readonly level: number;
  /** The text up to the next section. */
  readonly text: string;
}

export interface RenderedPage {
  readonly html: string;
  readonly sections: readonly Section[];
}

const markdown = new MarkdownIt({ html: false, typographer: false });
const escaped = markdown.utils.escapeHtml;

/** Length in characters above which JSON stays plain. Colours make it two to three times as long. */
const LONGEST_COLOURED = 2000;
const isColoured = (code: string, language: string) =>
  hljs.getLanguage(language) && (language !== 'json' || code.length <= LONGEST_COLOURED);

const highlighted = (code: string, language: string): string =>
  (isColoured(code, language) ? hljs.highlight(code, { language }).value : escaped(code))
    .replace(/<span class="hljs-punctuation">([^<]*)<\/span>/g, '$1')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'");

const isTab = (token: Token | undefined) => token?.type === 'fence' && token.info.includes(` ${TAB}`);

function tabName({ info }: Token): string {
  const [, named = ''] = info.split(' ');
  return escaped(named.slice(TAB.length));
}

function linkDownloads(tokens: readonly Token[], href: (link: string) => string): void {
  for (const token of tokens.filter(isTab)) {
    const file = tabName(token);
    if (file in SAMPLES || PROGRAMS.some((program) => program.file === file)) token.attrSet('href', href(file));
  }
}

/** A radio button, its label and its panel: the style sheet shows the panel while its button is chosen. */
function tab(token: Token, tokens: readonly Token[], index: number): string {
  const [language = ''] = token.info.split(' ');
  const file = tabName(token);
  const label = LANGUAGES[extname(file)]?.[1] ?? file;
  const download = token.attrGet('href');
  let first = index;
  while (isTab(tokens[first - 1])) first--;
  const before = first === index ? '<div class="tabs" role="group" aria-label="Linguagem">\n' : '';
  const after = isTab(tokens[index + 1]) ? '' : '</div>\n';
  const id = `aba-${first}-${index}`;
  const choice = `<input type="radio" name="aba-${first}" id="${id}"${first === index ? ' checked' : ''}><label for="${id}">${label}</label>`;
  const title = download === null ? file : `<a href="${download}" download>${file}</a>`;
  const code = `<pre role="group" aria-label="${label}"><code class="hljs">${highlighted(token.content, language)}</code></pre>`;
  return `${before}${choice}<div data-tab="${label}"><figure class="code"><figcaption>${title}</figcaption>${code}</figure></div>\n${after}`;
}

markdown.renderer.rules.fence = (tokens, index) => {
  const token = tokens[index];
  if (!token) return '';
  if (isTab(token)) return tab(token, tokens, index);
  const { info, content } = token;
  const [language = '', name] = info.trim().split(/\s+/);
  const title = escaped(name ?? CAPTIONS[language] ?? language);
  const label = name ?? `Exemplo em ${CAPTIONS[language] ?? language}`;
  return `<figure class="code"><figcaption>${title}</figcaption><pre role="group" aria-label="${escaped(label)}"><code class="hljs">${highlighted(content, language)}</code></pre></figure>\n`;
};
/** Most columns of a table in normal type. A table with more columns is set in smaller type. */
const FEW_COLUMNS = 4;
markdown.renderer.rules.table_open = (tokens, index) => {
  const end = tokens.findIndex(({ type }, at) => at > index && type === 'thead_close');
  const columns = tokens.slice(index, end).filter(({ type }) => type === 'th_open').length;
  const kind = columns > FEW_COLUMNS ? 'table many' : 'table';
  return `<div class="${kind}" tabindex="0" role="group" aria-label="Tabela"><table>\n`;
};
/** Longer code may break, but an operation must not break between its method and its path. */
const SHORT_CODE = 26;
const LONGEST_OPERATION = 40;
const isShort = (code: string) =>
  code.length <= SHORT_CODE || (code.length <= LONGEST_OPERATION && /^[A-Z]+ \//.test(code));
markdown.renderer.rules.code_inline = (tokens, index) => {
  const content = tokens[index]?.content ?? '';
  return `<code${isShort(content) ? '' : ' class="long"'}>${escaped(content)}</code>`;
};
/** Keeps a number on one line with its unit or its currency. */
const withUnits = (text: string) =>
  text.replace(/R\$ (?=\d)/g, 'R$\u00a0').replace(/(?<=\d) (?=(?:%|KiB|h|min|ms|s)(?![\p{L}\d]))/gu, '\u00a0');
markdown.renderer.rules.text = (tokens, index) => escaped(withUnits(tokens[index]?.content ?? ''));
markdown.renderer.rules.table_close = () => '</table></div>\n';

const plain = ({ children, content }: Token): string =>
  (children ?? []).map((child) => (child.type === 'softbreak' ? ' ' : child.content)).join('') || content;

/** Sets ids on headings and named rows, and returns these sections with their text. */
function collect(tokens: readonly Token[]): Section[] {
  const sections: { id: string; title: string; level: number; text: string }[] = [];
  const taken = new Set<string>();
  const add = (token: Token, title: string, level: number) => {
    const id = slug(title);
    if (taken.has(id)) throw new Error(`two sections are called ${title}`);
    taken.add(id);
    if (level > 1) token.attrSet('id', id);
    sections.push({ id: level > 1 ? id : '', title, level, text: '' });
  };
  let named: Token | undefined;
  tokens.forEach((token, index) => {
    const next = tokens[index + 1];
    if (token.type === 'heading_open' && next) {
      named = next;
      add(token, plain(next), Number(token.tag.slice(1)));
    }
    const cell = token.type === 'tr_open' && next?.type === 'td_open' ? tokens[index + 2] : undefined;
    const [name, ...more] = cell?.children ?? [];
    if (name?.type === 'code_inline' && more.length === 0 && !/\s/.test(name.content)) {
      named = cell;
      add(token, name.content, 4);
    }
    const before = tokens[index - 1]?.type;
    // A part of a program would be found by every name in it; heads of columns only repeat the cells.
    const isFound = (token.type === 'fence' && !isTab(token)) || (token.type === 'inline' && before !== 'th_open');
    const current = sections.at(-1);
    if (isFound && current && token !== named) {
      current.text += `${plain(token).replace(/^\[ \] /, '')}${before === 'td_open' ? ' · ' : ' '}`;
    }
  });
  return sections;
}

function markTasks(tokens: readonly Token[]): void {
  tokens.forEach((token, index) => {
    const first = token.type === 'list_item_open' ? tokens[index + 2]?.children?.[0] : undefined;
    if (first?.type !== 'text' || !first.content.startsWith('[ ] ')) return;
    first.content = first.content.replace('[ ]', '☐');
    token.attrSet('class', 'task');
  });
}

/** Sets the name of its column on each cell: narrow windows show rows as cards, without the table's head. */
function labelCells(tokens: readonly Token[]): void {
  let head: string[] = [];
  let column = 0;
  tokens.forEach((token, index) => {
    if (token.type === 'table_open') head = [];
    if (token.type === 'tr_open') column = 0;
    const next = tokens[index + 1];
    if (token.type === 'th_open' && next) head.push(plain(next));
    if (token.type !== 'td_open') return;
    token.attrSet('data-label', head[column] ?? '');
    column++;
  });
}

/** `href` turns a link into the address to write (hrefFrom). */
export function render(source: string, href: (link: string) => string): RenderedPage {
  const tokens = markdown.parse(source, {});
  const sections = collect(tokens);
  labelCells(tokens);
  markTasks(tokens);
  linkDownloads(tokens, href);
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    const link = token.type === 'link_open' ? token.attrGet('href') : null;
    if (link) token.attrSet('href', href(String(link)));
  }
  return { html: markdown.renderer.render(tokens, markdown.options, {}), sections };
}
