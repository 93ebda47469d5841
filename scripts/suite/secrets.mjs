import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { apps } from './apps.mjs';
import { keySetOf, makeKey } from './internal-keys.mjs';
import { readJsonIfThere, writePrivate } from '../processes/private-file.mjs';

/** @import { NamedKey } from './internal-keys.mjs' */
/** @typedef {{ credentialPepper: string, callbackKeySecret: string, tokenKeySecret: string, opaqueTokenSecret: string, accountKeySecret: string, signing: Record<string, NamedKey> }} KeptSecrets */

/**
 * @typedef {object} Secrets
 * @property {string} credentialPepper
 * @property {string} callbackKeySecret
 * @property {string} tokenKeySecret
 * @property {string} opaqueTokenSecret
 * @property {string} accountKeySecret
 * @property {Record<string, NamedKey>} signing private JWK by app
 * @property {{ keys: NamedKey[] }} keySet the public halves
 */

/** Makes secrets that nobody keeps. @param {string[]} names of the apps @returns {Secrets} */
export function makeSecrets(names) {
  const signing = Object.fromEntries(names.map((name) => [name, makeKey(name)]));
  return { ...makeRandom(), signing, keySet: keySetOf(signing) };
}

/**
 * The secrets of the local profile, made once. What is new since then is added.
 * @param {string} local
 * @returns {Secrets}
 */
export function loadSecrets(local) {
  const file = join(local, 'secrets.json');
  /** @type {Partial<KeptSecrets>} */
  const kept = readJsonIfThere(file) ?? {};
  const missing = apps.filter(({ name }) => !(name in (kept.signing ?? {})));
  const added = Object.fromEntries(missing.map(({ name }) => [name, makeKey(name)]));
  const secrets = { ...makeRandom(), ...kept, signing: { ...kept.signing, ...added } };
  if (Object.keys(secrets).length > Object.keys(kept).length || missing.length > 0)
    writePrivate(file, JSON.stringify(secrets, undefined, 2));
  return { ...secrets, keySet: keySetOf(secrets.signing) };
}

const makeRandom = () => ({
  credentialPepper: random32(),
  callbackKeySecret: random32(),
  tokenKeySecret: random32(),
  opaqueTokenSecret: random32(),
  accountKeySecret: random32(),
});

const random32 = () => randomBytes(32).toString('base64url');
