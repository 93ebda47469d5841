import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, encodeFunctionData, type Hex } from 'viem';
import { BundlerStandIn } from '../account-kit/bundler-stand-in.js';
import { forwardTo, HostileNode, reply } from '../support/hostile-node.js';
import type { DeployedContract } from '../support/local-chain.js';
import { seededRandom } from '../support/seeded-random.js';
import { until } from '../support/until.js';
import { AccountKitWorld, type Submitted } from './account-kit-world.js';
import { KilledReplica } from './killed-replica.js';
import { LapsingOperations } from './lapsing-operations.js';
import { checkNonces, checkPayments, checkReservations, checkUsage } from './money-checks.js';
import { describeSteps, pickBy, planSteps, type Step } from './money-steps.js';
import { executeAsStranger, loadPendingOperations } from './pending-operations.js';

const GWEI = 10n ** 9n;
const FUNDS = 10n ** 18n;
const USERS = ['9101', '9102', '9103'];
const LANES = ['0', '7'];
const FIRST_LAPSING_LANE = 1_000;
const MAX_BLOCK_MS = 250;
const MAX_SPIKE_GWEI = 40;
const REFUSED_SHARE = 0.15;
const CALM_MS = 60_000;
/**
 * The chain's clock is behind: what the machine's clock says of the end of a sponsor's signature is no proof. Each block takes a second of
 * the chain, so that it goes about eight times as fast.
 */
const SECONDS_BEHIND = 1_200;
const MUCH = String(10n ** 30n);

/** A payment that a client wants to happen once. */
interface Payment {
  readonly id: number;
  readonly userId: string;
  readonly lane: string;
  /** Requests with keys of their own; another one is made only when the last has ended as rejected or expired. */
  attempts: number;
  hash: Hex | undefined;
}

interface ModelOptions {
  readonly hasBundler: boolean;
  readonly seed: number;
  readonly steps: number;
}

/** Account-kit among a node or bundler that refuses, fee spikes, reorganisations, strangers, freezes, cancellations and kills. */
export class MoneyModel {
  /** A source of chance for what nodes and bundlers do to requests, whose order differs from run to run. */
  private readonly random: () => number;
  private readonly steps: readonly Step[];
  private readonly payments: Payment[] = [];
  private readonly accounts = new Map<string, Address>();
  private isCalm = false;
  private isDone = false;

  private constructor(
    private readonly world: AccountKitWorld,
    private readonly counter: DeployedContract,
    private readonly node: HostileNode,
    private readonly replica: KilledReplica,
    private readonly bundler: BundlerStandIn | undefined,
    private readonly control: { isRefusing: () => boolean },
    { seed, steps, hasBundler }: ModelOptions,
  ) {
    this.random = seededRandom(seed + 1);
    this.steps = planSteps(seed, steps, { users: USERS.length, lanes: LANES.length, hasBundler });
  }

  static async start(options: ModelOptions): Promise<MoneyModel> {
    const world = await AccountKitWorld.start(
      { EXECUTOR_LEASE_MS: '1000', CONFIRMATIONS_31337: '3' },
      { secondsBehind: SECONDS_BEHIND },
    );
    const { chain, client } = world.kit;
    const counter = await chain.deploy('Counter');
    const control = { isRefusing: () => false };
    const forward = forwardTo(chain.rpcUrl);
    const node = await HostileNode.start(async (request, response) => {
      const isRefused = request.method === 'eth_sendRawTransaction' && control.isRefusing();
      if (isRefused) reply(response, request.id, { error: { code: -32_000, message: 'internal error' } });
      else await forward(request, response);
    });
    const bundler = options.hasBundler ? await BundlerStandIn.start(chain) : undefined;
    const caps = (['gas', 'value'] as const).flatMap((of) =>
      (['account', 'application'] as const).map((per) => ({
        of,
        chainId: chain.chainId,
        per,
        period: 'day',
        max: MUCH,
      })),
    );
    const document = { calls: [{ chainId: chain.chainId, target: 'any' }], maxValue: MUCH, caps };
    await world.pool.query('INSERT INTO account_kit.policies (client_id, document) VALUES ($1, $2)', [
      client.clientId,
      JSON.stringify(document),
    ]);
    const replica = await KilledReplica.start(world, {
      [`RPC_URL_${chain.chainId}`]: node.url,
      RPC_TIMEOUT_MS: '1000',
      ...(bundler && { [`BUNDLER_URL_${chain.chainId}`]: bundler.url }),
    });
    const model = new MoneyModel(world, counter, node, replica, bundler, control, options);
    for (const userId of USERS) model.accounts.set(userId, await world.fundedAccount(replica, userId));
    // No reorganisation takes the funds away.
    await chain.client.mine({ blocks: 10 });
    return model;
  }

