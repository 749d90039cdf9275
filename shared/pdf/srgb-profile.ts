// The ICC profile that says what the document's red, green and blue mean: sRGB (IEC 61966-2-1), written out as ICC.1:2004
// (version 4.2) asks of a display profile of three curves and a matrix. The profile is small enough to be made here, so
// that no file has to be found at run time and nobody else's copyright travels with the documents.

/** Chromaticities x, y of the primaries and of the white (D65): IEC 61966-2-1, table 1. */
const PRIMARIES = { red: [0.64, 0.33], green: [0.3, 0.6], blue: [0.15, 0.06], white: [0.3127, 0.329] } as const;
/** White of the profile connection space (D50): ICC.1:2004, 7.2.16. */
const D50 = [0.9642, 1, 0.8249] as const;
/** The Bradford cone responses: ICC.1:2004, annex E. */
const BRADFORD = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
] as const;

type Vector = readonly number[];
type Matrix = readonly Vector[];

const times = (matrix: Matrix, vector: Vector): Vector =>
  matrix.map((row) => row.reduce((sum, factor, index) => sum + factor * vector[index]!, 0));

const transpose = (matrix: Matrix): Matrix => matrix[0]!.map((_, column) => matrix.map((row) => row[column]!));

const product = (left: Matrix, right: Matrix): Matrix =>
  transpose(transpose(right).map((column) => times(left, column)));

function inverse([a, b, c]: Matrix): Matrix {
  const cross = (u: Vector, v: Vector): Vector => [
    u[1]! * v[2]! - u[2]! * v[1]!,
    u[2]! * v[0]! - u[0]! * v[2]!,
    u[0]! * v[1]! - u[1]! * v[0]!,
  ];
  const columns = [cross(b!, c!), cross(c!, a!), cross(a!, b!)];
  const determinant = a!.reduce((sum, value, index) => sum + value * columns[0]![index]!, 0);
  return transpose(columns.map((column) => column.map((value) => value / determinant)));
}

/** X, Y, Z of a chromaticity at Y = 1. */
const tristimulus = ([x, y]: readonly [number, number]): Vector => [x / y, 1, (1 - x - y) / y];

/** What takes colours seen under D65 to what they are under D50. */
function adaptation(): Matrix {
  const seen = times(BRADFORD, tristimulus(PRIMARIES.white));
  const wanted = times(BRADFORD, D50);
  const scale = wanted.map((cone, index) => wanted.map((_, other) => (index === other ? cone / seen[index]! : 0)));
  return product(inverse(BRADFORD), product(scale, BRADFORD));
}

/** X, Y, Z under D50 of full red, green and blue. */
function colorants(): Matrix {
  const primaries = [PRIMARIES.red, PRIMARIES.green, PRIMARIES.blue].map(tristimulus);
  const amounts = times(inverse(transpose(primaries)), tristimulus(PRIMARIES.white));
  const adapt = adaptation();
  return primaries.map((primary, index) =>
    times(
      adapt,
      primary.map((value) => value * amounts[index]!),
    ),
  );
}

const fixed = (values: Vector): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => {
    bytes.writeInt32BE(Math.round(value * 65_536), index * 4);
  });
  return bytes;
};

const typed = (type: string, ...parts: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.from(type, 'latin1'), Buffer.alloc(4), ...parts]);

/** One text in one language (multiLocalizedUnicodeType). */
function text(words: string): Buffer {
  const letters = Buffer.from(words, 'utf16le').swap16();
  const head = Buffer.alloc(20);
  [1, 12, 0, letters.length, 28].forEach((value, index) => {
    if (index === 2) head.write('enUS', 8, 'latin1');
    else head.writeUInt32BE(value, index * 4);
  });
  return typed('mluc', head, letters);
}

/** From 0 to 1: below 0.04045 a line, above it a power (IEC 61966-2-1, 5.2; parametricCurveType 3). */
const CURVE = typed('para', Buffer.from([0, 3, 0, 0]), fixed([2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]));

function header(length: number): Buffer {
  const bytes = Buffer.alloc(128);
  bytes.writeUInt32BE(length, 0);
  bytes.writeUInt32BE(0x0420_0000, 8);
  bytes.write('mntrRGB XYZ ', 12, 'latin1');
  // The day of the profile: it never changes, so that the same record gives the same document.
  [2026, 11, 21].forEach((value, index) => {
    bytes.writeUInt16BE(value, 24 + index * 2);
  });
  bytes.write('acsp', 36, 'latin1');
  fixed(D50).copy(bytes, 68);
  return bytes;
}

/** The bytes of the profile: the same every time. */
export function srgbProfile(): Buffer {
  const [red, green, blue] = colorants();
  const tags: readonly (readonly [string, Buffer])[] = [
    ['desc', text('sRGB IEC61966-2.1')],
    ['cprt', text('No copyright, use freely')],
    ['wtpt', typed('XYZ ', fixed(D50))],
    ['chad', typed('sf32', fixed(adaptation().flat()))],
    ['rXYZ', typed('XYZ ', fixed(red!))],
    ['gXYZ', typed('XYZ ', fixed(green!))],
    ['bXYZ', typed('XYZ ', fixed(blue!))],
    ['rTRC', CURVE],
    ['gTRC', CURVE],
    ['bTRC', CURVE],
  ];
  const table = Buffer.alloc(4 + tags.length * 12);
  table.writeUInt32BE(tags.length, 0);
  const parts: Buffer[] = [];
  const places = new Map<Buffer, number>();
  let offset = 128 + table.length;
  tags.forEach(([name, content], index) => {
    // Tags with the same content share its place.
    if (!places.has(content)) {
      places.set(content, offset);
      const padded = Buffer.concat([content, Buffer.alloc(-content.length & 3)]);
      parts.push(padded);
      offset += padded.length;
    }
    table.write(name, 4 + index * 12, 'latin1');
    table.writeUInt32BE(places.get(content)!, 8 + index * 12);
    table.writeUInt32BE(content.length, 12 + index * 12);
  });
  return Buffer.concat([header(offset), table, ...parts]);
}
