import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { apps } from './apps.mjs';
import { keySetOf, makeKey } from './internal-keys.mjs';
import { readJsonIfThere, writePrivate } from './private-file.mjs';

/**
 * @typedef {object} Secrets
 * @property {string} credentialPepper
 * @property {Record<string, object>} signing private JWK by app
 * @property {{ keys: object[] }} keySet the public halves
 */

/** Makes secrets that nobody keeps. @param {string[]} names of the apps @returns {Secrets} */
export function makeSecrets(names) {
  const signing = Object.fromEntries(names.map((name) => [name, makeKey(name)]));
  return { credentialPepper: makePepper(), signing, keySet: keySetOf(signing) };
}

/** The secrets of the local profile, made once. An app that is new since then gets its key added. @returns {Secrets} */
export function loadSecrets(local) {
  const file = join(local, 'secrets.json');
  const kept = readJsonIfThere(file) ?? { credentialPepper: makePepper(), signing: {} };
  const missing = apps.filter(({ name }) => !(name in kept.signing));
  for (const { name } of missing) kept.signing[name] = makeKey(name);
  if (missing.length > 0) writePrivate(file, JSON.stringify(kept, undefined, 2));
  return { ...kept, keySet: keySetOf(kept.signing) };
}

const makePepper = () => randomBytes(32).toString('base64url');
