import { forbidden, notFound } from '@app/common';
import type { FreezeScope } from './freezes.queries.js';

const WHAT: Record<FreezeScope, string> = {
  account: 'this account',
  application: 'your client application',
  chain: 'this chain',
  paymaster: 'the sponsor of this chain',
  everything: 'all accounts',
};

/** The operators' reason is not for callers. @param scope unset where only the signer has found it */
export const frozen = (scope?: FreezeScope) =>
  forbidden(
    'frozen',
    `Operators have frozen ${scope ? WHAT[scope] : 'this'}: nothing is signed until they allow it again.`,
    scope ? { scope } : {},
  );

export const frozenAccountNotFound = () =>
  notFound('account_not_found', 'This address is no smart account of this deployment.');

export const freezeNotFound = () => notFound('freeze_not_found', 'This is not frozen.');
