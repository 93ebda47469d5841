import { toBaseUnits, type TokenGatingRule } from '@app/dto';

/** Inclusive thresholds in base units. */
export interface Bounds {
  readonly min: bigint;
  readonly max: bigint | undefined;
}

/** Thresholds of a rule for a token with `decimals`. Excess digits narrow the range: min rounds up, max rounds down. */
export function toBounds(
  { minToken, maxToken }: Pick<TokenGatingRule, 'minToken' | 'maxToken'>,
  decimals: number,
): Bounds {
  return {
    min: toBaseUnits(minToken, decimals, 'up'),
    max: maxToken && toBaseUnits(maxToken, decimals, 'down'),
  };
}
