export { Secp256k1Key } from './secp256k1-key.js';
export { isSecp256k1Native, type RecoverableSignature } from './secp256k1-library.js';
