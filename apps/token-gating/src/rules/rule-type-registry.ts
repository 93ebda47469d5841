import type { TokenGatingRule } from '@app/dto';
import { erc1155 } from './erc1155.js';
import { erc20 } from './erc20.js';
import { erc721 } from './erc721.js';
import { native } from './native.js';
import type { RuleType } from './rule-type.js';
import { safeOwner } from './safe-owner.js';
import { solanaFt } from './solana-ft.js';

const ruleTypes: readonly RuleType[] = [native, erc20, erc721, erc1155, solanaFt, safeOwner];

const byName = new Map(ruleTypes.map((ruleType) => [ruleType.type, ruleType]));

export function getRuleType({ type }: Pick<TokenGatingRule, 'type'>): RuleType {
  const ruleType = byName.get(type);
  if (!ruleType) throw new Error(`The rule type ${type} has no implementation`);
  return ruleType;
}
