import type {
  RoleDistributionRow,
  RolesAddedRow,
  UserInteractionsRow,
  WalletConnectionsRow,
} from './analytics.dto.js';
import type { AnalyticsReportFormat } from '@app/dto';

type Cell = string | number | undefined;

/** How the rows of a report become the lines of a table. */
export interface CsvTable<Row> {
  readonly columns: readonly string[];
  readonly toLines: (row: Row) => readonly (readonly Cell[])[];
}

export const ROLE_DISTRIBUTION_CSV: CsvTable<RoleDistributionRow> = {
  columns: ['id', 'name', 'color', 'count', 'share'],
  toLines: ({ id, name, color, count, share }) => [[id, name, color, count, share]],
};

/** The CSV table of added roles, with a line for each role of a bucket. */
export const ROLES_ADDED_CSV: CsvTable<RolesAddedRow> = {
  columns: ['date', 'total', 'id', 'name', 'color', 'added', 'removed'],
  toLines: ({ date, total, roles }) =>
    roles.length === 0
      ? [[date, total, undefined, undefined, undefined, 0, 0]]
      : roles.map(({ id, name, color, added, removed }) => [date, total, id, name, color, added, removed]),
};

const KINDS = ['joined', 'left', 'signedIn', 'checked', 'walletLinked', 'reported'] as const;

export const USER_INTERACTIONS_CSV: CsvTable<UserInteractionsRow> = {
  columns: ['date', 'users', 'interactions', ...KINDS],
  toLines: ({ date, users, interactions, kinds }) => [
    [date, users, interactions, ...KINDS.map((kind) => kinds[kind])],
  ],
};

export const WALLET_CONNECTIONS_CSV: CsvTable<WalletConnectionsRow> = {
  columns: ['date', 'connected', 'disconnected', 'total'],
  toLines: ({ date, connected, disconnected, total }) => [[date, connected, disconnected, total]],
};

/** Spreadsheets run text that begins like this as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

function formatCell(cell: Cell): string {
  if (typeof cell !== 'string') return cell === undefined ? '' : String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** RFC 4180, with a header line. */
function formatCsv<Row>({ columns, toLines }: CsvTable<Row>, rows: readonly Row[]): string {
  const lines = [columns, ...rows.flatMap(toLines)];
  return lines.map((cells) => `${cells.map(formatCell).join()}\r\n`).join('');
}

/** The rows of a report as the body of a response. */
export const formatReport = <Row>(
  table: CsvTable<Row>,
  rows: readonly Row[],
  format: AnalyticsReportFormat,
): string => (format === 'csv' ? formatCsv(table, rows) : JSON.stringify(rows));
