/** Marks, in the list of the page's sections, the one that is being read. */
export function followReading(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.parts a')];
  const headings = links.map((link) => document.getElementById(link.hash.slice(1))!);
  if (headings.length === 0) return;

  function mark(): void {
    // The lowest heading above the upper third of the window; at the page's end, the last.
    const line = innerHeight / 3;
    const above = headings.filter((heading) => heading.getBoundingClientRect().top <= line).length;
    const atEnd = scrollY > 0 && scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
    const current = atEnd ? headings.length - 1 : above - 1;
    links.forEach((link, index) => {
      if (index === current) link.setAttribute('aria-current', 'location');
      else link.removeAttribute('aria-current');
    });
  }

  let waiting = false;
  addEventListener(
    'scroll',
    () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        mark();
      });
    },
    { passive: true },
  );
  mark();
}
