import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { rpc } from '../../scripts/chain/json-rpc.mjs';
import { CHAIN_ID } from '../support/account-kit-suite.mjs';
import { processorMs } from '../support/processor-time.mjs';
import { first, fixed, median, table } from '../support/table.mjs';
import { watchUserOperations } from '../support/user-operation-events.mjs';
import { createAltoSides } from './alto-sides.mjs';
import { gasTable } from './gas-table.mjs';
import { ACCOUNTS, createPostedSide, createPresignedSide, OPERATIONS_PER_ACCOUNT } from './own-sides.mjs';

/** @import { Children } from '../../scripts/processes/children.mjs' */
/** @import { AccountKitSuite } from '../support/account-kit-suite.mjs' */
/** @import { Side } from './own-sides.mjs' */

const ROUNDS = 3;
const CONFIRMATIONS = 12;
const COUNT = ACCOUNTS * OPERATIONS_PER_ACCOUNT;

/**
 * Operations per second from POST to UserOperationEvent, beside alto with its own estimation, and beside signed ones.
 * @param {Children} children
 * @param {AccountKitSuite} suite
 */
export async function operationSpeed(children, suite) {
  const { rpcUrl, databaseUrl, bots, accounts } = suite;
  const sql = new pg.Pool({ connectionString: databaseUrl });
  try {
    const posted = await createPostedSide(suite, { name: 'POST submitUserOperation', bots, firstId: 9_000 });
    const gas = await readGas(sql);
    const presigned = await createPresignedSide({ rpcUrl, gas, from: accounts.deployer.address });
    const alto = await createAltoSides(children, { rpcUrl, gas, anvil: suite.processes.anvil });
    const capped = await createCappedSide(suite, sql);
    await rpc(rpcUrl, 'evm_setIntervalMining', [1]);
    const sides = [alto?.estimated, posted, capped, alto?.presigned, presigned].filter(
      (side) => side !== undefined,
    );
    for (let count = 0; count < ROUNDS; count += 1)
      for (const side of sides) {
        side.rounds.push(await measure(rpcUrl, side));
        await finish(sql, rpcUrl);
      }
    return [
      speedTable(sides, alto?.estimated ?? presigned),
      capsTable(posted, capped),
      await gasTable(rpcUrl, posted.rounds, accounts.deployer.address),
    ].join('\n\n');
  } finally {
    await sql.end();
  }
}

/** @param {Side} side */
const perSecond = ({ rounds }) => median(rounds.map((round) => round.perSecond));

/** @param {Side[]} sides @param {Side} reference */
function speedTable(sides, reference) {
  const hasAlto = sides.some(({ name }) => name.startsWith('alto'));
  const wanted = hasAlto
    ? 'wanted: POST at least 4 times alto with its estimation'
    : 'alto is not installed: npm run test:bundler installs it';
  return table(
    `${COUNT} payments of ${ACCOUNTS} deployed accounts, EntryPoint 0.8, blocks of 1 s, median of ${ROUNDS} rounds (${wanted})`,
    ['', 'operations/s', 'lost', 'transactions', 'processor ms an operation', 'ratio'],
    sides.map((side) => [
      side.name,
      fixed(perSecond(side), 1),
      median(side.rounds.map(({ lost }) => lost)),
      median(side.rounds.map(({ transactions }) => transactions.length)),
      Object.keys(side.processes)
        .map(
          (name) => `${name} ${fixed(median(side.rounds.map(({ processor }) => processor[name] ?? NaN)), 1)}`,
        )
        .join(', '),
      fixed(perSecond(side) / perSecond(reference)),
    ]),
  );
}

/** @param {Side} open @param {Side} capped */
const capsTable = (open, capped) =>
  table(
    'The same under five caps (wanted: at least 0.85)',
    ['', 'operations/s', 'ratio'],
    [open, capped].map((side) => [
      side.name,
      fixed(perSecond(side), 1),
      fixed(perSecond(side) / perSecond(open)),
    ]),
  );

const MUCH = String(10n ** 30n);
/** @param {'gas' | 'value'} of @param {'account' | 'application'} per @param {'day' | 'month'} period */
const toCap = (of, per, period) => ({ of, chainId: CHAIN_ID, per, period, max: MUCH });
const FIVE_CAPS = {
  calls: [{ chainId: CHAIN_ID, target: 'any' }],
  maxValue: MUCH,
  caps: [
    toCap('gas', 'account', 'day'),
    toCap('gas', 'application', 'day'),
    toCap('gas', 'application', 'month'),
    toCap('value', 'account', 'day'),
    toCap('value', 'application', 'month'),
  ],
};

/** Operations of another client application, whose policy has caps. @param {AccountKitSuite} suite @param {pg.Pool} sql */
async function createCappedSide(suite, sql) {
  const { clientId, bots } = await suite.createClient();
  await sql.query('INSERT INTO account_kit.policies (client_id, document) VALUES ($1, $2)', [
    clientId,
    JSON.stringify(FIVE_CAPS),
  ]);
  return createPostedSide(suite, { name: 'POST under five caps', bots, firstId: 9_500 });
}

/** @param {string} rpcUrl @param {Side} side */
async function measure(rpcUrl, side) {
  const run = await side.prepare();
  const events = await watchUserOperations(rpcUrl);
  const readProcessor = () =>
    Object.entries(side.processes).map(([name, pid]) => ({ name, ms: processorMs([pid]) }));
  const before = readProcessor();
  const started = performance.now();
  const [, { found, lastFoundAt }] = await Promise.all([run(), events.until(COUNT, side)]);
  return {
    perSecond: (found.size * 1_000) / (lastFoundAt - started),
    lost: COUNT - found.size,
    processor: Object.fromEntries(
      readProcessor().map(({ name, ms }, index) => [name, (ms - (before[index]?.ms ?? NaN)) / COUNT]),
    ),
    transactions: [...new Set(found.values())],
  };
}

/** Waits until no operation of the service is unfinished: an account may have only so many. @param {pg.Pool} sql @param {string} rpcUrl */
async function finish(sql, rpcUrl) {
  await rpc(rpcUrl, 'anvil_mine', [`0x${(CONFIRMATIONS + 1).toString(16)}`]);
  const unfinished = `SELECT 1 FROM account_kit.user_operations WHERE state NOT IN ('final', 'reverted') LIMIT 1`;
  while ((await sql.query(unfinished)).rows.length > 0) await sleep(100);
}

/** @param {pg.Pool} sql */
async function readGas(sql) {
  /** @type {{ rows: Record<string, string>[] }} */
  const { rows } = await sql.query(
    `SELECT call_gas_limit, verification_gas_limit, pre_verification_gas, max_fee_per_gas, max_priority_fee_per_gas
     FROM account_kit.user_operations WHERE NOT deploys_account LIMIT 1`,
  );
  const row = first(rows);
  /** @param {string} column */
  const read = (column) => BigInt(row[column] ?? '');
  return {
    callGasLimit: read('call_gas_limit'),
    verificationGasLimit: read('verification_gas_limit'),
    preVerificationGas: read('pre_verification_gas'),
    maxFeePerGas: read('max_fee_per_gas'),
    maxPriorityFeePerGas: read('max_priority_fee_per_gas'),
  };
}
