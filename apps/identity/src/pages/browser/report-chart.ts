import { Chart } from './chart-library.vendor.js';
import type { ChartConfiguration, ChartDataset, ChartOptions } from 'chart.js';
import { readStyle, toCssColor } from './chart-colors.js';
import { splitBars } from './split-by-magnitude.js';
import { formatNumber, markPartial, type ReportView, type Series } from './report-view.js';

type Kind = 'bar' | 'line';

/** Draws a report. Colors are those of the page at this time. @returns the chart, to destroy before another is drawn */
export function drawChart(canvas: HTMLCanvasElement, view: ReportView): { destroy: () => void } {
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  Chart.defaults.color = readStyle('--soft');
  Chart.defaults.borderColor = readStyle('--line');
  return new Chart<Kind>(canvas, view.bars ? createBars(view, view.bars) : createTimeSeries(view));
}

const toTooltipColor = ({ color }: Series) => {
  const css = toCssColor(color);
  return { borderColor: css, backgroundColor: css };
};

const tooltipColors = () => ({
  backgroundColor: readStyle('--ink'),
  titleColor: readStyle('--card'),
  bodyColor: readStyle('--card'),
  footerColor: readStyle('--card'),
});

function createBars(
  { labels, series }: ReportView,
  bars: NonNullable<ReportView['bars']>,
): ChartConfiguration<Kind> {
  const values = series[0]?.values ?? [];
  return {
    type: 'bar',
    data: {
      labels,
      datasets: [
        {
          label: series[0]?.name ?? '',
          data: values,
          backgroundColor: bars.colors.map(toCssColor),
          borderRadius: 3,
          maxBarThickness: 26,
        },
      ],
    },
    options: {
      ...createBaseOptions(),
      indexAxis: 'y',
      // Room for the text of the longest bar.
      layout: { padding: { right: 88 } },
      scales: {
        x: { display: false, beginAtZero: true },
        y: {
          grid: { display: false },
          border: { display: false },
          ticks: { color: readStyle('--ink'), autoSkip: false },
        },
      },
      plugins: { legend: { display: false }, tooltip: { enabled: false } },
    },
    plugins: [
      {
        id: 'texts',
        afterDatasetsDraw: (chart) => {
          drawTexts(chart, bars.texts);
        },
      },
    ],
  };
}

/** Writes a text beside the end of each bar. */
function drawTexts(chart: Chart, texts: readonly string[]): void {
  const { ctx } = chart;
  ctx.save();
  ctx.fillStyle = readStyle('--soft');
  ctx.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  ctx.textBaseline = 'middle';
  chart.getDatasetMeta(0).data.forEach((bar, index) => {
    ctx.fillText(texts[index] ?? '', bar.x + 8, bar.y);
  });
  ctx.restore();
}

function createTimeSeries({
  labels,
  series,
  partialFrom = labels.length,
  barsTitle = '',
}: ReportView): ChartConfiguration<Kind> {
  const levelTitle = series.find(({ isApart }) => isApart)?.name;
  const hasPlotApart = levelTitle !== undefined;
  const small = splitBars({ series })[1] ?? [];
  const hasPlots = hasPlotApart || small.length > 0;
  const colors = series.map(toTooltipColor);
  return {
    type: 'bar',
    data: {
      labels,
      datasets: series.map((one) =>
        toDataset(one, partialFrom, small.includes(one) ? 'smallChanges' : 'changes'),
      ),
    },
    options: {
      ...createBaseOptions(),
      interaction: { mode: 'index', intersect: false },
      scales: {
        x: {
          stacked: true,
          grid: { display: false },
          ticks: { maxRotation: 0, autoSkipPadding: 20 },
        },
        // Each plot names what its own axis counts. The first one is the lowest.
        ...(small.length > 0 && {
          smallChanges: {
            ...createCountAxis('Rarer', 'lower'),
            stacked: true,
            stack: 'plots',
            stackWeight: 2,
          },
        }),
        changes: hasPlots
          ? {
              ...createCountAxis(barsTitle, hasPlotApart ? 'lower' : 'top'),
              stacked: true,
              stack: 'plots',
              stackWeight: 2,
            }
          : { ...createCountAxis(), stacked: true },
        ...(hasPlotApart && {
          level: { ...createCountAxis(levelTitle, 'top'), stack: 'plots', stackWeight: 3 },
        }),
      },
      plugins: {
        legend: { display: false },
        tooltip: {
          ...tooltipColors(),
          boxPadding: 4,
          filter: ({ raw }) => raw !== 0,
          callbacks: {
            title: ([item]) => {
              if (!item) return '';
              return item.dataIndex < partialFrom ? item.label : markPartial(item.label);
            },
            labelColor: ({ datasetIndex: index }) => colors[index],
            label: ({ dataset, raw }) => `${dataset.label ?? ''}: ${formatNumber(Math.abs(Number(raw)))}`,
          },
        },
      },
    },
  };
}

const createBaseOptions = (): ChartOptions<Kind> => ({
  animation: false,
  responsive: true,
  maintainAspectRatio: false,
});

/**
 * @param title what the axis counts, where several plots are above each other
 * @param place a lower plot hides its highest number, which would stand at the lowest one of the plot above it
 */
const createCountAxis = (title?: string, place: 'top' | 'lower' = 'top') => ({
  beginAtZero: true,
  border: { display: false },
  ...(title !== undefined && { title: { display: true, text: title } }),
  ticks: {
    precision: 0,
    maxTicksLimit: 6,
    callback: (value: string | number, index: number, ticks: readonly unknown[]) =>
      place === 'lower' && index === ticks.length - 1 ? '' : formatNumber(Math.abs(Number(value))),
  },
});

/** @param axis that of bars */
function toDataset(
  { name, color, values, as, isApart }: Series,
  partialFrom: number,
  axis: 'changes' | 'smallChanges',
): ChartDataset<Kind> {
  const css = toCssColor(color);
  if (as === 'line')
    return {
      type: 'line',
      label: name,
      data: values,
      yAxisID: isApart ? 'level' : 'changes',
      // Lines are not added to the bars.
      stack: name,
      order: -1,
      borderColor: css,
      backgroundColor: isApart ? `${css}22` : css,
      fill: isApart ? 'origin' : false,
      borderWidth: 2,
      // An incomplete value shows its point, because its dash may end before it.
      pointRadius: ({ dataIndex }) => (values.length === 1 || dataIndex >= partialFrom ? 3 : 0),
      pointHoverRadius: 4,
      segment: { borderDash: ({ p1DataIndex }) => (p1DataIndex < partialFrom ? undefined : [4, 4]) },
    };
  const opacity = as === 'below' ? '55' : '';
  const partialOpacity = as === 'below' ? '22' : '66';
  return {
    type: 'bar',
    label: name,
    data: as === 'below' ? values.map((value) => 0 - value) : values,
    yAxisID: axis,
    // Bars of both axes stand above each other. Only those of one axis are added up.
    stack: 'changes',
    backgroundColor: values.map((_, index) => css + (index < partialFrom ? opacity : partialOpacity)),
    borderColor: css,
    borderWidth: as === 'below' ? 1 : 0,
    maxBarThickness: 26,
  };
}
