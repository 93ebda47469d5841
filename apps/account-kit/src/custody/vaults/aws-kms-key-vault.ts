import { createHash } from 'node:crypto';
import { countKeyBytes, ROOT_ID_BYTES, ROOT_ID_LABEL, toAccountKey } from '../derive-account-key.js';
import { encodeKeyInfo, type KeyInfo } from '../encode-key-info.js';
import { hkdfExpand } from './hkdf-expand.js';
import { type KeyVault, type SealedKey, sealKey, unsealKey, rememberSuccess } from './key-vault.js';
import { withTimeout } from '@app/common';
import { DecryptCommand, GenerateDataKeyCommand, GenerateMacCommand, KMSClient } from '@aws-sdk/client-kms';

/** Shorter than the parent waits for the signer process. */
const TIMEOUT_MS = 4_000;
const CONNECTION_TIMEOUT_MS = 1_000;
const REQUEST_TIMEOUT_MS = 1_500;
const MAX_ATTEMPTS = 2;
const KEY_BYTES = 32;

/** Binds a data key to its use: KMS opens it only with the same context, which its audit log shows. */
type EncryptionContext = Record<string, string>;

/** A client for one region of AWS KMS. Credentials come from where AWS SDKs look for them. */
class KmsClient {
  private readonly client: KMSClient;

  constructor(region: string) {
    this.client = new KMSClient({
      region,
      maxAttempts: MAX_ATTEMPTS,
      requestHandler: {
        connectionTimeout: CONNECTION_TIMEOUT_MS,
        requestTimeout: REQUEST_TIMEOUT_MS,
        throwOnRequestTimeout: true,
      },
    });
  }

  /** @returns 32 bytes (HMAC-SHA-256) */
  async generateMac(keyId: string, message: Buffer): Promise<Buffer> {
    const command = new GenerateMacCommand({ KeyId: keyId, Message: message, MacAlgorithm: 'HMAC_SHA_256' });
    const { Mac } = await waitFor(this.client.send(command));
    return requireKey(Mac);
  }

  async generateDataKey(
    keyId: string,
    context: EncryptionContext,
  ): Promise<{ plain: Buffer; encrypted: Buffer }> {
    const command = new GenerateDataKeyCommand({
      KeyId: keyId,
      KeySpec: 'AES_256',
      EncryptionContext: context,
    });
    const { Plaintext, CiphertextBlob } = await waitFor(this.client.send(command));
    if (CiphertextBlob === undefined) throw new Error('AWS KMS answered without an encrypted key');
    return { plain: requireKey(Plaintext), encrypted: Buffer.from(CiphertextBlob) };
  }

  async decrypt(keyId: string, encrypted: Buffer, context: EncryptionContext): Promise<Buffer> {
    const command = new DecryptCommand({
      KeyId: keyId,
      CiphertextBlob: encrypted,
      EncryptionContext: context,
    });
    const { Plaintext } = await waitFor(this.client.send(command));
    return requireKey(Plaintext);
  }
}

/** The text of a reason is cut to this length, which is more than a sentence about what is wrong. */
const MAX_REASON_LENGTH = 200;

/**
 * The SDK's messages do not always say what kind of failure it was. Only the first line of a message is kept: that of a refused signature goes
 * on with the canonical request, which has the session token in it, and the parent logs it.
 */
async function waitFor<T>(answer: Promise<T>): Promise<T> {
  try {
    return await withTimeout(TIMEOUT_MS, answer);
  } catch (error) {
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    const [firstLine = ''] = reason.split('\n', 1);
    throw new Error(`AWS KMS failed with ${firstLine.slice(0, MAX_REASON_LENGTH)}`);
  }
}

function requireKey(bytes: Uint8Array | undefined): Buffer {
  if (bytes?.length !== KEY_BYTES) throw new Error(`AWS KMS answered without ${KEY_BYTES} bytes`);
  return Buffer.from(bytes);
}

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
