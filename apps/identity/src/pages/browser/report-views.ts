import {
  formatNumber,
  formatShare,
  type ReportView,
  type Series,
  type SeriesColor,
  sum,
} from './report-view.js';

interface PeriodOptions {
  timeZone: string;
  /** The chosen interval; empty when the server chose it. */
  interval: string;
  /** The time until which numbers are complete. */
  until: Date;
}

const HOUR_MS = 3_600_000;

const FORMATS: Record<string, Intl.DateTimeFormatOptions> = {
  hour: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  day: { day: 'numeric', month: 'short' },
  week: { day: 'numeric', month: 'short' },
  month: { month: 'short' },
};

/** The labels of buckets, with the year where they are in several. */
function formatBuckets(rows: readonly { date: string }[], options: PeriodOptions): string[] {
  const { timeZone } = options;
  const dates = rows.map(({ date }) => new Date(date));
  const interval = options.interval === '' ? guessInterval(dates) : options.interval;
  const year = new Intl.DateTimeFormat('en-GB', { year: 'numeric', timeZone });
  const isInOneYear = new Set(dates.map((date) => year.format(date))).size < 2;
  const format = new Intl.DateTimeFormat('en-GB', {
    ...FORMATS[interval],
    ...(isInOneYear && interval !== 'month' ? {} : { year: 'numeric' }),
    timeZone,
  });
  return dates.map((date) => format.format(date));
}

/** The first bucket whose numbers may grow; undefined where all are complete. */
function findPartialFrom(
  rows: readonly { date: string }[],
  { interval, until }: PeriodOptions,
): number | undefined {
  const begins = rows.map(({ date }) => new Date(date));
  const last = rows.at(-1)?.date;
  if (last === undefined) return undefined;
  const hours = countHours(interval === '' ? guessInterval(begins) : interval, last);
  const ends = [
    ...begins.slice(1).map((begin) => begin.getTime()),
    new Date(last).getTime() + hours * HOUR_MS,
  ];
  const index = ends.findIndex((end) => end > until.getTime());
  return index === -1 ? undefined : index;
}

/** The length of a bucket, but for the hour by which clocks change. @param begin with the offset of the zone */
function countHours(interval: string, begin: string): number {
  if (interval === 'hour') return 1;
  if (interval === 'week') return 7 * 24;
  if (interval !== 'month') return 24;
  const [year, month] = begin.split('-').map(Number);
  return new Date(Date.UTC(year ?? 0, month ?? 0, 0)).getUTCDate() * 24;
}

/** Buckets are an hour, a day of 23 to 25 hours, a week or a month apart. A single one is named like a day. */
function guessInterval([first, second]: readonly Date[]): string {
  if (!first || !second) return 'day';
  const hours = (second.getTime() - first.getTime()) / HOUR_MS;
  if (hours <= 1) return 'hour';
  if (hours <= 25) return 'day';
  return hours <= 8 * 24 ? 'week' : 'month';
}

/** The rows of the reports, as apps/analytics/src/reports/analytics.dto.ts describes them. */
interface ChartRole {
  id: string;
  name: string;
  /** 0xRRGGBB. */
  color?: number;
}

interface RoleDistributionRow extends ChartRole {
  count: number;
  share: number;
}

interface RolesAddedRow {
  date: string;
  total: number;
  roles: (ChartRole & { added: number; removed: number })[];
}

interface UserInteractionsRow {
  date: string;
  users: number;
  interactions: number;
  kinds: Record<InteractionKind, number>;
}
type InteractionKind = 'joined' | 'left' | 'signedIn' | 'checked' | 'walletLinked' | 'reported';

interface WalletConnectionsRow {
  date: string;
  connected: number;
  disconnected: number;
  total: number;
}

/**
 * Roles in one chart: more colors cannot be told apart. The table has all roles of a distribution, and the CSV those of
 * every report.
 */
const MAX_ROLES = 8;
const PALETTE_OF_ROLES = [1, 4, 2, 5, 3, 0];
const GREY = { palette: 6 };

interface ColoredRole {
  id: string;
  color?: number | undefined;
}

