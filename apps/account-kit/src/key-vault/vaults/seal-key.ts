import { decryptAesGcm, encryptAesGcm } from '@app/common';
import { encodeKeyInfo, type KeyInfo } from '../encode-key-info.js';

/** Binds a sealed key to its name, so that it opens for no other user, purpose or network. */
const associatedData = (info: KeyInfo): string => encodeKeyInfo(info).toString('hex');

export const sealKey = (wrappingKey: Buffer, info: KeyInfo, key: Buffer): Buffer =>
  encryptAesGcm(wrappingKey, key, associatedData(info));

/** @throws Error if it was sealed with another key, for another name, or was changed */
export function unsealKey(wrappingKey: Buffer, info: KeyInfo, sealed: Buffer): Buffer {
  const key = decryptAesGcm(wrappingKey, sealed, associatedData(info));
  if (key === undefined)
    throw new Error('a stored key cannot be opened: it was changed or is of another user');
  return key;
}
