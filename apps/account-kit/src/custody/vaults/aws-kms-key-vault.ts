import { createHash } from 'node:crypto';
import { countKeyBytes, ROOT_ID_BYTES, ROOT_ID_LABEL, toAccountKey } from '../derive-account-key.js';
import { encodeKeyInfo, type KeyInfo } from '../encode-key-info.js';
import { hkdfExpand } from './hkdf-expand.js';
import type { KeyVault, SealedKey } from './key-vault.js';
import { type EncryptionContext, KmsClient } from './kms-client.js';
import { rememberSuccess } from './remember-success.js';
import { sealKey, unsealKey } from './seal-key.js';

const WRAPPING_PREFIX = 'aws-kms:';

/** ARNs of keys in AWS KMS: an alias may be moved to another key, and all addresses with it. */
interface AwsKmsKeys {
  /** HMAC_256 */
  readonly root: string;
  /** SYMMETRIC_DEFAULT */
  readonly wrap: string;
}

/** The root stays in AWS KMS, which is asked once for each key. Each sealed key has a data key of its own. */
export class AwsKmsKeyVault implements KeyVault {
  readonly wrappingKeyId: string;
  private readonly clients = new Map<string, KmsClient>();
  readonly loadRootId = rememberSuccess(async () => {
    const mac = await this.generateMac(Buffer.from(ROOT_ID_LABEL));
    return mac.subarray(0, ROOT_ID_BYTES).toString('hex');
  });

  constructor(private readonly keys: AwsKmsKeys) {
    this.wrappingKeyId = WRAPPING_PREFIX + keys.wrap;
  }

  async derive(info: KeyInfo): Promise<Buffer> {
    const name = encodeKeyInfo(info);
    const mac = await this.generateMac(name);
    return toAccountKey(info.curve, hkdfExpand(mac, name, countKeyBytes(info.curve)));
  }

  findOtherRoot(): undefined {
    return undefined;
  }

  async seal(name: Buffer, key: Buffer): Promise<SealedKey> {
    const { wrap } = this.keys;
    const { plain, encrypted } = await this.clientOf(wrap).generateDataKey(wrap, contextOf(name));
    return {
      wrappingKeyId: this.wrappingKeyId,
      dataKey: encrypted,
      sealedKey: sealKey(plain, name, key),
    };
  }

  /** A key that another AWS KMS key sealed can be unsealed too, as long as these credentials may use that key. */
  canUnseal(wrappingKeyId: string): boolean {
    return wrappingKeyId.startsWith(WRAPPING_PREFIX);
  }

  async unseal(name: Buffer, { wrappingKeyId, dataKey, sealedKey }: SealedKey): Promise<Buffer> {
    if (dataKey === null) throw new Error('a key that AWS KMS sealed is stored without its data key');
    const arn = wrappingKeyId.slice(WRAPPING_PREFIX.length);
    return unsealKey(await this.clientOf(arn).decrypt(arn, dataKey, contextOf(name)), name, sealedKey);
  }

  private generateMac(message: Buffer): Promise<Buffer> {
    const { root } = this.keys;
    return this.clientOf(root).generateMac(root, message);
  }

  private clientOf(arn: string): KmsClient {
    const [, , , region = ''] = arn.split(':');
    const client = this.clients.get(region) ?? new KmsClient(region);
    this.clients.set(region, client);
    return client;
  }
}

/** A hash, because the audit log of AWS KMS shows it, and user ids are none of its business. */
const contextOf = (name: Buffer): EncryptionContext => ({
  'gatehouse-account-key': createHash('sha256').update(name).digest('hex'),
});
