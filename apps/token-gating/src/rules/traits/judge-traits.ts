import { createMetadataFailure } from '../../metadata/metadata-failure.js';
import { type Bounds, judgeQuantity } from '../judge-quantity.js';
import type { RuleFailure, Verdict } from '../verdict.js';
import { addUnread, type HeldAmount, type HeldTokens } from './held-tokens.js';

/** Whether the metadata of a token matches; undefined while it is not known. */
export type TraitOutcome = boolean | RuleFailure | undefined;

const NOT_CHECKED = createMetadataFailure('metadata_timeout', 'was not checked in time');

/**
 * Whether enough tokens match. Any other verdict than undetermined is final, whatever the outcomes that are not known yet.
 * @param outcomes by index of the token
 */
export function judgeTraits(
  { tokens, unread }: HeldTokens<HeldAmount>,
  outcomes: readonly TraitOutcome[],
  bounds: Bounds,
): Verdict {
  let known = 0n;
  let mismatched = 0n;
  let unknown = unread;
  tokens.forEach(({ amount }, index) => {
    const outcome = outcomes[index];
    if (outcome === true) known += amount;
    else if (outcome === false) mismatched += amount;
    else unknown = addUnread(unknown, amount, outcome ?? NOT_CHECKED);
  });
  return judgeQuantity({ known, unread: unknown, mismatched }, bounds);
}
