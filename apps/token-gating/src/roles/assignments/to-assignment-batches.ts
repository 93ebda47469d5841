import type { MemberVerdicts } from '../evaluation/member-evaluation.service.js';
import type { RoleRule } from '@app/dto';

/** As many as identity tells the wallets of at once. */
const MAX_MEMBERS_PER_BATCH = 1_000;
/** Roles of members that one statement stores, which has to be done in seconds. */
export const MAX_ASSIGNMENTS_PER_STATEMENT = 20_000;

/** How many members are evaluated and stored together by these rules. */
export function computeMemberBatchSize(rules: readonly Pick<RoleRule, 'roleId'>[]): number {
  const roles = new Set(rules.map(({ roleId }) => roleId)).size;
  return Math.max(
    1,
    Math.min(MAX_MEMBERS_PER_BATCH, Math.floor(MAX_ASSIGNMENTS_PER_STATEMENT / Math.max(1, roles))),
  );
}

/** Roles of members, column by column, as a statement takes them. */
export interface AssignmentColumns {
  readonly userIds: string[];
  readonly roleIds: string[];
}

export interface AssignmentBatch {
  readonly userIds: string[];
  readonly granted: AssignmentColumns;
  readonly unknown: AssignmentColumns;
}

/** What to store of whom, in pieces that one statement each can bear. Nearly always it is one. */
export function toAssignmentBatches(members: readonly MemberVerdicts[]): AssignmentBatch[] {
  const slices: AssignmentBatch[] = [];
  let slice: AssignmentBatch | undefined;
  for (const { userId, roles } of members) {
    if (!slice || countAssignments(slice) + roles.length > MAX_ASSIGNMENTS_PER_STATEMENT)
      slices.push((slice = createEmptyBatch()));
    slice.userIds.push(userId);
    for (const { id, kind } of roles) {
      if (kind === 'not_granted') continue;
      const pairs = kind === 'granted' ? slice.granted : slice.unknown;
      pairs.userIds.push(userId);
      pairs.roleIds.push(id);
    }
  }
  return slices;
}

const createEmptyBatch = (): AssignmentBatch => ({
  userIds: [],
  granted: { userIds: [], roleIds: [] },
  unknown: { userIds: [], roleIds: [] },
});

const countAssignments = ({ granted, unknown }: AssignmentBatch): number =>
  granted.userIds.length + unknown.userIds.length;
