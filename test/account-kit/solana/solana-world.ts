import { createPrivateKey, randomUUID, sign } from 'node:crypto';
import { ChainConfig } from '@app/chain/evm';
import { loadConfig, serviceConfigSchema } from '@app/config';
import { createDatabase, type Database } from '@app/database';
import { OutboxService } from '@app/outbox';
import { operationCallbacksQueue, operationEventsQueue } from '@app/queues';
import { MetricsService, ReadinessService, ServiceContext } from '@app/service';
import { address, lamports } from '@solana/kit';
import {
  Keypair,
  type PublicKey,
  type Signer,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import base58 from 'bs58';
import { pino } from 'pino';
import { storage } from '../../../apps/account-kit/src/database/storage.js';
import { freeze } from '../../../apps/account-kit/src/limits/freezes.queries.js';
import { PaymasterConfig } from '../../../apps/account-kit/src/evm/paymaster.config.js';
import { SolanaSponsorConfig } from '../../../apps/account-kit/src/solana/messages/solana-sponsor.config.js';
import { RequestDeadline } from '../../../apps/account-kit/src/request-deadline.js';
import type { Policy } from '../../../apps/account-kit/src/policies/rules/policy.js';
import { SponsoringService } from '../../../apps/account-kit/src/policies/sponsoring/sponsoring.service.js';
import { SolanaNodesService } from '../../../apps/account-kit/src/solana/nodes/solana-nodes.service.js';
import { JudgeTransactionService } from '../../../apps/account-kit/src/solana/transactions/judge-transaction.service.js';
import {
  SettleTransactionsService,
  PauseTransactionsService,
} from '../../../apps/account-kit/src/solana/transactions/settle-transactions.service.js';
import { FinishTransactionsService } from '../../../apps/account-kit/src/solana/transactions/finish-transactions.service.js';
import { SendTransactionService } from '../../../apps/account-kit/src/solana/transactions/send-transaction.service.js';
import {
  SignTransactionService,
  SolanaSigner,
} from '../../../apps/account-kit/src/solana/transactions/sign-transaction.service.js';
import { SolanaTransactionRepository } from '../../../apps/account-kit/src/solana/transactions/solana-transaction.repository.js';
import { TransactionStateRepository } from '../../../apps/account-kit/src/solana/transactions/transaction-state.repository.js';
import { AcceptTransactionService } from '../../../apps/account-kit/src/solana/transactions/accept-transaction.service.js';
import {
  SubmitTransactionService,
  TransactionSponsorService,
} from '../../../apps/account-kit/src/solana/transactions/submit-transaction.service.js';
import { TransactionResponseService } from '../../../apps/account-kit/src/solana/user-solana-transactions.service.js';
import {
  TransactionSignal,
  type UnsentTransactionNotifier,
} from '../../../apps/account-kit/src/solana/transactions/transaction-signal.js';
import { TransactionWorker } from '../../../apps/account-kit/src/solana/transactions/transaction-worker.js';
import { StateTransitions } from '../../../apps/account-kit/src/states/state-transitions.js';
import { OutboxSignal } from '../../../libs/outbox/src/outbox.config.js';
import { OutboxQueries } from '../../../libs/outbox/src/outbox.queries.js';
import { SolanaCluster } from '../../../scripts/chain/solana/cluster.mjs';
import { queryDatabase } from '../../identity/query-database.js';
import { databasePool } from '../../support/database-pool.js';
import { freshDatabase, type FreshDatabase } from '../../support/fresh-database.js';
import { HostileNode } from '../../support/hostile-node.js';
import { SolanaNode } from '../../support/solana-node.js';
import { toBase64 } from '../../support/solana-transactions.js';

const SOL = 1_000_000_000n;
/** A program on the deployment's list. */
export const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

export interface Account {
  readonly id: string;
  readonly address: string;
  readonly key: PublicKey;
}

/** Keys in this process, for rows of a database. */
class LocalSigner extends SolanaSigner {
  readonly keys = new Map<string, Keypair>();
  /** Fails once with this error. */
  failure: Error | undefined;
  /** Happens before it signs. */
  meanwhile: () => Promise<unknown> = () => Promise.resolve();
  /** Returns none. */
  omitsSignatures = false;
  /** How often it was asked. */
  calls = 0;

  constructor(
    private readonly transactions: SolanaTransactionRepository,
    private readonly sponsor: Keypair,
  ) {
    super();
  }

  async signSolanaTransaction({ transactionId }: { readonly transactionId: string }) {
    this.calls += 1;
    const { failure } = this;
    this.failure = undefined;
    if (failure) throw failure;
    await this.meanwhile();
    const row = await this.transactions.find(transactionId);
    const key = row && this.keys.get(row.accountId);
    if (!row || !key) throw new Error('no key for this transaction');
    if (row.state !== 'accepted') throw new Error(`the transaction is ${row.state}`);
    const keys = row.sponsor === null ? [key] : [this.sponsor, key];
    if (this.omitsSignatures) return [];
    return keys.map((own) => ({
      address: own.publicKey.toBase58(),
      signature: signEd25519(own, row.message),
    }));
  }
}

/** Account-kit's part for Solana with a cluster, its nodes and a database. */
export class SolanaWorld {
  /** Pays the fees of transactions that name it; it holds ten SOL. */
  readonly sponsor = Keypair.generate();
  private readonly workers: TransactionWorker[] = [];
  private services: ReturnType<typeof createServices>;

  private constructor(
    readonly cluster: SolanaCluster,
    readonly nodes: SolanaNode[],
    /** The node of the main network, which never answers. */
    private readonly silent: HostileNode,
    private readonly fresh: FreshDatabase,
    private readonly database: Database,
  ) {
    this.services = createServices(database, this.sponsor);
    this.fund(this.sponsor.publicKey);
  }

  static async start({ rpcTimeoutMs = 5_000 } = {}): Promise<SolanaWorld> {
    const fresh = await freshDatabase('account-kit');
    const settings = { DATABASE_URL: fresh.url, DATABASE_POOL_SIZE: 8, DATABASE_STATEMENT_TIMEOUT_MS: 5_000 };
    const logger = pino({ level: 'silent' });
    const database = createDatabase(storage, settings, { name: 'account-kit', logger });
    await database.connect();
    const cluster = new SolanaCluster();
    const nodes = await Promise.all([SolanaNode.start(cluster), SolanaNode.start(cluster)]);
    const silent = await HostileNode.start(() => undefined);
    Object.assign(process.env, {
      RPC_URL_8000000000101: silent.url,
      RPC_URL_8000000000103: nodes.map(({ url }) => url).join(),
      RPC_TIMEOUT_MS: String(rpcTimeoutMs),
    });
    return new SolanaWorld(cluster, nodes, silent, fresh, database);
  }

  async stop(): Promise<void> {
    await this.silent.stop();
    await Promise.all(this.workers.map((worker) => worker.beforeApplicationShutdown()));
    await this.services.sending.beforeApplicationShutdown();
    await this.services.nodes.onApplicationShutdown();
    await Promise.all(this.nodes.map((node) => node.stop()));
    await this.database.close();
    await this.fresh.drop();
  }

  /** Adds a node, before anything was sent. */
  async addNode(): Promise<void> {
    this.nodes.push(await SolanaNode.start(this.cluster));
    process.env['RPC_URL_8000000000103'] = this.nodes.map(({ url }) => url).join();
    await this.services.nodes.onApplicationShutdown();
    const { keys } = this.services.signer;
    this.services = createServices(this.database, this.sponsor);
    for (const [id, key] of keys) this.services.signer.keys.set(id, key);
  }

  get signer(): LocalSigner {
    return this.services.signer;
  }

  get states(): TransactionStateRepository {
    return this.services.states;
  }

  /** Does what a worker does with all that is unfinished, due or not. @returns how many these are */
  async settleAll(): Promise<number> {
    await this.query(
      'UPDATE account_kit.solana_transactions SET next_attempt_at = now() WHERE next_attempt_at IS NOT NULL',
    );
    const claimed = await this.services.transactions.claim('SOL_DEVNET', 10, 1);
    const settled = await this.services.settling.settle('SOL_DEVNET', claimed);
    await this.services.finishing.finish('SOL_DEVNET', settled);
    if (settled.heightFailure !== undefined) throw settled.heightFailure;
    return claimed.length;
  }

  /** Begins to send what was submitted. */
  startWorker(): void {
    const worker = this.services.createWorker();
    this.workers.push(worker);
    worker.onApplicationBootstrap();
  }

  async stopWorkers(): Promise<void> {
    await Promise.all(this.workers.splice(0).map((worker) => worker.beforeApplicationShutdown()));
  }

  /** An account that holds ten SOL. */
  async createAccount(): Promise<Account> {
    const id = randomUUID();
    const keypair = Keypair.generate();
    const text = keypair.publicKey.toBase58();
    await this.query(
      `INSERT INTO account_kit.smart_accounts (id, platform, platform_user_id, account_version, key_root_id,
        signer_address, evm_address, solana_addresses, action_address)
      VALUES ($1::uuid, 'chat', (random() * 1e15)::bigint::text, '0.8', 'test', '0x0', $1::text, $2, '0x0')`,
      [id, { SOL_DEVNET: text }],
    );
    this.signer.keys.set(id, keypair);
    this.fund(keypair.publicKey);
    return { id, address: text, key: keypair.publicKey };
  }

  fund(key: PublicKey): void {
    this.cluster.svm.airdrop(address(key.toBase58()), lamports(10n * SOL));
  }

  balanceOf(key: PublicKey): bigint {
    return this.cluster.svm.getBalance(address(key.toBase58())) ?? 0n;
  }

  /** A transaction of the account with a recent blockhash, which `signers` have signed. */
  build(payer: PublicKey, instructions: readonly TransactionInstruction[], signers: Signer[] = []): string {
    this.cluster.advance();
    const message = new TransactionMessage({
      payerKey: payer,
      recentBlockhash: this.cluster.svm.latestBlockhash(),
      instructions: [...instructions],
    }).compileToV0Message();
    const transaction = new VersionedTransaction(message);
    if (signers.length > 0) transaction.sign(signers);
    return toBase64(transaction);
  }

  /** The bytes of a transaction that its account has signed outside of the service. */
  signDirectly(account: Account, serializedTransactionBase64: string): Uint8Array {
    const keypair = this.signer.keys.get(account.id);
    if (!keypair) throw new Error('the account has no key');
    const transaction = VersionedTransaction.deserialize(Buffer.from(serializedTransactionBase64, 'base64'));
    transaction.sign([keypair]);
    return transaction.serialize();
  }

  async submit(
    account: Account,
    serializedTransactionBase64: string,
    {
      idempotencyKey,
      isSponsored = false,
      policy = 'open',
      clientId = 'client',
      deadline = new RequestDeadline(performance.now()),
    }: {
      idempotencyKey?: string;
      isSponsored?: boolean;
      policy?: Policy | 'open';
      clientId?: string;
      deadline?: RequestDeadline;
    } = {},
  ): Promise<string> {
    const answer = await this.services.submission.submit(
      {
        ...{ network: 'SOL_DEVNET', clientId, account, serializedTransactionBase64 },
        ...{ idempotencyKey, deadline },
      },
      () => Promise.resolve({ isSponsored, policy }),
    );
    if (!('txSignature' in answer)) throw new Error('a submission got the answer of a dry run');
    return answer.txSignature;
  }

  load(account: Account, signature: string) {
    const request = { network: 'SOL_DEVNET', accountId: account.id, signature } as const;
    return this.services.responses.load(request, { waitMs: 0, signal: new AbortController().signal });
  }

  async stateOf(signature: string): Promise<string | undefined> {
    const [row] = await this.query<{ state: string }>(
      'SELECT state FROM account_kit.solana_transactions WHERE signature = $1',
      [signature],
    );
    return row?.state;
  }

  /** States of which events were sent, each with its number, to each of the queues. */
  async eventsOf(signature: string): Promise<readonly string[]> {
    const rows = await this.query<{ states: string[] }>(
      `SELECT array_agg(concat(event -> 'seq', ' ', event ->> 'state') ORDER BY event -> 'seq') AS states
       FROM account_kit.outbox, jsonb_array_elements(payload -> 'events') AS event
       WHERE event ->> 'txSignature' = $1 GROUP BY queue`,
      [signature],
    );
    const [first, second, ...others] = rows.map(({ states }) => states);
    if (!first || String(first) !== String(second) || others.length > 0)
      throw new Error(`the two queues differ: ${JSON.stringify(rows)}`);
    return first;
  }

  /** Keeps statements that change stored transactions from ending. @returns a function that lets them go on */
  holdTransactions(): Promise<() => Promise<void>> {
    return this.holdLocks('SELECT FROM account_kit.solana_transactions FOR UPDATE');
  }

  /** Keeps transactions of the account from being accepted. @returns a function that lets them go on */
  holdAcceptance({ id }: Account): Promise<() => Promise<void>> {
    const sql = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';
    return this.holdLocks(sql, [`solana transactions ${id}`]);
  }

  private async holdLocks(sql: string, parameters: unknown[] = []): Promise<() => Promise<void>> {
    const pool = databasePool(this.fresh.url);
    const client = await pool.connect();
    await client.query('BEGIN');
    await client.query(sql, parameters);
    return async () => {
      await client.query('COMMIT');
      client.release();
      await pool.end();
    };
  }

  /** Statements that wait for a lock, of rows or of freezes. */
  async countWaiting(): Promise<number> {
    const [row] = await this.query<{ count: number }>(
      `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return row?.count ?? 0;
  }

  freezeEverything(): Promise<void> {
    return freeze(this.database, { scope: 'everything', subject: '' }, 'test');
  }

  query<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return queryDatabase(this.fresh.url, sql, parameters) as Promise<Row[]>;
  }
}

/** Their events are never sent. */
export function createStateEvents(database: Database): StateTransitions {
  const options = { schema: storage.schema, queues: [operationEventsQueue, operationCallbacksQueue] };
  const rows = new OutboxQueries(options, database);
  return new StateTransitions(new OutboxService(options, rows, new OutboxSignal()));
}

function createServices(database: Database, sponsor: Keypair) {
  const context = new ServiceContext(
    'account-kit',
    loadConfig(serviceConfigSchema, { NODE_ENV: 'test', PORT: '0', MANAGEMENT_PORT: '0' }),
    pino({ level: 'silent' }),
    new MetricsService('account-kit'),
    new ReadinessService(),
  );
  const transactions = new SolanaTransactionRepository(database);
  const states = new TransactionStateRepository(database, createStateEvents(database));
  const nodes = new SolanaNodesService(new ChainConfig(), context);
  const signer = new LocalSigner(transactions, sponsor);
  const signal = new TransactionSignal();
  const notifier = {
    notify: () => {
      signal.notify();
    },
  } as unknown as UnsentTransactionNotifier;
  const sending = new SendTransactionService(nodes, states, notifier, context);
  const signing = new SignTransactionService(transactions, states, signer, sending);
  const judging = new JudgeTransactionService(nodes);
  const sponsors = new TransactionSponsorService(
    loadSponsor(sponsor),
    new SponsoringService(new PaymasterConfig(), database),
  );
  const pauses = new PauseTransactionsService(states, context);
  const settling = new SettleTransactionsService(states, nodes, sending, pauses, context);
  const finishing = new FinishTransactionsService(states, nodes, sending, pauses, context);
  return {
    ...{ transactions, states, nodes, signer, sending, settling, finishing },
    submission: new SubmitTransactionService(
      database,
      transactions,
      states,
      judging,
      sponsors,
      new AcceptTransactionService(database, transactions),
      signing,
      { SOLANA_PROGRAMS: [MEMO_PROGRAM] },
    ),
    responses: new TransactionResponseService(transactions, nodes),
    createWorker: () => new TransactionWorker(transactions, settling, finishing, signal, context),
  };
}

function loadSponsor({ secretKey }: Keypair): SolanaSponsorConfig {
  process.env['SOLANA_SPONSOR_KEY_SOL_DEVNET'] = base58.encode(secretKey);
  try {
    return new SolanaSponsorConfig();
  } finally {
    delete process.env['SOLANA_SPONSOR_KEY_SOL_DEVNET'];
  }
}

/** DER prefix of an Ed25519 private key (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

function signEd25519(keypair: Keypair, message: Uint8Array): Buffer {
  const key = Buffer.concat([PKCS8_PREFIX, keypair.secretKey.subarray(0, 32)]);
  return sign(null, message, createPrivateKey({ key, format: 'der', type: 'pkcs8' }));
}
