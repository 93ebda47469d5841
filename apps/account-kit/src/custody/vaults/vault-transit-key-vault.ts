import { createHash, randomBytes } from 'node:crypto';
import {
  countKeyBytes,
  KEY_BYTES,
  ROOT_ID_BYTES,
  ROOT_ID_LABEL,
  toAccountKey,
} from '../derive-account-key.js';
import { encodeKeyInfo, type KeyInfo } from '../encode-key-info.js';
import { hkdfExpand } from './hkdf-expand.js';
import { type KeyVault, type SealedKey, sealKey, unsealKey, rememberSuccess } from './key-vault.js';
import type { TransitEngine, TransitKey } from './transit-engine.js';

const PREFIX = 'vault-transit:';

interface TransitKeys {
  readonly root: TransitKey;
  readonly wrap: TransitKey;
}

/**
 * The root stays in HashiCorp Vault, which is asked once for each key. A root is one version of a key: its id names namespace, mount, key and
 * version, and ends with what the version makes of a known message, so that a key which was made again under the same name is another root.
 * Stored keys are sealed with data keys of this process, which Vault encrypts.
 */
export class VaultTransitKeyVault implements KeyVault {
  readonly wrappingKeyId: string;
  private readonly rootPrefix: string;
  private readonly checks = new Map<string, () => Promise<void>>();
  private readonly otherVersions = new Map<number, VaultTransitKeyVault>();
  readonly loadRootId = rememberSuccess(() => this.computeRootId());

  /** @param location namespace and mount, as in the paths of Vault */
  constructor(
    private readonly engine: TransitEngine,
    private readonly location: string,
    private readonly keys: TransitKeys,
  ) {
    this.wrappingKeyId = `${PREFIX}${location}/${keys.wrap.name}:v${keys.wrap.version}`;
    this.rootPrefix = `${PREFIX}${location}/${keys.root.name}:v`;
  }

  async derive(info: KeyInfo): Promise<Buffer> {
    const name = encodeKeyInfo(info);
    const mac = await this.computeMac(name);
    return toAccountKey(info.curve, hkdfExpand(mac, name, countKeyBytes(info.curve)));
  }

  /** The same vault with another version of its root key, if the id is of one. */
  findOtherRoot(rootId: string): KeyVault | undefined {
    if (!rootId.startsWith(this.rootPrefix)) return undefined;
    const version = Number(/^([1-9]\d{0,9}):/.exec(rootId.slice(this.rootPrefix.length))?.[1]);
    if (!Number.isInteger(version)) return undefined;
    const { root, wrap } = this.keys;
    const other =
      this.otherVersions.get(version) ??
      new VaultTransitKeyVault(this.engine, this.location, { root: { ...root, version }, wrap });
    this.otherVersions.set(version, other);
    return other;
  }

  async seal(name: Buffer, key: Buffer): Promise<SealedKey> {
    const { wrap } = this.keys;
    await this.check(wrap, 'wrap');
    const dataKey = randomBytes(KEY_BYTES);
    const encrypted = await this.engine.encrypt(wrap, dataKey, contextOf(name));
    return {
      wrappingKeyId: this.wrappingKeyId,
      dataKey: Buffer.from(encrypted),
      sealedKey: sealKey(dataKey, name, key),
    };
  }

  /**
   * A key that another version or another key of the same mount sealed can be unsealed too, as long as the token may
   * use it.
   */
  canUnseal(wrappingKeyId: string): boolean {
    return this.toWrappingKey(wrappingKeyId) !== undefined;
  }

  async unseal(name: Buffer, { wrappingKeyId, dataKey, sealedKey }: SealedKey): Promise<Buffer> {
    const wrap = this.toWrappingKey(wrappingKeyId);
    if (wrap === undefined) throw new Error(`${wrappingKeyId} is no key of this mount`);
    if (dataKey === null) throw new Error('a key that HashiCorp Vault sealed is stored without its data key');
    await this.check(wrap, 'wrap');
    return unsealKey(await this.engine.decrypt(wrap, dataKey.toString(), contextOf(name)), name, sealedKey);
  }

  private async computeRootId(): Promise<string> {
    // The wrapping key is checked at start, before the first key is sealed.
    await this.check(this.keys.wrap, 'wrap');
    const mac = await this.computeMac(Buffer.from(ROOT_ID_LABEL));
    const { version } = this.keys.root;
    return `${this.rootPrefix}${version}:${mac.subarray(0, ROOT_ID_BYTES).toString('hex')}`;
  }

  private async computeMac(message: Buffer): Promise<Buffer> {
    const { root } = this.keys;
    await this.check(root, 'root');
    return this.engine.hmac(root, message);
  }

  /** Checks a key once, and before anything else is asked of it. */
  private check(key: TransitKey, use: 'root' | 'wrap'): Promise<void> {
    const id = `${use} ${key.name} ${key.version}`;
    const check = this.checks.get(id) ?? rememberSuccess(() => this.engine.checkKey(key, use));
    this.checks.set(id, check);
    return check();
  }

  private toWrappingKey(wrappingKeyId: string): TransitKey | undefined {
    const prefix = `${PREFIX}${this.location}/`;
    if (!wrappingKeyId.startsWith(prefix)) return undefined;
    const { name, version } =
      /^(?<name>\w(?:[\w.-]*\w)?):v(?<version>[1-9]\d{0,9})$/.exec(wrappingKeyId.slice(prefix.length))
        ?.groups ?? {};
    return name === undefined ? undefined : { name, version: Number(version) };
  }
}

/** A hash, because audit devices of Vault may show it, and user ids are none of their business. */
const contextOf = (name: Buffer): Buffer => createHash('sha256').update(name).digest();
