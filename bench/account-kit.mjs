import { addressLookUp } from './account-kit/address-look-up.mjs';
import { operationSpeed } from './account-kit/operation-speed.mjs';
import { startAccountKit } from './support/account-kit-suite.mjs';

/** Smart accounts: reading an address, and user operations from the request to their event on the chain. */
export async function accountKit(children) {
  const suite = await startAccountKit(children);
  const lookUp = await addressLookUp(children, suite);
  return `${lookUp}\n\n${await operationSpeed(suite)}`;
}
