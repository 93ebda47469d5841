import { randomInt, randomUUID } from 'node:crypto';
import type pg from 'pg';
import { type Hex, hexToBytes } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { evmKeyName, toEvmKey } from '../../apps/account-kit/src/custody/account-keys.js';
import { createKeyRoot, deriveAccountKey } from '../../apps/account-kit/src/custody/derive-account-key.js';
import type { AccountVersion } from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import type { AccountCall } from '../../apps/account-kit/src/evm/operations/encode-execute.js';
import { demoAccounts } from '../../scripts/demo/demo-accounts.mjs';
import { deployAccountContracts } from '../../scripts/chain/deploy-account-contracts.mjs';
import { freePort } from '../../scripts/processes/ports.mjs';
import { root } from '../../scripts/build/project.mjs';
import { makeSecrets } from '../../scripts/suite/secrets.mjs';
import { databasePool } from '../support/database-pool.js';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.js';
import { LocalChain } from '../support/local-chain.js';
import { type RunningApp, runningApp } from '../support/running-app.js';
import { until } from '../support/until.js';
import { signAsSponsor } from './sign-as-sponsor.js';
import { SmartAccountOwner } from './smart-account-owner.js';

export const RECIPIENT = '0x00000000000000000000000000000000000a11ce';
const FUNDS = 10n ** 18n;
/** 25 operations that deploy their accounts fit into one bundle. */
const SMALL_GAS = { callGasLimit: 50_000n, verificationGasLimit: 300_000n };

export interface StoredOperation {
  readonly id: string;
  readonly hash: Hex;
  readonly owner: SmartAccountOwner;
}

type SignOptions = NonNullable<Parameters<SmartAccountOwner['sign']>[1]>;

/** A chain, a database and instances of account-kit whose executors take operations that the test has signed. */
export class ExecutorWorld {
  private readonly apps: RunningApp[] = [];
  private shared: RunningApp | undefined;
  private readonly secrets = makeSecrets(['gateway', 'account-kit']);
  private readonly keyRoot = createKeyRoot(Buffer.from(this.secrets.accountKeySecret, 'base64url'));
  readonly executorKeys = [generatePrivateKey(), generatePrivateKey()];
  readonly executors = this.executorKeys.map((key) => privateKeyToAddress(key));

  private constructor(
    readonly chain: LocalChain,
    readonly contracts: Awaited<ReturnType<typeof deployAccountContracts>>,
    private readonly database: FreshDatabase,
    readonly pool: pg.Pool,
  ) {}

  static async start(): Promise<ExecutorWorld> {
    const chain = await LocalChain.startStrict();
    const contracts = await deployAccountContracts({
      rpcUrl: chain.rpcUrl,
      root,
      accounts: await demoAccounts(),
    });
    const database = await freshDatabase('account-kit');
    const world = new ExecutorWorld(chain, contracts, database, databasePool(database.url));
    for (const executor of world.executors) await chain.setNativeBalance(executor, 100n * FUNDS);
    return world;
  }

  /** An instance for the tests that need no other one; it ends when one is started. */
  async sharedApp(): Promise<RunningApp> {
    return (this.shared ??= await this.launch());
  }

  /** Starts an instance. @param env further variables, such as another node */
  async startApp(env: Record<string, string> = {}): Promise<RunningApp> {
    await this.shared?.stop(); // it would take the operations
    this.shared = undefined;
    const app = await this.launch(env);
    this.apps.push(app);
    return app;
  }

