/** When a key is used, in unix milliseconds. It is published as long as it is there. */
export interface RotatingKey {
  readonly kid: string;
  readonly signsFrom: number;
  /** Undefined while no successor is known. */
  readonly signsUntil: number | undefined;
  /** False for a key that is sealed under another secret than ours. */
  readonly isOurs: boolean;
}

/** Milliseconds. */
export interface KeyRotationPolicy {
  /** How long a key signs before the next one begins. */
  readonly lifetimeMs: number;
  /** How long a key is there before it signs. */
  readonly publishAheadMs: number;
  /** How long a key signs on when the next one has begun. */
  readonly overlapMs: number;
  /** How long a key stays when it has signed for the last time: as long as anything lives that it signed. */
  readonly keepMs: number;
}

export interface KeyRotationChanges {
  /** Keys that nobody needs any more. */
  readonly remove: readonly string[];
  /** Keys that learn until when they sign. */
  readonly retire: readonly string[];
  /** A new key, and until when those sign that it takes over from. */
  readonly create?: { readonly signsFrom: number; readonly othersUntil: number };
}

/** Whether we may sign with it. */
export const isSigningKey = ({ signsFrom, signsUntil, isOurs }: RotatingKey, now: number): boolean =>
  isOurs && signsFrom <= now && (signsUntil === undefined || now < signsUntil);

const getKids = (keys: readonly RotatingKey[]) => keys.map(({ kid }) => kid);

/**
 * What is due. A key is published before it signs, both sign while they overlap, then the old one is kept for a while and
 * leaves (contract.md sections 4 and 6). When there is none that we can sign with, a new one signs at once: the first of all, or the first under
 * another secret.
 */
export function planKeyRotation(
  keys: readonly RotatingKey[],
  now: number,
  policy: KeyRotationPolicy,
): KeyRotationChanges {
  const { lifetimeMs, publishAheadMs, overlapMs, keepMs } = policy;
  const remove = getKids(
    keys.filter(({ signsUntil }) => signsUntil !== undefined && signsUntil + keepMs <= now),
  );
  const open = keys.filter(({ signsUntil }) => signsUntil === undefined);
  const latest = open.find(({ isOurs }) => isOurs);
  const create = (signsFrom: number): KeyRotationChanges => ({
    remove,
    retire: getKids(open),
    create: { signsFrom, othersUntil: signsFrom + overlapMs },
  });
  if (latest) {
    const isOld = now >= latest.signsFrom + Math.max(0, lifetimeMs - publishAheadMs);
    return isOld ? create(now + publishAheadMs) : { remove, retire: [] };
  }
  return keys.some((key) => isSigningKey(key, now)) ? { remove, retire: [] } : create(now);
}
