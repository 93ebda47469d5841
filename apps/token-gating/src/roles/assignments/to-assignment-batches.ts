import type { RoleRule } from '@app/dto';
import type { AssignmentBatch } from '../../communities/roles/role-assignments.queries.js';
import type { MemberVerdicts } from '../evaluation/member-verdicts.js';

/** Users of one wallet request to identity. */
const MAX_MEMBERS_PER_BATCH = 1_000;
/** Keeps a statement within seconds. */
const MAX_ASSIGNMENTS_PER_STATEMENT = 20_000;

/** How many members are evaluated and stored together by these rules. */
export function computeMemberBatchSize(rules: readonly Pick<RoleRule, 'roleId'>[]): number {
  const roles = new Set(rules.map(({ roleId }) => roleId)).size;
  return Math.max(
    1,
    Math.min(MAX_MEMBERS_PER_BATCH, Math.floor(MAX_ASSIGNMENTS_PER_STATEMENT / Math.max(1, roles))),
  );
}

/** Splits verdicts into batches for one statement each. A batch of computeMemberBatchSize members needs one. */
export function toAssignmentBatches(members: readonly MemberVerdicts[]): AssignmentBatch[] {
  const batches: AssignmentBatch[] = [];
  let batch: AssignmentBatch | undefined;
  for (const { userId, roles } of members) {
    if (!batch || countAssignments(batch) + roles.length > MAX_ASSIGNMENTS_PER_STATEMENT)
      batches.push((batch = createEmptyBatch()));
    batch.userIds.push(userId);
    for (const { id, kind } of roles) {
      if (kind === 'not_granted') continue;
      const columns = kind === 'granted' ? batch.granted : batch.undetermined;
      columns.userIds.push(userId);
      columns.roleIds.push(id);
    }
  }
  return batches;
}

const createEmptyBatch = (): AssignmentBatch => ({
  userIds: [],
  granted: { userIds: [], roleIds: [] },
  undetermined: { userIds: [], roleIds: [] },
});

const countAssignments = ({ granted, undetermined }: AssignmentBatch): number =>
  granted.userIds.length + undetermined.userIds.length;
