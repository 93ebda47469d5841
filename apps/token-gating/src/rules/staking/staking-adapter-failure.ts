/** The deployment has no adapter for a stored rule any more. Same shape as ReadFailure. */
export interface StakingAdapterFailure {
  readonly ok: false;
  readonly permanent: true;
  readonly code: 'rule_not_supported';
  readonly message: string;
}

export const createStakingAdapterFailure = (message: string): StakingAdapterFailure => ({
  ok: false,
  permanent: true,
  code: 'rule_not_supported',
  message,
});
