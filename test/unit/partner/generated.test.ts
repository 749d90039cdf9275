import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { reviewedFiles } from '#bin/generate.ts';
import { changelogOf } from '#shared/partner/client/clients.ts';

const stored = (path: string) => readFileSync(join(import.meta.dirname, '../../..', path), 'utf8');

it.each(reviewedFiles())('$path is equal to what `npm run generate` writes', ({ path, text }) => {
  expect(stored(path)).toBe(text);
});

it('changelogOf keeps the news of the next version out of the packages', () => {
  const news = '\n### Próxima versão\n\n- Novo.\n\n### 1.0.0\n\n- [Leads](fluxo.md).\n';
  expect(changelogOf(news, '1.0.0')).toBe('# Novidades\n\n## 1.0.0\n\n- Leads.\n');
  expect(() => changelogOf(news, '1.1.0')).toThrow('1.1.0');
});
