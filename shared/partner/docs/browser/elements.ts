/** Throws an Error unless the first element that matches is of this kind. */
export function elementAt<T extends HTMLElement>(selector: string, kind: new () => T): T {
  const found = document.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`no element ${selector}`);
  return found;
}

/** Throws an Error if the element has no such attribute. */
export function dataOf({ dataset }: HTMLElement, name: string): string {
  const value = dataset[name];
  if (value === undefined) throw new Error(`no data-${name}`);
  return value;
}