  async stop(): Promise<void> {
    await this.world.stop();
    await this.bundler?.stop();
    await this.node.stop();
  }

  /** Runs the steps, then lets everything settle. @throws Error that tells the steps, so that somebody can repeat them */
  async run(): Promise<void> {
    try {
      await this.runSteps();
      await this.check();
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      throw new Error(`${failure}\nSteps:\n${describeSteps(this.steps)}`, { cause: error });
    }
  }

  private async runSteps(): Promise<void> {
    this.control.isRefusing = () => !this.isCalm && this.random() < REFUSED_SHARE;
    if (this.bundler) this.bundler.intercept = (request, response) => this.interfere(request, response);
    const mining = this.mine();
    try {
      for (const step of this.steps) {
        await this.perform(step);
        await sleep(step.pauseMs);
        await this.follow();
        await checkUsage(this.world.pool);
      }
      await this.settle();
    } finally {
      this.isDone = true;
      await mining;
    }
  }

  private get client() {
    return this.world.kit.chain.client;
  }

  private async mine(): Promise<void> {
    await this.client.setAutomine(false);
    while (!this.isDone) {
      await sleep(this.isCalm ? 100 : this.random() * MAX_BLOCK_MS);
      await this.client.mine({ blocks: 1 });
    }
  }

  private async interfere(
    request: Parameters<NonNullable<BundlerStandIn['intercept']>>[0],
    response: Parameters<NonNullable<BundlerStandIn['intercept']>>[1],
  ): Promise<boolean> {
    if (this.isCalm || request.method !== 'eth_sendUserOperation') return false;
    const draw = this.random();
    if (draw < 0.1) response.writeHead(502).end();
    else if (draw < 0.2) {
      await this.bundler?.answer(request);
      response.destroy();
    } else if (draw < 0.3) {
      const message = 'AA25 invalid account nonce: User operation already present in mempool';
      reply(response, request.id, { error: { code: -32_602, message } });
    } else return false;
    return true;
  }

  private async perform({ kind, user, lane: laneIndex, draw }: Step): Promise<void> {
    const userId = USERS[user] ?? '';
    const lane = LANES[laneIndex] ?? '0';
    switch (kind) {
      case 'pay':
        this.addPayment(userId, lane);
        return;
      case 'spike': {
        const gwei = BigInt(2 + Math.floor(draw * MAX_SPIKE_GWEI));
        await this.client.setNextBlockBaseFeePerGas({ baseFeePerGas: gwei * GWEI });
        return;
      }
      case 'reorganise':
        await this.client.request({ method: 'anvil_reorg', params: [draw < 0.5 ? 1 : 2, []] } as never);
        if (draw % 0.5 < 0.25) await this.client.request({ method: 'anvil_dropAllTransactions' } as never);
        return;
      case 'stranger':
        return this.executeAsStranger(draw);
      case 'freeze':
      case 'thaw':
        return this.setFrozen(userId, kind === 'freeze');
      case 'cancel': {
        // The newest operations are the ones that may still be cancelled.
        const open = this.payments.filter(({ hash }) => hash !== undefined).slice(-3);
        if (open.length > 0) await this.cancel(pickBy(open, draw));
        return;
      }
      case 'lapse':
        return this.payForShort(userId, lane, draw);
      case 'repent':
        return this.payAndRepent(userId, lane);
      case 'drain':
      case 'fund':
        await this.world.kit.chain.setNativeBalance(this.addressOf(userId), kind === 'fund' ? FUNDS : 0n);
        return;
      case 'kill':
        await this.replica.kill(draw < 0.5 ? 'app' : 'signer');
        await this.replica.startAgain();
        await this.replica.untilReady();
        return;
      case 'age':
        await this.world.pool.query(
          "UPDATE account_kit.bundler_submissions SET submitted_at = submitted_at - interval '61 minutes'",
        );
        return;
      default:
        this.changeBundler(kind);
    }
  }

