import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { issuerConfigSchema, verifierConfigSchema } from '@app/auth';
import { chainSwitches } from '@app/chain/evm';
import { opaqueTokenConfigSchema, serviceConfigSchema } from '@app/config';
import { storageConfigSchema } from '@app/database';
import { outboxConfigSchema } from '@app/outbox';
import { queueConfigSchema } from '@app/queues';
import { gatewayConfigSchema } from '../../apps/gateway/src/gateway.config.js';
import { identityConfigSchema } from '../../apps/identity/src/identity-config.js';
import { tokenGatingConfigSchema } from '../../apps/identity/src/token-gating/token-gating.config.js';
import { usageConfigSchema } from '../../apps/identity/src/client-applications/usage.config.js';
import { contractCheckConfigSchema } from '../../apps/identity/src/ethereum-login/contract-check.config.js';
import { operatorConfigSchema } from '../../apps/identity/src/operators/operator.config.js';
import { testWalletConfigSchema } from '../../apps/identity/src/pages/test-wallet/test-wallet.config.js';
import { sessionConfigSchema } from '../../apps/identity/src/browser-sessions/session.config.js';
import { publicUrlsConfigSchema } from '../../apps/identity/src/public-urls.config.js';
import { tokenKeyConfigSchema } from '../../apps/identity/src/token-keys/token-key.config.js';
import { asyncCheckConfigSchema } from '../../apps/token-gating/src/async-checks/async-check.config.js';
import { watchedTokensConfigSchema } from '../../apps/token-gating/src/balances/watched-tokens.config.js';
import { balanceCheckConfigSchema } from '../../apps/token-gating/src/balance-checks/balance-check.config.js';
import { callbackKeyConfigSchema } from '../../apps/token-gating/src/callbacks/keys/callback-key.config.js';
import { invitationConfigSchema } from '../../apps/token-gating/src/communities/invitations/invitation.config.js';
import { deliveryConfigSchema } from '../../apps/token-gating/src/deliveries/delivery.config.js';
import { askIdentityConfigSchema } from '../../apps/token-gating/src/identity/identity.config.js';
import { outboundConfigSchema } from '../../apps/token-gating/src/outbound/outbound.config.js';
import { planUsageConfigSchema } from '../../apps/token-gating/src/plan-usage/plan-usage.config.js';
import { root } from '../../scripts/local/project.mjs';

const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** Names in the first column of the configuration table; `RPC_URL_<chainId>` is a family of its own. */
const documented = new Set(
  [...readme.matchAll(/^\| ((?:`[A-Z_<>a-z0-9]+`(?:, )?)+) +\|/gm)]
    .flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
    .filter((name) => /^[A-Z][A-Z_]+$/.test(name)),
);

const RULE_TYPES = ['NATIVE', 'ERC20', 'ERC721', 'ERC1155'];

describe('the README', () => {
  it('lists every configuration variable, and none that is not read', () => {
    const schemas = [
      serviceConfigSchema,
      opaqueTokenConfigSchema,
      issuerConfigSchema,
      verifierConfigSchema,
      gatewayConfigSchema,
      identityConfigSchema,
      tokenGatingConfigSchema,
      publicUrlsConfigSchema,
      tokenKeyConfigSchema,
      sessionConfigSchema,
      testWalletConfigSchema,
      operatorConfigSchema,
      usageConfigSchema,
      contractCheckConfigSchema,
      chainSwitches,
      queueConfigSchema,
      outboxConfigSchema,
      storageConfigSchema,
      callbackKeyConfigSchema,
      outboundConfigSchema,
      asyncCheckConfigSchema,
      balanceCheckConfigSchema,
      deliveryConfigSchema,
      planUsageConfigSchema,
      watchedTokensConfigSchema,
      invitationConfigSchema,
      askIdentityConfigSchema,
    ];
    const read = new Set(schemas.flatMap(({ shape }) => Object.keys(shape)));
    for (const ruleType of RULE_TYPES) documented.delete(ruleType);
    expect([...documented].sort()).toEqual([...read].sort());
  });
});
