import { expect, it } from 'vitest';
import { packObjects } from '#shared/pdf/pack-objects.ts';
import { Paper } from '#shared/pdf/paper.ts';
import { readPdf } from '#test/makers/pdf-reading.ts';

/** Returns a document as pdfkit writes it, with a table of `rows` rows. */
async function written(rows: number): Promise<Buffer> {
  const paper = new Paper({ title: 'Título', subject: 'Assunto', createdAt: Date.UTC(2026, 0, 1) });
  paper.doc.addPage();
  const table = paper.element(paper.root, 'Table');
  for (let row = 1; row <= rows; row++) {
    const made = paper.element(table, 'TR');
    paper.tagged(made, 'TD', () => paper.text(`linha ${row}`, { size: 6 }, { x: 50, y: 50 + row }));
    paper.tagged(made, 'TD', () =>
      paper.text('endobj ação (x)', { size: 6, weight: 'semibold' }, { x: 250, y: 50 + row }),
    );
    made.end();
  }
  table.end();
  return paper.bytes();
}

it.each([0, 1, 300])('packObjects keeps everything that is read of a document with %d rows', async (rows) => {
  const file = await written(rows);
  expect(await readPdf(packObjects(file))).toEqual(await readPdf(file));
});

it('packObjects writes the position of every object, so that a reader need not repair the file', async () => {
  const packed = packObjects(await written(300)).toString('latin1');
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(packed)![1]);
  expect(packed.slice(start)).toMatch(/^\d+ 0 obj\n<<\/Type\/XRef/);
  expect(packed.match(/\/Type\/XRef/g)).toHaveLength(1);
  expect(packed).not.toMatch(/\nxref\n|\ntrailer\n/);
});

it('packObjects refuses a file without a table of cross references', () => {
  expect(() => packObjects(Buffer.from('%PDF-1.7\nstartxref\n0\n%%EOF\n'))).toThrow('not a PDF with a table');
  expect(() => packObjects(Buffer.from('texto'))).toThrow('not a PDF with a table');
});
