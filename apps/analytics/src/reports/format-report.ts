import type { AnalyticsReportFormat } from '@app/dto';
import { type CsvTable, formatCsv } from './report-csv.js';

/** The rows of a report as the body of a response. */
export const formatReport = <Row>(
  table: CsvTable<Row>,
  rows: readonly Row[],
  format: AnalyticsReportFormat,
): string => (format === 'csv' ? formatCsv(table, rows) : JSON.stringify(rows));
