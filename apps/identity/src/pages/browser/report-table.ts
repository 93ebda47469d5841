import { markPartial, type ReportView } from './report-view.js';

/** Creates the table of a report, whose first column names the rows. */
export function createTable(
  { table: { columns, rows }, partialFrom = rows.length }: ReportView,
  title: string,
): HTMLElement {
  const table = document.createElement('table');
  const caption = table.createCaption();
  caption.className = 'visually-hidden';
  caption.textContent = title;
  const head = table.createTHead().insertRow();
  for (const column of columns) head.append(createHeader(column, 'col'));
  const body = table.createTBody();
  for (const [index, [first = '', ...cells]] of rows.entries()) {
    const row = body.insertRow();
    row.append(createHeader(index < partialFrom ? first : markPartial(first), 'row'));
    for (const cell of cells) row.insertCell().textContent = cell;
  }
  const scroll = document.createElement('div');
  scroll.className = 'scroll numbers';
  scroll.tabIndex = 0;
  scroll.setAttribute('role', 'region');
  scroll.setAttribute('aria-label', `Table of ${title}`);
  scroll.append(table);
  return scroll;
}

function createHeader(text: string, scope: 'col' | 'row'): HTMLElement {
  const header = document.createElement('th');
  header.scope = scope;
  header.textContent = text;
  return header;
}
