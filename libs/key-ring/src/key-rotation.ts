/** A stored key, which is published until it is removed. Times are Unix milliseconds. */
export interface RotatingKey {
  readonly kid: string;
  readonly signsFrom: number;
  /** Undefined until a successor exists. */
  readonly signsUntil: number | undefined;
  /** False for a key that is encrypted under another secret. */
  readonly isDecryptable: boolean;
}

export interface KeyRotationPolicy {
  /** How long a key signs before its successor starts. */
  readonly lifetimeMs: number;
  /** How long a key is published before it signs. */
  readonly publishAheadMs: number;
  /** How long a key still signs after its successor has started. */
  readonly overlapMs: number;
  /** How long a key stays published after its last signature: the lifetime of what it signed. */
  readonly retentionMs: number;
}

export interface KeyRotationChanges {
  /** Ids of keys to delete. */
  readonly remove: readonly string[];
  /** Ids of keys to set `signsUntil` of, to `predecessorsSignUntil`. */
  readonly retire: readonly string[];
  readonly create?: { readonly signsFrom: number; readonly predecessorsSignUntil: number };
}

/** Whether this replica may sign with a key now. */
export const isSigningKey = ({ signsFrom, signsUntil, isDecryptable }: RotatingKey, now: number): boolean =>
  isDecryptable && signsFrom <= now && (signsUntil === undefined || now < signsUntil);

const getKids = (keys: readonly RotatingKey[]) => keys.map(({ kid }) => kid);

/**
 * Plans the due steps of a key rotation (contract.md sections 4 and 6): publish a key ahead, let old and new key overlap,
 * then keep the old one for verification. Without a usable key (at first, or after the secret changed) a new one signs at once.
 */
export function planKeyRotation(
  keys: readonly RotatingKey[],
  now: number,
  policy: KeyRotationPolicy,
): KeyRotationChanges {
  const { lifetimeMs, publishAheadMs, overlapMs, retentionMs } = policy;
  const remove = getKids(
    keys.filter(({ signsUntil }) => signsUntil !== undefined && signsUntil + retentionMs <= now),
  );
  const open = keys.filter(({ signsUntil }) => signsUntil === undefined);
  const latest = open.find(({ isDecryptable }) => isDecryptable);
  const create = (signsFrom: number): KeyRotationChanges => ({
    remove,
    retire: getKids(open),
    create: { signsFrom, predecessorsSignUntil: signsFrom + overlapMs },
  });
  if (latest) {
    const isOld = now >= latest.signsFrom + Math.max(0, lifetimeMs - publishAheadMs);
    return isOld ? create(now + publishAheadMs) : { remove, retire: [] };
  }
  return keys.some((key) => isSigningKey(key, now)) ? { remove, retire: [] } : create(now);
}
