import { startService } from './support/baseline.mjs';
import { freshAccounts } from './support/fresh-accounts.mjs';
import { startGatehouse } from './support/gatehouse.mjs';
import { measureSides, sidesTable } from './support/sides.mjs';

/** @import { Children } from '../scripts/processes/children.mjs' */

const CLIENTS = 32;
const TIMES = { rounds: 5, seconds: 4, warmUpSeconds: 4 };
const RULES = [1, 10];

/**
 * Checks that are explained, beside the same ones without. A fresh account each, over a node that answers at once.
 * @param {Children} children
 */
export async function explainedChecks(children) {
  const node = await startService(children, 'instant-node', {});
  const gatehouse = await startGatehouse(children, { RPC_URL_31337: node.url });
  /** @type {string[]} */
  const tables = [];
  for (const count of RULES) {
    const rules = Array.from({ length: count }, (_, index) => ({
      ...{ type: 'ERC20', chainId: 31337, minToken: '100', roleId: String(index) },
      contractAddress: `0x${(index + 1).toString(16).padStart(40, '0')}`,
    }));
    const nextAccount = freshAccounts();
    /** @param {string} name @param {Record<string, string>} headers */
    const side = (name, headers) => ({
      name,
      request: {
        url: `${gatehouse.gatewayUrl}/access-control/check-roles`,
        headers: { 'content-type': 'application/json', 'x-api-key': gatehouse.apiKey, ...headers },
        freshBody: () => JSON.stringify({ account: nextAccount(), rules }),
        connections: CLIENTS,
      },
      processes: gatehouse.processes(['gateway', 'token-gating']),
    });
    const measured = await measureSides(
      [side('without', {}), side('Prefer: explain', { prefer: 'explain' })],
      TIMES,
    );
    tables.push(
      sidesTable(
        `An explained check of ${count} ERC-20 rules, median of ${TIMES.rounds} rounds (wanted: CPU at most 1.15)`,
        measured,
      ),
    );
  }
  await gatehouse.stop();
  return tables.join('\n\n');
}
