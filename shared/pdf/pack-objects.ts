import { deflateSync } from 'node:zlib';

// Most objects in one stream. A reader unpacks the whole stream to read one of its objects.
const OBJECTS_IN_A_STREAM = 200;

/** Position of an object: an offset in the file, or an index in an object stream. */
type Place = readonly [type: 1, offset: number, generation: 0] | readonly [type: 2, stream: number, index: number];

/** Level 6 takes twice as long and makes a document only a twelfth smaller. */
export const deflated = (content: Uint8Array): Buffer => deflateSync(content, { level: 4 });

interface Parsed {
  /** The bytes of each object, including its number line and `endobj`, in the order of the file. */
  readonly objects: readonly { readonly number: number; readonly bytes: Buffer }[];
  readonly header: Buffer;
  /** The trailer's entries without Size. */
  readonly trailer: string;
}

function parse(file: Buffer): Parsed {
  const tail = file.toString('latin1', file.lastIndexOf('startxref'));
  const table = Number(/^startxref\s+(\d+)/.exec(tail)?.[1]);
  const [, count, trailer] = /^xref\s+0 (\d+)\n([\s\S]*)$/.exec(file.toString('latin1', table)) ?? [];
  const entries = trailer?.slice(0, Number(count) * 20) ?? '';
  const starts = Array.from(entries.matchAll(/(\d{10}) \d{5} ([nf]) ?\r?\n/g), ([, offset, kind], number) => ({
    number,
    offset: Number(offset),
    kind,
  }))
    .filter(({ kind }) => kind === 'n')
    .sort((a, b) => a.offset - b.offset);
  const dictionary = /trailer\s*<<([\s\S]*?)>>\s*startxref/.exec(trailer ?? '')?.[1];
  const [first] = starts;
  if (!dictionary || !first) throw new Error('not a PDF with a table of cross references');
  return {
    objects: starts.map(({ number, offset }, index) => ({
      number,
      bytes: file.subarray(offset, starts[index + 1]?.offset ?? table),
    })),
    header: file.subarray(0, first.offset),
    trailer: dictionary.replace(/\/Size \d+/, '').trim(),
  };
}

const streamObject = (number: number, dictionary: string, content: Buffer): Buffer => {
  const packed = deflated(content);
  return Buffer.concat([
    Buffer.from(`${number} 0 obj\n<<${dictionary}/Filter/FlateDecode/Length ${packed.length}>>\nstream\n`, 'latin1'),
    packed,
    Buffer.from('\nendstream\nendobj\n', 'latin1'),
  ]);
};

/** Returns an object stream (ISO 32000-1, 7.5.7) with these objects, which must not be streams themselves. */
function objectStream(number: number, objects: Parsed['objects']): Buffer {
  const index: string[] = [];
  let bodies = '';
  for (const object of objects) {
    index.push(`${object.number} ${bodies.length}`);
    bodies += object.bytes
      .toString('latin1')
      .replace(/^\d+ 0 obj\n/, '')
      .replace(/endobj\s*$/, '');
  }
  const head = `${index.join(' ')}\n`;
  const content = Buffer.from(head + bodies, 'latin1');
  return streamObject(number, `/Type/ObjStm/N ${objects.length}/First ${head.length}`, content);
}

/**
 * Compresses small objects, as object streams and a cross-reference stream (PDF 1.5): the tags of a long table are
 * thousands of objects. Accepts only unencrypted documents as pdfkit writes them. Throws an Error for anything else.
 */
export function packObjects(file: Buffer): Buffer {
  const { objects, header, trailer } = parse(file);
  const isStream = ({ bytes }: { readonly bytes: Buffer }) => bytes.includes('\nendstream\nendobj');
  const places = new Map<number, Place>();
  const parts: Buffer[] = [header];
  let length = header.length;
  const append = (number: number, bytes: Buffer) => {
    places.set(number, [1, length, 0]);
    parts.push(bytes);
    length += bytes.length;
  };

  for (const object of objects) if (isStream(object)) append(object.number, object.bytes);
  const small = objects.filter((object) => !isStream(object));
  let next = Math.max(...objects.map(({ number }) => number)) + 1;
  for (let start = 0; start < small.length; start += OBJECTS_IN_A_STREAM) {
    const group = small.slice(start, start + OBJECTS_IN_A_STREAM);
    const number = next++;
    group.forEach((object, index) => {
      places.set(object.number, [2, number, index]);
    });
    append(number, objectStream(number, group));
  }

  const crossReferences = next;
  places.set(crossReferences, [1, length, 0]);
  const rows = Buffer.alloc((crossReferences + 1) * 7);
  for (const [number, [type, where, more]] of places) {
    rows.writeUInt8(type, number * 7);
    rows.writeUInt32BE(where, number * 7 + 1);
    rows.writeUInt16BE(more, number * 7 + 5);
  }
  const dictionary = `/Type/XRef/Size ${crossReferences + 1}/W[1 4 2]\n${trailer}\n`;
  const start = length;
  parts.push(streamObject(crossReferences, dictionary, rows), Buffer.from(`startxref\n${start}\n%%EOF\n`, 'latin1'));
  return Buffer.concat(parts);
}
