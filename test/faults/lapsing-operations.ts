import type pg from 'pg';
import type { Hex } from 'viem';
import type { AccountCall } from '../../apps/account-kit/src/evm/operations/encode-execute.js';
import type { SignedUserOperation } from '../../apps/account-kit/src/evm/operations/user-operation.js';
import { evmKeyName, toEvmKey } from '../../apps/account-kit/src/custody/account-keys.js';
import { createKeyRoot, deriveAccountKey } from '../../apps/account-kit/src/custody/derive-account-key.js';
import { demoAccounts } from '../../scripts/demo/demo-accounts.mjs';
import type { AccountKitSuite } from '../account-kit/account-kit-suite.js';
import { insertSigned } from '../account-kit/executor-world.js';
import { signAsSponsor } from '../account-kit/sign-as-sponsor.js';
import { SmartAccountOwner } from '../account-kit/smart-account-owner.js';

const MIN_VALIDITY_SECONDS = 8;
const MAX_VALIDITY_SECONDS = 25;
const VERSION = '0.8';

export interface Lapsing {
  readonly operation: SignedUserOperation;
  readonly hash: Hex;
}

/**
 * Sponsored operations whose sponsor's signature ends within some blocks. Account-kit's own end after an hour, so these are signed with the
 * keys of account and sponsor, and stored as account-kit stores its own.
 */
export class LapsingOperations {
  constructor(
    private readonly kit: AccountKitSuite,
    private readonly pool: pg.Pool,
  ) {}

  /**
   * Stores the first operation of a lane.
   * @param draw from 0 to below 1: when the signature ends
   */
  async store(userId: string, key: bigint, call: AccountCall, draw: number): Promise<Lapsing> {
    const { chain, client, contracts, suite } = this.kit;
    const root = createKeyRoot(Buffer.from(suite.secrets.accountKeySecret, 'base64url'));
    const account = toEvmKey(deriveAccountKey(root, { ...evmKeyName('account'), platform: 'chat', userId }));
    const owner = new SmartAccountOwner(VERSION, chain.chainId, account, userId);
    const { timestamp } = await chain.client.getBlock();
    const validity = MIN_VALIDITY_SECONDS + Math.floor(draw * (MAX_VALIDITY_SECONDS - MIN_VALIDITY_SECONDS));
    const validUntil = Number(timestamp) + validity;
    const lane = { key, sequence: 0n, deploys: false };
    const { paymasterSigner } = await demoAccounts();
    const unsponsored = await owner.sign([call], lane);
    const { fields } = await signAsSponsor(unsponsored.operation, {
      chainId: chain.chainId,
      paymaster: contracts.paymaster08,
      validUntil,
      key: paymasterSigner.privateKey,
    });
    const signed = await owner.sign([call], { ...lane, ...fields });
    const stored = { ...lane, owner, chainId: chain.chainId, validUntil: new Date(validUntil * 1_000) };
    const connection = await this.pool.connect();
    try {
      await insertSigned(connection, root.id, { ...signed, ...stored }, client.clientId);
    } finally {
      connection.release();
    }
    return signed;
  }

  /** Whether the account has code for good, so that an operation without `initCode` can be executed. */
  async isDeployed(userId: string): Promise<boolean> {
    const { rows } = await this.pool.query(
      `SELECT FROM account_kit.user_operations AS o JOIN account_kit.smart_accounts AS a ON a.id = o.account_id
       WHERE a.platform_user_id = $1 AND o.state = 'final' LIMIT 1`,
      [userId],
    );
    return rows.length > 0;
  }
}
