import { envInteger, envOrigin } from '@app/config';
import { accessSync, constants } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';

/** Vault's own grammar of a key's name (`GenericNameRegex`). */
const KEY_NAME = /^\w(?:[\w.-]*\w)?$/;
const MAX_TOKEN_LENGTH = 4_096;
/** Vault counts versions with 32 bits at least. */
const MAX_VERSION = 2 ** 31 - 1;

const keyName = z
  .string()
  .regex(KEY_NAME, 'must be the name of a key')
  .max(200)
  .meta({ format: 'name of a key' });
/** The path of a mount or a namespace, which may have several parts. */
const path = z
  .string()
  .transform((text) => text.replace(/^\/+|\/+$/g, ''))
  .pipe(z.string().regex(/^[\w.-]+(?:\/[\w.-]+)*$/, 'must be a path of letters, digits, `_`, `.` and `-`'));
const keyVersion = envInteger(1, MAX_VERSION);
const file = z.string().meta({ format: 'path of a file' });

/** HashiCorp Vault's own names of variables, where it has names. */
export const vaultTransitConfigSchema = z.object({
  VAULT_ADDR: envOrigin
    .optional()
    .describe(
      'HashiCorp Vault, required for `vault-transit`. In production `http` reaches this machine only, as a Vault agent beside account-kit.',
    ),
  VAULT_NAMESPACE: path
    .optional()
    .describe('Namespace of HashiCorp Vault (Enterprise, or OpenBao) that has the mount.')
    .meta({ format: 'path, such as `admin/team`' }),
  VAULT_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must be a token')
    .max(MAX_TOKEN_LENGTH)
    .optional()
    .describe('Token for HashiCorp Vault. `vault-transit` requires this or VAULT_TOKEN_FILE.')
    .meta({ format: 'token', secret: true }),
  VAULT_TOKEN_FILE: file
    .optional()
    .describe(
      'File with the token, which is read again for each request, as a Vault agent replaces it. `vault-transit` requires this or VAULT_TOKEN.',
    ),
  VAULT_CACERT: file
    .optional()
    .describe(
      'File with certificates (PEM) by which HashiCorp Vault is trusted, in place of those that Node has.',
    ),
  VAULT_TRANSIT_MOUNT: path
    .default('transit')
    .describe('Where the transit engine is mounted.')
    .meta({ format: 'path' }),
  VAULT_TRANSIT_ROOT_KEY: keyName
    .optional()
    .describe(
      'Key of the transit engine that is the root of all account keys, required for `vault-transit`: type `hmac`. The addresses depend on it.',
    ),
  VAULT_TRANSIT_ROOT_KEY_VERSION: keyVersion
    .optional()
    .describe(
      'Version of VAULT_TRANSIT_ROOT_KEY for new accounts, required for `vault-transit`. Earlier accounts keep theirs.',
    ),
  VAULT_TRANSIT_WRAP_KEY: keyName
    .optional()
    .describe(
      'Key of the transit engine that seals stored keys, required for `vault-transit`: type `aes256-gcm96` or `chacha20-poly1305`.',
    ),
  VAULT_TRANSIT_WRAP_KEY_VERSION: keyVersion
    .optional()
    .describe('Version of VAULT_TRANSIT_WRAP_KEY that seals, required for `vault-transit`.'),
});

type VaultTransitConfig = z.output<typeof vaultTransitConfigSchema>;

export const REQUIRED_FOR_VAULT_TRANSIT = [
  'VAULT_ADDR',
  'VAULT_TRANSIT_ROOT_KEY',
  'VAULT_TRANSIT_ROOT_KEY_VERSION',
  'VAULT_TRANSIT_WRAP_KEY',
  'VAULT_TRANSIT_WRAP_KEY_VERSION',
] as const;

/** @returns what is wrong with the variables of a vault that is configured, by their names */
export function listVaultTransitProblems(
  config: VaultTransitConfig,
  { isProduction }: { readonly isProduction: boolean },
): (readonly [name: keyof VaultTransitConfig, message: string])[] {
  const { VAULT_ADDR: address, VAULT_TOKEN: token, VAULT_TOKEN_FILE: tokenFile } = config;
  const problems: (readonly [keyof VaultTransitConfig, string])[] = [];
  if (config.VAULT_CACERT !== undefined)
    try {
      accessSync(config.VAULT_CACERT, constants.R_OK);
    } catch (error) {
      problems.push([
        'VAULT_CACERT',
        `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
      ]);
    }
  if (token === undefined && tokenFile === undefined)
    problems.push(['VAULT_TOKEN', 'is required for `vault-transit`, unless VAULT_TOKEN_FILE is set']);
  if (token !== undefined && tokenFile !== undefined)
    problems.push(['VAULT_TOKEN_FILE', 'and VAULT_TOKEN exclude each other']);
  if (isProduction && address?.startsWith('http:') === true && !isLoopback(new URL(address).hostname))
    problems.push(['VAULT_ADDR', 'must be https in production: keys of accounts travel over it']);
  return problems;
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));
