const INFO_VERSION = '1';
const LENGTH_BYTES = 2;

export type KeyPurpose = 'account' | 'action';

/** Names one derived key. Keys of users must not move, so the fields and their order are permanent. */
export interface KeyInfo {
  readonly curve: 'secp256k1' | 'ed25519';
  readonly purpose: KeyPurpose;
  readonly platform: string;
  readonly userId: string;
  /** The network; empty for a key that is the same on all chains. */
  readonly network: string;
  /** The client application of a key for its custom actions. Absent in keys that client applications share. */
  readonly clientId?: string;
}

/** A seventh field names the client application; names without it have the bytes that they had before there was one. */
export const encodeKeyInfo = ({ curve, purpose, platform, userId, network, clientId }: KeyInfo): Buffer =>
  encodeFields([
    ...[INFO_VERSION, curve, purpose, platform, userId, network],
    ...(clientId === undefined ? [] : [clientId]),
  ]);

/** Prefixes each field with its length, so that no two names have the same bytes: `a`, `bc` is not `ab`, `c`. */
export const encodeFields = (fields: readonly string[]): Buffer => Buffer.concat(fields.map(encodeField));

function encodeField(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
