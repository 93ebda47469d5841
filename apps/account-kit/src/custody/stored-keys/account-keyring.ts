import { MINUTE_MS } from '@app/common';
import type { KeyObject } from 'node:crypto';
import type { Queryable } from '@app/database';
import { LRUCache } from 'lru-cache';
import type { PlatformUser } from '../../owners/platform-user.js';
import {
  ACCOUNT_KEY_NAMES,
  actionKeyName,
  type AccountKeyName,
  evmKeyName,
  solanaKeyName,
  toAddress,
  toEvmKey,
} from '../account-keys.js';
import { listCodehostWrappingKeys } from '../token-audience/codehost-apps.queries.js';
import { toSolanaKey } from '../../solana/messages/solana-keys.js';
import type { SolanaNetwork } from '../../solana/messages/solana-network.js';
import type { EvmKey } from '../create-evm-key.js';
import { encodeKeyInfo, type KeyInfo, type KeyPurpose } from '../encode-key-info.js';
import { RefusedToSignError } from '../key-vault.errors.js';
import type { KeyVault, SealedKey } from '../vaults/key-vault.js';
import type { KeyVaults } from '../vaults/key-vaults.js';
import { findActionKey, findActionKeyOfRoot, findOtherActionKeyRoot } from './action-keys.queries.js';
import {
  findAccountOfRoot,
  findOtherRoot,
  findStoredKey,
  listWrappingKeysInUse,
} from './stored-keys.queries.js';

/** An account, as far as its keys depend on it. */
interface KeyOwner extends PlatformUser {
  readonly accountId: string;
  readonly keyRootId: string;
}

/** How long a key stays in memory after it was opened (contract.md section 10). */
const OPEN_MS = MINUTE_MS;
/** Accounts of all tenants share the places: a key that gives its place away is opened again. */
const MAX_OPEN_KEYS = 1_000;

const createOpenKeys = <K extends object>() =>
  new LRUCache<string, K>({ max: MAX_OPEN_KEYS, ttl: OPEN_MS, ttlAutopurge: true });

/** Opens keys of accounts. */
export class AccountKeyring {
  private readonly openEvmKeys = createOpenKeys<EvmKey>();
  private readonly openSolanaKeys = createOpenKeys<KeyObject>();

  constructor(
    private readonly db: Queryable,
    private readonly vaults: KeyVaults,
  ) {}

  /** @throws RefusedToSignError if the account's root is not configured */
  async openEvmKey(owner: KeyOwner, purpose: KeyPurpose): Promise<EvmKey> {
    const id = `${owner.accountId} ${purpose}`;
    const open = this.openEvmKeys.get(id);
    if (open) return open;
    const key = toEvmKey(await this.open(owner, evmKeyName(purpose)));
    this.openEvmKeys.set(id, key);
    return key;
  }

  /** @throws RefusedToSignError if the account's root is not configured */
  async openSolanaKey(owner: KeyOwner, network: SolanaNetwork): Promise<KeyObject> {
    const id = `${owner.accountId} ${network}`;
    const open = this.openSolanaKeys.get(id);
    if (open) return open;
    const key = toSolanaKey(await this.open(owner, solanaKeyName(network)));
    this.openSolanaKeys.set(id, key);
    return key;
  }

  /**
   * Opens the key with which custom actions of a client application sign for an account.
   * @throws RefusedToSignError if no address of the key was answered yet, or its root is not configured
   */
  async openActionKey(owner: Omit<KeyOwner, 'keyRootId'>, clientId: string): Promise<EvmKey> {
    const { accountId, platform, userId } = owner;
    const id = `${accountId} action ${clientId}`;
    const open = this.openEvmKeys.get(id);
    if (open) return open;
    const stored = await findActionKey(this.db, { accountId, clientId });
    if (stored === undefined) throw new RefusedToSignError('there is no such key for actions');
    const key = toEvmKey(
      await this.openWith({ ...actionKeyName(clientId), platform, userId }, stored.sealed, stored.keyRootId),
    );
    if (key.address !== stored.address)
      throw new RefusedToSignError('the client application has another key for actions');
    this.openEvmKeys.set(id, key);
    return key;
  }

  /** @throws Error if a root or a wrapping key was removed that accounts still need, or a root derives other keys than accounts have */
  async checkVaults(): Promise<void> {
    for (const vault of await this.loadRootsInUse()) await this.checkKnownAnswer(vault);
    const inUse = [...(await listWrappingKeysInUse(this.db)), ...(await listCodehostWrappingKeys(this.db))];
    for (const wrappingKeyId of inUse)
      if (this.vaults.findByWrappingKey(wrappingKeyId) === undefined)
        throw new Error(`stored keys are sealed with ${wrappingKeyId}, which is not configured`);
  }

  /** The configured roots, and other versions of their keys that accounts have. @throws Error if an account has another root */
  private async loadRootsInUse(): Promise<KeyVault[]> {
    const roots = [...this.vaults.all];
    for (;;) {
      const rootIds = await Promise.all(roots.map((root) => root.loadRootId()));
      const rootId =
        (await findOtherRoot(this.db, rootIds, ACCOUNT_KEY_NAMES.length)) ??
        (await findOtherActionKeyRoot(this.db, rootIds));
      if (rootId === undefined) return roots;
      const root = await this.vaults.findByRootId(rootId);
      if (root === undefined)
        throw new Error(`accounts have the key root ${rootId}, which is not configured`);
      roots.push(root);
    }
  }

  /**
   * The address of a stored account is a known answer of its root: another key behind the same name is found before keys of new accounts are
   * derived from it.
   */
  private async checkKnownAnswer(vault: KeyVault): Promise<void> {
    const rootId = await vault.loadRootId();
    const account = await findAccountOfRoot(this.db, rootId);
    if (account !== undefined) {
      const { signerAddress, ...user } = account;
      await this.checkAddress(vault, { ...evmKeyName('account'), ...user }, signerAddress);
      return;
    }
    const actionKey = await findActionKeyOfRoot(this.db, rootId);
    if (actionKey === undefined) return;
    const { address, clientId, platform, userId } = actionKey;
    await this.checkAddress(vault, { ...actionKeyName(clientId), platform, userId }, address);
  }

  private async checkAddress(vault: KeyVault, info: KeyInfo, address: string): Promise<void> {
    if (toAddress(info, await vault.derive(info)) === address) return;
    throw new Error(`the key root ${await vault.loadRootId()} derives another key than an account of it has`);
  }

  private async open(owner: KeyOwner, name: AccountKeyName): Promise<Buffer> {
    const { platform, userId, accountId, keyRootId } = owner;
    const sealed = await findStoredKey(this.db, accountId, name);
    return this.openWith({ ...name, platform, userId }, sealed, keyRootId);
  }

  /** A stored key takes precedence over the key derived from the root. */
  private async openWith(info: KeyInfo, sealed: SealedKey | undefined, keyRootId: string): Promise<Buffer> {
    if (sealed !== undefined) {
      const vault = this.vaults.findByWrappingKey(sealed.wrappingKeyId);
      if (vault === undefined)
        throw new RefusedToSignError(`the key of the account is sealed with ${sealed.wrappingKeyId}`);
      return vault.unseal(encodeKeyInfo(info), sealed);
    }
    const vault = await this.vaults.findByRootId(keyRootId);
    if (vault === undefined) throw new RefusedToSignError(`the account has the key root ${keyRootId}`);
    return vault.derive(info);
  }
}
