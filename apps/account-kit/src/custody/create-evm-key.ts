import { Secp256k1Key } from '@app/chain/keys';
import type { Hex, LocalAccount } from 'viem';
import { publicKeyToAddress, serializeSignature, toAccount } from 'viem/accounts';
import {
  bytesToHex,
  hashMessage,
  hashTypedData,
  hexToBytes,
  keccak256,
  serializeTransaction,
} from 'viem/utils';

/** viem's account of a secret key, which the native library signs for. */
export type EvmKey = LocalAccount & Required<Pick<LocalAccount, 'sign'>>;

/** @throws RangeError if there is no such key */
export function createEvmKey(secret: Uint8Array): EvmKey {
  const key = new Secp256k1Key(secret);
  const sign = (hash: Hex) => {
    const { r, s, yParity } = key.sign(hexToBytes(hash));
    return { r: bytesToHex(r), s: bytesToHex(s), yParity };
  };
  const signHash = (hash: Hex): Promise<Hex> => Promise.resolve(serializeSignature(sign(hash)));
  const account = toAccount({
    address: publicKeyToAddress(bytesToHex(key.publicKey)),
    signMessage: ({ message }) => signHash(hashMessage(message)),
    signTypedData: (typedData) => signHash(hashTypedData(typedData)),
    signTransaction: async (transaction, { serializer = serializeTransaction } = {}) =>
      serializer(transaction, sign(keccak256(await serializer(transaction)))),
  });
  return { ...account, sign: ({ hash }) => signHash(hash) };
}
