/** A table in the making. Knows GFM's table syntax; where its cells come from, and which tables are only layout, is the renderer's. */

/** Wider than any table people read; padding every row of a hostile one would multiply its size. */
const MAX_COLUMNS = 64;
const MAX_ROWSPAN = 1000;

export type Alignment = 'left' | 'center' | 'right';

export interface CellPlace {
  readonly isHeader: boolean;
  readonly columns: number;
  readonly rows: number;
  readonly align: Alignment | null;
}

const RULES: Readonly<Record<Alignment, string>> = { left: ':---', center: ':---:', right: '---:' };

export interface Cell {
  markdown: string;
  text: string;
  readonly isHeader: boolean;
  readonly align: Alignment | null;
}

export class Table {
  readonly #rows: Cell[][] = [];
  /** For each column, in how many rows to come a cell from above takes its place. */
  readonly #taken: number[] = [];
  #row: Cell[] = [];
  /** The cell being filled, if any. */
  cell: Cell | null = null;

  startRow(): void {
    this.cell = null;
    this.#row = [];
    this.#rows.push(this.#row);
    this.#skipTaken();
  }

  startCell({ isHeader, columns, rows, align }: CellPlace): void {
    if (this.#rows.length === 0) this.startRow();
    const row = this.#row;
    const below = Math.min(Math.max(rows, 1), MAX_ROWSPAN) - 1;
    this.cell = { markdown: '', text: '', isHeader, align };
    const width = Math.min(Math.max(columns, 1), MAX_COLUMNS);
    for (let at = 0; at < width; at++) {
      if (below > 0) this.#taken[row.length] = below;
      row.push(at === 0 ? this.cell : { markdown: '', text: '', isHeader, align });
    }
    this.#skipTaken();
  }

  /** Several blocks of a cell are kept apart by `<br>`, the only line break GFM has there. */
  appendToCell(cell: Cell, markdown: string, text: string): void {
    const oneLine = markdown.includes('\n') ? markdown.replaceAll(/ *\n */g, '<br>') : markdown;
    const safe = oneLine.includes('|') ? oneLine.replaceAll('|', '\\|') : oneLine;
    cell.markdown = cell.markdown === '' ? safe : `${cell.markdown}<br>${safe}`;
    cell.text = cell.text === '' ? text : `${cell.text} ${text}`;
  }

  /** Null where it is no table to a reader: nothing in it, or far too many columns. */
  render(): { markdown: string; text: string } | null {
    const rows = this.#rows.filter((row) => row.some((cell) => cell.markdown !== ''));
    const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
    if (columns < 1 || columns > MAX_COLUMNS) return null;
    const line = (row: readonly Cell[]): string => {
      let markdown = '|';
      for (let at = 0; at < columns; at++) markdown += ` ${row[at]?.markdown ?? ''} |`;
      return markdown;
    };
    const hasHeader = rows[0]?.every((cell) => cell.isHeader) ?? false;
    const [header, ...body] = hasHeader ? rows : [[], ...rows];
    const lines = [line(header ?? []), ruleLine(rows, columns), ...body.map(line)];
    const text = rows
      .map((row) =>
        row
          .filter((cell) => cell.text !== '')
          .map((cell) => cell.text)
          .join(' '),
      )
      .join('\n');
    return { markdown: lines.join('\n'), text };
  }

  filledCells(): Cell[] {
    return this.#rows.flat().filter((cell) => cell.markdown !== '');
  }

  #skipTaken(): void {
    for (;;) {
      const left = this.#taken[this.#row.length] ?? 0;
      if (left === 0 || this.#row.length >= MAX_COLUMNS) return;
      this.#taken[this.#row.length] = left - 1;
      this.#row.push({ markdown: '', text: '', isHeader: false, align: null });
    }
  }
}

/** A column is aligned as its first cells are. */
function ruleLine(rows: readonly (readonly Cell[])[], columns: number): string {
  let rule = '|';
  for (let at = 0; at < columns; at++) {
    const align = rows[0]?.[at]?.align ?? rows[1]?.[at]?.align ?? null;
    rule += ` ${align === null ? '---' : RULES[align]} |`;
  }
  return rule;
}
