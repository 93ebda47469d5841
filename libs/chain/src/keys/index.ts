export { isSecp256k1Native, type RecoverableSignature, Secp256k1Key } from './secp256k1-key.js';
