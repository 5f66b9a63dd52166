/** A table in the making. Knows GFM's table syntax; where its cells come from and what becomes of layout tables is the writer's. */

/** Wider than any table people read; padding every row of a hostile one would multiply its size. */
const MAX_COLUMNS = 64;

export interface Cell {
  markdown: string;
  text: string;
  readonly isHeader: boolean;
}

export class Table {
  readonly rows: Cell[][] = [];
  /** The cell being filled, if any. */
  cell: Cell | null = null;
  /** Holds what no cell of a markdown table can: it is read as a sequence of blocks instead. */
  isLayout = false;

  startRow(): void {
    this.cell = null;
    this.rows.push([]);
  }

  startCell(isHeader: boolean, columns: number): void {
    if (this.rows.length === 0) this.rows.push([]);
    const row = this.rows.at(-1);
    this.cell = { markdown: '', text: '', isHeader };
    row?.push(this.cell);
    for (let extra = 1; extra < Math.min(columns, MAX_COLUMNS); extra++)
      row?.push({ markdown: '', text: '', isHeader });
  }

  /** Several paragraphs of a cell are kept apart by `<br>`, the only line break GFM has there. */
  appendToCell(cell: Cell, markdown: string, text: string): void {
    const oneLine = markdown.includes('\n') ? markdown.replaceAll(/ *\n/g, '<br>') : markdown;
    const safe = oneLine.includes('|') ? oneLine.replaceAll('|', '\\|') : oneLine;
    cell.markdown = cell.markdown === '' ? safe : `${cell.markdown}<br>${safe}`;
    cell.text = cell.text === '' ? text : `${cell.text} ${text}`;
  }

  filledCells(): Cell[] {
    return this.rows.flat().filter((cell) => cell.markdown !== '');
  }

  /** Null where it is no table to a reader: fewer than two columns, or far too many. */
  render(): { markdown: string; text: string } | null {
    const rows = this.rows.filter((row) => row.some((cell) => cell.markdown !== ''));
    const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
    if (columns < 2 || columns > MAX_COLUMNS) return null;
    const line = (row: readonly Cell[]): string => {
      const cells = row.map((cell) => cell.markdown);
      while (cells.length < columns) cells.push('');
      return `| ${cells.join(' | ')} |`;
    };
    const hasHeader = rows[0]?.every((cell) => cell.isHeader) ?? false;
    const [header, ...body] = hasHeader ? rows : [[], ...rows];
    const lines = [line(header ?? []), `|${' --- |'.repeat(columns)}`, ...body.map(line)];
    const text = rows
      .map((row) =>
        row
          .map((cell) => cell.text)
          .join(' ')
          .trim(),
      )
      .join('\n');
    return { markdown: lines.join('\n'), text };
  }
}
