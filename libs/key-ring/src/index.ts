export { KeyRing } from './key-ring.js';
export { isSigningKey, type KeyRotationPolicy, type RotatingKey } from './key-rotation.js';
export { KeyStore, type NewKey, type StoredKey } from './key-store.js';
