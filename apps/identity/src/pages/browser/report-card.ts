import { toCssColor } from './chart-colors.js';
import { drawChart } from './report-chart.js';
import { type ReportView, type Series, markPartial } from './report-view.js';
import { splitBars } from './split-by-magnitude.js';

/** Creates the table of a report, whose first column names the rows. */
function createTable(
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

/** The card of one report on the page. */
export class ReportCard {
  private readonly content: HTMLElement;
  private readonly title: string;
  private chart: { destroy: () => void } | undefined;
  private view: ReportView | undefined;

  constructor(private readonly section: HTMLElement) {
    const content = section.querySelector<HTMLElement>('.chart-content');
    if (!content) throw new Error('A card has content');
    this.content = content;
    this.title = section.querySelector('h2')?.textContent ?? '';
  }

  show(view: ReportView): void {
    this.view = view;
    this.setDownloadHidden(false);
    this.draw();
    this.section.ariaBusy = 'false';
  }

  private setDownloadHidden(isHidden: boolean): void {
    const link = this.section.querySelector<HTMLElement>('.chart-title a');
    if (link) link.hidden = isHidden;
  }

  /** Draws the chart in the colors of the page. */
  draw(): void {
    const { view } = this;
    if (!view) return;
    this.chart?.destroy();
    const isTableOpen = this.content.querySelector('details')?.open === true;
    this.content.replaceChildren(...createParts(view, this.title, isTableOpen));
    const canvas = this.content.querySelector('canvas');
    this.chart = canvas ? drawChart(canvas, view) : undefined;
  }

  /** @param retry absent where it would fail again */
  showProblem(message: string, retry?: () => void): void {
    // The file would fail as well.
    this.setDownloadHidden(true);
    const text = createText('p', 'problem', message);
    text.setAttribute('role', 'alert');
    this.content.replaceChildren(text, ...(retry ? [createRetryButton(this.title, retry)] : []));
    this.section.ariaBusy = 'false';
  }
}

function createRetryButton(title: string, retry: () => void): HTMLElement {
  const button = createText('button', 'secondary', 'Try again');
  button.setAttribute('aria-label', `Try again to load ${title}`);
  button.addEventListener('click', retry);
  return button;
}

function* createParts(view: ReportView, title: string, isTableOpen: boolean): Generator<HTMLElement> {
  if (view.emptyText === undefined) {
    yield createFigures(view);
    yield createPlot(view, title);
    if (!view.bars) yield createLegend(view);
    if (view.partialFrom !== undefined)
      yield createText('p', 'hint', 'The end is incomplete: its lines are dashed, and its bars pale.');
    const small = view.bars ? undefined : splitBars(view)[1];
    if (small) yield createText('p', 'hint', describeSmallBars(small));
    if (view.note !== undefined) yield createText('p', 'hint', view.note);
  } else yield createText('p', 'empty', view.emptyText);
  yield createDetails(view, title, isTableOpen);
}

const describeSmallBars = (small: readonly Series[]): string =>
  `The lowest bars are far smaller than the others and have a scale of their own: ${small.map(({ name }) => name).join(', ')}.`;

function createFigures({ figures }: ReportView): HTMLElement {
  const line = createText('p', 'figures');
  for (const [value, text] of figures) {
    const figure = createText('span', '', ` ${text}`);
    figure.prepend(createText('strong', '', value));
    line.append(figure);
  }
  return line;
}

const ROW_HEIGHT_REM = 2.4;

function createPlot(view: ReportView, title: string): HTMLElement {
  const { bars, labels } = view;
  const hasSmallBars = !bars && splitBars(view).length > 1;
  const plot = createText('div', hasSmallBars ? 'plot tall' : 'plot');
  if (bars) plot.style.height = `${labels.length * ROW_HEIGHT_REM + 1}rem`;
  const canvas = document.createElement('canvas');
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', `Chart: ${title}. The table below has the same numbers.`);
  plot.append(canvas);
  return plot;
}

function createLegend({ series }: ReportView): HTMLElement {
  const legend = createText('ul', 'legend');
  for (const { name, color, as } of series) {
    const swatch = createText('span', `swatch ${as}`);
    swatch.style.setProperty('--swatch', toCssColor(color));
    const item = createText('li', '', name);
    item.prepend(swatch);
    legend.append(item);
  }
  return legend;
}

/** The table is created when it is first opened, because it may have thousands of rows. */
function createDetails(view: ReportView, title: string, isOpen: boolean): HTMLElement {
  const details = document.createElement('details');
  details.append(createText('summary', '', 'Show table'));
  const open = () => {
    if (details.open && !details.querySelector('table')) details.append(createTable(view, title));
  };
  details.addEventListener('toggle', open);
  details.open = isOpen;
  open();
  return details;
}

function createText(tag: string, className: string, text = ''): HTMLElement {
  const element = document.createElement(tag);
  if (className !== '') element.className = className;
  element.textContent = text;
  return element;
}