  private changeBundler(kind: 'forget' | 'hold' | 'release'): void {
    if (!this.bundler) return;
    if (kind === 'forget') this.bundler.forgetMempool();
    else this.bundler.isBundling = kind === 'release';
  }

  private addressOf(userId: string): Address {
    const address = this.accounts.get(userId);
    if (!address) throw new Error(`no account of ${userId}`);
    return address;
  }

  /** Freezes as the command does. */
  private async setFrozen(userId: string, isFrozen: boolean): Promise<void> {
    await this.world.pool.query(
      isFrozen
        ? `INSERT INTO account_kit.freezes (scope, subject, reason)
           SELECT 'account', id::text, 'test' FROM account_kit.smart_accounts WHERE platform_user_id = $1 ON CONFLICT DO NOTHING`
        : `DELETE FROM account_kit.freezes WHERE subject IN
           (SELECT id::text FROM account_kit.smart_accounts WHERE platform_user_id = $1)`,
      [userId],
    );
  }

  private addPayment(userId: string, lane: string): Payment {
    const payment = { id: this.payments.length, userId, lane, attempts: 0, hash: undefined };
    this.payments.push(payment);
    return payment;
  }

  /**
   * A client cancels the operation that it has just sent, and sends it again when it is rejected. Executors do not send it, because the
   * account cannot pay any more. A bundler holds it, and the account pays for what replaces it.
   */
  private async payAndRepent(userId: string, lane: string): Promise<void> {
    const { chain } = this.world.kit;
    await chain.setNativeBalance(this.addressOf(userId), FUNDS);
    const payment = this.addPayment(userId, lane);
    if (this.bundler) this.bundler.isBundling = false;
    await this.submit(payment);
    if (!this.bundler) await chain.setNativeBalance(this.addressOf(userId), 0n);
    if (payment.hash !== undefined) await this.cancel(payment);
  }

  /** Proves nothing: the operation may be executed before its cancellation. */
  private async cancel(payment: Payment): Promise<void> {
    const path = `/accountkit/v2/platform/operations/${payment.hash ?? ''}/cancellations?platform=chat`;
    await this.world.call(this.replica.gateway, path, payment.userId, {
      body: {},
      headers: { 'X-ACCESS-TOKEN': this.world.kit.platforms.botToken(payment.userId) },
    });
  }

  /** Sends an operation that the stranger has seen in a public pool: it deploys the account, too. */
  private async executeAsStranger(draw: number): Promise<void> {
    const pending = await loadPendingOperations(this.world.pool);
    if (pending.length > 0) await executeAsStranger(this.client, pickBy(pending, draw));
  }

  /** A payment whose sponsor's signature ends soon, in a lane of its own. Half of them are executed by a stranger before it ends. */
  private async payForShort(userId: string, lane: string, draw: number): Promise<void> {
    const lapsing = new LapsingOperations(this.world.kit, this.world.pool);
    if (!(await lapsing.isDeployed(userId))) {
      this.addPayment(userId, lane);
      return;
    }
    const payment = this.addPayment(userId, String(FIRST_LAPSING_LANE + this.payments.length));
    const call = { target: this.counter.address, value: 0n, data: this.encodeCount(payment) };
    const { hash, operation } = await lapsing.store(userId, BigInt(payment.lane), call, (draw * 2) % 1);
    payment.hash = hash;
    if (draw < 0.5) await executeAsStranger(this.client, operation);
  }

  private encodeCount({ id }: Payment): Hex {
    return encodeFunctionData({ ...this.counter, functionName: 'count', args: [BigInt(id)] });
  }

  /** What a client does by the guide: repeats with the same key until it has a hash, and submits again only after a proof. */
  private async follow(): Promise<void> {
    for (const payment of this.payments) {
      if (payment.hash === undefined) await this.submit(payment);
      else if (await this.hasEndedUnused(payment.hash)) {
        payment.hash = undefined;
        payment.attempts += 1;
        await this.submit(payment);
      }
    }
  }

