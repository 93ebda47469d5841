import 'reflect-metadata';
import { loadConfig, serviceConfigSchema } from '@app/config';
import { ChainConfig } from '@app/chain/evm';
import { MetricsService, ReadinessService, ServiceContext } from '@app/service';
import { pino } from 'pino';
import { CredentialTransactionService } from '../../apps/identity/src/tokens/change-feed/credential-transaction.service.js';
import { AeTokenQueries } from '../../apps/identity/src/ethereum-login/id-tokens/ae-tokens.queries.js';
import { AeTokenService } from '../../apps/identity/src/ethereum-login/id-tokens/ae-token.service.js';
import { BudgetKeyQueries } from '../../apps/identity/src/wallet-signatures/budget-key.queries.js';
import {
  ContractCheckConfig,
  ContractCheckLimiter,
} from '../../apps/identity/src/wallet-signatures/contract-check-limiter.js';
import { ContractWalletService } from '../../apps/identity/src/wallet-signatures/contract-wallet.service.js';
import {
  CredentialParser,
  EthereumCredentialService,
} from '../../apps/identity/src/ethereum-login/credentials/ethereum-credential.service.js';
import { PublicUrlsConfig } from '../../apps/identity/src/common/identity.config.js';
import { RevocationsService } from '../../apps/identity/src/tokens/revocations/revocations.service.js';
import { TokenConfig } from '../../apps/identity/src/tokens/token.config.js';
import { createTokenKeyStore } from '../../apps/identity/src/tokens/keys/key-material.js';
import { TokenKeysService } from '../../apps/identity/src/tokens/keys/token-keys.service.js';
import type { OutboxService } from '@app/outbox';
import { UserEventsService } from '../../apps/identity/src/users/user-events.service.js';
import type { SignInWorld } from './sign-in-world.js';

/** Services of the wallet login in this process, on the database of a running app. */
export async function signInServices({ identity, services }: SignInWorld) {
  Object.assign(process.env, identity.env);
  const logger = pino({ level: 'silent' });
  const config = new TokenConfig();
  const { database } = services;
  const keys = new TokenKeysService(createTokenKeyStore(database, config), logger);
  await keys.refresh();
  const writes = new CredentialTransactionService(database);
  const revocations = new RevocationsService(database);
  const metrics = new MetricsService('identity');
  const context = new ServiceContext(
    'identity',
    loadConfig(serviceConfigSchema),
    logger,
    metrics,
    new ReadinessService(),
  );
  const limits = new ContractCheckLimiter(new ContractCheckConfig(), new BudgetKeyQueries(database), context);
  const contracts = new ContractWalletService(new ChainConfig(), limits, context);
  return {
    tokens: new AeTokenService(
      new AeTokenQueries(database),
      keys,
      new PublicUrlsConfig(),
      writes,
      revocations,
      config,
      database,
      new UserEventsService({ add: () => Promise.resolve() } as unknown as OutboxService),
    ),
    credentials: new EthereumCredentialService(
      new CredentialParser(keys, new PublicUrlsConfig()),
      contracts,
      writes,
      revocations,
    ),
    contracts,
  };
}
