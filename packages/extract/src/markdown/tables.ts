/** Which tables are tables, and what their rows are. */
import { attribute, type Element } from '../dom/node.ts';
import type { Alignment, CellPlace } from './table.ts';

export interface TableCell extends CellPlace {
  readonly element: Element;
}

/** In a cell of a table for reading there are not more paragraphs than this, unless the table has a header. */
const MAX_PARAGRAPHS = 3;
/** Of a cell that is data in any table, in characters. */
const MAX_SHORT = 300;
/** javadoc lays its summaries out as a grid of `<div>`s. */
const COLUMNS_OF_DIVS = /(?:^|\s)(two|three|four)-column-(?:summary|release-summary)(?:\s|$)/;
const COLUMN_COUNTS: Readonly<Record<string, number>> = { two: 2, three: 3, four: 4 };

/** Tables that arrange a page rather than data. Does not look into nested tables: who asks knows of those. */
export function isLayoutTable(table: Element): boolean {
  const role = attribute(table, 'role');
  if (role === 'presentation' || role === 'none') return true;
  const rows = tableRows(table);
  const widest = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const hasHeader = rows.some((row) => row.some((cell) => cell.isHeader));
  if (hasHeader) return false;
  if (widest < 2 || (rows.length < 2 && !rows.some((row) => row.every(isShort)))) return true;
  return rows.some((row) => row.some((cell) => paragraphs(cell.element) > MAX_PARAGRAPHS));
}

/** The rows of this table, in order, those of tables inside not included. */
export function tableRows(table: Element): TableCell[][] {
  const rows: TableCell[][] = [];
  collectRows(table, rows);
  return rows;
}

export const isTableOfDivs = (element: Element, className: string): boolean =>
  element.name === 'div' && className.includes('-column-') && COLUMNS_OF_DIVS.test(className);

export function tableOfDivs(element: Element): TableCell[][] {
  const width = COLUMN_COUNTS[COLUMNS_OF_DIVS.exec(attribute(element, 'class') ?? '')?.[1] ?? ''] ?? 2;
  const rows: TableCell[][] = [];
  for (const cell of element.children) {
    if (cell.tag === null || cell.isDropped) continue;
    let row = rows.at(-1);
    if (row === undefined || row.length === width) {
      row = [];
      rows.push(row);
    }
    const isHeader = /(?:^|\s)table-header(?:\s|$)/.test(attribute(cell, 'class') ?? '');
    row.push({ element: cell, isHeader, columns: 1, rows: 1, align: null });
  }
  return rows;
}

function collectRows(parent: Element, rows: TableCell[][]): void {
  for (const child of parent.children) {
    if (child.tag === null || child.isDropped) continue;
    if (child.tag.kind === 'row') rows.push(cellsOf(child));
    else if (child.name === 'tbody' || child.name === 'thead' || child.name === 'tfoot') collectRows(child, rows);
    else if (child.tag.kind === 'cell') {
      // A cell without a row makes one.
      rows.push([cellOf(child)]);
    }
  }
}

function cellsOf(row: Element): TableCell[] {
  const cells: TableCell[] = [];
  for (const child of row.children) {
    if (child.tag !== null && child.tag.kind === 'cell' && !child.isDropped) cells.push(cellOf(child));
  }
  return cells;
}

const cellOf = (element: Element): TableCell => ({
  element,
  isHeader: element.name === 'th',
  columns: span(element, 'colspan'),
  rows: span(element, 'rowspan'),
  align: alignment(element),
});

const span = (element: Element, name: string): number => Number.parseInt(attribute(element, name) ?? '1', 10) || 1;

const ALIGNED = /(?:^|[\s:;])(?:text-align:\s*|h?align-|text-)?(left|center|right)(?:[\s;]|$)/;

function alignment(cell: Element): Alignment | null {
  const { align, style, class: className } = cell.attribs;
  const said = align ?? (style?.includes('text-align') ? style : className);
  return said === undefined ? null : ((ALIGNED.exec(said.toLowerCase())?.[1] as Alignment | undefined) ?? null);
}

/** Fits on a line, and has no blocks inside: one row of such cells is data, of others layout. */
function isShort({ element }: TableCell): boolean {
  let length = 0;
  const isFlat = (node: Element): boolean =>
    node.children.every((child) => {
      if (child.tag === null) {
        length += child.data.length;
        return true;
      }
      return (child.tag.isPhrasing || child.name === 'p') && isFlat(child);
    });
  return isFlat(element) && length < MAX_SHORT;
}

function paragraphs(cell: Element): number {
  let count = 0;
  for (const child of cell.children) if (child.tag !== null && child.name === 'p') count++;
  return count;
}
