const VALIDATION = 'UserOperation reverted with reason: ';

/**
 * What alto answers to `eth_sendUserOperation` when it does not accept an operation. `npm run test:bundler` compares them with alto
 * itself; the stand-in of a bundler in other tests answers them.
 */
export const ALTO_ERRORS = {
  sentTwice: { code: -32_602, message: 'Already known' },
  otherAtSameNonce: {
    code: -32_602,
    message:
      'AA25 invalid account nonce: User operation already present in mempool, bump the gas price by minimum 10%',
  },
  otherDeployment: {
    code: -32_602,
    message:
      'AA10 sender already constructed: A conflicting userOperation with initCode for this sender is already in the mempool, bump the gas price by minimum 10%',
  },
  nonceInBundle: {
    code: -32_602,
    message:
      'AA25 invalid account nonce: Another UserOperation with same sender and nonce is already being processed',
  },
  deploymentInBundle: {
    code: -32_602,
    message:
      'AA25 invalid account deployment: Another deployment operation for this sender is already being processed',
  },
  includedDeployment: { code: -32_500, message: `${VALIDATION}AA10 sender already constructed` },
  included: { code: -32_500, message: `${VALIDATION}AA25 invalid account nonce` },
  unfunded: { code: -32_500, message: `${VALIDATION}AA21 didn't pay prefund` },
  wrongSignature: { code: -32_507, message: `${VALIDATION}AA24 signature error` },
  sponsorExpired: { code: -32_503, message: `${VALIDATION}AA32 paymaster expired or not due` },
} as const;