/** The colors of roles: the same in each report, also where the community chose none. */
function listRoleColors(roles: readonly ColoredRole[]): SeriesColor[] {
  const uncolored = roles.flatMap(({ id, color }) => (color === undefined ? [id] : [])).sort();
  return roles.map(({ id, color }) =>
    color === undefined
      ? { palette: PALETTE_OF_ROLES[uncolored.indexOf(id) % PALETTE_OF_ROLES.length] ?? 0 }
      : { rgb: color },
  );
}

function toRoleDistributionView(rows: RoleDistributionRow[]): ReportView {
  const held = rows.find(({ share }) => share > 0);
  const members = held ? Math.round(held.count / held.share) : 0;
  // The last row is that of members without a role.
  const drawn = [...rows.slice(0, -1).slice(0, MAX_ROLES), ...rows.slice(-1)];
  const more = rows.length - drawn.length;
  return {
    figures: [[formatNumber(members), members === 1 ? 'member at the end' : 'members at the end']],
    labels: drawn.map(({ name }) => name),
    series: [{ name: 'Members', color: { palette: 0 }, values: drawn.map(({ count }) => count), as: 'bar' }],
    bars: {
      colors: listRoleColors(drawn),
      texts: drawn.map(({ count, share }) => `${formatNumber(count)} · ${formatShare(share)}`),
    },
    ...(members === 0 && {
      emptyText: 'No members at the end of this range. Members appear here with their roles after they join.',
    }),
    note:
      more > 0
        ? `The table has ${formatNumber(more)} more roles. A member can have several roles.`
        : 'A member can have several roles, so shares may exceed 100%.',
    table: {
      columns: ['Role', 'Members', 'Share'],
      rows: rows.map(({ name, count, share }) => [name, formatNumber(count), formatShare(share)]),
    },
  };
}

/** The names and colors of the palette, from the bottom of a bar to its top. */
const KINDS: Record<InteractionKind, readonly [name: string, palette: number]> = {
  joined: ['Joined', 1],
  walletLinked: ['Wallet linked', 2],
  signedIn: ['Signed in', 5],
  reported: ['Reported by applications', 4],
  checked: ['Roles checked', 6],
  left: ['Left', 3],
};

function toUserInteractionsView(rows: UserInteractionsRow[], options: PeriodOptions): ReportView {
  const labels = formatBuckets(rows, options);
  const kinds = Object.entries(KINDS).map(([kind, [name, palette]]) => ({
    name,
    color: { palette },
    values: rows.map((row) => row.kinds[kind as InteractionKind]),
    as: 'bar' as const,
  }));
  const drawn = kinds.filter(({ values }) => sum(values) > 0);
  const users = rows.map((row) => row.users);
  const total = sum(rows.map(({ interactions }) => interactions));
  return {
    figures: [[formatNumber(total), total === 1 ? 'interaction' : 'interactions']],
    labels,
    partialFrom: findPartialFrom(rows, options),
    series: [{ name: 'Users', color: { palette: 0 }, values: users, as: 'line', isApart: true }, ...drawn],
    ...(total === 0 && {
      emptyText:
        'No interactions in this range. They appear here when members join, sign in to attached applications, link wallets or are checked.',
    }),
    barsTitle: 'Interactions',
    note: 'Each user counts once in each step of the line, so users do not add up.',
    table: {
      columns: ['Begin', 'Users', 'Interactions', ...kinds.map(({ name }) => name)],
      rows: rows.map((row, index) => [
        labels[index] ?? '',
        formatNumber(row.users),
        formatNumber(row.interactions),
        ...kinds.map(({ values }) => formatNumber(values[index] ?? 0)),
      ]),
    },
  };
}

interface RoleChanges {
  name: string;
  color: SeriesColor;
  added: number[];
  removed: number[];
}

