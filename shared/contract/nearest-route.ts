import { editDistance, plainName } from '../domain/values/nearest-name.ts';
import { ROUTES, type Route } from './routes.ts';

/** Characters of a path that are compared; longer ones are near to no route. */
const LONGEST_PATH = 80;

/** A path by its parts, ids as `{id}` and the rest as plain names. */
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
    // A path that only lacks its end is nearer than another word.
    const distance = editDistance(shape, other) / (other.startsWith(`${shape}/`) ? 2 : 1);
    const near = distance * 2 < Math.max(shape.length, other.length);
    if (near && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { route, distance };
  }
  return best?.route;
}

/**
 * The route that an unknown path probably meant: the nearest by edit distance among those that take the method, else among
 * the others. Undefined where none is nearer than half of the longer path. The answer repeats nothing of the path itself.
 */
export function nearestRoute(method: string, path: string): Route | undefined {
  const shape = shapeOf(decoded(path.slice(0, 2 * LONGEST_PATH)));
  if (shape === '' || shape.length > LONGEST_PATH) return undefined;
  const taking = ROUTES.filter((route) => route.method === method);
  return nearestOf(taking, shape) ?? nearestOf(ROUTES, shape);
}
