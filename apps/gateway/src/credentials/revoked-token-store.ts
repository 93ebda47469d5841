import { MINUTE_MS } from '@app/common';
import { Injectable } from '@nestjs/common';
import { ETHEREUM_CREDENTIAL_LIFETIME_MS } from '@app/auth';
import { toAllCredentialsId, type RevokedToken } from '@app/dto';
import { ServiceContext } from '@app/service';
import { Gauge } from 'prom-client';
import { GatewayConfig } from '../gateway.config.js';
import { credentialsUnavailable } from './credentials.errors.js';
import { IdentityClient, type RevokedTokenList } from './identity-client.js';
import { RevocationFeedSubscriber } from './revocation-feed-subscriber.js';

const SWEEP_INTERVAL_MS = MINUTE_MS;
/** No token lives longer. The margin covers the time from the revocation until it is loaded. */
const MAX_REVOCATION_LIFETIME_MS = ETHEREUM_CREDENTIAL_LIFETIME_MS + MINUTE_MS;

/** The properties of a token that revocations refer to. */
export interface RevocableToken {
  /** `jti` or nonce. */
  readonly id: string;
  readonly clientId: string;
  readonly user?: { readonly id: string };
  /** Ethereum credentials only. */
  readonly credentialExpiresAtMs?: number;
}

/** Whether a token is among tokens that were left out: it has to be verified again before its next use. */
type OmissionListener = (isOmitted: (token: RevocableToken) => boolean) => void;

/**
 * Revoked tokens and Ethereum credentials, until they expire: at most `MAX_REVOKED_TOKENS`. When there are more, identity is
 * asked about each token at its verification, so that no number of revocations makes a revoked token valid again.
 */
@Injectable()
export class RevokedTokenStore {
  private readonly expiresAtMsById = new Map<string, number>();
  private readonly omissionListeners: OmissionListener[] = [];
  private sweepAtMs = 0;
  /** The time until which revocations may exist that are not in the map. */
  private incompleteUntilMs = 0;

  constructor(
    feed: RevocationFeedSubscriber,
    private readonly identity: IdentityClient,
    private readonly config: GatewayConfig,
    { metrics }: ServiceContext,
  ) {
    const gauge = new Gauge({
      name: 'gateway_revoked_tokens',
      help: 'Revoked tokens in memory. At MAX_REVOKED_TOKENS identity is asked about each token at its first use.',
      registers: [metrics.registry],
      collect: () => {
        gauge.set(this.expiresAtMsById.size);
      },
    });
    feed.onChanges(({ revoked }, all) => {
      if (Date.now() >= this.sweepAtMs) this.sweep();
      if (all) this.addAll(all);
      this.add(revoked);
    });
  }

  onOmission(listener: OmissionListener): void {
    this.omissionListeners.push(listener);
  }

  /**
   * Whether a token that was verified before is revoked, by itself or with all Ethereum credentials of its user for the client
   * application.
   */
  isRevoked(token: RevocableToken): boolean {
    return isRevokedIn(this.expiresAtMsById, token);
  }

  /**
   * Whether a token that was just verified is revoked: asks identity while the store does not hold all revocations. Later
   * revocations are reported by the feed.
   * @throws AppError 503 when identity is unavailable
   */
  async isRevokedAnywhere(token: RevocableToken): Promise<boolean> {
    if (this.isRevoked(token)) return true;
    if (Date.now() >= this.incompleteUntilMs) return false;
    const ids = [token.id, getAllCredentialsId(token)].filter((id) => id !== undefined);
    const { tokens } = await this.identity.findRevokedTokens(ids).catch((error: unknown) => {
      throw credentialsUnavailable(error);
    });
    return isRevokedIn(toMap(tokens), token);
  }

  private addAll({ tokens, isComplete }: RevokedTokenList): void {
    this.add(tokens);
    if (isComplete) return;
    this.incompleteUntilMs = Date.now() + MAX_REVOCATION_LIFETIME_MS;
    this.reportOmission(() => true);
  }

  private add(tokens: readonly RevokedToken[]): void {
    const omitted: RevokedToken[] = [];
    for (const token of tokens) {
      const { id, expiresAtMs } = token;
      const known = this.expiresAtMsById.get(id);
      if (known !== undefined || this.expiresAtMsById.size < this.config.MAX_REVOKED_TOKENS)
        this.expiresAtMsById.set(id, Math.max(expiresAtMs, known ?? 0));
      else omitted.push(token);
    }
    if (omitted.length === 0) return;
    this.incompleteUntilMs = omitted.reduce(
      (latest, { expiresAtMs }) => Math.max(latest, expiresAtMs),
      this.incompleteUntilMs,
    );
    const expiresAtMsById = toMap(omitted);
    this.reportOmission((token) => isRevokedIn(expiresAtMsById, token));
  }

  private reportOmission(isOmitted: (token: RevocableToken) => boolean): void {
    for (const listener of this.omissionListeners) listener(isOmitted);
  }

  private sweep(): void {
    const now = Date.now();
    this.sweepAtMs = now + SWEEP_INTERVAL_MS;
    for (const [id, expiresAtMs] of this.expiresAtMsById)
      if (expiresAtMs <= now) this.expiresAtMsById.delete(id);
  }
}

const toMap = (tokens: readonly RevokedToken[]): ReadonlyMap<string, number> =>
  new Map(tokens.map(({ id, expiresAtMs }) => [id, expiresAtMs]));

/** The id of the revocation of all Ethereum credentials of a user; undefined for other tokens. */
const getAllCredentialsId = ({ clientId, user, credentialExpiresAtMs }: RevocableToken): string | undefined =>
  credentialExpiresAtMs === undefined || !user ? undefined : toAllCredentialsId(user.id, clientId);

function isRevokedIn(expiresAtMsById: ReadonlyMap<string, number>, token: RevocableToken): boolean {
  if (expiresAtMsById.has(token.id)) return true;
  const allCredentialsId = getAllCredentialsId(token);
  if (allCredentialsId === undefined) return false;
  const revokedUntilMs = expiresAtMsById.get(allCredentialsId);
  return revokedUntilMs !== undefined && (token.credentialExpiresAtMs ?? 0) <= revokedUntilMs;
}
