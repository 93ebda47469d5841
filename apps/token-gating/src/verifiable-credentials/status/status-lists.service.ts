import { randomInt } from 'node:crypto';
import { boundEntries, notFound } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import type { EntityManager } from 'typeorm';
import { CredentialKeyRing } from '../credential-key-ring.js';
import {
  STATUS_LIST_LIFETIME_SECONDS,
  STATUS_LIST_PERIOD_SECONDS,
  VerifiableCredentialConfig,
} from '../verifiable-credential.config.js';
import {
  countStatusEntry,
  findRevokedEntries,
  insertStatusEntry,
  type StatusEntry,
} from './status-lists.queries.js';
import { deflateSync } from 'node:zlib';

/** Entries of a status list: 16 KiB before compression, as one bit each. */
export const STATUS_LIST_ENTRIES = 2 ** 17;

/** The most entries of a list that are used: a random free one is then found in two attempts on average. */
const MAX_USED_ENTRIES = STATUS_LIST_ENTRIES / 2;

const MAX_COMPRESSION = 9;

/**
 * The `lst` of a Token Status List: one bit an entry, the lowest bit of a byte first, compressed as zlib and in base64url.
 * @param revoked entries whose bit is set
 */
export function encodeStatusList(revoked: readonly number[], entries = STATUS_LIST_ENTRIES): string {
  const bits = Buffer.alloc(entries / 8);
  for (const entry of revoked) {
    if (!Number.isInteger(entry) || entry < 0 || entry >= entries)
      throw new RangeError(`A status list of ${entries} has no entry ${entry}`);
    const byte = entry >> 3;
    bits[byte] = (bits[byte] ?? 0) | (1 << (entry & 7));
  }
  return deflateSync(bits, { level: MAX_COMPRESSION }).toString('base64url');
}

/** A list of 131,072 entries takes at most 22 KiB as a token. */
const MAX_CACHED_LISTS = 100;
/** An attempt meets a used entry in half of the cases at most: all of these do with a probability of 2^-128. */
const MAX_ATTEMPTS = 128;

/** Status lists of all types of credentials (Token Status List). */
@Injectable()
export class StatusListsService {
  /** Published lists, by list and period. Every instance publishes the same content in a period. */
  private readonly tokens = new LRUCache<string, Promise<string | undefined>>(boundEntries(MAX_CACHED_LISTS));

  constructor(
    private readonly database: Database,
    private readonly keys: CredentialKeyRing,
    private readonly config: VerifiableCredentialConfig,
  ) {}

  toUri(list: number): string {
    return `${this.config.PUBLIC_URL}/credential-status-lists/${list}`;
  }

  /** Takes a free entry at random, so that neighbours in a list say nothing of each other. Call in a transaction, near its end. */
  async take(manager: EntityManager): Promise<StatusEntry> {
    const list = await countStatusEntry(manager, MAX_USED_ENTRIES);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const entry = { list, entry: randomInt(STATUS_LIST_ENTRIES) };
      if (await insertStatusEntry(manager, entry)) return entry;
    }
    throw new Error(`No free entry was found in the status list ${list}`);
  }

  /** The token of a list in the current period. @throws AppError 404, 503 before keys are loaded */
  async publish(list: number): Promise<string> {
    const period = Math.floor(Date.now() / 1_000 / STATUS_LIST_PERIOD_SECONDS) * STATUS_LIST_PERIOD_SECONDS;
    const key = `${list}:${period}`;
    let token = this.tokens.get(key);
    if (!token) {
      token = this.sign(list, period);
      this.tokens.set(key, token);
      // A failure, and a list that does not exist yet, are looked up again.
      token.then(
        (signed) => signed === undefined && this.tokens.delete(key),
        () => this.tokens.delete(key),
      );
    }
    const signed = await token;
    if (signed === undefined) throw statusListNotFound();
    return signed;
  }

  private async sign(list: number, iat: number): Promise<string | undefined> {
    const { kid, privateKey } = this.keys.getSigningKey();
    const revoked = await findRevokedEntries(this.database, list, new Date(iat * 1_000));
    if (!revoked) return undefined;
    return new SignJWT({
      sub: this.toUri(list),
      iat,
      exp: iat + STATUS_LIST_LIFETIME_SECONDS,
      ttl: STATUS_LIST_PERIOD_SECONDS,
      status_list: { bits: 1, lst: encodeStatusList(revoked) },
    })
      .setProtectedHeader({ alg: 'ES256', typ: 'statuslist+jwt', kid })
      .sign(privateKey);
  }
}

const statusListNotFound = () =>
  notFound('status_list_not_found', 'There is no status list with this number.');
