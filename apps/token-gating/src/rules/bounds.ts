import { toBaseUnits, type TokenGatingRule } from '@app/dto';

/** Inclusive, in a token's smallest unit. */
export interface Bounds {
  readonly min: bigint;
  readonly max: bigint | undefined;
}

/** A rule's thresholds for a token of so many decimals. What is finer narrows: the least rounds up, the most down. */
export function toBounds(
  { minToken, maxToken }: Pick<TokenGatingRule, 'minToken' | 'maxToken'>,
  decimals: number,
): Bounds {
  return {
    min: toBaseUnits(minToken, decimals, 'up'),
    max: maxToken && toBaseUnits(maxToken, decimals, 'down'),
  };
}
