import { startService } from './support/baseline.mjs';
import { freshAccounts } from './support/fresh-accounts.mjs';
import { startGatehouse } from './support/gatehouse.mjs';
import { measureSides, sidesTable } from './support/sides.mjs';

/** @import { Children } from '../scripts/processes/children.mjs' */

const CLIENTS = 32;
const TIMES = { rounds: 5, seconds: 4, warmUpSeconds: 4 };
const RULES = 10;

/**
 * A tree of ten rules, beside the same rules as entries of one role. A fresh account each, over a node that answers at once.
 * @param {Children} children
 */
export async function ruleTrees(children) {
  const node = await startService(children, 'instant-node', {});
  const gatehouse = await startGatehouse(children, { RPC_URL_31337: node.url });
  const rules = Array.from({ length: RULES }, (_, index) => ({
    ...{ type: 'ERC20', chainId: 31337, minToken: '100' },
    contractAddress: `0x${(index + 1).toString(16).padStart(40, '0')}`,
  }));
  const tree = {
    anyOf: [
      { allOf: rules.slice(0, 4) },
      { atLeast: { count: 2, of: rules.slice(4, 8) } },
      { not: { allOf: rules.slice(8) } },
    ],
  };
  const nextAccount = freshAccounts();
  /** @param {string} name @param {object[]} entries */
  const side = (name, entries) => ({
    name,
    request: {
      url: `${gatehouse.gatewayUrl}/access-control/check-roles`,
      headers: { 'content-type': 'application/json', 'x-api-key': gatehouse.apiKey },
      freshBody: () =>
        JSON.stringify({
          account: nextAccount(),
          rules: entries.map((entry) => ({ roleId: 'member', ...entry })),
        }),
      connections: CLIENTS,
    },
    processes: gatehouse.processes(['gateway', 'token-gating']),
  });
  const measured = await measureSides(
    [side(`${RULES} rules`, rules), side(`a tree of ${RULES} rules`, [tree])],
    TIMES,
  );
  await gatehouse.stop();
  return sidesTable(
    `A tree of ${RULES} ERC-20 rules, median of ${TIMES.rounds} rounds (wanted: CPU at most 1.1)`,
    measured,
  );
}
