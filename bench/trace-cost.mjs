import { createServer } from 'node:http';
import { once } from 'node:events';
import { startGatehouse } from './support/gatehouse.mjs';
import { load } from './support/load.mjs';
import { processorMs } from './support/processor-time.mjs';
import { fixed, median, table } from './support/table.mjs';

/** @import { Children } from '../scripts/processes/children.mjs' */
/** @import { AddressInfo } from 'node:net' */
/** @typedef {Awaited<ReturnType<typeof startSide>>} Side */

const PAIRS = 6;
/** Each side of a pair is measured in slices, in turns, so that both see the same machine. */
const SLICES = 5;
const WARM_UP_SECONDS = 4;
const CLIENTS = 32;
const SHARE = '0.1';

/**
 * Processor time of one synchronous check with every tenth request traced, beside the same suite without traces.
 * @param {Children} children
 */
export async function traceCost(children) {
  const collector = await startCollector();
  const plain = await startSide(children, 'without traces', {});
  const traced = await startSide(children, `with ${Number(SHARE) * 100} % of requests traced`, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER_ARG: SHARE,
  });
  for (const side of [plain, traced]) await side.measure(WARM_UP_SECONDS);
  /** @type {{ plain: number, traced: number }[]} */
  const pairs = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    // The sides take turns at being the first.
    const order = pair % 2 === 0 ? [plain, traced] : [traced, plain];
    /** @type {Map<Side, number[]>} */
    const measured = new Map([
      [plain, []],
      [traced, []],
    ]);
    for (let slice = 0; slice < SLICES; slice += 1)
      for (const side of order) measured.get(side)?.push(await side.measure(1));
    pairs.push({ plain: median(measured.get(plain) ?? []), traced: median(measured.get(traced) ?? []) });
  }
  const received = collector.count();
  collector.stop();
  if (received === 0) throw new Error('No trace arrived at the collector.');
  /** @param {'plain' | 'traced'} side */
  const of = (side) => median(pairs.map((pair) => pair[side]));
  const ratio = median(pairs.map((pair) => pair.traced / pair.plain));
  return table(
    `Processor time of one synchronous check, median of ${PAIRS} pairs in turns (wanted: at most 5 % more)`,
    ['', 'CPU ms/request', 'ratio'],
    [
      [plain.name, fixed(of('plain'), 3), fixed(1, 3)],
      [traced.name, fixed(of('traced'), 3), fixed(ratio, 3)],
    ],
  );
}

/** @param {Children} children @param {string} name @param {Record<string, string>} env */
async function startSide(children, name, env) {
  const { gatewayUrl, apiKey, accounts, started } = await startGatehouse(children, env);
  const pids = started.flatMap(({ child }) => child.process.pid ?? []);
  const request = {
    url: `${gatewayUrl}/access-control/check-roles`,
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({
      account: accounts.holder.address,
      rules: [{ type: 'NATIVE', chainId: 31337, minToken: '1', roleId: '1' }],
    }),
    connections: CLIENTS,
  };
  /** @param {number} seconds @returns milliseconds of processor time of all apps for each request */
  const measure = async (seconds) => {
    const before = processorMs(pids);
    const { perSecond } = await load({ ...request, seconds });
    return (processorMs(pids) - before) / (perSecond * seconds);
  };
  return { name, measure };
}

/** Takes traces and keeps none. Its own processor time is not that of the apps. */
async function startCollector() {
  let received = 0;
  const server = createServer((request, response) => {
    received += 1;
    request
      .resume()
      .on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${/** @type {AddressInfo} */ (server.address()).port}`,
    count: () => received,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
