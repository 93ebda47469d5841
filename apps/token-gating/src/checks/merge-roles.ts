import type { TokenGatingError } from '@app/dto';
import type { Verdict } from '../rules/verdict.js';
import { toRuleError } from './to-rule-error.js';

/** What all rules of one role come to. `errors` say why it is undetermined, and are empty when it is not. */
export interface RoleVerdict {
  readonly id: string;
  readonly kind: Verdict['kind'];
  readonly errors: readonly TokenGatingError[];
}

/**
 * A role is the OR of its rules: granted beats undetermined beats not granted. One entry per role, in the order first
 * seen. `verdicts` holds one entry per rule.
 */
export function mergeRoles(
  rules: readonly { readonly roleId: string }[],
  verdicts: readonly Verdict[],
): RoleVerdict[] {
  const granted = new Set<string>();
  const errors = new Map<string, TokenGatingError[]>();
  rules.forEach(({ roleId }, index) => {
    const verdict = verdicts[index];
    const soFar = errors.get(roleId) ?? [];
    errors.set(roleId, soFar);
    if (verdict?.kind === 'granted') granted.add(roleId);
    if (verdict?.kind === 'undetermined') soFar.push(toRuleError(roleId, index, verdict.failure));
  });
  return Array.from(errors, ([id, found]): RoleVerdict => {
    if (granted.has(id)) return { id, kind: 'granted', errors: [] };
    return { id, kind: found.length > 0 ? 'undetermined' : 'not_granted', errors: found };
  });
}