  private async launch(env: Record<string, string> = {}): Promise<RunningApp> {
    const { signing, keySet, accountKeySecret } = this.secrets;
    return runningApp('account-kit', {
      NODE_ENV: 'test',
      SHUTDOWN_DELAY_MS: '0',
      PORT: String(await freePort()),
      MANAGEMENT_PORT: String(await freePort()),
      INTERNAL_KEYS: JSON.stringify(keySet),
      INTERNAL_SIGNING_KEY: JSON.stringify(signing['account-kit']),
      // The URL of identity, which only operators' operations ask.
      IDENTITY_URL: `http://127.0.0.1:${String(await freePort())}`,
      DATABASE_URL: this.database.url,
      ACCOUNT_KEY_SECRET: accountKeySecret,
      ACCOUNT_KIT_CHAINS: String(this.chain.chainId),
      [`RPC_URL_${this.chain.chainId}`]: this.chain.rpcUrl,
      EXECUTOR_KEYS: this.executorKeys.join(),
      EXECUTOR_POLL_MS: '100',
      EXECUTOR_LEASE_MS: '2000',
      ...env,
    });
  }

  /** Creates the owner of an account whose key account-kit has, too. */
  createOwner(version: AccountVersion = '0.8'): SmartAccountOwner {
    const userId = String(randomInt(1, 2 ** 47));
    const account = toEvmKey(
      deriveAccountKey(this.keyRoot, { ...evmKeyName('account'), platform: 'chat', userId }),
    );
    return new SmartAccountOwner(version, this.chain.chainId, account, userId);
  }

  async fundedOwner(version: AccountVersion = '0.8'): Promise<SmartAccountOwner> {
    const owner = this.createOwner(version);
    await this.chain.setNativeBalance(owner.address, FUNDS);
    return owner;
  }

  /** Signs without storing. */
  async sign(
    owner: SmartAccountOwner,
    calls: readonly AccountCall[] = [pay(1n)],
    { validUntil, ...options }: SignOptions & { readonly validUntil?: Date } = {},
  ) {
    const key = options.key ?? 0n;
    const sequence = options.sequence ?? 0n;
    const fields = { ...SMALL_GAS, ...options };
    const signed = await owner.sign(calls, fields);
    return { ...signed, owner, key, sequence, validUntil, chainId: this.chain.chainId };
  }

  /** Signs an operation of EntryPoint 0.8 that the chain's sponsor pays for. */
  async signSponsored(owner: SmartAccountOwner, options: SignOptions & { readonly validUntil?: Date } = {}) {
    const validUntil = options.validUntil ?? new Date(Date.now() + 60 * 60_000);
    const { operation } = await this.sign(owner, [pay(0n)], options);
    const { paymasterSigner } = await demoAccounts();
    const { fields } = await signAsSponsor(operation, {
      chainId: this.chain.chainId,
      paymaster: this.contracts.paymaster08,
      validUntil: Math.floor(validUntil.getTime() / 1_000),
      key: paymasterSigner.privateKey,
    });
    return this.sign(owner, [pay(0n)], { ...options, ...fields, validUntil });
  }

  /** Stores signed operations in one transaction, in the order of their acceptance. */
  async store(...signed: readonly Awaited<ReturnType<ExecutorWorld['sign']>>[]): Promise<StoredOperation[]> {
    const connection = await this.pool.connect();
    try {
      await connection.query('BEGIN');
      const stored: StoredOperation[] = [];
      for (const one of signed) stored.push(await insertSigned(connection, this.keyRoot.id, one));
      await connection.query('COMMIT');
      return stored;
    } finally {
      connection.release();
    }
  }

  async rows(ids: readonly string[]): Promise<Record<string, unknown>[]> {
    const { rows } = await this.pool.query<Record<string, unknown>>(
      'SELECT * FROM account_kit.user_operations WHERE id = ANY($1::uuid[]) ORDER BY array_position($1::uuid[], id)',
      [ids],
    );
    return rows;
  }

