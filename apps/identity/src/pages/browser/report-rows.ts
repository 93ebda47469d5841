/** The rows of the reports, as apps/analytics/src/reports/analytics.dto.ts describes them. */
interface ChartRole {
  id: string;
  name: string;
  /** 0xRRGGBB. */
  color?: number;
}

export interface RoleDistributionRow extends ChartRole {
  count: number;
  share: number;
}

export interface RolesAddedRow {
  date: string;
  total: number;
  roles: (ChartRole & { added: number; removed: number })[];
}

export interface UserInteractionsRow {
  date: string;
  users: number;
  interactions: number;
  kinds: Record<InteractionKind, number>;
}
export type InteractionKind = 'joined' | 'left' | 'signedIn' | 'checked' | 'walletLinked' | 'reported';

export interface WalletConnectionsRow {
  date: string;
  connected: number;
  disconnected: number;
  total: number;
}