  private async submit(payment: Payment): Promise<void> {
    const { gateway } = this.replica;
    const path = `/accountkit/v1/chatbot/evm/submitUserOperation?chainId=${this.world.kit.chain.chainId}`;
    const { status, body } = await this.world.call<Submitted>(gateway, path, payment.userId, {
      body: { target: this.counter.address, callData: this.encodeCount(payment) },
      headers: {
        'Idempotency-Key': `payment-${payment.id}-${payment.attempts}`,
        'X-Nonce-Key': payment.lane,
      },
    });
    if (status === 200) payment.hash = body.userOperationHash;
  }

  private async hasEndedUnused(hash: Hex): Promise<boolean> {
    const { rows } = await this.world.pool.query<{ state: string }>(
      'SELECT state FROM account_kit.user_operations WHERE hash = $1',
      [hash],
    );
    return rows[0]?.state === 'rejected' || rows[0]?.state === 'expired';
  }

  private async settle(): Promise<void> {
    this.isCalm = true;
    this.changeBundler('release');
    for (const userId of USERS) {
      await this.setFrozen(userId, false);
      await this.world.kit.chain.setNativeBalance(this.addressOf(userId), FUNDS);
    }
    await this.client.setNextBlockBaseFeePerGas({ baseFeePerGas: GWEI });
    await this.untilSettled('every payment has ended');
    // No lane is dead: one more payment of each is included.
    for (const userId of USERS) for (const lane of LANES) this.addPayment(userId, lane);
    await this.untilSettled('a new operation of each lane has ended');
  }

  private async untilSettled(what: string): Promise<void> {
    const isSettled = async () => {
      await this.follow();
      // Pauses grow to an hour.
      await this.world.pool.query(
        "UPDATE account_kit.user_operations SET next_attempt_at = NULL WHERE state = 'signed' AND next_attempt_at > now()",
      );
      await this.world.pool.query(
        'UPDATE account_kit.bundler_submissions SET next_attempt_at = now() WHERE next_attempt_at > now()',
      );
      const { rows } = await this.world.pool.query(
        "SELECT FROM account_kit.user_operations WHERE state NOT IN ('final', 'reverted', 'rejected', 'expired')",
      );
      return rows.length === 0 && this.payments.every(({ hash }) => hash !== undefined);
    };
    await until(what, isSettled, CALM_MS).catch(async (cause: unknown) => {
      const { rows } = await this.world.pool.query(
        `SELECT o.id, o.kind, o.state, o.reason, o.nonce_key, o.nonce_sequence, o.success, o.next_attempt_at, o.sender
         FROM account_kit.user_operations AS o JOIN account_kit.user_operations AS w USING (sender, nonce_key, nonce_sequence)
         WHERE w.state NOT IN ('final', 'reverted', 'rejected', 'expired') ORDER BY o.sender, o.nonce_key, o.nonce_sequence`,
      );
      const logs = this.replica.app.logLines.slice(-8);
      throw new Error([what, ...rows.map((row) => JSON.stringify(row)), ...logs].join('\n'), {
        cause,
      });
    });
  }

  /** What must hold when everything has settled. */
  private async check(): Promise<void> {
    const { world, client, counter } = this;
    await checkPayments(
      client,
      counter,
      this.payments.map(({ id }) => id),
    );
    await checkNonces(world.pool, client);
    await checkUsage(world.pool);
    await checkReservations(world.pool);
  }

  /** What happened, so that a run that proves nothing is seen. */
  async summarize(): Promise<{ readonly text: string; readonly payments: number }> {
    const { rows } = await this.world.pool.query<{ kind: string; state: string; count: number }>(
      'SELECT kind, state, count(*)::int FROM account_kit.user_operations GROUP BY kind, state ORDER BY 1, 2',
    );
    const operations = rows.map(({ kind, state, count }) => `${count} ${kind} ${state}`);
    const repeated = this.payments.filter(({ attempts }) => attempts > 0).length;
    const text = `${this.payments.length} payments, ${repeated} of them submitted again; ${operations.join(', ')}`;
    return { text, payments: this.payments.length };
  }
}
