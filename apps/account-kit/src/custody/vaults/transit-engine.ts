import { z } from 'zod';
import { KEY_BYTES } from '../derive-account-key.js';
import type { VaultClient } from './vault-client.js';

/** Name and version of a key of the transit engine. Every request names the version, and every answer must. */
export interface TransitKey {
  readonly name: string;
  readonly version: number;
}

const hmacAnswer = z.object({ hmac: z.string() });
const encryptAnswer = z.object({ ciphertext: z.string() });
const decryptAnswer = z.object({ plaintext: z.string() });
const keyAnswer = z.object({
  type: z.string(),
  derived: z.boolean(),
  exportable: z.boolean(),
  allow_plaintext_backup: z.boolean(),
  latest_version: z.int(),
  /** Key versions by number. */
  keys: z.record(z.string(), z.unknown()),
});
const MAX_CIPHERTEXT_LENGTH = 1_000;
const CIPHERTEXT = /^vault:v(?<version>[1-9]\d{0,9}):(?<value>[A-Za-z0-9+/]+={0,2})$/;

const KEY_TYPES = { root: ['hmac'], wrap: ['aes256-gcm96', 'chacha20-poly1305'] } as const;

/** HashiCorp Vault's transit engine at one mount. */
export class TransitEngine {
  constructor(
    private readonly client: VaultClient,
    private readonly mount: string,
  ) {}

  /** @returns 32 bytes (HMAC-SHA-256) */
  async hmac({ name, version }: TransitKey, message: Buffer): Promise<Buffer> {
    const { hmac } = await this.post(`hmac/${name}`, hmacAnswer, {
      input: message.toString('base64'),
      algorithm: 'sha2-256',
      key_version: version,
    });
    return requireKey(requireVersion(hmac, { name, version }));
  }

  /** @param key 32 bytes @param context what the key is for: it is opened with the same context only */
  async encrypt({ name, version }: TransitKey, key: Buffer, context: Buffer): Promise<string> {
    const { ciphertext } = await this.post(`encrypt/${name}`, encryptAnswer, {
      plaintext: key.toString('base64'),
      associated_data: context.toString('base64'),
      key_version: version,
    });
    requireVersion(ciphertext, { name, version });
    return ciphertext;
  }

  /** @returns 32 bytes */
  async decrypt({ name, version }: TransitKey, ciphertext: string, context: Buffer): Promise<Buffer> {
    requireVersion(ciphertext, { name, version });
    const { plaintext } = await this.post(`decrypt/${name}`, decryptAnswer, {
      ciphertext,
      associated_data: context.toString('base64'),
    });
    return requireKey(plaintext);
  }

  /** @throws Error if the version is not there, or what the key is for could be done without Vault, or would depend on more than the key */
  async checkKey({ name, version }: TransitKey, use: keyof typeof KEY_TYPES): Promise<void> {
    const path = `${this.mount}/keys/${name}`;
    const key = parseAnswer(path, keyAnswer, await this.client.request({ path }));
    const types: readonly string[] = KEY_TYPES[use];
    const refuse = (reason: string): never => {
      throw new Error(`the key ${name} of HashiCorp Vault's transit engine ${reason}`);
    };
    if (!types.includes(key.type)) refuse(`has the type ${key.type}, not ${types.join(' or ')}`);
    if (key.derived) refuse('is `derived`: its keys depend on a context of each request');
    if (key.exportable) refuse('is `exportable`: whoever may export it owns all accounts');
    if (key.allow_plaintext_backup)
      refuse('has `allow_plaintext_backup`: whoever may back it up owns all accounts');
    if (!(String(version) in key.keys))
      refuse(
        `has no version ${version}: it has ${Object.keys(key.keys).join(', ')}, and others may be below its min_decryption_version`,
      );
  }

  private async post<T>(
    path: string,
    answer: z.ZodType<T>,
    body: Readonly<Record<string, unknown>>,
  ): Promise<T> {
    const fullPath = `${this.mount}/${path}`;
    return parseAnswer(fullPath, answer, await this.client.request({ path: fullPath, body }));
  }
}

/** What Zod says of a field could have its value, which may be a key. */
function parseAnswer<T>(path: string, schema: z.ZodType<T>, answer: unknown): T {
  const { success, data } = schema.safeParse(answer);
  if (!success) throw new Error(`HashiCorp Vault answered ${path} without what was asked for`);
  return data;
}

/** @returns what follows the version, in base64 */
function requireVersion(text: string, { name, version }: TransitKey): string {
  const groups = text.length > MAX_CIPHERTEXT_LENGTH ? undefined : CIPHERTEXT.exec(text)?.groups;
  if (groups?.version !== String(version))
    throw new Error(
      `HashiCorp Vault answered with version ${groups?.version ?? 'unknown'} of the key ${name}, not with version ${version}`,
    );
  return groups.value ?? '';
}

function requireKey(base64: string): Buffer {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length !== KEY_BYTES) throw new Error(`HashiCorp Vault answered without ${KEY_BYTES} bytes`);
  return bytes;
}
