import { startAnvil } from '../scripts/chain/anvil.mjs';
import { demoAccounts } from '../scripts/demo/demo-accounts.mjs';
import { deployDemoContracts } from '../scripts/demo/demo-contracts.mjs';
import { freePort } from '../scripts/processes/ports.mjs';
import { root } from '../scripts/build/project.mjs';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { badNeighbours } from './support/bad-neighbours.mjs';
import { delayedNode } from './support/delayed-node.mjs';
import { freshAccount, importChain, runCallers } from './support/engine-load.mjs';
import { rawAggregate } from './support/raw-aggregate.mjs';
import { first, fixed, median, table } from './support/table.mjs';

/** @import { Children } from '../scripts/processes/children.mjs' */
/** @import { Chain } from './support/engine-load.mjs' */
/** @import { Gatehouse } from './support/gatehouse.mjs' */
/** @import { ContractRead } from '../libs/chain/src/evm/index.js' */
/** @import { Hex } from 'viem' */
/** @typedef {ContractRead<unknown>} Read */
/** @typedef {{ chain: Chain, rpcUrl: string, tokens: Gatehouse['tokens'] }} World */

const CHAIN_ID = 31337;
const READS = 500;
const ROUNDS = 60;
const WARM_UP_ROUNDS = 20;
const CALLERS = 64;
const CHECKS_PER_CALLER = 40;
const READS_PER_CHECK = 10;
const ADDED_MS = 50;

/**
 * The read engine beside what it can not do without: one hand-encoded aggregate3, and the delay of the node.
 * @param {Children} children
 */
export async function engine(children) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  const { rpcUrl } = await startAnvil({ children, root, local: folder, port: await freePort() });
  const accounts = await demoAccounts();
  const tokens = await deployDemoContracts({ rpcUrl, root, accounts });
  const chain = await importChain(root);
  const badReads = await badNeighbours({ chain, rpcUrl, root, from: accounts.deployer.address });
  const slow = await delayedNode(rpcUrl, ADDED_MS);
  try {
    return [
      await oneBatch({ chain, rpcUrl, tokens }),
      await manyChecks({
        chain,
        tokens,
        nodes: [
          { name: 'no delay', url: rpcUrl },
          { name: `${ADDED_MS} ms added`, url: slow.url },
        ],
      }),
      await besideBadContracts({ chain, rpcUrl, tokens, badReads }),
    ].join('\n\n');
  } finally {
    await slow.stop();
  }
}

/** @param {World} options */
async function oneBatch({ chain, rpcUrl, tokens }) {
  const reader = chain.readerOf(rpcUrl, { cache: false });
  const raw = rawAggregate(rpcUrl);
  /** @type {{ name: string, run: (reads: Read[]) => Promise<unknown>, times: number[] }[]} */
  const sides = [
    { name: 'one hand-encoded aggregate3', run: (reads) => raw.ask(reads), times: [] },
    { name: 'EvmReader, cache off', run: (reads) => reader.read(CHAIN_ID, reads), times: [] },
  ];
  for (let round = 0; round < ROUNDS; round += 1) {
    const reads = Array.from({ length: READS }, () =>
      chain.createErc20BalanceRead(tokens.erc20, freshAccount()),
    );
    // Turn by turn, so that whatever else the machine does hits both.
    for (const side of sides) {
      const started = performance.now();
      await side.run(reads);
      if (round >= WARM_UP_ROUNDS) side.times.push(performance.now() - started);
    }
  }
  await Promise.all([reader.close(), raw.close()]);
  const reference = first(sides);
  return table(
    `${READS} reads, ms, median of ${ROUNDS - WARM_UP_ROUNDS} rounds (wanted: at most 2.0)`,
    ['', 'ms', 'ratio'],
    sides.map(({ name, times }) => [
      name,
      fixed(median(times), 1),
      fixed(median(times) / median(reference.times)),
    ]),
  );
}

/** @param {{ chain: Chain, tokens: Gatehouse['tokens'], nodes: { name: string, url: string }[] }} options */
async function manyChecks({ chain, tokens, nodes }) {
  const rows = [];
  for (const { name, url } of nodes) {
    const counts = { calls: 0 };
    const reader = chain.readerOf(url, { onNodeCall: () => (counts.calls += 1) });
    /** @param {Hex} account @returns {Read[]} */
    const readsOf = (account) => [
      chain.createNativeBalanceRead(account),
      chain.createErc20BalanceRead(tokens.erc20, account),
      chain.createErc20DecimalsRead(tokens.erc20),
      chain.createErc721BalanceRead(tokens.erc721, account),
      ...Array.from({ length: READS_PER_CHECK - 4 }, (_, id) =>
        chain.createErc1155BalanceRead(tokens.erc1155, account, BigInt(id)),
      ),
    ];
    const check = () => reader.read(CHAIN_ID, readsOf(freshAccount()));
    await runCallers({ callers: CALLERS, times: 5, work: check });
    counts.calls = 0;
    const { milliseconds, cpuMs } = await runCallers({
      callers: CALLERS,
      times: CHECKS_PER_CALLER,
      work: check,
    });
    await reader.close();
    const checks = CALLERS * CHECKS_PER_CALLER;
    const sorted = milliseconds.sort((a, b) => a - b);
    rows.push([
      name,
      fixed(median(milliseconds), 1),
      fixed(sorted[Math.floor(sorted.length * 0.99)] ?? NaN, 1),
      fixed(counts.calls / checks, 3),
      fixed((cpuMs / checks) * 1000, 0),
    ]);
  }
  return table(
    `${CALLERS} callers, ${READS_PER_CHECK} reads each, a fresh account per check (wanted: at most 0.05 calls; p50 under 65 ms with ${ADDED_MS} ms added)`,
    ['node', 'p50 ms', 'p99 ms', 'calls per check', 'CPU per check, µs'],
    rows,
  );
}

/**
 * What reads of honest contracts take while somebody else asks for bad ones again and again.
 * @param {World & { badReads: () => Read[] }} options
 */
async function besideBadContracts({ chain, rpcUrl, tokens, badReads }) {
  const sides = [
    { name: 'alone', options: {}, bad: false },
    { name: 'beside bad contracts', options: {}, bad: true },
    { name: 'beside bad contracts, no quarantine', options: { quarantineMs: 1 }, bad: true },
  ];
  const rows = [];
  for (const { name, options, bad } of sides) {
    const reader = chain.readerOf(rpcUrl, options);
    const end = new AbortController();
    const attack = (async () => {
      while (bad && !end.signal.aborted) await reader.read(CHAIN_ID, badReads());
    })();
    const work = () =>
      reader.read(
        CHAIN_ID,
        Array.from({ length: 20 }, () => chain.createErc20BalanceRead(tokens.erc20, freshAccount())),
      );
    await runCallers({ callers: 4, times: 10, work });
    const { milliseconds } = await runCallers({ callers: 4, times: 50, work });
    end.abort();
    await attack;
    await reader.close();
    const sorted = milliseconds.sort((a, b) => a - b);
    rows.push([name, fixed(median(sorted), 1), fixed(sorted[Math.floor(sorted.length * 0.99)] ?? NaN, 1)]);
  }
  return table(
    '4 callers, 20 reads each, beside a gas burner and a 3 MB answer',
    ['', 'p50 ms', 'p99 ms'],
    rows,
  );
}
