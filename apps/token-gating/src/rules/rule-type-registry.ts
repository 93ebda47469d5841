import type { TokenGatingRule } from '@app/dto';
import { allowlist } from './allowlist.js';
import { contractRead } from './contract-read.js';
import { erc1155 } from './erc1155.js';
import { erc20 } from './erc20.js';
import { erc721 } from './erc721.js';
import { native } from './native.js';
import { openSea } from './open-sea.js';
import { poap } from './poap.js';
import type { MultiChainRuleType, RuleType } from './rule-type.js';
import { safeOwner } from './safe-owner.js';
import { solanaFt } from './solana-ft.js';
import { solanaNft } from './solana-nft.js';
import { staking } from './staking/staking.js';

const ruleTypes: readonly (RuleType | MultiChainRuleType)[] = [
  native,
  erc20,
  erc721,
  erc1155,
  solanaFt,
  solanaNft,
  safeOwner,
  staking,
  openSea,
  poap,
  allowlist,
  contractRead,
];

const byName = new Map(ruleTypes.map((ruleType) => [ruleType.type, ruleType]));

export function getRuleType({ type }: Pick<TokenGatingRule, 'type'>): RuleType | MultiChainRuleType {
  const ruleType = byName.get(type);
  if (!ruleType) throw new Error(`The rule type ${type} has no implementation`);
  return ruleType;
}
