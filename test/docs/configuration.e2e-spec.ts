import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { principalIssuerConfigSchema, principalVerifierConfigSchema } from '@app/auth';
import { chainConfigSchema } from '@app/chain/evm';
import { opaqueTokenConfigSchema, serviceConfigSchema } from '@app/config';
import { serviceDatabaseConfigSchema } from '@app/database';
import { outboxConfigSchema } from '@app/outbox';
import { queueConfigSchema } from '@app/queues';
import { gatewayConfigSchema } from '../../apps/gateway/src/gateway.config.js';
import { identityConfigSchema } from '../../apps/identity/src/common/identity.config.js';
import { tokenGatingClientConfigSchema } from '../../apps/identity/src/clients/token-gating-client.config.js';
import { gatewayClientConfigSchema } from '../../apps/identity/src/clients/gateway-client.config.js';
import { contractCheckConfigSchema } from '../../apps/identity/src/wallet-signatures/contract-check.config.js';
import { operatorConfigSchema } from '../../apps/identity/src/applications/operators/operator.config.js';
import { testWalletConfigSchema } from '../../apps/identity/src/pages/test-wallet/test-wallet.config.js';
import { browserSessionConfigSchema } from '../../apps/identity/src/browser-sessions/browser-session.config.js';
import { publicUrlsConfigSchema } from '../../apps/identity/src/common/public-urls.config.js';
import { tokenKeyConfigSchema } from '../../apps/identity/src/tokens/keys/token-key.config.js';
import { sweepConfigSchema } from '../../apps/token-gating/src/database/sweep.config.js';
import { asyncCheckConfigSchema } from '../../apps/token-gating/src/checks/async/async-check.config.js';
import { watchedTokensConfigSchema } from '../../apps/token-gating/src/assets/balances/watched-tokens.config.js';
import { balanceCheckConfigSchema } from '../../apps/token-gating/src/roles/balance-checks/balance-check.config.js';
import { callbackKeyConfigSchema } from '../../apps/token-gating/src/callbacks/signing-keys/callback-key.config.js';
import { invitationConfigSchema } from '../../apps/token-gating/src/communities/invitations/invitation.config.js';
import { callbackConfigSchema } from '../../apps/token-gating/src/callbacks/callback.config.js';
import { identityClientConfigSchema } from '../../apps/token-gating/src/clients/identity-client.config.js';
import { safeFetcherConfigSchema } from '../../apps/token-gating/src/clients/safe-fetcher.config.js';
import { planUsageClientConfigSchema } from '../../apps/token-gating/src/clients/plan-usage-client.config.js';
import { root } from '../../scripts/local/project.mjs';

const page = readFileSync(join(root, 'docs/configuration.md'), 'utf8');

/** Names in the first column of the configuration table; `RPC_URL_<chainId>` is a family of its own. */
const documented = new Set(
  [...page.matchAll(/^\| ((?:`[A-Z_<>a-z0-9]+`(?:, )?)+) +\|/gm)]
    .flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
    .filter((name) => /^[A-Z][A-Z_]+$/.test(name)),
);

describe('docs/configuration.md', () => {
  it('lists every configuration variable, and none that is not read', () => {
    const schemas = [
      serviceConfigSchema,
      opaqueTokenConfigSchema,
      principalIssuerConfigSchema,
      principalVerifierConfigSchema,
      gatewayConfigSchema,
      identityConfigSchema,
      tokenGatingClientConfigSchema,
      publicUrlsConfigSchema,
      tokenKeyConfigSchema,
      browserSessionConfigSchema,
      testWalletConfigSchema,
      operatorConfigSchema,
      gatewayClientConfigSchema,
      contractCheckConfigSchema,
      chainConfigSchema,
      queueConfigSchema,
      outboxConfigSchema,
      serviceDatabaseConfigSchema,
      callbackKeyConfigSchema,
      safeFetcherConfigSchema,
      asyncCheckConfigSchema,
      sweepConfigSchema,
      balanceCheckConfigSchema,
      callbackConfigSchema,
      planUsageClientConfigSchema,
      watchedTokensConfigSchema,
      invitationConfigSchema,
      identityClientConfigSchema,
    ];
    const read = new Set(schemas.flatMap(({ shape }) => Object.keys(shape)));
    expect([...documented].sort()).toEqual([...read].sort());
  });
});
