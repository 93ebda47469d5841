import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { rpc } from '../../scripts/local/json-rpc.mjs';
import { CHAIN_ID } from '../support/account-kit-suite.mjs';
import { processorMs } from '../support/processor-time.mjs';
import { fixed, median, table } from '../support/table.mjs';
import { watchUserOperations } from '../support/user-operation-events.mjs';
import { createAltoSides } from './alto-sides.mjs';
import { gasTable } from './gas-table.mjs';
import { ACCOUNTS, createPostedSide, createPresignedSide, OPERATIONS_PER_ACCOUNT } from './own-sides.mjs';

const ROUNDS = 3;
const CONFIRMATIONS = 12;
const COUNT = ACCOUNTS * OPERATIONS_PER_ACCOUNT;

/** Operations per second from POST to UserOperationEvent, beside alto with its own estimation, and beside signed ones. */
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
    const sides = [alto?.estimated, posted, capped, alto?.presigned, presigned].filter(Boolean);
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

const perSecond = ({ rounds }) => median(rounds.map((round) => round.perSecond));

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
        .map((name) => `${name} ${fixed(median(side.rounds.map(({ processor }) => processor[name])), 1)}`)
        .join(', '),
      fixed(perSecond(side) / perSecond(reference)),
    ]),
  );
}

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

/** Operations of another client application, whose policy has caps. */
async function createCappedSide(suite, sql) {
  const { clientId, bots } = await suite.createClient();
  await sql.query('INSERT INTO account_kit.policies (client_id, document) VALUES ($1, $2)', [
    clientId,
    JSON.stringify(FIVE_CAPS),
  ]);
  return createPostedSide(suite, { name: 'POST under five caps', bots, firstId: 9_500 });
}

async function measure(rpcUrl, side) {
  const run = await side.prepare();
  const events = await watchUserOperations(rpcUrl);
  const readProcessor = () => Object.entries(side.processes).map(([name, pid]) => [name, processorMs([pid])]);
  const before = readProcessor();
  const started = performance.now();
  const [, { found, lastFoundAt }] = await Promise.all([run(), events.until(COUNT, side)]);
  return {
    perSecond: (found.size * 1_000) / (lastFoundAt - started),
    lost: COUNT - found.size,
    processor: Object.fromEntries(
      readProcessor().map(([name, ms], index) => [name, (ms - before[index][1]) / COUNT]),
    ),
    transactions: [...new Set(found.values())],
  };
}

/** Waits until no operation of the service is unfinished: an account may have only so many. */
async function finish(sql, rpcUrl) {
  await rpc(rpcUrl, 'anvil_mine', [`0x${(CONFIRMATIONS + 1).toString(16)}`]);
  const unfinished = `SELECT 1 FROM account_kit.user_operations WHERE state NOT IN ('final', 'reverted') LIMIT 1`;
  while ((await sql.query(unfinished)).rowCount > 0) await sleep(100);
}

async function readGas(sql) {
  const { rows } = await sql.query(
    `SELECT call_gas_limit, verification_gas_limit, pre_verification_gas, max_fee_per_gas, max_priority_fee_per_gas
     FROM account_kit.user_operations WHERE NOT deploys_account LIMIT 1`,
  );
  const [row] = rows;
  return {
    callGasLimit: BigInt(row.call_gas_limit),
    verificationGasLimit: BigInt(row.verification_gas_limit),
    preVerificationGas: BigInt(row.pre_verification_gas),
    maxFeePerGas: BigInt(row.max_fee_per_gas),
    maxPriorityFeePerGas: BigInt(row.max_priority_fee_per_gas),
  };
}
