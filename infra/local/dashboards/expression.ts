/** Values of a graph, one for each point; undefined where there is none. */
export type Values = readonly (number | undefined)[];

/**
 * Metric math over series of the same length, as much of it as the dashboards use: numbers, + - * /, parentheses,
 * FILL(series, number), and SUM or MAX of [series, ...]. Undefined meets undefined, except in SUM and MAX, which leave
 * it out; what cannot be divided is undefined. Throws an Error that shows what it does not know.
 */
export function evaluate(expression: string, series: Readonly<Record<string, Values>>, length: number): Values {
  const tokens = expression.match(/[A-Za-z_]\w*|\d+(?:\.\d+)?|[-+*/()[\],]/g) ?? [];
  if (tokens.join('') !== expression.replace(/\s+/g, '')) throw new Error(`cannot read ${expression}`);
  let at = 0;
  const fail = (): never => {
    throw new Error(`cannot read ${expression} at ${tokens.slice(at).join(' ') || 'its end'}`);
  };
  const take = (token: string): void => {
    if (tokens[at] !== token) fail();
    at += 1;
  };
  const pairwise = (a: Values, b: Values, work: (x: number, y: number) => number): Values =>
    a.map((x, index) => {
      const y = b[index];
      const made = x === undefined || y === undefined ? Number.NaN : work(x, y);
      return Number.isFinite(made) ? made : undefined;
    });

  function sum(): Values {
    let left = product();
    for (let sign = tokens[at]; sign === '+' || sign === '-'; sign = tokens[at]) {
      at += 1;
      left = pairwise(left, product(), sign === '+' ? (x, y) => x + y : (x, y) => x - y);
    }
    return left;
  }

  function product(): Values {
    let left = atom();
    for (let sign = tokens[at]; sign === '*' || sign === '/'; sign = tokens[at]) {
      at += 1;
      left = pairwise(left, atom(), sign === '*' ? (x, y) => x * y : (x, y) => x / y);
    }
    return left;
  }

  function list(): Values[] {
    take('[');
    const all = [sum()];
    while (tokens[at] === ',') {
      at += 1;
      all.push(sum());
    }
    take(']');
    return all;
  }

  function call(name: string): Values {
    take('(');
    let made: Values;
    if (name === 'FILL') {
      const filled = sum();
      take(',');
      const by = sum();
      made = filled.map((value, index) => value ?? by[index]);
    } else if (name === 'SUM' || name === 'MAX') {
      const all = list();
      made = Array.from({ length }, (_, index) => {
        const there = all.map((one) => one[index]).filter((value) => value !== undefined);
        if (there.length === 0) return undefined;
        return name === 'SUM' ? there.reduce((total, value) => total + value, 0) : Math.max(...there);
      });
    } else return fail();
    take(')');
    return made;
  }

  function atom(): Values {
    const token = tokens[at] ?? fail();
    if (token === '(') {
      at += 1;
      const inner = sum();
      take(')');
      return inner;
    }
    at += 1;
    if (/^\d/.test(token)) return Array.from({ length }, () => Number(token));
    if (tokens[at] === '(') return call(token);
    const known = series[token];
    if (known) return known;
    at -= 1;
    return fail();
  }

  const made = sum();
  return at === tokens.length ? made : fail();
}
