import { decryptAesGcm, encryptAesGcm } from '@app/common';

/** Binds what is sealed to its name, so that it opens for no other user, purpose or network. */
const associatedData = (name: Buffer): string => name.toString('hex');

export const sealKey = (wrappingKey: Buffer, name: Buffer, key: Buffer): Buffer =>
  encryptAesGcm(wrappingKey, key, associatedData(name));

/** @throws Error if it was sealed with another key, for another name, or was changed */
export function unsealKey(wrappingKey: Buffer, name: Buffer, sealed: Buffer): Buffer {
  const key = decryptAesGcm(wrappingKey, sealed, associatedData(name));
  if (key === undefined)
    throw new Error('what is sealed cannot be opened: it was changed or has another name');
  return key;
}
