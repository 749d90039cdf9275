import { useEffect, useRef } from 'preact/hooks';
import text from '../help.md';

/** The page for managers: what each screen is for, who may do what, what to do when a partner calls. */
export function Help({ section }: { readonly section: string | undefined }) {
  const article = useRef<HTMLElement>(null);
  useEffect(() => {
    // Our own text, made into HTML when the page was bundled.
    article.current!.innerHTML = text;
  }, []);
  useEffect(() => {
    const target = section ? document.getElementById(section) : article.current?.querySelector('h1');
    if (section) target?.scrollIntoView();
    else scrollTo(0, 0);
    (target as HTMLElement | null | undefined)?.focus({ preventScroll: true });
  }, [section]);
  return <article ref={article} class="help" />;
}
