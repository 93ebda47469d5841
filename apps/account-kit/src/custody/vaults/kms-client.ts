import { withTimeout } from '@app/common';
import { DecryptCommand, GenerateDataKeyCommand, GenerateMacCommand, KMSClient } from '@aws-sdk/client-kms';

/** Shorter than the parent waits for the signer process. */
const TIMEOUT_MS = 4_000;
const CONNECTION_TIMEOUT_MS = 1_000;
const REQUEST_TIMEOUT_MS = 1_500;
const MAX_ATTEMPTS = 2;
const KEY_BYTES = 32;

/** Binds a data key to its use: KMS opens it only with the same context, which its audit log shows. */
export type EncryptionContext = Record<string, string>;

/** A client for one region of AWS KMS. Credentials come from where AWS SDKs look for them. */
export class KmsClient {
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
