import 'reflect-metadata';
import { loadConfig, serviceConfigSchema } from '@app/config';
import { ChainConfig } from '@app/chain/evm';
import { Metrics, Readiness, ServiceContext } from '@app/service';
import { pino } from 'pino';
import { CredentialWrites } from '../../apps/identity/src/credentials/credential-writes.js';
import { AeTokens } from '../../apps/identity/src/ethereum-login/ae-tokens.js';
import { CheckHolders } from '../../apps/identity/src/ethereum-login/check-holders.js';
import { ContractCheckConfig } from '../../apps/identity/src/ethereum-login/contract-check.config.js';
import { ContractCheckLimits } from '../../apps/identity/src/ethereum-login/contract-check-limits.js';
import { ContractWallets } from '../../apps/identity/src/ethereum-login/contract-wallets.js';
import { CredentialReader } from '../../apps/identity/src/ethereum-login/credential-reader.js';
import { EthereumCredentials } from '../../apps/identity/src/ethereum-login/ethereum-credentials.js';
import { PublicUrlsConfig } from '../../apps/identity/src/public-urls.config.js';
import { Revocations } from '../../apps/identity/src/revocations/revocations.js';
import { TokenKeyConfig } from '../../apps/identity/src/token-keys/token-key.config.js';
import { TokenKeyStore } from '../../apps/identity/src/token-keys/token-key-store.js';
import { tokenKeyPolicy } from '../../apps/identity/src/token-keys/token-key-use.js';
import { TokenKeys } from '../../apps/identity/src/token-keys/token-keys.js';
import type { SignInWorld } from './sign-in-world.js';

/** What other parts of identity end tokens and credentials with, in this process, on the database of a running app. */
export async function signInServices({ identity, services }: SignInWorld) {
  Object.assign(process.env, identity.env);
  const logger = pino({ level: 'silent' });
  const config = new TokenKeyConfig();
  const { database } = services;
  const store = new TokenKeyStore(database, config.TOKEN_KEY_SECRET, (use) => tokenKeyPolicy(use, config));
  const keys = new TokenKeys(store, logger);
  await keys.refresh();
  const writes = new CredentialWrites(database);
  const revocations = new Revocations(database);
  const metrics = new Metrics('identity');
  const context = new ServiceContext(
    'identity',
    loadConfig(serviceConfigSchema),
    logger,
    metrics,
    new Readiness(),
  );
  const limits = new ContractCheckLimits(new ContractCheckConfig(), new CheckHolders(database), context);
  const contracts = new ContractWallets(new ChainConfig(), limits, context);
  return {
    tokens: new AeTokens(database, keys, new PublicUrlsConfig(), writes, revocations, config),
    credentials: new EthereumCredentials(
      new CredentialReader(keys, new PublicUrlsConfig()),
      contracts,
      writes,
      revocations,
    ),
    contracts,
  };
}
