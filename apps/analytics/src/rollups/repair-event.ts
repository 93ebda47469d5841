/** Types of events with which reconciliation begins or ends a state that history lacks. They count as nothing that users did. */
export const REPAIR_TYPES = {
  membership: { begin: 'repair.joined', end: 'repair.left' },
  role: { begin: 'repair.granted', end: 'repair.revoked' },
  wallet: { begin: 'repair.linked', end: 'repair.unlinked' },
} as const;

export type RepairType = (typeof REPAIR_TYPES)[keyof typeof REPAIR_TYPES]['begin' | 'end'];

/** A correction that reconciliation found, at the time at which token-gating was asked. */
export interface RepairEvent {
  readonly id: string;
  readonly at: string;
  readonly type: RepairType;
  readonly communityId: string;
  readonly userId: string;
  readonly roleId?: string;
  readonly accountId?: string;
}
