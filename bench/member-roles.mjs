import pg from 'pg';
import { memberAddress, memberId, seedCommunity } from '../test/support/seeded-communities.mjs';
import { startService } from './support/baseline.mjs';
import { startGatehouse } from './support/gatehouse.mjs';
import { measureSides, sidesTable } from './support/sides.mjs';

/** @import { Children } from '../scripts/processes/children.mjs' */

const CLIENTS = 64;
const RULES = 5;
/** So few that the warm-up has evaluated each of them. */
const MEMBERS = 1_000;
const TIMES = { rounds: 5, seconds: 6, warmUpSeconds: 8 };

/**
 * The roles of a member whose holdings have not changed, beside a check of the member's wallet by the same rules.
 * @param {Children} children
 */
export async function memberRoles(children) {
  const node = await startService(children, 'instant-node', {});
  const gatehouse = await startGatehouse(children, { RPC_URL_31337: node.url });
  const { gatewayUrl, apiKey, clientId, databaseUrl } = gatehouse;
  const rules = Array.from({ length: RULES }, (_, index) => ({
    type: 'ERC20',
    chainId: 31337,
    contractAddress: `0x${String(index + 1).repeat(40)}`,
    minToken: '100',
    roleId: `role_${index}`,
  }));
  const sql = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  await seedCommunity(sql, { id: 'community_bench', members: MEMBERS, rules, clientId });
  await sql.query('ANALYZE');
  await sql.end();

  const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };
  const nextMember = countTo(MEMBERS);
  const processes = gatehouse.processes(['gateway', 'token-gating', 'identity']);
  const measured = await measureSides(
    [
      {
        name: 'check of the wallet',
        request: {
          url: `${gatewayUrl}/access-control/check-roles`,
          headers,
          freshBody: () => JSON.stringify({ account: memberAddress(nextMember()), rules }),
          connections: CLIENTS,
        },
        processes,
      },
      {
        name: 'roles of the member',
        request: {
          url: gatewayUrl,
          method: 'GET',
          headers,
          freshPath: () => `/access-control/community_bench/${memberId(nextMember())}/roles`,
          connections: CLIENTS,
        },
        processes,
      },
    ],
    TIMES,
  );
  await gatehouse.stop();
  return sidesTable(
    `Roles of a member, ${RULES} rules, nothing has changed, without the processor time of PostgreSQL, ${CLIENTS} clients, median of ${TIMES.rounds} rounds (wanted: requests at least 0.67, CPU at most 1.5)`,
    measured,
  );
}

/** @param {number} last @returns {() => number} 1, 2, … and 1 again after the last */
function countTo(last) {
  let at = 0;
  return () => (at = (at % last) + 1);
}
