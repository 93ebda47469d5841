import type { Queryable } from '@app/database';
import { countMembers } from '../rollups/state-intervals.queries.js';
import type { RoleDistributionRow } from './analytics.dto.js';
import { listChartRoles, type Report } from './report.js';

const NO_ROLE = { id: 'none', name: 'No role', color: 0x9c_a3_af };

/** Members by role at the end of the range, largest first without a filter, and those without any of the roles. */
export async function loadRoleDistribution(db: Queryable, report: Report): Promise<RoleDistributionRow[]> {
  const { communityId, period, chosenRoles } = report;
  const end = period.edges.at(-1) ?? 0;
  const roleIds = chosenRoles?.map(({ id }) => id);
  const { members, withRole, byRole } = await countMembers(db, communityId, end, roleIds);
  const toShare = (count: number): number => (members === 0 ? 0 : count / members);
  const rows = listChartRoles(report, byRole.keys()).map((role) => {
    const count = byRole.get(role.id) ?? 0;
    return { ...role, count, share: toShare(count) };
  });
  if (!chosenRoles) rows.sort((a, b) => b.count - a.count);
  const count = members - withRole;
  return [...rows, { ...NO_ROLE, count, share: toShare(count) }];
}
