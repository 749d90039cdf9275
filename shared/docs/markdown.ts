import { createRequire } from 'node:module';
import { extname } from 'node:path';
import MarkdownIt, { type Token } from 'markdown-it';
import { SAMPLES } from './contents.ts';
import { TABLES } from './tables.ts';

// Its own types bring a browser's globals into the whole project.
const hljs = createRequire(import.meta.url)('highlight.js') as {
  getLanguage(name: string): unknown;
  highlight(code: string, options: { readonly language: string }): { readonly value: string };
};

const LANGUAGES: Readonly<Record<string, string>> = {
  '.sh': 'sh',
  '.mjs': 'js',
  '.py': 'python',
  '.php': 'php',
  '.java': 'java',
  '.cs': 'csharp',
};

/**
 * The plain Markdown of a page: `{{tabela nome}}` becomes a derived table and `{{amostra arquivo}}` the file itself, so
 * that what is read is what tests run. Throws where there is no such table or file.
 */
export function expand(source: string): string {
  return source.replace(/^\{\{(tabela|amostra) (\S+)\}\}$/gm, (_, kind: string, name: string) => {
    if (kind === 'tabela') {
      const make = TABLES[name];
      if (!make) throw new Error(`no table ${name}`);
      return make();
    }
    const text = SAMPLES[name];
    if (text === undefined) throw new Error(`no sample ${name}`);
    return `\`\`\`${LANGUAGES[extname(name)]} ${name}\n${text.trimEnd()}\n\`\`\``;
  });
}

/** The part of an address after #, from a heading or a name. */
export function slug(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^-|-$/g, '');
}

/** A heading or a named row of a table: what a link can lead to. */
export interface Section {
  /** Part of the address after #; empty for the top of the page. */
  readonly id: string;
  readonly title: string;
  /** 1 to 3; 4 for a row of a table. */
  readonly level: number;
  /** What is said below it, up to the next. */
  readonly text: string;
}

export interface RenderedPage {
  readonly html: string;
  readonly sections: readonly Section[];
}

const markdown = new MarkdownIt({ html: false, typographer: false });
const escaped = markdown.utils.escapeHtml;

function highlighted(code: string, language: string): string {
  return hljs.getLanguage(language) ? hljs.highlight(code, { language }).value : escaped(code);
}

/** What renderer rules know of the page. */
interface Environment {
  readonly href: (link: string) => string;
}

markdown.renderer.rules.fence = (tokens, index, _, environment) => {
  const { href } = environment as unknown as Environment;
  const { info, content } = tokens[index]!;
  const [language = '', name] = info.trim().split(/\s+/);
  const title = name ? `<figcaption><a href="${href(name)}" download>${escaped(name)}</a></figcaption>` : '';
  const label = name ?? `exemplo em ${language || 'texto'}`;
  return `<figure class="code">${title}<pre tabindex="0" role="region" aria-label="${escaped(label)}"><code class="hljs">${highlighted(content, language)}</code></pre></figure>\n`;
};
markdown.renderer.rules.table_open = () =>
  '<div class="table" tabindex="0" role="region" aria-label="Tabela"><table>\n';
markdown.renderer.rules.table_close = () => '</table></div>\n';

const plain = ({ children, content }: Token): string =>
  (children ?? []).map((child) => (child.type === 'softbreak' ? ' ' : child.content)).join('') || content;

/** Gives headings, and rows that begin with a name in code, an id that links can lead to; collects what stands below each. */
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
  tokens.forEach((token, index) => {
    if (token.type === 'heading_open') add(token, plain(tokens[index + 1]!), Number(token.tag.slice(1)));
    const name =
      token.type === 'tr_open' && tokens[index + 1]?.type === 'td_open' ? tokens[index + 2]?.children : undefined;
    if (name?.length === 1 && name[0]!.type === 'code_inline' && !/\s/.test(name[0]!.content))
      add(token, name[0]!.content, 4);
    const told = token.type === 'inline' || token.type === 'fence';
    const current = sections.at(-1);
    if (told && current && tokens[index - 1]?.type !== 'heading_open') current.text += `${plain(token)} `;
  });
  return sections;
}

/** A page's HTML and its sections. `href` gives the address of a link as this page must write it. */
export function render(source: string, href: (link: string) => string): RenderedPage {
  const tokens = markdown.parse(source, {});
  const sections = collect(tokens);
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    const link = token.type === 'link_open' ? token.attrGet('href') : null;
    if (link) token.attrSet('href', href(String(link)));
  }
  return { html: markdown.renderer.render(tokens, markdown.options, { href } satisfies Environment), sections };
}
