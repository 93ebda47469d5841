import { verify } from 'node:crypto';
import { boundEntries, hasFinishedWithin, MINUTE_SECONDS } from '@app/common';
import { Database } from '@app/database';
import type { AssetId } from '@app/dto';
import { SDJwtInstance } from '@sd-jwt/core';
import { Injectable } from '@nestjs/common';
import { errors, importJWK, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { assetsUnavailable } from '../assets/assets.errors.js';
import { AssetOwnershipService, type Owners, parseAssets } from '../assets/asset-ownership.service.js';
import { toSubjectAddresses } from '../subjects/subject-addresses.js';
import { isTrueNow } from './community-facts.queries.js';
import { type CredentialRecord, findCredentialByStatus } from './credential-records.queries.js';
import { CREDENTIAL_TYP, hashSha256 } from './credential-signer.js';
import { CREDENTIAL_TYPES, toVct } from './credential-types.js';
import { CredentialKeyRing } from './credential-key-ring.js';
import { STATUS_LIST_ENTRIES, StatusListsService } from './status/status-lists.service.js';
import { VerifiableCredentialConfig } from './verifiable-credential.config.js';
import {
  type CredentialClaims,
  holderKey,
  readBlocks,
  type Verification,
  type VerificationRequest,
} from './verifiable-credentials.dto.js';

const MAX_KEY_BINDING_AGE_SECONDS = 5 * MINUTE_SECONDS;
const CLOCK_TOLERANCE_SECONDS = 60;
/** Each asset of a credential is read at most once in this time, because anyone who has it can verify it. */
const OWNERS_MAX_AGE_MS = 10_000;
const MAX_CACHED_READS = 10_000;
const READ_TIMEOUT_MS = 10_000;

const header = z.object({ alg: z.literal('ES256'), typ: z.literal(CREDENTIAL_TYP), kid: z.string() });
const statusIndex = z
  .int()
  .min(0)
  .max(STATUS_LIST_ENTRIES - 1);
const payload = z.looseObject({
  iss: z.string(),
  iat: z.int(),
  exp: z.int(),
  vct: z.string(),
  cnf: z.object({ jwk: holderKey }),
  status: z.object({ status_list: z.object({ idx: statusIndex, uri: z.string() }) }),
  account: z.string().optional(),
  assets: z.array(z.string()).optional(),
  readTime: z.string().optional(),
  blocks: readBlocks.optional(),
  communityId: z.string().optional(),
  communityOwner: z.string().optional(),
  roleId: z.string().optional(),
});
type Payload = z.output<typeof payload>;

const SHOWN_CLAIMS = [
  ...(['account', 'assets', 'readTime', 'blocks'] as const),
  ...(['communityId', 'communityOwner', 'roleId'] as const),
];

/** The claims of a credential that are not about the credential itself; undisclosed ones are absent. */
const pickClaims = (read: Payload): CredentialClaims =>
  Object.fromEntries(SHOWN_CLAIMS.flatMap((name) => (read[name] === undefined ? [] : [[name, read[name]]])));

const NOT_OURS: Verification = { valid: false, holder: 'unproven', reason: 'credential_invalid' };

/** Verifies credentials of this issuer. It fetches nothing that a credential names. */
@Injectable()
export class VerifyCredentialService {
  private readonly owners = new LRUCache<string, Promise<Owners>>({
    ...boundEntries(MAX_CACHED_READS),
    ttl: OWNERS_MAX_AGE_MS,
  });

  constructor(
    private readonly database: Database,
    private readonly keys: CredentialKeyRing,
    private readonly statusLists: StatusListsService,
    private readonly ownership: AssetOwnershipService,
    private readonly config: VerifiableCredentialConfig,
  ) {}

  /** @throws AppError 503 while the assets cannot be read */
  async verify({ credential, nonce, audience }: VerificationRequest): Promise<Verification> {
    const end = credential.lastIndexOf('~') + 1;
    const presented = credential.slice(0, end);
    const read = await this.read(presented);
    const type = CREDENTIAL_TYPES.find((one) => read?.vct === toVct(this.config.PUBLIC_URL, one));
    if (!read || type === undefined) return NOT_OURS;
    const isBound =
      nonce !== undefined && audience !== undefined
        ? await isKeyBound(credential.slice(end), presented, read, { nonce, audience })
        : undefined;
    const answer = {
      holder: isBound === true ? ('proven' as const) : ('unproven' as const),
      ...{ type, claims: pickClaims(read) },
    };
    if (read.exp * 1_000 <= Date.now())
      return { valid: false, status: 'outdated', reason: 'expired', ...answer };
    const record = await this.findRecord(read);
    if (!record) return NOT_OURS;
    if (record.revokedAt || !(await this.isUnchanged(record)))
      return { valid: false, status: 'revoked', reason: 'revoked', ...answer };
    const isHeld = await this.isHeldNow(record, read.assets ?? []);
    const status = isHeld ? ('valid' as const) : ('outdated' as const);
    if (isBound === false) return { valid: false, status, reason: 'holder_unproven', ...answer };
    return { valid: true, status, ...(isHeld ? {} : { reason: 'not_held_now' as const }), ...answer };
  }

  /** The claims in clear and those that are disclosed; undefined for anything but a credential that this issuer signed. */
  private async read(presented: string): Promise<Payload | undefined> {
    const [jwt = '', ...disclosures] = presented.split('~').slice(0, -1);
    if (!this.isSigned(jwt) || !areDigestsSigned(jwt, disclosures)) return undefined;
    const instance = new SDJwtInstance({ hasher: hashSha256, hashAlg: 'sha-256', verifier: () => true });
    // The issuer signed the JWT, but its presenter chose the disclosures: whatever the library refuses is not valid.
    const claims = await instance
      .verify(presented, { currentDate: readIat(jwt) })
      .then((verified) => verified.payload)
      .catch(() => undefined);
    const { data } = payload.safeParse(claims);
    return data?.iss === this.config.PUBLIC_URL ? data : undefined;
  }

  private isSigned(jwt: string): boolean {
    const [protectedHeader = '', body = '', signature = '', ...rest] = jwt.split('.');
    const { data } = header.safeParse(parseJson(protectedHeader));
    const key = data && this.keys.find(data.kid);
    if (!key || rest.length > 0) return false;
    return verify(
      'sha256',
      Buffer.from(`${protectedHeader}.${body}`),
      { key: { ...key.publicJwk }, format: 'jwk', dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    );
  }

  private async findRecord({ status }: Payload): Promise<CredentialRecord | undefined> {
    const { idx, uri } = status.status_list;
    const list = Number(uri.slice(uri.lastIndexOf('/') + 1));
    if (uri !== this.statusLists.toUri(list)) return undefined;
    return findCredentialByStatus(this.database, { list, entry: idx });
  }

  /** Whether a credential about a community is as true as it was: its revocation may be under way. */
  private isUnchanged({ userId, communityId, roleId }: CredentialRecord): boolean | Promise<boolean> {
    return communityId === undefined || isTrueNow(this.database, { userId, communityId, roleId });
  }

  /** Whether the disclosed assets are held now. @throws AppError 503 */
  private async isHeldNow(record: CredentialRecord, assets: readonly string[]): Promise<boolean> {
    const reads = this.readOwners(record, parseAssets(assets));
    // The background lane has no timeout while it waits for a turn.
    if (!(await hasFinishedWithin(READ_TIMEOUT_MS, Promise.all(reads.values())))) throw assetsUnavailable([]);
    const found = await Promise.all(
      [...reads].map(async ([id, read]) => {
        const { owned, errors: failures } = await read;
        return {
          owned: owned.filter(({ asset }) => asset === id),
          failures: failures.filter(({ asset }) => asset === id),
        };
      }),
    );
    const owned = found.flatMap((one) => one.owned);
    const failures = found.flatMap((one) => one.failures);
    if (failures.some(({ retryable }) => retryable)) throw assetsUnavailable(failures, { assets: owned });
    return owned.length === reads.size && owned.every(({ owner }) => owner);
  }

  /** The reads by asset. Those that are not cached share one, whichever assets a presentation discloses. */
  private readOwners(
    { id, userId, wallet }: CredentialRecord,
    assets: readonly AssetId[],
  ): ReadonlyMap<string, Promise<Owners>> {
    const keyOf = (asset: AssetId) => `${id} ${asset.id}`;
    const reads = new Map<string, Promise<Owners>>();
    for (const asset of assets) {
      const cached = this.owners.get(keyOf(asset));
      if (cached) reads.set(asset.id, cached);
    }
    const missing = assets.filter((asset) => !reads.has(asset.id));
    if (missing.length === 0) return reads;
    // Verifiers may be anonymous: the user is the tenant of the background reads.
    const read = this.ownership.readOwners(missing, toSubjectAddresses([wallet]), {
      tenantId: userId,
      lane: 'background',
    });
    for (const asset of missing) {
      this.owners.set(keyOf(asset), read);
      reads.set(asset.id, read);
    }
    return reads;
  }
}

/** Whether the holder's key signed this presentation for this verifier, at most five minutes ago. */
async function isKeyBound(
  keyBinding: string,
  presented: string,
  { cnf }: Payload,
  { nonce, audience }: { nonce: string; audience: string },
): Promise<boolean> {
  try {
    const { payload: bound } = await jwtVerify(keyBinding, await importJWK({ ...cnf.jwk, alg: 'ES256' }), {
      algorithms: ['ES256'],
      typ: 'kb+jwt',
      audience,
      maxTokenAge: MAX_KEY_BINDING_AGE_SECONDS,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
    });
    const hash = Buffer.from(hashSha256(presented)).toString('base64url');
    return bound['nonce'] === nonce && bound['sd_hash'] === hash;
  } catch (error) {
    if (error instanceof errors.JOSEError) return false;
    throw error;
  }
}

const digests = z.object({
  _sd: z.array(z.string()).default([]),
  assets: z.array(z.object({ '...': z.string() })).default([]),
});

/** Whether the issuer signed the digest of each disclosure, and none comes twice: RFC 9901 has others refused, not ignored. */
function areDigestsSigned(jwt: string, disclosures: readonly string[]): boolean {
  const { data } = digests.safeParse(parseJson(jwt.split('.')[1] ?? ''));
  const signed = new Set(data ? [...data._sd, ...data.assets.map((element) => element['...'])] : []);
  // Each is taken once.
  return disclosures.every((text) => signed.delete(Buffer.from(hashSha256(text)).toString('base64url')));
}

/** The library compares times with this one: expiry is judged here, because an expired credential has an answer of its own. */
function readIat(jwt: string): number {
  const { data } = z.object({ iat: z.int() }).safeParse(parseJson(jwt.split('.')[1] ?? ''));
  return data?.iat ?? 0;
}

function parseJson(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch {
    return undefined; // refused like JSON of another shape
  }
}