  /** What is `final` was `included`: blocks may be mined meanwhile. */
  async untilState(
    state: string,
    operations: readonly StoredOperation[],
  ): Promise<Record<string, unknown>[]> {
    const ids = operations.map(({ id }) => id);
    const states = state === 'included' ? ['included', 'final'] : [state];
    const isInState = async () =>
      (await this.rows(ids)).every((row) => states.includes(String(row['state'])));
    await until(`${operations.length} operations are ${state}`, isInState, 50_000).catch(
      async (cause: unknown) => {
        const found = (await this.rows(ids)).map((row) => `${String(row['state'])} ${String(row['reason'])}`);
        const apps = this.shared ? [this.shared, ...this.apps] : this.apps;
        const logs = apps.flatMap((app) => app.logLines.slice(-5));
        throw new Error([...found, ...logs].join('\n'), { cause });
      },
    );
    return this.rows(ids);
  }

  async transactions() {
    const { rows } = await this.pool.query<{
      executor: string;
      nonce: number;
      state: string;
      variants: number;
      operations: number;
    }>(
      `SELECT executor, nonce::int, state,
         (SELECT count(*)::int FROM account_kit.executor_transaction_variants WHERE transaction_id = id) AS variants,
         (SELECT count(*)::int FROM account_kit.executor_transaction_operations WHERE transaction_id = id) AS operations
       FROM account_kit.executor_transactions ORDER BY executor, nonce`,
    );
    return rows;
  }

  /** Stops the apps of the test, but not the shared one. */
  async stopApps(): Promise<void> {
    await Promise.all(this.apps.splice(0).map((app) => app.stop()));
  }

  async stop(): Promise<void> {
    await this.stopApps();
    await this.shared?.stop();
    await this.pool.end();
    await this.database.drop();
    await this.chain.stop();
  }
}

export const pay = (value: bigint): AccountCall => ({ target: RECIPIENT, value, data: '0x' });

/** Stores a signed operation of the test, and its account if it is missing. */
export async function insertSigned(
  connection: pg.PoolClient,
  keyRootId: string,
  { owner, operation, hash, key, sequence, validUntil, chainId }: Awaited<ReturnType<ExecutorWorld['sign']>>,
  clientId = 'client',
): Promise<StoredOperation> {
  const { rows } = await connection.query<{ id: string }>(
    `INSERT INTO account_kit.smart_accounts AS account
       (id, platform, platform_user_id, account_version, key_root_id, signer_address, evm_address, solana_addresses,
        action_address)
     VALUES ($1, 'chat', $2, $3, $4, $5, $6, '{}', '')
     ON CONFLICT (evm_address) DO UPDATE SET key_root_id = account.key_root_id RETURNING id`,
    [randomUUID(), owner.userId, owner.version, keyRootId, owner.ownerAddress, owner.address],
  );
  const id = randomUUID();
  await connection.query(
    `INSERT INTO account_kit.user_operations
       (id, account_id, client_id, kind, chain_id, account_version, sender, nonce_key, nonce_sequence, deploys_account,
        call_data, call_gas_limit, verification_gas_limit, pre_verification_gas, max_fee_per_gas,
        max_priority_fee_per_gas, state, state_seq, hash, signature, valid_until, accepted_at, changed_at,
        paymaster, paymaster_verification_gas_limit, paymaster_post_op_gas_limit, paymaster_data)
     VALUES ($1, $2, $22, 'call', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 'signed', 2, $15, $16, $17,
       clock_timestamp(), clock_timestamp(), $18, $19, $20, $21)`,
    [
      id,
      rows[0]?.id,
      chainId,
      owner.version,
      owner.address,
      key,
      sequence,
      operation.factory !== undefined,
      bytes(operation.callData),
      operation.callGasLimit,
      operation.verificationGasLimit,
      operation.preVerificationGas,
      operation.maxFeePerGas,
      operation.maxPriorityFeePerGas,
      hash,
      bytes(operation.signature),
      validUntil,
      operation.paymaster,
      operation.paymasterVerificationGasLimit,
      operation.paymasterPostOpGasLimit,
      operation.paymasterData === undefined ? undefined : bytes(operation.paymasterData),
      clientId,
    ],
  );
  return { id, hash, owner };
}

const bytes = (hex: Hex): Buffer => Buffer.from(hexToBytes(hex));