/** The roles with most changes, and the sum of the others. */
function listRoleChanges(rows: readonly RolesAddedRow[]): RoleChanges[] {
  const listed = rows[0]?.roles ?? [];
  const colors = listRoleColors(listed);
  const roles = listed.map((role, index) => {
    const added = rows.map((row) => row.roles[index]?.added ?? 0);
    const removed = rows.map((row) => row.roles[index]?.removed ?? 0);
    return { name: role.name, color: colors[index] ?? GREY, added, removed };
  });
  if (roles.length <= MAX_ROLES) return roles;
  const countChanges = ({ added, removed }: RoleChanges): number => sum(added) + sum(removed);
  roles.sort((a, b) => countChanges(b) - countChanges(a));
  const others = roles.slice(MAX_ROLES - 1);
  const addUp = (field: 'added' | 'removed'): number[] =>
    rows.map((_, index) => sum(others.map((role) => role[field][index] ?? 0)));
  const name = `${formatNumber(others.length)} other roles`;
  const rest = { name, color: GREY, added: addUp('added'), removed: addUp('removed') };
  return [...roles.slice(0, MAX_ROLES - 1), rest];
}

function toRolesAddedView(rows: RolesAddedRow[], options: PeriodOptions): ReportView {
  const labels = formatBuckets(rows, options);
  const roles = listRoleChanges(rows);
  const [added, removed] = [
    sum(roles.flatMap((role) => role.added)),
    sum(roles.flatMap((role) => role.removed)),
  ];
  const series = roles.flatMap(({ name, color, ...role }): Series[] => [
    { name: `${name} granted`, color, values: role.added, as: 'bar' },
    { name: `${name} revoked`, color, values: role.removed, as: 'below' },
  ]);
  return {
    figures: [
      [formatNumber(added), 'granted'],
      [formatNumber(removed), 'revoked'],
    ],
    labels,
    partialFrom: findPartialFrom(rows, options),
    series: series.filter(({ values }) => sum(values) > 0),
    ...(added + removed === 0 && {
      emptyText:
        'No role was granted or revoked in this range. Give the community roles and rules: its members get them when they fulfil a rule.',
    }),
    barsTitle: 'Changes',
    note: 'Bars above the line are granted roles, bars below it revoked ones.',
    table: {
      columns: ['Begin', 'Granted', ...roles.flatMap(({ name }) => [`${name} granted`, `${name} revoked`])],
      rows: rows.map(({ total }, index) => [
        labels[index] ?? '',
        formatNumber(total),
        ...roles.flatMap((role) => [
          formatNumber(role.added[index] ?? 0),
          formatNumber(role.removed[index] ?? 0),
        ]),
      ]),
    },
  };
}

function toWalletConnectionsView(rows: WalletConnectionsRow[], options: PeriodOptions): ReportView {
  const labels = formatBuckets(rows, options);
  const [connected, disconnected, total] = (['connected', 'disconnected', 'total'] as const).map((field) =>
    rows.map((row) => row[field]),
  ) as [number[], number[], number[]];
  const atEnd = total.at(-1) ?? 0;
  return {
    figures: [
      [formatNumber(atEnd), atEnd === 1 ? 'wallet at the end' : 'wallets at the end'],
      [formatNumber(sum(connected)), 'connected'],
      [formatNumber(sum(disconnected)), 'disconnected'],
    ],
    labels,
    partialFrom: findPartialFrom(rows, options),
    series: [
      { name: 'Wallets', color: { palette: 0 }, values: total, as: 'line', isApart: true },
      { name: 'Connected', color: { palette: 1 }, values: connected, as: 'bar' },
      { name: 'Disconnected', color: { palette: 3 }, values: disconnected, as: 'below' },
    ],
    barsTitle: 'Changes',
    ...(sum(total) + sum(connected) + sum(disconnected) === 0 && {
      emptyText: 'No wallets in this range. They appear here when members link a wallet.',
    }),
    table: {
      columns: ['Begin', 'Connected', 'Disconnected', 'Wallets at the end'],
      rows: rows.map((row, index) => [
        labels[index] ?? '',
        ...[row.connected, row.disconnected, row.total].map(formatNumber),
      ]),
    },
  };
}

/** The view of the rows of each report: a chart, a table or both. */
export const REPORT_VIEWS: Record<string, (rows: never[], options: PeriodOptions) => ReportView> = {
  'role-distribution': toRoleDistributionView,
  'user-interactions': toUserInteractionsView,
  'roles-added': toRolesAddedView,
  'wallet-connections': toWalletConnectionsView,
};
