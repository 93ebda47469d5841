import { startService } from './support/baseline.mjs';
import { freshAccounts } from './support/fresh-accounts.mjs';
import { startGatehouse } from './support/gatehouse.mjs';
import { measureSides, sidesTable } from './support/sides.mjs';

/** @import { Children } from '../scripts/processes/children.mjs' */

const CLIENTS = 64;
const FAR_NODE_MS = 50;
const TIMES = { rounds: 5, seconds: 6, warmUpSeconds: 4 };
const PATH = '/access-control/check-roles';
/** A contract of the instant node, which has every contract. */
const TOKEN = '0x5FbDB2315678afecb367f032d93F642f64180aa3';

/**
 * A synchronous check of one ERC-20 rule with a fresh account each, over a near node and a far one, and the gateway alone,
 * each beside a fair reference.
 * @param {Children} children
 */
export async function oneCheck(children) {
  const tables = [
    await wholeCheck(children, 0, 'requests at least 0.5, CPU at most 0.32 ms'),
    await gatewayAlone(children),
    await wholeCheck(children, FAR_NODE_MS, 'p50 at most 60 ms'),
  ];
  return tables.join('\n\n');
}

/**
 * @param {Children} children
 * @param {number} nodeMs time that the node takes for each answer
 * @param {string} wanted
 */
async function wholeCheck(children, nodeMs, wanted) {
  const node = await startService(children, 'instant-node', { NODE_MS: String(nodeMs) });
  const service = await startService(children, 'batching-service', { NODE_URL: node.url });
  const proxy = await startService(children, 'tuned-proxy', { UPSTREAM_URL: service.url });
  const gatehouse = await startGatehouse(children, { RPC_URL_31337: node.url });
  const request = requestWith(gatehouse.apiKey);
  const measured = await measureSides(
    [
      {
        name: 'Express + undici, tuned, in front of Express that batches its reads',
        request: { ...request, url: proxy.url + PATH },
        processes: { proxy: proxy.pid, service: service.pid },
      },
      {
        name: 'Gatehouse',
        request: { ...request, url: gatehouse.gatewayUrl + PATH },
        processes: gatehouse.processes(['gateway', 'token-gating']),
      },
    ],
    TIMES,
  );
  await gatehouse.stop();
  return sidesTable(
    `One synchronous check, one ERC-20 rule, a fresh account each, a node that answers after ${nodeMs} ms, ${CLIENTS} clients, median of ${TIMES.rounds} rounds (wanted: ${wanted})`,
    measured,
  );
}

/** @param {Children} children */
async function gatewayAlone(children) {
  const service = await startService(children, 'instant-service', {});
  const proxy = await startService(children, 'node-proxy', { UPSTREAM_URL: service.url });
  const gatehouse = await startGatehouse(children, { TOKEN_GATING_URL: service.url });
  const request = requestWith(gatehouse.apiKey);
  const measured = await measureSides(
    [
      {
        name: 'node:http proxy',
        request: { ...request, url: proxy.url + PATH },
        processes: { proxy: proxy.pid },
      },
      {
        name: 'gateway',
        request: { ...request, url: gatehouse.gatewayUrl + PATH },
        processes: gatehouse.processes(['gateway']),
      },
    ],
    TIMES,
  );
  await gatehouse.stop();
  return sidesTable(
    `The gateway alone, in front of a service that answers at once, ${CLIENTS} clients, median of ${TIMES.rounds} rounds (wanted: requests at least 0.7, CPU at most 0.12 ms)`,
    measured,
  );
}

/** @param {string} apiKey */
function requestWith(apiKey) {
  const nextAccount = freshAccounts();
  const rules = [{ type: 'ERC20', chainId: 31337, contractAddress: TOKEN, minToken: '100', roleId: '001' }];
  return {
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    freshBody: () => JSON.stringify({ account: nextAccount(), rules }),
    connections: CLIENTS,
  };
}
