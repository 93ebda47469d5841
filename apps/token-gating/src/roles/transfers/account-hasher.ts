import { createHmac } from 'node:crypto';
import { deriveKey } from '@app/common';
import { createConfigClass, opaqueTokenConfigSchema } from '@app/config';
import type { LinkedWallet } from '@app/dto';
import { Injectable } from '@nestjs/common';

export class AccountHasherConfig extends createConfigClass(opaqueTokenConfigSchema) {}

/** 128 bits: accounts of different members do not meet by chance, and rows stay short. */
const HASH_BYTES = 16;
const KEY_ID_BYTES = 8;

/**
 * Hashes accounts of members, so that the transfer watcher finds the members of a log without asking identity, and the table tells nobody who
 * has the database but not the secret which accounts a member has.
 */
@Injectable()
export class AccountHasher {
  private readonly key: Buffer;
  /** Names the key. Hashes under another one find nobody. */
  readonly keyId: Buffer;

  constructor({ OPAQUE_TOKEN_SECRET }: AccountHasherConfig) {
    this.key = deriveKey(OPAQUE_TOKEN_SECRET, 'accounts of members');
    this.keyId = this.mac('key id').subarray(0, KEY_ID_BYTES);
  }

  /** @param account an EVM address in lower case */
  hash(account: string): Buffer {
    return this.mac(account).subarray(0, HASH_BYTES);
  }

  /** The hashes of the EVM accounts of wallets, on whatever chain they count: a check decides what an account is worth. */
  hashWallets(wallets: readonly LinkedWallet[]): Buffer[] {
    const evm = wallets.filter(({ type }) => type !== 'solana');
    return [...new Set(evm.map(({ address }) => address.toLowerCase()))].map((account) => this.hash(account));
  }

  private mac(content: string): Buffer {
    return createHmac('sha256', this.key).update(content).digest();
  }
}
