import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { type Address, type Hex, recoverMessageAddress } from 'viem';
import { databasePool } from '../../support/database-pool.js';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database.js';
import { until } from '../../support/until.js';
import { runCommand } from '../run-command.js';
import { SignerFork } from './signer-fork.js';

const BYTES = '0x0102';
/** Each client application has an action of each scope, whose CID is the scope. */
const KEY_SCOPES = ['account', 'application'];

interface SignedAction {
  readonly clientId?: string;
  readonly cid?: string;
}

export interface Account {
  readonly id: string;
  readonly addresses: Addresses;
}

interface Addresses {
  readonly keyRootId: string;
  readonly signerAddress: Address;
  readonly actionAddress: Address;
  readonly solanaAddresses: Record<string, string>;
}

/** A database of accounts, with signer processes and the command for stored keys. */
export class KeysWorld {
  private readonly signers: SignerFork[] = [];

  private constructor(
    private readonly database: FreshDatabase,
    readonly pool: pg.Pool,
  ) {}

  static async start(): Promise<KeysWorld> {
    const database = await freshDatabase('account-kit');
    const pool = databasePool(database.url);
    await pool.query(
      `INSERT INTO account_kit.custom_actions (client_id, cid, source, size, key_scope)
       SELECT client, scope, '', 0, scope FROM unnest($1::text[]) AS client, unnest($2::text[]) AS scope`,
      [['client', 'other'], KEY_SCOPES],
    );
    return new KeysWorld(database, pool);
  }

  /** Starts a signer, which has reached its database. */
  async startSigner(env: Record<string, string>): Promise<SignerFork> {
    const signer = new SignerFork({ DATABASE_URL: this.database.url, ...env });
    this.signers.push(signer);
    await until('the signer reaches its database', async () => {
      const outcome = await signer.call({ type: 'ping' });
      return outcome.status === 'done' || !outcome.reason.includes('cannot reach its data');
    });
    return signer;
  }

  /** Runs `npm run gatehouse -- keys`. @returns what it printed */
  async command(name: string, env: Record<string, string>): Promise<string> {
    const { stdout } = await runCommand('keys', [name], {
      env: { DATABASE_URL: this.database.url, ...env },
    });
    return stdout;
  }

  /** Sets an OAuth application of the code host, as an operator does. */
  async setCodehostApp(clientId: string, secret: string, env: Record<string, string>): Promise<void> {
    const args = ['set-codehost-app', '--client', clientId, '--oauth-client-id', 'Iv1.0000'];
    await runCommand('platforms', args, { env: { DATABASE_URL: this.database.url, ...env }, input: secret });
  }

  /** Stores the account that this signer derives. */
  async createAccount(signer: SignerFork, userId: string): Promise<Account> {
    const user = { platform: 'chat', userId };
    const addresses = await signer.done<Addresses>({ type: 'deriveAddresses', ...user });
    const id = randomUUID();
    await this.pool.query(
      `INSERT INTO account_kit.smart_accounts (id, platform, platform_user_id, account_version, key_root_id, signer_address,
         evm_address, solana_addresses, action_address)
       VALUES ($1, 'chat', $2, '0.8', $3, $4, $4, $5, $6)`,
      [
        id,
        userId,
        addresses.keyRootId,
        addresses.signerAddress,
        addresses.solanaAddresses,
        addresses.actionAddress,
      ],
    );
    return { id, addresses };
  }

  /** Stores the key of a client application for actions of an account, as the first run of an action does. @returns its address */
  async createActionKey(signer: SignerFork, { id }: Account, clientId = 'client'): Promise<Address> {
    const { keyRootId, address } = await signer.done<{ keyRootId: string; address: Address }>({
      ...{ type: 'deriveActionAddress', accountId: id, clientId },
    });
    await this.pool.query(
      'INSERT INTO account_kit.action_keys (account_id, client_id, key_root_id, address) VALUES ($1, $2, $3, $4)',
      [id, clientId, keyRootId, address],
    );
    return address;
  }

  /** @returns the address whose key signed */
  async signerOf(signer: SignerFork, account: Account, action: SignedAction = {}): Promise<Address> {
    const signature = await signer.done<Hex>(signRequest(account, action));
    return recoverMessageAddress({ message: { raw: BYTES }, signature });
  }

  async stopSigners(): Promise<void> {
    await Promise.all(this.signers.splice(0).map((signer) => signer.stop()));
  }

  async stop(): Promise<void> {
    await this.stopSigners();
    await this.pool.end();
    await this.database.drop();
  }
}

/** Asks for a signature of an action, by default of one that was listed before client applications had keys for actions. */
export const signRequest = (
  { id }: Account,
  { clientId = 'client', cid = 'account' }: SignedAction = {},
) => ({
  ...{ type: 'signActionBytes', accountId: id, clientId, cid, bytes: BYTES },
});
