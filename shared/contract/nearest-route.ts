import { editDistance, plainName } from '../domain/values/nearest-name.ts';
import { ROUTES, type Route } from './routes.ts';

/** Number of characters. A longer path has no nearest route. */
const LONGEST_PATH = 80;

/** Returns a path in the form in which paths are compared: `#` for an id, a plain name for each other part. */
const shapeOf = (path: string) =>
  path
    .split('/')
    .filter((part) => part !== '')
    .map((part) => (/^(\d+|\{id\}|evt_\w+)$/.test(part) ? '#' : plainName(part)))
    .join('/');

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function nearestOf(routes: readonly Route[], shape: string): Route | undefined {
  let best: { readonly route: Route; readonly distance: number } | undefined;
  for (const route of routes) {
    const other = shapeOf(route.path);
    // A path that only lacks its end counts as nearer than a path with another word. A path with an id means no list.
    const nearer = other.startsWith(`${shape}/`) ? 2 : 1;
    const farther = shape.includes('#') && !other.includes('#') ? 2 : 1;
    const distance = (editDistance(shape, other) * farther) / nearer;
    const near = distance * 2 < Math.max(shape.length, other.length);
    if (near && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { route, distance };
  }
  return best?.route;
}

/**
 * Returns the nearest route by edit distance with this method, else among all. Undefined if every route differs in half
 * of the longer path's characters or more.
 */
export function nearestRoute(method: string, path: string): Route | undefined {
  const shape = shapeOf(decoded(path.slice(0, 2 * LONGEST_PATH)));
  if (shape === '' || shape.length > LONGEST_PATH) return undefined;
  const taking = ROUTES.filter((route) => route.method === method);
  return nearestOf(taking, shape) ?? nearestOf(ROUTES, shape);
}
