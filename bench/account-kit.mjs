import { addressLookUp } from './account-kit/address-look-up.mjs';
import { operationSpeed } from './account-kit/operation-speed.mjs';
import { solanaSpeed } from './account-kit/solana-speed.mjs';
import { startAccountKit } from './support/account-kit-suite.mjs';

/** @import { Children } from '../scripts/processes/children.mjs' */
/** @import { AccountKitSuite } from './support/account-kit-suite.mjs' */

/** Reading the addresses of a smart account. @param {Children} children */
export const accountAddresses = (children) =>
  withAccountKit(children, (suite) => addressLookUp(children, suite));

/** User operations from the request to their event on the chain. @param {Children} children */
export const userOperations = (children) =>
  withAccountKit(children, (suite) => operationSpeed(children, suite));

/** Solana transactions. @param {Children} children */
export const solanaTransactions = (children) => withAccountKit(children, solanaSpeed);

/** @param {Children} children @param {(suite: AccountKitSuite) => Promise<string>} bench */
async function withAccountKit(children, bench) {
  const suite = await startAccountKit(children);
  try {
    return await bench(suite);
  } finally {
    await suite.stop();
  }
}
